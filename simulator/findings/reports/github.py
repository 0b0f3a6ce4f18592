"""Annotations as a workflow of GitHub prints them (docs.github.com, workflow commands)."""

from __future__ import annotations

from ...text import printable
from .. import ADVICE, ERROR, WARNING
from .places import shown_path
from .report import Report

_COMMANDS = {ERROR: "error", WARNING: "warning", ADVICE: "notice"}


def github(report: Report) -> str:
    """A line for every finding that is not suppressed."""
    lines = []
    for finding in report.findings:
        where = {}
        if finding.location.line:
            where = {"file": shown_path(finding.location.file), "line": str(finding.location.line)}
        where["title"] = f"mlusim {finding.rule}"
        named = ",".join(f"{key}={_property(value)}" for key, value in where.items())
        lines.append(f"::{_COMMANDS[finding.severity]} {named}::{_data(str(finding))}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
