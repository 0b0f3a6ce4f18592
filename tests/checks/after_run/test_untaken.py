"""Inputs that are loaded whole and not taken to their end; and those that are, or need not be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import run

M, K, COLUMNS = 5, 6, 7


def product(m: Any, out: Any, a: Any, b: Any, pitch: int, depth: int = K) -> None:
    """A product of small matrices by scalar code, from where they are loaded; of b a row has so many elements."""
    left, right, made = m.nram("float", 64), m.nram("float", 64), m.nram("float", 64)
    m.__memcpy(left, a, 4 * M * K, m.GDRAM2NRAM)
    m.__memcpy(right, b, 4 * K * COLUMNS, m.GDRAM2NRAM)
    for i in range(M):
        for j in range(COLUMNS):
            made[i * COLUMNS + j] = sum(left[i * K + t] * right[t * pitch + j] for t in range(depth))
    m.__memcpy(out, made, 4 * M * COLUMNS, m.NRAM2GDRAM)


@pytest.mark.parametrize(
    ("pitch", "passed", "said"),
    [
        (COLUMNS, (M, K, COLUMNS), []),
        (M, (M, K, COLUMNS), [("advice", "unread", "no task uses 40 of the 168 bytes of b, from byte 128 on")]),
        (M, (M, 8, COLUMNS), []),  # b may be longer than what the launch is about
    ],
)
def test_the_pitch_of_another_matrix(pitch: int, passed: tuple[int, ...], said: list[tuple[str, str, str]]) -> None:
    def kernel(m: Any, out: Any, a: Any, b: Any, *_: int) -> None:
        product(m, out, a, b, pitch)

    arrays = np.zeros((M, COLUMNS), np.float32), np.ones((M, K), np.float32), np.ones((K, COLUMNS), np.float32)
    found = run(kernel, *arrays, *passed).findings  # type: ignore[arg-type]
    assert [(f.severity, f.rule, f.message.partition(";")[0]) for f in found] == said
    assert all(f.location.line for f in found)


@pytest.mark.parametrize(
    ("count", "again", "said"),
    [(128, False, []), (64, False, ["unread"]), (64, True, []), (120, False, [])],  # 120: less than a line is left
)
def test_a_part_of_a_vector(count: int, again: bool, said: list[str]) -> None:
    """What an instruction takes of a vector; the rest may be taken later, and a rest of a line is rounded off."""

    def kernel(m: Any, out: Any, x: Any, _: int) -> None:
        tile, made = m.nram("float", 128), m.nram("float", 128)
        m.__memcpy(tile, x, 512, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tile, 2.0, count)
        if again:
            m.__bang_mul_scalar(made + count, tile + count, 3.0, 128 - count)
        m.__memcpy(out, made, 4 * (128 if again else count), m.NRAM2GDRAM)

    sizes = 128 if again else count
    found = run(kernel, np.zeros(sizes, np.float32), np.ones(128, np.float32), 128).findings  # type: ignore[arg-type]
    assert [f.rule for f in found if "all of it is loaded" in f.message] == said


def test_numbers_that_say_what_is_taken() -> None:
    def kernel(m: Any, out: Any, table: Any, which: Any, _: int) -> None:
        tile = m.nram("float", 32)
        m.__memcpy(tile, table, 128, m.GDRAM2NRAM)
        for at in range(16):
            out[at] = tile[which[at]]

    out, table, which = np.zeros(16, np.float32), np.ones(32, np.float32), np.arange(16, dtype=np.int32)
    assert not run(kernel, out, table, which, 32).findings  # type: ignore[arg-type]
    which[:] = 1
    assert not run(kernel, out, table, which, 32).findings  # type: ignore[arg-type]
