"""Places along an axis that a launch treats unlike all others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Program, load
from mlusim.simulator.checks.after_run import Given

from tests.support.devices import device
from tests.support.sources import line_of

SOURCE = Path(__file__).with_name("places.cu")


@pytest.fixture(scope="module")
def program() -> Program:
    return load([SOURCE], device=device("cuda-sm80"))


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).random(shape, np.float32)


def odd(program: Program, kernel: str, blocks: int, *args: Any, block: int = 32) -> list[tuple[str, str, int]]:
    """Severity, what is said of the places, and the line."""
    run = program.launch(kernel, blocks, args=args, block=block, on_finding="collect", vary=True)
    return [
        (one.severity, one.message.partition(" treated")[0], one.location.line)
        for one in run.findings
        if one.rule == "place-dependent"
    ]


def test_places_that_a_stride_leaves_out(program: Program) -> None:
    def shares(every: str) -> list[Any]:
        x = numbers(5, 101)
        return odd(program, f"shares_of<{every}>", 5, np.zeros_like(x), x, 5, 101)

    line = line_of(SOURCE, "// sum$")
    assert shares("false") == [("warning", "3 places (32, 65, 98) of the 101 along an axis are", line)]
    assert shares("true") == []


def test_the_last_place(program: Program) -> None:
    def rows(every: str) -> list[Any]:
        chosen = np.random.default_rng(4).permutation(40)[:17].astype(np.int32)
        return odd(program, f"chosen_rows<{every}>", 4, np.zeros((17, 6), np.float32), numbers(40, 6), chosen, 17, 6)

    line = line_of(SOURCE, "// rows$")
    assert rows("false") == [("warning", "place 16 of the 17 along an axis is", line)]
    assert rows("true") == []


def test_places_that_a_number_says(program: Program) -> None:
    x = numbers(5, 101)
    assert odd(program, "of_the_first", 5, np.zeros_like(x), x, 5, 101, 98) == []
    assert odd(program, "but_for_the_last", 3, np.zeros_like(x[:3]), x[:3], 3, 101, 6) == []
    assert odd(program, "between", 5, np.zeros(5, np.float32), x, 5, 101, 4, 98) == []
    labels = np.array([7, 90, 33, 7, 51], np.int32)
    assert odd(program, "but_for_labels", 5, np.zeros_like(x), x, labels, 5, 101) == []


def test_the_rest_of_a_block(program: Program) -> None:
    assert odd(program, "sums_of_parts", 4, np.zeros(4, np.float32), numbers(100), 100, 32) == []


def test_a_result_that_is_put_among_its_inputs(program: Program) -> None:
    assert odd(program, "summed_in_place", 1, numbers(90), 90) == []


def test_places_without_a_part(program: Program) -> None:
    x = numbers(12)
    assert odd(program, "looked_up", 1, np.zeros_like(x), x, numbers(200), 12, 200) == []


def test_places_that_data_chooses(program: Program) -> None:
    x = numbers(90)
    x[[40, 71]] = x[[20, 8]] + np.float32(1e-5)
    assert odd(program, "first_of_its_kind", 3, np.zeros_like(x), x, 90) == []


def test_places_that_are_all_unlike_each_other(program: Program) -> None:
    assert odd(program, "with_neighbours", 3, np.zeros(90, np.float32), numbers(90), 90) == []


def test_flat_arrays_have_the_axes_that_are_passed(program: Program) -> None:
    def shares(every: str) -> list[Any]:
        x = numbers(5, 101).reshape(-1)
        return odd(program, f"shares_of<{every}>", 5, np.zeros_like(x), x, 5, 101)

    line = line_of(SOURCE, "// sum$")
    assert shares("false") == [("warning", "3 places (32, 65, 98) of the 101 along an axis are", line)]
    assert shares("true") == []


@pytest.mark.parametrize(
    ("count", "passed", "axes"),
    [
        (15, (3, 5), (3, 5)),
        (15, (7, 3, 5), (3, 5)),  # those that follow each other
        (15, (3, 7, 5), (3, 5)),  # else any two, in their order
        (105, (7, 3, 5), (7, 3, 5)),
        (15, (1, 15), None),
        (15, (15,), None),
        (16, (3, 5), None),
    ],
)
def test_axes_of_a_flat_array(count: int, passed: tuple[int, ...], axes: tuple[int, ...] | None) -> None:
    held = np.arange(count, dtype=np.float32)
    flat = Given("x", "0", 0, held.shape, held.dtype, True, True, lambda: held, passed=passed)
    assert flat.in_rows.shape == (axes or (count,))
    assert flat.in_rows.contents().shape == (axes or (count,))
    assert flat.in_rows.element(7) == "x[7]"
    assert np.shares_memory(flat.in_rows.contents(), held)


def test_given_axes_stay() -> None:
    held = np.zeros((5, 3), np.float32)
    given = Given("x", "0", 0, held.shape, held.dtype, True, True, lambda: held, passed=(3, 5))
    assert given.in_rows is given
    assert given.in_rows.element(7) == "x[2, 1]"
