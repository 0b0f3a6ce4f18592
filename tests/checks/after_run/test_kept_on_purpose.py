"""Correct kernels that keep old data on purpose: nothing worse than advice, and no word of leftovers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import N, run, zeros

ALL = 1024
Kernel = Callable[[Any, Any, Any], None]


def filter_with_history(m: Any, source: Any, out: Any) -> None:
    """The last taps of a tile stand before the next one."""
    taps = 32
    line, made = m.nram("float", N + taps), m.nram("float", N)
    m.__bang_write_value(line, N + taps, 0.0)
    for tile in range(4):
        m.__memcpy(line + taps, source + tile * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, line, 0.1, N)
        m.__bang_add(made, made, line + taps, N)
        m.__memcpy(out + tile * N, made, 4 * N, m.NRAM2GDRAM)
        m.__memcpy(line, line + N, 4 * taps, m.NRAM2NRAM)


def history_of_scalars(m: Any, source: Any, out: Any) -> None:
    taps = 3
    line, made, part = m.nram("float", N + taps), m.nram("float", N), m.nram("float", N)
    m.__bang_write_value(line, N + taps, 0.0)
    for tile in range(4):
        m.__memcpy(line + taps, source + tile * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, line + taps, 0.5, N)
        for tap in range(1, taps + 1):
            m.__bang_mul_scalar(part, line + taps - tap, 0.1, N)
            m.__bang_add(made, made, part, N)
        m.__memcpy(out + tile * N, made, 4 * N, m.NRAM2GDRAM)
        for tap in range(taps):
            line[tap] = line[N + tap]


def masked_by_a_factor(m: Any, source: Any, out: Any) -> None:
    """The last row is shorter; what is behind it is multiplied by 0."""
    row, factor, made = (m.nram("float", N) for _ in range(3))
    m.__bang_write_value(factor, N, 1.0)
    for number in range(4):
        count = N if number < 3 else 40
        m.__memcpy(row, source + number * N, 4 * count, m.GDRAM2NRAM)
        if count < N:
            m.__bang_write_value(factor, N, 0.0)
            m.__bang_write_value(factor, count, 1.0)
        m.__bang_mul(made, row, factor, N)
        m.__memcpy(out + number * N, made, 4 * N, m.NRAM2GDRAM)


def masked_scores(m: Any, source: Any, out: Any) -> None:
    """Rows that get shorter; -1e30 is added behind each before the exponential."""
    scores, mask, made = (m.nram("float", N) for _ in range(3))
    for number in range(8):
        count = N - 8 * number
        m.__memcpy(scores, source + number * N, 4 * count, m.GDRAM2NRAM)
        m.__bang_write_value(mask, N, -1e30)
        m.__bang_write_value(mask, count, 0.0)
        m.__bang_add(made, scores, mask, N)
        m.__bang_active_exp(made, made, N)
        m.__memcpy(out + number * N, made, 4 * N, m.NRAM2GDRAM)


def zero_border(m: Any, source: Any, out: Any) -> None:
    """A tile of 16 x 16 in a border of zeros, as for a convolution."""
    wide = 18
    tile, made = m.nram("float", wide * wide), m.nram("float", wide * wide)
    m.__bang_write_value(tile, wide * wide, 0.0)
    for number in range(4):
        m.__memcpy(tile + wide + 1, source + number * 256, 64, m.GDRAM2NRAM, wide * 4, 64, 15)
        m.__bang_write_value(made, wide * wide, 0.0)
        for step in (-wide, -1, 0, 1, wide):
            m.__bang_add(made + wide + 1, made + wide + 1, tile + wide + 1 + step, 16 * wide - 2)
        m.__memcpy(out + number * 256, made + wide + 1, 64, m.NRAM2GDRAM, 64, wide * 4, 15)


def a_row_anew(m: Any, source: Any, out: Any) -> None:
    rows, made = m.nram("float", 4 * N), m.nram("float", 4 * N)
    m.__memcpy(rows, source, 16 * N, m.GDRAM2NRAM)
    for row in range(4):
        m.__memcpy(rows + row * N, source + row * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_add_scalar(made, rows, 1.0, 4 * N)
        m.__memcpy(out + row * 4 * N, made, 16 * N, m.NRAM2GDRAM)


def half_of_a_matrix_anew(m: Any, source: Any, out: Any) -> None:
    rows, made = m.nram("float", 2 * N), m.nram("float", 2 * N)
    m.__memcpy(rows, source, 8 * N, m.GDRAM2NRAM)
    m.__memcpy(rows, source + N, 4 * N, m.GDRAM2NRAM)
    m.__bang_add_scalar(made, rows, 1.0, 2 * N)
    m.__memcpy(out, made, 8 * N, m.NRAM2GDRAM)


@pytest.mark.parametrize(
    "kernel",
    [
        filter_with_history, history_of_scalars, masked_by_a_factor, masked_scores, zero_border, a_row_anew,
        half_of_a_matrix_anew,
    ],
)  # fmt: skip
def test_old_data_may_be_kept(kernel: Kernel) -> None:
    found = run(kernel, np.ones(ALL, np.float32), zeros(ALL)).findings
    said = {f.rule for f in found if f.severity != "advice" and f.rule != "unwritten"}  # of the ends of arrays
    assert said == set()
    assert not {"leftover", "partial"} & {f.rule for f in found}
