"""Copies of a host program that are too long for an array of the device, or for memory of the host."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mlusim.simulator import Device
from mlusim.simulator.findings.rules.bounds import past_array
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.host.programs.report import ProgramReport
from mlusim.simulator.kernelc.options import Options
from mlusim.simulator.log import Location

from tests.support.sources import line_of

SOURCE = Path(__file__).parent / "programs" / "short.mlu"


def said(*copies: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """How often findings were seen, and where else, of copies: size, line, and the array's size and line."""
    report = ProgramReport()
    for size, line, array, made in copies:
        found = past_array("the target of a copy", 4096 + line, size, 8, array)
        report.add(found.but(location=Location("host.mlu", line), related=Location("host.mlu", made)))
    return [(found.count, len(found.also)) for found in report.findings]


@pytest.mark.parametrize(
    ("copies", "seen"),
    [
        ([(64, 8, 256, 2), (0, 9, 256, 2), (0, 9, 256, 2)], [(3, 1)]),  # of one: past its end, behind it
        ([(64, 8, 256, 2), (64, 9, 256, 3)], [(1, 0), (1, 0)]),  # of two arrays
        ([(64, 8, 256, 2), (64, 9, 512, 2)], [(1, 0), (1, 0)]),  # of two sizes, allocated at one line
    ],
)
def test_all_that_passes_the_end_of_one_array_is_one_finding(
    copies: list[tuple[int, int, int, int]], seen: list[tuple[int, int]]
) -> None:
    assert said(*copies) == seen


@pytest.mark.parametrize(
    ("name", "marks", "message"),
    [
        ("right", (), ""),
        (
            "heap",
            ("passes the end of the heap's", "gives it back"),
            "2048 bytes go 248 bytes past the end of 2056 bytes",
        ),
        ("pinned", ("passes the end of pinned memory", "pinned"), "2048 bytes go 16 bytes past the end of 2048 bytes"),
    ],
)
def test_memory_of_the_host_that_is_too_short(device: Device, name: str, marks: tuple[str, ...], message: str) -> None:
    """What the C library has given is measured when it is freed; it may end the program then."""
    program = build_program([SOURCE], Options.of([], [], [], None), device)
    code, (report,) = run_program(program, [name], [device])
    found = [one for one in report.findings if one.rule == "bounds"]
    assert (code == 0) or name == "heap"
    assert len(found) == bool(marks)
    for one in found:
        assert message in one.message
        assert one.related
        assert [one.location.line, one.related.line] == [line_of(SOURCE, rf"// {re.escape(mark)}$") for mark in marks]
