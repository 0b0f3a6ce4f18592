"""Elements that two lines load one right after the other, each time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import BYTES, N, rules, run, zeros

ROUNDS = 4


def products(m: Any, x: Any, y: Any, out: Any, how: str) -> None:
    """The product of the tiles of x and y, or of what the second load brings instead."""
    first, second = m.nram("float", N), m.nram("float", N)
    start = ROUNDS // m.taskDim * m.taskId
    for number in range(start, start + ROUNDS // m.taskDim):
        at = 0 if how == "a constant" else number * N
        m.__memcpy(first, x + at, BYTES, m.GDRAM2NRAM)
        if how == "the next tile":
            m.__memcpy(second, x + (at + N), BYTES, m.GDRAM2NRAM)
        elif how == "the same place":
            m.__bang_mul_scalar(second, first, 2.0, N)
            m.__memcpy(first, x + at, BYTES, m.GDRAM2NRAM)
        elif how == "fewer":
            m.__memcpy(second, x + at, BYTES // 2, m.GDRAM2NRAM)
            m.__bang_write_value(second + N // 2, N // 2, 1.0)
        elif how == "what is written":
            m.__memcpy(x + at, first, BYTES, m.NRAM2GDRAM)
            m.__memcpy(second, x + at, BYTES, m.GDRAM2NRAM)
        else:
            m.__memcpy(second, (y if how == "both" else x) + at, BYTES, m.GDRAM2NRAM)
        m.__bang_mul(first, first, second, N)
        m.__memcpy(out + number * N, first, BYTES, m.NRAM2GDRAM)


def arrays() -> list[np.ndarray]:
    return [zeros((ROUNDS + 1) * N), zeros((ROUNDS + 1) * N), zeros(ROUNDS * N)]


@pytest.mark.parametrize("tasks", [1, 4])
def test_a_tile_that_is_loaded_twice(tasks: int) -> None:
    def squares(m: Any, x: Any, y: Any, out: Any) -> None:
        products(m, x, y, out, "twice")

    found = run(squares, *arrays(), tasks=tasks)
    (said,) = (one for one in found.findings if one.rule == "loaded-twice")
    assert (said.severity, said.instruction, said.count) == ("warning", "__memcpy", ROUNDS)
    assert said.related is not None
    assert (said.related.file, said.location.file) == (__file__, __file__)
    assert "y, which no task touches" in said.suggestion
    assert "unread" not in rules(found), "that y is not read is the same mistake"


@pytest.mark.parametrize(
    "how", ["both", "a constant", "the next tile", "the same place", "fewer", "what is written"]
)  # fmt: skip
def test_loads_that_are_meant(how: str) -> None:
    found = run(lambda m, *given: products(m, *given, how), *arrays())
    assert "loaded-twice" not in rules(found)


def test_a_second_loop_loads_all_of_it_again() -> None:
    def twice(m: Any, x: Any, out: Any) -> None:
        tile, other, sums = m.nram("float", N), m.nram("float", N), m.nram("float", N)
        m.__bang_write_value(sums, N, 0.0)
        for number in range(ROUNDS):
            m.__memcpy(tile, x + number * N, BYTES, m.GDRAM2NRAM)
            m.__bang_add(sums, sums, tile, N)
        for number in range(ROUNDS):
            m.__memcpy(other, x + number * N, BYTES, m.GDRAM2NRAM)
            m.__bang_sub(other, other, sums, N)
            m.__memcpy(out + number * N, other, BYTES, m.NRAM2GDRAM)

    assert "loaded-twice" not in rules(run(twice, zeros(ROUNDS * N), zeros(ROUNDS * N)))
