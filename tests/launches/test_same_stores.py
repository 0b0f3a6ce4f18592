"""Tasks that store to the same bytes: whether what they leave is the same in other orders decides how severe it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import BYTES, N, run, store, zeros

TASKS = 4


def sums(m: Any, source: Any, out: Any) -> None:
    """All tasks sum the same and store it."""
    piece = m.nram("float", N)
    m.__memcpy(piece, source, BYTES, m.GDRAM2NRAM)
    m.__bang_mul_scalar(piece, piece, 2.0, N)
    m.__memcpy(out, piece, BYTES, m.NRAM2GDRAM)


def own_numbers(m: Any, source: Any, out: Any) -> None:
    """The share of each task begins at the same place: the last one wins."""
    store(m, out, m.taskId)


def in_place(m: Any, source: Any, out: Any) -> None:
    """All tasks double the same; one after the other they leave the same in any order, and yet not side by side."""
    sums(m, out, out)


def read_by_others(m: Any, source: Any, out: Any) -> None:
    """All tasks store the same, and one of them looks at it before it does."""
    if m.taskId == 2:
        m.__memcpy(m.nram("float", N), out, BYTES, m.GDRAM2NRAM)
    sums(m, source, out)


@pytest.mark.parametrize(
    ("kernel", "orders", "found"),
    [
        (sums, 2, ["warning"]),
        (sums, 0, ["error"]),  # nothing has shown that they are the same
        (own_numbers, 2, ["error"]),
        (in_place, 2, ["error", "error"]),
        (read_by_others, 2, ["error", "error"]),
    ],
)
def test_stores_to_the_same_bytes(kernel: Any, orders: int, found: list[str]) -> None:
    source, out = np.arange(N, dtype=np.float32), zeros(N)
    seen = [f for f in run(kernel, source, out, tasks=TASKS, orders=orders).findings if f.severity != "advice"]
    assert [f.severity for f in seen] == found
    assert all(f.rule == "race" for f in seen)
    assert ["same in 2 other orders" in f.message for f in seen] == [f.severity == "warning" for f in seen]


def test_other_splits_are_compared_then() -> None:
    source, out = np.arange(N, dtype=np.float32), zeros(N)
    runs = [run(kernel, source, out, tasks=TASKS, orders=2, resplit=3) for kernel in (sums, own_numbers)]
    assert [one.variants.tried for one in runs] == [
        "run again in 2 other orders of its tasks, with 3 tasks",
        "run again in 2 other orders of its tasks; not with 3 tasks: the launch itself breaks rules",
    ]
