"""The text of a trail."""

from __future__ import annotations

from mlusim.simulator.findings.finding import Finding, Step
from mlusim.simulator.findings.rules import results
from mlusim.simulator.log import Location


def text(*steps: tuple[str, str, int, tuple[str, ...]]) -> list[str]:
    trail = tuple(Step(name, Location(file, line), 0, 0, taken) for name, file, line, taken in steps)
    found = Finding(results.WRONG_RESULT, "said", trail=trail)
    return [line.strip() for line in str(found).splitlines() if "from" in line or "and" in line]


def test_steps_of_one_kind_that_follow_one_another_share_a_line() -> None:
    scalar = [("scalar code", "a.cu", line, ()) for line in (9, 7, 8)]
    assert text(*scalar, ("scalar code", "b.cu", 1, ())) == [
        "from scalar code at a.cu:9, 7, 8",
        "from scalar code at b.cu:1",
    ]


def test_what_has_taken_elements_has_a_line_of_its_own() -> None:
    copies = [("copy", "a.mlu", 3, ("x[0]",)), ("copy", "a.mlu", 4, ("x[1]",)), ("copy", "a.mlu", 5, ())]
    assert text(*copies) == ["from copy at a.mlu:3, of x[0]", "from copy at a.mlu:4, of x[1]", "from copy at a.mlu:5"]


def test_of_many_the_first_are_shown() -> None:
    (line,) = text(*[("scalar code", "a.cu", line, ()) for line in range(1, 21)])
    assert line == "from scalar code at a.cu:1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 8 more"
    several = text(*[("load", "a.cu", line, (f"x[{line}]",)) for line in range(1, 16)])
    assert several[-2:] == ["from load at a.cu:12, of x[12]", "and 3 more"]
