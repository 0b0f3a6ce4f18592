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


def difference(m: Any, source: Any, out: Any) -> None:
    """One fill is the history before the first tile, and all of the tile."""
    line, made = m.nram("float", N + 1), m.nram("float", N)
    m.__bang_write_value(line, N + 1, 0.0)
    for tile in range(4):
        m.__memcpy(line + 1, source + tile * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_sub(made, line + 1, line, N)
        m.__memcpy(out + tile * N, made, 4 * N, m.NRAM2GDRAM)
        m.__memcpy(line, line + N, 4, m.NRAM2NRAM)


def history_of_the_device(m: Any, source: Any, out: Any) -> None:
    """Each tile is loaded with its history; that of the first one is filled."""
    taps = 3
    line, made, part = m.nram("float", N + taps), m.nram("float", N), m.nram("float", N)
    for tile in range(4):
        if tile == 0:
            m.__bang_write_value(line, N + taps, 0.0)
            m.__memcpy(line + taps, source, 4 * N, m.GDRAM2NRAM)
        else:
            m.__memcpy(line, source + (tile * N - taps), 4 * (N + taps), m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, line, 0.5, N)
        for tap in range(1, taps + 1):
            m.__bang_mul_scalar(part, line + tap, 0.1, N)
            m.__bang_add(made, made, part, N)
        m.__memcpy(out + tile * N, made, 4 * N, m.NRAM2GDRAM)


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


def rows_times_0(m: Any, source: Any, out: Any) -> None:
    """Of the first tile no row is masked, of the others more and more are."""
    rows, made = m.nram("float", 8 * 32), m.nram("float", 32)
    for tile, count in enumerate((0, 5, 7)):
        m.__memcpy(rows, source + tile * 256, 1024, m.GDRAM2NRAM)
        if count:
            m.__bang_mul_scalar(rows, rows, 0.0, 32 * count)
        m.__bang_sumpool(made, rows, 32, 8, 1, 8, 1, 1, 1)
        m.__memcpy(out + tile * 32, made, 128, m.NRAM2GDRAM)


def scaled_as_far_as_the_factor_goes(m: Any, source: Any, out: Any) -> None:
    """Rows that a factor of 0 takes out are not scaled before."""
    rows, factor, made = (m.nram("float", 8 * N) for _ in range(3))
    for tile, count in enumerate((8, 5)):
        m.__bang_write_value(factor, 8 * N, 0.0)
        m.__bang_write_value(factor, count * N, 1.0)
        m.__memcpy(rows, source + tile * 8 * N, 32 * N, m.GDRAM2NRAM)
        m.__bang_mul_scalar(rows, rows, 3.0, count * N)
        m.__bang_mul(made, rows, factor, 8 * N)
        m.__memcpy(out + tile * 8 * N, made, 32 * N, m.NRAM2GDRAM)


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


def zero_border_by_rows(m: Any, source: Any, out: Any) -> None:
    wide = 18
    tile, made, part = m.nram("float", wide * wide), m.nram("float", 256), m.nram("float", 16)
    m.__bang_write_value(tile, wide * wide, 0.0)
    for number in range(4):
        for row in range(16):
            m.__memcpy(tile + (row + 1) * wide + 1, source + number * 256 + row * 16, 64, m.GDRAM2NRAM)
        for row in range(16):
            at = (row + 1) * wide + 1
            m.__bang_mul_scalar(made + 16 * row, tile + at, 0.5, 16)
            for step in (-wide, -1, 1, wide):
                m.__bang_mul_scalar(part, tile + at + step, 0.25, 16)
                m.__bang_add(made + 16 * row, made + 16 * row, part, 16)
        m.__memcpy(out + number * 256, made, 1024, m.NRAM2GDRAM)


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


KERNELS = [
    filter_with_history, history_of_scalars, difference, history_of_the_device, masked_by_a_factor, rows_times_0,
    scaled_as_far_as_the_factor_goes, masked_scores, zero_border, zero_border_by_rows, a_row_anew,
    half_of_a_matrix_anew,
]  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS)
def test_old_data_may_be_kept(kernel: Kernel) -> None:
    found = run(kernel, np.ones(2 * ALL, np.float32), zeros(2 * ALL)).findings
    said = {f.rule for f in found if f.severity != "advice" and f.rule != "unwritten"}  # of the ends of arrays
    assert said == set()
    assert not {"leftover", "partial", "shifted", "overrun"} & {f.rule for f in found}


@pytest.mark.parametrize(
    ("counts", "found"),
    [((5, 5, 5), 1), ((8, 8, 8), 0), ((5, 6, 7), 0), ((0, 0, 5), 0), ((0, 5, 5), 1), ((8, 8, 7), 1)],
)
def test_how_many_rows_are_changed(counts: tuple[int, ...], found: int) -> None:
    """Always too few, or those of the last tile, are forgotten; as many as lie before a position are meant."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        rows, made = m.nram("float", 8 * 32), m.nram("float", 32)
        for tile, count in enumerate(counts):
            m.__memcpy(rows, source + tile * 256, 1024, m.GDRAM2NRAM)
            if count:
                m.__bang_mul_scalar(rows, rows, 2.0, 32 * count)
            m.__bang_sumpool(made, rows, 32, 8, 1, 8, 1, 1, 1)
            m.__memcpy(out + tile * 32, made, 128, m.NRAM2GDRAM)

    said = [f for f in run(kernel, zeros(768), zeros(96)).findings if f.rule == "partial"]
    assert [f.severity for f in said] == ["advice"] * found
