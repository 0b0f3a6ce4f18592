"""Elements of rows that have less of a part in the results than others of their row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Program, load

from tests.support.devices import device
from tests.support.sources import line_of

SOURCE = Path(__file__).with_name("rows.cu")


@pytest.fixture(scope="module")
def program() -> Program:
    return load([SOURCE], device=device("cuda-sm80"))


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(11).random(shape, np.float32)


def uneven(program: Program, kernel: str, blocks: int, threads: int, x: np.ndarray, *args: Any) -> list[Any]:
    """Severity, line and what each of two elements changes."""
    out = np.zeros(x.shape, np.float32)
    run = program.launch(kernel, blocks, args=(out, x, *args), block=threads, on_finding="collect", vary=True)
    return [
        (one.severity, one.location.line, one.message.partition("another number in ")[2])
        for one in run.findings
        if one.rule in ("ignored", "place-dependent")
    ]


def line(mark: str) -> int:
    return line_of(SOURCE, f"// {mark}$")


def test_elements_of_a_row_that_change_one_result_alone(program: Program) -> None:
    def by_rows(adds: str, columns: int = 17) -> list[Any]:
        return uneven(program, f"by_rows<{adds}>", 1, 64, numbers(50, columns), 50, columns)

    assert by_rows("false") == [("warning", line("share"), "")]  # place 16 of the row
    assert by_rows("true") == []
    assert by_rows("false", 7) == []  # too few places to say what is usual


def test_every_second_element_of_a_row(program: Program) -> None:
    def turned(both: str) -> list[Any]:
        return uneven(program, f"turned<{both}>", 4, 64, numbers(8, 64), 0.6, 0.8)

    said = "x[4, 1] changes 1 of them, in x[4, 2] it changes 2, and so in other rows"
    assert turned("false") == [("warning", line("turned"), said)]
    assert turned("true") == []


def test_steps_of_a_warp_that_are_all_there(program: Program) -> None:
    assert uneven(program, "shares", 9, 32, numbers(9, 32)) == []


@pytest.mark.parametrize("kernel", ["sums_up_to", "by_the_largest", "neighbours", "half_turned", "chosen"])
def test_right_kernels_whose_elements_are_of_several_kinds(program: Program, kernel: str) -> None:
    assert uneven(program, kernel, 6, 40, numbers(6, 40), 40) == []


def test_what_the_terms_of_a_least_sum_have_in_common(program: Program) -> None:
    x, table = numbers(6, 40), numbers(40, 40)
    x[2, 3], table[3, 2] = -0.01, 0
    assert uneven(program, "place_of_the_least", 6, 40, x, table, np.arange(6, dtype=np.int32), 40) == []
