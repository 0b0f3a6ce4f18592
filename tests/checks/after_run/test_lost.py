"""Work that has no part in any result, steps that take fills where others take data, inputs in part, no numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import BYTES, N, run, zeros

TILES = 4
IN_VAIN = "contributes to no result"
UNFED = "only reads what a fill has left"


def said(kernel: Any, *arrays: np.ndarray, tasks: int = 1) -> list[str]:
    """What is told of results and inputs, and at which instruction."""
    found = run(kernel, *arrays, tasks=tasks)
    texts = {IN_VAIN: "in vain", UNFED: "unfed"}
    advice = [(short, f) for text, short in texts.items() for f in found.advice if text in f.message]
    assert all(f.severity == "advice" and f.location.line for _, f in advice)
    return [f"{short} {f.instruction}" for short, f in advice]


def summed(m: Any, source: Any, out: Any, stored: str) -> None:
    """Tiles are doubled and added up; what is stored at the end."""
    tiles = {name: m.nram("float", N) for name in ("total", "tile", "twice")}
    m.__bang_write_value(tiles["total"], N, 0.0)
    for at in range(TILES):
        m.__memcpy(tiles["tile"], source + at * N, BYTES, m.GDRAM2NRAM)
        m.__bang_mul_scalar(tiles["twice"], tiles["tile"], 2.0, N)
        m.__bang_add(tiles["total"], tiles["total"], tiles["twice"], N)
    if stored == "scalars":
        for at in range(N):
            out[at] = tiles["total"][at]
    else:
        m.__memcpy(out, tiles[stored], BYTES, m.NRAM2GDRAM)


def in_turns(m: Any, source: Any, out: Any, wrong: bool, ahead: bool = False) -> None:
    """Two buffers take turns; a wrong one is stored of every second tile. ``ahead``: one more is loaded than used."""
    tiles = [m.nram("float", N) for _ in range(2)]
    for at in range(TILES + ahead):
        tile = tiles[at % 2]
        m.__memcpy(tile, source + at % TILES * N, BYTES, m.GDRAM2NRAM)
        if at < TILES:
            m.__bang_mul_scalar(tile, tile, 2.0, N)
            m.__memcpy(out + at * N, tiles[0] if wrong else tile, BYTES, m.NRAM2GDRAM)


def at_once(m: Any, source: Any, out: Any, stored: int, ahead: bool = False) -> None:
    """One tile is doubled, and that negated. ``ahead``: the next one is loaded, which no round takes."""
    tiles = [m.nram("float", N) for _ in range(4)]
    m.__memcpy(tiles[0], source, BYTES, m.GDRAM2NRAM)
    if ahead:
        m.__memcpy(tiles[3], source + N, BYTES, m.GDRAM2NRAM)
    m.__bang_mul_scalar(tiles[1], tiles[0], 2.0, N)
    m.__bang_mul_scalar(tiles[2], tiles[1], -1.0, N)
    m.__memcpy(out, tiles[stored], BYTES, m.NRAM2GDRAM)


@pytest.mark.parametrize(
    ("kernel", "found"),
    [
        (lambda m, x, y: at_once(m, x, y, 1), ["in vain __bang_mul_scalar"]),
        (lambda m, x, y: at_once(m, x, y, 2), []),
        (lambda m, x, y: at_once(m, x, y, 2, ahead=True), []),
        (lambda m, x, y: summed(m, x, y, "tile"), ["in vain __bang_add"]),  # not its loads, not what it is made of
        (lambda m, x, y: in_turns(m, x, y, wrong=True), ["in vain __memcpy"]),
        # near misses
        (lambda m, x, y: summed(m, x, y, "total"), []),
        (lambda m, x, y: summed(m, x, y, "scalars"), []),
        (lambda m, x, y: in_turns(m, x, y, wrong=False), []),
        (lambda m, x, y: in_turns(m, x, y, wrong=False, ahead=True), []),  # the round that does not come
    ],
)
def test_work_in_vain(kernel: Any, found: list[str]) -> None:
    assert said(kernel, np.ones(TILES * N, np.float32), zeros(TILES * N)) == found


def test_work_in_vain_is_counted_and_named_once() -> None:
    (advice,) = run(lambda m, x, y: summed(m, x, y, "tile"), np.ones(TILES * N, np.float32), zeros(N)).advice
    assert (advice.rule, advice.count, advice.message.partition(" ")[0]) == ("unused", TILES, "what")


def rest(m: Any, source: Any, out: Any, loads: bool, constant: bool = False) -> None:
    """The main loop and the rest are summed in the same way; the rest is padded with zeros before it is loaded."""
    tile, total = m.nram("float", N), m.nram("float", N)
    whole = TILES - 1
    for at in range(whole):
        m.__memcpy(tile, source + at * N, BYTES, m.GDRAM2NRAM)
        m.__bang_mul_scalar(total, tile, 2.0, N)
        m.__memcpy(out + at * N, total, BYTES, m.NRAM2GDRAM)
    m.__bang_write_value(tile, N, 0.0)
    if loads:
        m.__memcpy(tile, source + whole * N, BYTES // 2, m.GDRAM2NRAM)
    m.__bang_mul_scalar(total, tile, 2.0, N)
    if constant:
        m.__bang_add(total, total, tile, N)  # which does it alone
    m.__memcpy(out + whole * N, total, BYTES, m.NRAM2GDRAM)


def accumulated(m: Any, source: Any, out: Any) -> None:
    """A sum begins with zeros, at another line in the first round."""
    tile, total = m.nram("float", N), m.nram("float", N)
    m.__bang_write_value(total, N, 0.0)
    m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
    m.__bang_add(total, total, tile, N)
    for at in range(1, TILES):
        m.__memcpy(tile, source + at * N, BYTES, m.GDRAM2NRAM)
        m.__bang_add(total, total, tile, N)
    m.__memcpy(out, total, BYTES, m.NRAM2GDRAM)


@pytest.mark.parametrize(
    ("kernel", "elements", "found"),
    [
        (lambda m, x, y: rest(m, x, y, loads=False), TILES - 1, ["unfed __bang_mul_scalar"]),
        # near misses
        (lambda m, x, y: rest(m, x, y, loads=True), TILES - 1 / 2, []),
        (lambda m, x, y: rest(m, x, y, loads=True, constant=True), TILES - 1 / 2, []),
        (accumulated, TILES, []),
    ],
)
def test_a_step_that_takes_a_fill(kernel: Any, elements: float, found: list[str]) -> None:
    assert said(kernel, np.ones(int(elements * N), np.float32), zeros(TILES * N)) == found


def parts(m: Any, source: Any, out: Any, size: int, begin: int = 0, short: int = 0, looks: bool = False) -> None:
    """Each task sums its part of ``size`` elements, from one on, but for bytes at its end."""
    tile = m.nram("float", N)
    m.__bang_write_value(tile, N, 0.0)
    first = m.taskId * size
    if looks:
        m.__memcpy(tile, source + first, 4, m.GDRAM2NRAM)
        begin = int(tile[0])
    m.__memcpy(tile, source + first + begin, (size - begin) * 4 - short, m.GDRAM2NRAM)
    m.__bang_reduce_sum(tile, tile, N)
    m.__memcpy(out + m.taskId, tile, 4, m.NRAM2GDRAM)


@pytest.mark.parametrize(
    ("how", "found"),
    [
        ({"short": 24}, "no task reads 96 of the 1024 bytes of x, in 4 gaps, the first at byte 232"),
        ({"begin": 16}, "no task reads 256 of the 1024 bytes of x, in 4 gaps, the first at byte 0"),
        ({"short": 3}, "no task reads 9 of the 1024 bytes of x, in 3 gaps, the first at byte 253"),
        # near misses
        ({}, ""),
        ({"begin": 40}, ""),  # more than half is of no use
        ({"looks": True}, ""),  # what is read depends on data
    ],
)
def test_parts_of_an_input(how: dict[str, Any], found: str) -> None:
    size = N
    source = np.full(4 * size, 16.0, np.float32)
    launched = run(lambda m, x, y: parts(m, x, y, size, **how), source, zeros(4), tasks=4)
    assert [f.message for f in launched.findings if f.rule == "unread"] == [found] * bool(found)


@pytest.mark.parametrize(("more", "found"), [(0, 0), (1, 1)])
def test_an_end_is_meant_unless_it_cuts_an_element(more: int, found: int) -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        tile = m.nram("float", N)
        for at in range(2):
            m.__memcpy(tile, source + at * N, BYTES - (16 - more) * at, m.GDRAM2NRAM)
            m.__bang_reduce_sum(tile, tile, N // 2)
            m.__memcpy(out + at, tile, 4, m.NRAM2GDRAM)

    unread = [f for f in run(kernel, np.ones(2 * N, np.float32), zeros(2)).findings if f.rule == "unread"]
    assert len(unread) == found


def shifted(m: Any, source: Any, out: Any, least: float) -> None:
    """exp(x - least), and its reciprocal."""
    tile = m.nram("float", N)
    m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
    m.__bang_sub_scalar(tile, tile, least, N)
    m.__bang_active_exp(tile, tile, N)
    m.__memcpy(out, tile, BYTES, m.NRAM2GDRAM)


NOTHING = "none of the 64 elements of out is finite, and all inputs are"
LINE = np.linspace(1, 2, N, dtype=np.float32)


@pytest.mark.parametrize(
    ("source", "least", "found"),
    [
        (LINE, -np.inf, [NOTHING]),
        # near misses
        (LINE, 0.0, []),
        (np.append(LINE[1:], np.float32(np.nan)), -np.inf, []),  # what goes in is no number either
        (np.zeros(N, np.float32), -np.inf, []),  # a case of its own
        (np.append(LINE[1:], np.float32(-1e30)), -1e30, []),  # one result is a number
    ],
)
def test_results_that_are_no_numbers(source: np.ndarray, least: float, found: list[str]) -> None:
    launched = run(lambda m, source, out: shifted(m, source, out, least), source, zeros(N))
    assert [f.message for f in launched.findings if f.rule == "number"] == found
    assert {f.severity for f in launched.findings if f.rule == "number"} <= {"warning"}
