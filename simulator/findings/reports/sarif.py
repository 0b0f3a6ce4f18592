"""SARIF 2.1.0 (OASIS), as code hosts and editors open it."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...log import Location
from ...text import printable
from .. import ADVICE, ERROR, RULES, WARNING, Finding
from .places import shown_path
from .report import Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {ERROR: "error", WARNING: "warning", ADVICE: "note"}


def sarif(report: Report) -> str:
    """The report as one run of one tool, with the rules that its findings name."""
    results = [*report.findings, *report.suppressed]
    used = sorted({finding.rule for finding in results})
    number = {rule: at for at, rule in enumerate(used)}
    driver = {"name": "mlusim", "version": version("mlusim"), "rules": [_rule(rule) for rule in used]}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, number[finding.rule]) for finding in results],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: str) -> dict[str, Any]:
    known = RULES[rule]
    return {
        "id": rule,
        "shortDescription": {"text": known.doc},
        "help": {"text": f"`mlusim rules {rule}` explains it, with an example and how to fix it"},
        "defaultConfiguration": {"level": _LEVELS[known.severity]},
    }


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    fix = f"\nfix: {finding.suggestion}" if finding.suggestion else ""
    limit = f"\nlimit: {finding.limit}" if finding.limit else ""
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": printable(finding.message + limit + fix)},
        "occurrenceCount": finding.count,
        "properties": {
            name: value for name, value in finding.to_dict().items()
            if name in ("instruction", "operand", "region", "kernel", "cores", "tasks", "provenance") and value
        },
    }  # fmt: skip
    if finding.location.line:
        result["locations"] = [_location(finding.location)]
    others = [(finding.related, "the other instruction"), (finding.origin, "the memory is allocated here")]
    others += [(place, "the same mistake") for place in finding.also]
    related = [
        _location(place) | {"id": at, "message": {"text": text}}
        for at, (place, text) in enumerate(others)
        if place is not None and place.line
    ]
    if related:
        result["relatedLocations"] = related
    if finding.trail:
        result["codeFlows"] = [{"threadFlows": [{"locations": [{"location": step} for step in _trail(finding)]}]}]
    if finding.reason:
        files = [place.file for place in finding.places]
        inside = finding.suppressed_at is not None and finding.suppressed_at.file in files
        kind = "inSource" if inside else "external"
        result["suppressions"] = [{"kind": kind, "justification": printable(finding.reason)}]
    return result


def _trail(finding: Finding) -> list[dict[str, Any]]:
    """How a wrong result came about, the first step first."""
    steps = [(step.location, str(step)) for step in reversed(finding.trail)]
    steps.append((finding.location, finding.message))
    return [_location(place) | {"message": {"text": printable(text)}} for place, text in steps if place.line]


def _location(place: Location) -> dict[str, Any]:
    path = shown_path(place.file)
    uri = quote(path, errors="surrogateescape") if not Path(path).is_absolute() else Path(path).as_uri()
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": place.line}}}
