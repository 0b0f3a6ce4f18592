"""The lines that close a program's report."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mlusim.simulator.findings import ADVICE, ERROR, WARNING, Finding
from mlusim.simulator.findings.reports import Checked
from mlusim.simulator.findings.reports import Report as Checks
from mlusim.simulator.host.programs.checked import document
from mlusim.simulator.host.programs.messages import Place
from mlusim.simulator.host.programs.report import CutOff, Death, Launched, ProgramReport
from mlusim.simulator.host.programs.summary import closing_lines
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
    (line,) = closing_lines(ProgramReport(ended=True), findings, suppressed)
    assert line == f"0 launches, 0 copies of 0 bytes, 0.00 us simulated; {said}"


@pytest.mark.parametrize("cut", [False, True])
def test_the_time_of_a_log_that_lacks_something_is_a_bound(cut: bool) -> None:
    report, least = ProgramReport(ended=True, time_us=9), "at least " if cut else ""
    for kernel, lacks in (("long", cut), ("long", False), ("short", False)):
        report.launches.append(Launched(kernel, 0, 0, Place(), (1, 1, 1), "block", 1.0, 3.0, None, lacks))
    assert [*closing_lines(report, [])] == [
        f"long: 2 launches, {least}4.00 us", "short: 1 launch, 2.00 us",
        f"3 launches, 0 copies of 0 bytes, {least}9.00 us simulated; no findings",
    ]  # fmt: skip


def test_findings_of_one_cause_are_counted_once() -> None:
    report = ProgramReport(ended=True)
    report.add(PLACES["leak"])
    report.add(replace(PLACES["leak"], count=2))
    (line,) = closing_lines(report, report.findings)
    assert line.endswith("; 1 warning")


@pytest.mark.parametrize(
    ("number", "address", "on_device", "said"),
    [
        (11, 8, False, "by SIGSEGV (segmentation fault): it used a null pointer"),
        (7, 4096, True, "by SIGBUS (bus error): it used device memory through a device pointer; copy with"),
        (11, 0x5000, False, "by SIGSEGV (segmentation fault): it used 0x5000, where it has no memory: a pointer"),
        (11, 2**64 - 1, False, "by SIGSEGV (segmentation fault): a pointer that is wrong or freed, "),
        (8, 0, False, "by SIGFPE (floating point exception): a whole number was divided by zero"),
        (15, 0, False, "by SIGTERM (terminated)"),
        (64, 0, False, "by SIGRTMAX"),
    ],
)
def test_a_signal_is_a_sentence(number: int, address: int, on_device: bool, said: str) -> None:
    report = ProgramReport(death=Death(number, address, on_device, "", 0))
    first, last = closing_lines(report, [])
    assert first.startswith(f"the program was ended {said}")
    assert last.startswith("0 launches")


def test_an_end_without_a_word() -> None:
    first, cut, _ = closing_lines(ProgramReport(cut_off=CutOff("k", Place())), [])
    assert first.startswith("the program ended without a word (_exit(), SIGKILL, ")
    assert cut.startswith("k, launched at ")
    assert cut.endswith(", was under way and was ended with the program")


def test_what_may_stay_is_apart_in_documents() -> None:
    report = ProgramReport()
    for finding in (PLACES["leak"], PLACES["bounds"]):
        report.add(finding)
    checks = Checks((Checked("program", (replace(PLACES["leak"], reason="at exit"), PLACES["bounds"])),))
    made = document(report, checks)
    assert [finding["rule"] for finding in made["findings"]] == ["bounds"]
    assert [(finding["rule"], finding["reason"]) for finding in made["suppressed"]] == [("leak", "at exit")]
