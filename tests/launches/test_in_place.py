"""What a launch updates in place may be a part of an array: the rest keeps what it held."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Program

CHIP = "cuda-sm80"
SOURCE = Path(__file__).with_name("in_place.cu")


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).uniform(1, 2, shape).astype(np.float32)


def said(program: Program, kernel: str, *args: Any, blocks: Any = 4, block: Any = 64) -> list[tuple[str, str]]:
    run = program.launch(kernel, blocks, args=args, block=block, on_finding="collect", orders=1, vary=True)
    return [
        (one.severity, one.message.partition(" of the ")[0])
        for one in run.findings
        if one.rule in ("unwritten", "place-dependent")
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
