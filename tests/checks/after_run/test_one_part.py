"""Arrays that are touched in one part alone, where the launch says how long they are; and where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import N, run, zeros

TILES = 8
ALL = N * TILES


def tiles(m: Any, x: Any, y: Any, _: Any, some: range = range(TILES), read: range | None = None) -> None:
    """Tiles of x are doubled and stored to y."""
    tile = m.nram("float", N)
    for number in read or some:
        m.__memcpy(tile, x + number * N, 4 * N, m.GDRAM2NRAM)
        m.__bang_mul_scalar(tile, tile, 2.0, N)
        if number in some:
            m.__memcpy(y + number * N, tile, 4 * N, m.NRAM2GDRAM)


def compacted(m: Any, x: Any, y: Any, _: Any) -> None:
    """Of tiles whose first element is not zero the first two are stored."""
    tile, at = m.nram("float", N), 0
    for number in range(TILES):
        m.__memcpy(tile, x + number * N, 4 * N, m.GDRAM2NRAM)
        if tile[0] and at < 2:
            m.__memcpy(y + at * N, tile, 4 * N, m.NRAM2GDRAM)
            at += 1


def ends_at_a_zero(m: Any, x: Any, y: Any, _: Any) -> None:
    """Tiles are copied until one begins with a zero."""
    tile, number, more = m.nram("float", N), 0, True
    while more:
        m.__memcpy(tile, x + number * N, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(y + number * N, tile, 4 * N, m.NRAM2GDRAM)
        number, more = number + 1, bool(tile[0]) and number < TILES - 1


def first(count: int) -> Any:
    return lambda *arguments: tiles(*arguments, some=range(count))


def last(count: int) -> Any:
    return lambda *arguments: tiles(*arguments, some=range(TILES - count, TILES))


@pytest.mark.parametrize(
    ("kernel", "count", "said"),
    [
        (first(TILES), ALL, []),
        (first(5), ALL, [("warning", "unwritten", 768)]),
        (first(1), ALL, [("warning", "unwritten", 1792)]),
        (last(2), ALL, [("warning", "unwritten", 1536)]),
        (first(5), 5 * N, []),  # the arrays are longer than what the launch is about
        (first(5), 7, []),
        (lambda *some: tiles(*some, some=range(2), read=range(TILES)), ALL, [("advice", "unwritten", 1536)]),
        (compacted, ALL, []),
        (ends_at_a_zero, ALL, [("advice", "unwritten", 1024)]),
    ],
)
def test_what_is_left_of_an_array_whose_length_is_passed(
    kernel: Any, count: int, said: list[tuple[str, str, int]]
) -> None:
    x = np.arange(1, ALL + 1, dtype=np.float32)
    x[3 * N] = 0
    found = run(lambda m, x, y, n: kernel(m, x, y, n), x, zeros(ALL), count).findings  # type: ignore[arg-type]
    assert [(f.severity, f.rule, f.region.bytes if f.region else 0) for f in found] == said


def test_the_lengths_of_all_axes_are_passed() -> None:
    def rows(m: Any, x: Any, y: Any, _n: Any, _: Any, _c: Any) -> None:
        tiles(m, x, y, _, some=range(5))

    x, y = (np.ones((TILES, N), np.float32) for _ in range(2))
    for sizes, rules in (((TILES, 3, N), ["unwritten"]), ((TILES, 3, 5), [])):
        assert [f.rule for f in run(rows, x, y, *sizes).findings] == rules  # type: ignore[arg-type]


def test_the_lengths_of_all_axes_are_entries_of_an_array() -> None:
    def rows(m: Any, x: Any, y: Any, shape: Any, count: int) -> None:
        tiles(m, x, y, shape, some=range(count))
        for axis in range(4):
            shape[axis]

    for sizes, count, said in (
        ((TILES, N, 0, 0), 5, [("warning", "unwritten")]),
        ((TILES, N, 0, 0), TILES, []),
        ((5, N, 0, 0), 5, []),  # the arrays are longer than their shape says
    ):
        shape = np.array(sizes, np.int32)
        found = run(lambda *some, count=count: rows(*some, count), np.ones(ALL, np.float32), zeros(ALL), shape)
        assert [(f.severity, f.rule) for f in found.findings] == said


def test_what_is_made_of_no_input() -> None:
    """How many results there are depends on nothing but what is passed."""

    def numbers(m: Any, y: Any, count: int) -> None:
        tile = m.nram("float", N)
        m.__bang_write_value(tile, N, 1.0)
        for number in range(count):
            m.__memcpy(y + number * N, tile, 4 * N, m.NRAM2GDRAM)

    warning = [("warning", "unwritten")]
    for count, passed, said in (
        (2, (ALL,), warning),
        (TILES, (ALL,), []),
        (2, (ALL, 2 * N), [("advice", "unwritten")]),  # it may be meant to fill what is passed
        (2, (2 * N,), []),
    ):
        found = run(lambda m, y, *_, count=count: numbers(m, y, count), zeros(ALL), *passed)  # type: ignore[arg-type]
        assert [(f.severity, f.rule) for f in found.findings] == said


def test_most_of_an_input_alone() -> None:
    """The last window may end before, so that less than half of an input says nothing."""

    def total(m: Any, x: Any, y: Any, _: Any, count: int) -> None:
        tile, result = m.nram("float", N), m.nram("float", N)
        m.__bang_write_value(result, N, 0.0)
        for number in range(count):
            m.__memcpy(tile, x + number * N, 4 * N, m.GDRAM2NRAM)
            m.__bang_add(result, result, tile, N)
        m.__memcpy(y, result, 4 * N, m.NRAM2GDRAM)

    for count, said in ((TILES, []), (5, []), (2, [("advice", "unread")])):
        x, y = np.ones(ALL, np.float32), zeros(N)
        found = run(lambda m, x, y, n, count=count: total(m, x, y, n, count), x, y, ALL).findings  # type: ignore[arg-type]
        assert [(f.severity, f.rule) for f in found] == said
