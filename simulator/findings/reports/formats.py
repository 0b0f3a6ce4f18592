"""The formats of reports by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...text import printable
from .. import counted
from .report import Report


def text(report: Report) -> str:
    """The findings for people, and how many there are."""
    allowed = [f"suppressed: {finding.rule} at {finding.location}: {finding.reason}" for finding in report.suppressed]
    shown = [*map(str, report.findings), *map(printable, allowed)]
    return "\n".join([*shown, verdict(report)]) + "\n"


def verdict(report: Report) -> str:
    """How many findings there are, as a sentence."""
    found = counted(report.findings, len(report.suppressed))
    if not found:
        return "no findings: every rule was kept"
    return f"the kernel {'broke rules' if report.failed else 'broke no rule'}: {found}"


def report_document(report: Report) -> dict[str, Any]:
    """The report as plain data for JSON; what launches were compared with is there if any was."""
    tried = [{"checked": one.name, "tried": one.tried} for one in report.checked if one.tried]
    return {
        "checked": [one.name for one in report.checked],
        "findings": [finding.to_dict() for finding in report.findings],
        "suppressed": [finding.to_dict() for finding in report.suppressed],
        **({"tried": tried} if tried else {}),
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
