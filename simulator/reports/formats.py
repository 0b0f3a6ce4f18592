"""The formats of reports by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..findings import ADVICE, ERROR, WARNING
from ..text import printable
from .report import Report

_NOUNS = {
    ERROR: ("error", "errors"), WARNING: ("warning", "warnings"), ADVICE: ("piece of advice", "pieces of advice"),
}  # fmt: skip


def text(report: Report) -> str:
    """The findings for people, and how many there are."""
    allowed = [f"suppressed: {finding.rule} at {finding.location}: {finding.reason}" for finding in report.suppressed]
    shown = [*map(str, report.findings), *map(printable, allowed)]
    return "\n".join([*shown, verdict(report)]) + "\n"


def verdict(report: Report) -> str:
    """How many findings there are, as a sentence."""
    parts = []
    for severity, (one, several) in _NOUNS.items():
        count = sum(finding.severity == severity for finding in report.findings)
        if count:
            parts.append(f"{count} {one if count == 1 else several}")
    if report.suppressed:
        parts.append(f"{len(report.suppressed)} suppressed")
    if not parts:
        return "no findings: every rule was kept"
    return f"the kernel {'broke rules' if report.failed else 'broke no rule'}: {_and(parts)}"


def _and(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def report_document(report: Report) -> dict[str, Any]:
    """The report as plain data for JSON."""
    return {
        "checked": [one.name for one in report.checked],
        "findings": [finding.to_dict() for finding in report.findings],
        "suppressed": [finding.to_dict() for finding in report.suppressed],
    }


def _json(report: Report) -> str:
    return json.dumps(report_document(report), indent=2) + "\n"


def _late(name: str) -> Callable[[Report], str]:
    """A format whose module of the same name is imported when it is asked for."""

    def formatted(report: Report) -> str:
        made: str = getattr(import_module(f".{name}", __package__), name)(report)
        return made

    return formatted


#: How a report is written, by the name that ``--format`` takes.
FORMATS: dict[str, Callable[[Report], str]] = {
    "text": text, "json": _json, **{name: _late(name) for name in ("sarif", "junit", "github")},
}  # fmt: skip
