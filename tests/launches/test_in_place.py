"""What a launch updates in place, or makes in a step of several, may be a part of an array: the rest is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Program

CHIP = "cuda-sm80"
SOURCE = Path(__file__).with_name("in_place.cu")


#: What is said of a row of which too little is made.
MISSING = [
    ("warning", "no task writes elements of r whose index on axis 1 is 0 to 9, of 27, nor reads those of an input, "
     "along an axis that is as long"),
]  # fmt: skip


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).uniform(1, 2, shape).astype(np.float32)


def said(program: Program, kernel: str, *args: Any, blocks: Any = 4, block: Any = 64) -> list[tuple[str, str]]:
    run = program.launch(kernel, blocks, args=args, block=block, on_finding="collect", orders=1, vary=True)
    return [
        (one.severity, one.message.partition(" of the ")[0])
        for one in run.findings
        if one.rule in ("unwritten", "unread", "place-dependent")
    ]


def test_the_middle_of_an_exchange(program: Program) -> None:
    assert said(program, "reversed<0>", numbers(201), 201) == []
    assert said(program, "reversed<1>", numbers(201), 201) == [("warning", "no task writes 12")]
    assert said(program, "reversed<1>", numbers(200), 200) == [("warning", "no task writes 8")]


def test_most_of_an_array_is_left(program: Program) -> None:
    x = numbers(27, 27)
    assert said(program, "added_to_diagonal", x, 27) == []
    assert said(program, "diagonal", x, 27) == [("warning", "no task writes 2808")]


@pytest.mark.parametrize(("missing", "severity"), [(1, ["warning"]), (60, ["advice"]), (150, [])])
def test_how_much_is_left(program: Program, missing: int, severity: list[str]) -> None:
    assert [one[0] for one in said(program, "doubled", numbers(200), 200, missing)] == severity


def test_where_the_part_begins_is_passed(program: Program) -> None:
    def eliminated(slip: int) -> list[tuple[str, str]]:
        return said(program, f"eliminated<{slip}>", numbers(27, 27), 27, 2, blocks=(2, 2), block=(16, 16))

    assert eliminated(0) == []
    assert eliminated(1)[0] == ("advice", "no task writes 800")


@pytest.mark.parametrize(("slip", "found"), [(0, []), (1, []), (4, MISSING)])
def test_a_step_makes_what_begins_at_a_place_that_is_passed(
    program: Program, slip: int, found: list[tuple[str, str]]
) -> None:
    """It may begin behind the diagonal; what it takes of another array is a column."""
    r, q, a = (numbers(27, 27) for _ in range(3))
    assert said(program, f"row_of_step<{slip}>", r, q, a, 27, 6) == found
