"""The lines that close a program's report."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mlusim.simulator.findings import ADVICE, ERROR, WARNING, Finding
from mlusim.simulator.findings.reports import Checked
from mlusim.simulator.findings.reports import Report as Checks
from mlusim.simulator.host.programs.checked import document
from mlusim.simulator.host.programs.report import ProgramReport
from mlusim.simulator.host.programs.summary import closing_lines, summary
from mlusim.simulator.log import Location

PLACES = {rule: Finding(rule, "", severity, location=Location("a.mlu", line)) for line, (rule, severity) in enumerate(
    [("bounds", ERROR), ("space", ERROR), ("leak", WARNING), ("unread", ADVICE)], 1
)}  # fmt: skip


@pytest.mark.parametrize(
    ("shown", "suppressed", "said"),
    [
        ([], 0, "no findings"), ([], 2, "2 suppressed"), (["bounds"], 0, "1 error"),
        (["leak"], 1, "1 warning and 1 suppressed"),
        (["bounds", "space", "leak", "unread"], 1, "2 errors, 1 warning, 1 piece of advice and 1 suppressed"),
    ],
)  # fmt: skip
def test_what_is_shown_is_counted(shown: list[str], suppressed: int, said: str) -> None:
    findings = [PLACES[rule] for rule in shown]
    (line,) = closing_lines(ProgramReport(), findings, suppressed)
    assert line == f"0 launches, 0 copies of 0 bytes, 0.00 us simulated; {said}"


def test_a_report_of_a_program_by_itself() -> None:
    report = ProgramReport()
    report.add(PLACES["leak"])
    report.add(replace(PLACES["leak"], count=2))
    assert [line.rpartition("; ")[2] for line in summary(report)][-1] == "1 warning"


def test_what_may_stay_is_apart_in_documents() -> None:
    report = ProgramReport()
    for finding in (PLACES["leak"], PLACES["bounds"]):
        report.add(finding)
    checks = Checks((Checked("program", (replace(PLACES["leak"], reason="at exit"), PLACES["bounds"])),))
    made = document(report, checks)
    assert [finding["rule"] for finding in made["findings"]] == ["bounds"]
    assert [(finding["rule"], finding["reason"]) for finding in made["suppressed"]] == [("leak", "at exit")]
