"""Results of which hardly anything is read, and those of which none is stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import BYTES, N, run, zeros

SIZE, ROWS = 1024, 4


def steps(m: Any, source: Any, out: Any, *, reduced: str, takes: Any = range(0, SIZE, 32), size: int = SIZE) -> None:
    """A row is loaded, its exponentials and their sums are made, in this order or the other, and elements are taken."""
    tile = m.nram("float", SIZE)
    for row in range(ROWS):
        m.__memcpy(tile, source + row * SIZE, 4 * SIZE, m.GDRAM2NRAM)
        for step in ("reduce", "exp") if reduced == "first" else ("exp", "reduce"):
            if step == "exp":
                m.__bang_active_exp(tile, tile, size)
            elif reduced != "never":
                m.__bang_reduce_sum(tile, tile, size)
        out[row] = sum(tile[at] for at in takes)


def counted_in_elements(m: Any, source: Any, out: Any, loaded: int, taken: int) -> None:
    """Whoever loads and adds up counts in elements, and takes them for bytes."""
    for row in range(ROWS):
        tile, made = m.nram("float", SIZE), m.nram("float", SIZE)
        m.__memcpy(tile, source + row * SIZE, loaded, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tile, 2.0, SIZE)
        m.__bang_reduce_sum(made, made, taken // 4)
        out[row] = sum(made[at] for at in range(0, taken // 4, 32))


def sums(m: Any, source: Any, out: Any, count: int, takes: range) -> None:
    """Each sum is one of 32 elements, the first of each 32."""
    for row in range(ROWS):
        tile, made = m.nram("float", SIZE), m.nram("float", SIZE)
        m.__memcpy(tile, source + row * SIZE, 4 * count, m.GDRAM2NRAM)
        m.__bang_reduce_sum(made, tile, count)
        out[row] = sum(made[at] for at in takes)


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (lambda m, x, y: steps(m, x, y, reduced="first"), ["unused"]),
        (lambda m, x, y: steps(m, x, y, reduced="never", takes=range(5)), ["unused"]),
        (lambda m, x, y: counted_in_elements(m, x, y, SIZE, SIZE), ["unused"]),
        (lambda m, x, y: sums(m, x, y, SIZE, range(1)), ["unused"]),
        # near misses
        (lambda m, x, y: sums(m, x, y, SIZE, range(0, SIZE, 32)), []),
        (lambda m, x, y: sums(m, x, y, 32, range(1)), []),
        (lambda m, x, y: steps(m, x, y, reduced="last"), []),
        (lambda m, x, y: steps(m, x, y, reduced="first", size=128, takes=range(0, 128, 32)), []),  # the least there is
        (lambda m, x, y: steps(m, x, y, reduced="never", takes=range(0, SIZE, 4)), []),
        (lambda m, x, y: counted_in_elements(m, x, y, 4 * SIZE, SIZE), []),  # a quarter is taken, and all is loaded
        (lambda m, x, y: counted_in_elements(m, x, y, 3 * SIZE, 3 * SIZE), []),  # a short row, rounded up
    ],
)
def test_results_of_which_hardly_any_is_read(kernel: Any, said: list[str]) -> None:
    found = run(kernel, np.ones(ROWS * SIZE, np.float32), zeros(ROWS)).findings
    assert [f.rule for f in found if "most of what" in f.message] == said
    assert all(f.severity == "advice" and f.location.line for f in found if "most of what" in f.message)


@pytest.mark.parametrize(
    ("default", "used", "said"),
    [
        ("data", "never", ["warning"]),  # a product is set for the result, and what comes over it is of another
        ("constant", "never", ["advice"]),
        ("copy of a constant", "never", ["advice"]),
        # near misses
        ("constant", "in the second round", []),
        ("data", "in the second round", []),
    ],
)
def test_what_is_set_before_it_is_made(default: str, used: str, said: list[str]) -> None:
    """A result has a default, which what is made of the data always overwrites."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, one, made = m.nram("float", N), m.nram("float", N), m.nram("float", N)
        m.__bang_write_value(one, N, 1.0)
        for row in range(ROWS):
            m.__memcpy(tile, source + row * N, BYTES, m.GDRAM2NRAM)
            if default == "copy of a constant":
                m.__memcpy(made, one, BYTES, m.NRAM2NRAM)
            else:
                m.__bang_mul_scalar(made, tile if default == "data" else one, 2.0, N)
            m.__bang_add(made, tile, one if used == "never" or row != 1 else made, N)
            m.__memcpy(out + row * N, made, BYTES, m.NRAM2GDRAM)

    found = run(kernel, np.ones(ROWS * N, np.float32), zeros(ROWS * N)).findings
    assert [(f.rule, f.severity) for f in found] == [("unused", severity) for severity in said]
