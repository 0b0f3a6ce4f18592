"""What has come of cases, as a table, as plain data and as JUnit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...findings.reports.junit import JUnitCase, junit_suite, xml_text
from .run import CaseOutcome

HEADERS = ("case", "result", "diffs", "simulated us", "findings", "wall s")


def row(outcome: CaseOutcome) -> tuple[str, ...]:
    """A line of the table."""
    worst: dict[str, float] = {}
    for entry in outcome.differences:
        worst[entry.measure] = max(entry.value, worst.get(entry.measure, 0.0))
    diffs = " ".join(f"{name} {value:.2g}" for name, value in worst.items())
    told = any(finding.message in outcome.why for finding in outcome.findings)  # above the table
    why = outcome.why.partition(": ")[0] if told else outcome.why
    return (
        _name(outcome), outcome.result + (f": {why}" if why else ""), diffs,
        f"{outcome.time_us:.2f}", str(len(outcome.findings)), f"{outcome.wall_s:.2f}",
    )  # fmt: skip


def summary(outcomes: Sequence[CaseOutcome]) -> str:
    """How many of each."""
    counts = Counter(outcome.result for outcome in outcomes)
    return ", ".join(f"{counts[name]} {name}" for name in ("passed", "ran", "failed", "error") if counts[name])


def tried(outcomes: Sequence[CaseOutcome]) -> list[str]:
    """What the launches of each kernel were compared with; cases of which the same is said share a line."""
    said: dict[tuple[str, str], list[str]] = {}
    for outcome in outcomes:
        for entry in outcome.tried.items():
            said.setdefault(entry, []).append(outcome.case.path.stem)
    return [f"{', '.join(cases)}: {kernel}: {text}" for (kernel, text), cases in said.items()]


def document(outcomes: Sequence[CaseOutcome]) -> dict[str, Any]:
    """Plain data."""
    return {
        "cases": [
            {
                "case": str(outcome.case.path), "operator": outcome.case.operator, "result": outcome.result,
                "why": outcome.why, "time_us": outcome.time_us, "wall_s": outcome.wall_s,
                "diffs": [{"output": entry.output, "measure": entry.measure, "value": entry.value, "limit": entry.limit}
                          for entry in outcome.differences],
                "findings": [finding.to_dict() for finding in outcome.findings],
                **({"tried": dict(outcome.tried)} if outcome.tried else {}),
            }
            for outcome in outcomes
        ],
        "summary": dict(Counter(outcome.result for outcome in outcomes)),
    }  # fmt: skip


def junit(outcomes: Sequence[CaseOutcome]) -> str:
    """A JUnit document."""
    wall = sum(outcome.wall_s for outcome in outcomes)
    return xml_text(junit_suite("mlusim cases", map(_case, outcomes), time=f"{wall:.3f}"))


def _case(outcome: CaseOutcome) -> JUnitCase:
    named = {"classname": outcome.case.operator, "name": _name(outcome), "time": f"{outcome.wall_s:.3f}"}
    element = {"failed": "failure", "error": "error"}.get(outcome.result, "")
    return JUnitCase(named, element, {"message": outcome.why}, "\n".join(map(str, outcome.findings)))


def _name(outcome: CaseOutcome) -> str:
    return f"{outcome.case.operator}/{outcome.case.path.stem}"
