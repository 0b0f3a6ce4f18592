"""Copies of a host program that pass the end of an array, or begin behind it: one cause, one finding."""

from __future__ import annotations

import pytest
from mlusim.simulator.findings.rules.bounds import past_array
from mlusim.simulator.host.programs.report import ProgramReport
from mlusim.simulator.log import Location


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
