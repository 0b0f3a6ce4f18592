"""Outputs and inputs that are left out in part, where something else says that all of them was meant; and where not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import N, run

ROWS = 6
Kernel = Callable[[Any, Any, Any], None]


def rows(
    m: Any, source: Any, out: Any, *, kept: int = N, at: Callable[[int], int] = lambda row: row * N,
    come: Callable[[int], int] = lambda row: row * N, some: range = range(ROWS), made: int = N,
) -> None:  # fmt: skip
    """Rows are loaded, doubled and stored."""
    for row in some:
        tile = m.nram("float", N)
        m.__memcpy(tile, source + come(row), 4 * N, m.GDRAM2NRAM)
        m.__bang_mul_scalar(tile, tile, 2.0, made)
        m.__memcpy(out + at(row), tile, 4 * kept, m.NRAM2GDRAM)


def every_column_but_one(m: Any, source: Any, out: Any) -> None:
    for row in range(0, ROWS, 2):
        tile = m.nram("float", 2 * N)
        m.__memcpy(tile, source + row * N, 8 * N, m.GDRAM2NRAM)
        m.__bang_mul_scalar(tile, tile, 2.0, 2 * N)
        m.__memcpy(out + row * N, tile, 128, m.NRAM2GDRAM, 128 * 2, 128, 1)


def with_ids(ids: list[int]) -> Kernel:
    return lambda m, source, out: rows(m, source, out, come=lambda row: N * ids[row])


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (lambda m, x, y: rows(m, x, y, kept=N // 4), ["warning unwritten 1152"]),  # elements for bytes
        (lambda m, x, y: rows(m, x, y, kept=N // 2), ["warning unwritten 768"]),
        (lambda m, x, y: rows(m, x, y, at=lambda row: row // 2 * 2 * N), ["warning unwritten 768"]),
        (lambda m, x, y: rows(m, x, y, come=lambda row: 0), ["advice unread 1280"]),
        (lambda m, x, y: rows(m, x, y, some=range(1, ROWS)), ["advice unwritten 256"]),
        (lambda m, x, y: rows(m, x, y, some=range(ROWS - 1)), ["advice unwritten 256"]),
        (every_column_but_one, ["advice unwritten 768"]),
        # near misses
        (rows, []),
        (with_ids([5, 0, 0, 2, 4, 4]), []),  # rows by number: which are read depends on the data
        (lambda m, x, y: rows(m, x, y, some=range(2)), []),  # the arrays are larger than what is asked for
        (lambda m, x, y: rows(m, x, y, some=range(1, 3)), []),  # a view of both
        (lambda m, x, y: rows(m, x, y, some=range(3, 6)), []),  # and of their second halves
        (lambda m, x, y: rows(m, x, y, at=lambda row: row // 3 * N, some=range(0, ROWS, 3)), []),
    ],
)  # fmt: skip
def test_holes(kernel: Kernel, said: list[str]) -> None:
    source, out = np.ones(ROWS * N, np.float32), np.zeros(ROWS * N, np.float32)
    found = run(kernel, source, out).findings
    assert [f"{f.severity} {f.rule} {bytes_of(f.message)}" for f in found if f.rule in ("unwritten", "unread")] == said
    assert all(f.location.line for f in found)


def bytes_of(message: str) -> str:
    return message.split()[3]


def test_a_pitch_that_is_twice_a_row_is_no_hole() -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        tile = m.nram("float", N)
        for row in range(ROWS):
            m.__memcpy(tile, source + row * N // 2, 2 * N, m.GDRAM2NRAM)
            m.__bang_mul_scalar(tile, tile, 2.0, N // 2)
            m.__memcpy(out + row * N, tile, 2 * N, m.NRAM2GDRAM)

    source, out = np.ones(ROWS * N // 2, np.float32), np.zeros(ROWS * N, np.float32)
    assert run(kernel, source, out).findings == []


def test_results_whose_number_depends_on_data_end_where_they_end() -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        count = 0
        for at in range(N):
            if source[at] > 0.3:
                out[count] = source[at]
                count += 1

    assert run(kernel, np.random.default_rng(1).random(N).astype(np.float32), np.zeros(N, np.float32)).findings == []
