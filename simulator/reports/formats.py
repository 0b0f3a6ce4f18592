"""The formats of reports by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..findings import SEVERITIES
from .github import github
from .junit import junit
from .report import Report
from .sarif import sarif


def text(report: Report) -> str:
    """The findings for people, and how many there are."""
    parts = [str(finding) for finding in report.findings]
    for finding in report.suppressed:
        parts.append(f"suppressed: {finding.rule} at {finding.location}: {finding.reason}")
    return "\n".join([*parts, verdict(report)]) + "\n"


def verdict(report: Report) -> str:
    """How many findings of each severity there are, in a line."""
    counts = {severity: sum(f.severity == severity for f in report.findings) for severity in SEVERITIES}
    plural = {"error": "errors", "warning": "warnings", "advice": "pieces of advice"}
    parts = [f"{count} {severity if count == 1 else plural[severity]}" for severity, count in counts.items() if count]
    if report.suppressed:
        parts.append(f"{len(report.suppressed)} suppressed")
    return ", ".join(parts) or "no findings: every rule was kept"


def document(report: Report) -> dict[str, Any]:
    """The report as plain data for JSON."""
    return {
        "checked": [one.name for one in report.checked],
        "findings": [finding.to_dict() for finding in report.findings],
        "suppressed": [finding.to_dict() for finding in report.suppressed],
        "failed": report.failed,
    }


def _json(report: Report) -> str:
    return json.dumps(document(report), indent=2) + "\n"


#: How a report is written, by the name that ``--format`` takes.
FORMATS: dict[str, Callable[[Report], str]] = {
    "text": text, "json": _json, "sarif": sarif, "junit": junit, "github": github,
}  # fmt: skip
