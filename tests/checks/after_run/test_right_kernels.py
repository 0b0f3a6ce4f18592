"""Right kernels in styles that look like mistakes: no error, no warning, and no advice that is not true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import N, run, zeros

TILES, ALL = 4, 256
Kernel = Callable[..., None]


def fir(taps: int, keep: str, begins: str = "fill", kept: int = 0) -> Kernel:
    """A filter whose last inputs stand before the next tile, ``kept`` of them; how they come there, and at first."""
    kept = kept or taps

    def kernel(m: Any, source: Any, out: Any) -> None:
        line, made, part = m.nram("float", N + kept), m.nram("float", N), m.nram("float", N)
        apart = m.nram("float", kept)
        if begins == "fill":
            m.__bang_write_value(line, kept, 0.0)
            m.__bang_write_value(apart, kept, 0.0)
        else:
            m.__memcpy(line, source, 4 * kept, m.GDRAM2NRAM)
        for tile in range(TILES):
            if keep == "apart":
                m.__memcpy(line, apart, 4 * kept, m.NRAM2NRAM)
            m.__memcpy(line + kept, source + tile * N, 4 * N, m.GDRAM2NRAM)
            if keep == "apart":
                m.__memcpy(apart, line + N, 4 * kept, m.NRAM2NRAM)
            m.__bang_mul_scalar(made, line + kept, 0.5, N)
            for tap in range(1, taps + 1):
                m.__bang_mul_scalar(part, line + kept - tap, 0.1, N)
                m.__bang_add(made, made, part, N)
            m.__memcpy(out + tile * N, made, 4 * N, m.NRAM2GDRAM)
            match keep:
                case "copy":
                    m.__memcpy(line, line + N, 4 * kept, m.NRAM2NRAM)
                case "move":
                    m.__bang_move(line, line + N, 4 * kept)
                case "scalars":
                    for tap in range(kept):
                        line[tap] = line[N + tap]

    return kernel


def in_two_buffers(m: Any, source: Any, out: Any) -> None:
    lines, made = [m.nram("float", N + 2) for _ in range(2)], m.nram("float", N)
    m.__bang_write_value(lines[0], 2, 0.0)
    m.__memcpy_async(lines[0] + 2, source, 4 * N, m.GDRAM2NRAM)
    for tile in range(TILES):
        line, other = lines[tile % 2], lines[1 - tile % 2]
        m.__sync()
        m.__memcpy(other, line + N, 8, m.NRAM2NRAM)
        if tile + 1 < TILES:
            m.__memcpy_async(other + 2, source + (tile + 1) * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_sub(made, line + 2, line, N)
        m.__memcpy(out + tile * N, made, 4 * N, m.NRAM2GDRAM)


def loaded_again(m: Any, source: Any, out: Any) -> None:
    """The history of a tile is loaded with it."""
    line, made = m.nram("float", N + 2), m.nram("float", N)
    for tile in range(TILES):
        begin = max(tile * N - 2, 0)
        if not tile:
            m.__bang_write_value(line, 2, 0.0)
        m.__memcpy(line + (0 if tile else 2), source + begin, 4 * (N + (2 if tile else 0)), m.GDRAM2NRAM)
        m.__bang_sub(made, line + 2, line, N)
        m.__memcpy(out + tile * N, made, 4 * N, m.NRAM2GDRAM)


def appended(m: Any, source: Any, out: Any) -> None:
    """A row behind those that are there."""
    row = m.nram("float", N)
    m.__memcpy(row, source, 4 * N, m.GDRAM2NRAM)
    m.__memcpy(out + 2 * N, row, 4 * N, m.NRAM2GDRAM)


def scattered(m: Any, source: Any, out: Any) -> None:
    row = m.nram("float", N)
    for at, to in enumerate((3, 0)):
        m.__memcpy(row, source + at * N, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(out + to * N, row, 4 * N, m.NRAM2GDRAM)


def gathered(m: Any, source: Any, out: Any) -> None:
    row = m.nram("float", N)
    for to, at in enumerate((3, 3, 0, 1)):
        m.__memcpy(row, source + at * N, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(out + to * N, row, 4 * N, m.NRAM2GDRAM)


def summed_atomically(m: Any, source: Any, out: Any) -> None:
    tile = m.nram("float", N)
    m.__memcpy(tile, source + m.taskId * N, 4 * N, m.GDRAM2NRAM)
    m.__bang_atomic_reduce_add(out, tile, N)


def tickets(m: Any, source: Any, out: Any) -> None:
    """The old value of an atomic, unused."""
    old, one = m.nram("float", N), m.nram("float", N)
    m.__bang_write_value(one, N, 1.0)
    for _ in range(3):
        m.__bang_atomic_add(old, out, one, N)


def rounded_up(m: Any, source: Any, out: Any) -> None:
    """Computed in whole lines, stored as many as there are."""
    tile = m.nram("float", N)
    for begin in range(0, ALL, 50):
        count = min(50, ALL - begin)
        m.__bang_write_value(tile, N, 0.0)
        m.__memcpy(tile, source + begin, 4 * count, m.GDRAM2NRAM)
        m.__bang_mul_scalar(tile, tile, 2.0, N)
        m.__memcpy(out + begin, tile, 4 * count, m.NRAM2GDRAM)


def masked_with_a_triangle(m: Any, source: Any, out: Any) -> None:
    row, mask = m.nram("float", N), m.nram("float", N)
    for number in range(TILES):
        m.__memcpy(row, source + number * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_write_value(mask, N, -1e30)
        m.__bang_write_value(mask, number + 1, 0.0)
        m.__bang_add(row, row, mask, N)
        m.__bang_active_exp(row, row, N)
        m.__memcpy(out + number * N, row, 4 * N, m.NRAM2GDRAM)


def accumulated(m: Any, source: Any, out: Any) -> None:
    tile, sum_ = m.nram("float", N), m.nram("float", N)
    m.__bang_write_value(sum_, N, 0.0)
    for number in range(TILES):
        m.__memcpy(tile, source + number * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_add(sum_, sum_, tile, N)
        m.__memcpy(out + number * N, sum_, 4 * N, m.NRAM2GDRAM)


def partial_sums(m: Any, source: Any, out: Any) -> None:
    """A sum for each task, in an array with room for more of them; a count is rounded up for the reduction."""
    tile, each = m.nram("float", N), ALL // m.taskDim
    m.__bang_write_value(tile, N, 0.0)
    m.__memcpy(tile, source + m.taskId * each, 4 * each, m.GDRAM2NRAM)
    m.__bang_reduce_sum(tile, tile, N)
    out[m.taskId] = tile[0]


def running_maximum(m: Any, source: Any, out: Any) -> None:
    """A softmax in one pass: what has been added up is scaled where a tile has a larger element; then the second."""
    tile, top, scale = m.nram("float", N), m.nram("float", N), m.nram("float", 32)
    most, total = -3e38, 0.0
    for number in range(TILES):
        m.__memcpy(tile, source + number * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_argmax(top, tile, N)
        new = max(most, top[0])
        m.__bang_write_value(scale, 32, most - new)
        m.__bang_active_exp(scale, scale, 32)  # of which one element is used: the unit makes as many
        m.__bang_sub_scalar(tile, tile, new, N)
        m.__bang_active_exp(tile, tile, N)
        m.__bang_reduce_sum(tile, tile, N)
        total, most = total * scale[0] + tile[0] + tile[32], new
    for number in range(TILES):
        m.__memcpy(tile, source + number * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_sub_scalar(tile, tile, most, N)
        m.__bang_active_exp(tile, tile, N)
        m.__bang_mul_scalar(tile, tile, 1 / total, N)
        m.__memcpy(out + number * N, tile, 4 * N, m.NRAM2GDRAM)


def by_number(m: Any, source: Any, out: Any) -> None:
    """Elements of a table by number, of which many come and the last does not."""
    made = m.nram("float", ALL)
    for at in range(ALL):
        made[at] = source[at * 7 % (ALL - 1)]
    m.__memcpy(out, made, 4 * ALL, m.NRAM2GDRAM)


def three_in_turn(m: Any, source: Any, out: Any) -> None:
    """Loads that are two tiles ahead, into three buffers in turn."""
    tiles = [m.nram("float", N) for _ in range(3)]
    for number in range(TILES + 2):
        if number >= 2:
            tile = tiles[number % 3]
            m.__bang_add_scalar(tile, tile, 1.0, N)
            m.__sync_compute()
            m.__memcpy(out + (number - 2) * N, tile, 4 * N, m.NRAM2GDRAM)
        if number < TILES:
            m.__memcpy_async(tiles[(number + 2) % 3], source + number * N, 4 * N, m.GDRAM2NRAM)
        m.__sync_io()


RIGHT = {
    **{f"fir of {taps} by {keep} after {begins}, {kept} kept": fir(taps, keep, begins, kept)
       for taps, keep, begins, kept in (
           (8, "copy", "fill", 8), (7, "copy", "fill", 8), (8, "move", "load", 8), (7, "move", "load", 8),
           (3, "scalars", "fill", 3), (2, "scalars", "load", 3), (8, "apart", "fill", 8), (7, "apart", "fill", 8),
           (1, "copy", "fill", 1), (15, "copy", "fill", 16),
       )},
    **{kernel.__name__: kernel for kernel in (
        in_two_buffers, loaded_again, appended, scattered, gathered, summed_atomically, tickets, rounded_up,
        masked_with_a_triangle, accumulated, partial_sums, running_maximum, by_number, three_in_turn,
    )},
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_right_kernels(name: str) -> None:
    rng = np.random.default_rng(2)
    tasks = 4 if name in ("summed_atomically", "partial_sums") else 1
    found = run(RIGHT[name], rng.random(ALL).astype(np.float32), zeros(ALL), tasks=tasks, orders=3).findings
    rounded = [f for f in found if f.rule == "order-dependent"]
    assert [f.severity for f in rounded] == ["advice"] * (name == "summed_atomically")
    assert [str(f) for f in found if f not in rounded and f.rule != "unwritten"] == []
    assert {f.severity for f in found} <= {"advice"} or name in ("summed_atomically", "tickets")
