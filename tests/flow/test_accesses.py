"""Who touches which bytes, and who has written them last, beside sets of bytes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Log
from mlusim.simulator.flow import Accesses, Clock, Span, Writers, merged, overlap
from mlusim.simulator.flow import accesses as module

from tests.checks.after_run.happens_before import touched
from tests.checks.after_run.launched import N, run, zeros


@cache
def log() -> Log:
    """Copies to and from the device, in rows and whole, that overwrite one another."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile = m.nram("float", 4 * N)
        random = np.random.default_rng(7)
        for _ in range(40):
            at, count = int(random.integers(3 * N)), int(random.integers(1, N))
            m.__memcpy(tile, source + at, 4 * count, m.GDRAM2NRAM)
            if random.random() < 0.5:
                m.__memcpy(out + at, tile, 4 * count, m.NRAM2GDRAM)
            else:
                m.__memcpy(out + at % N, tile, 8, m.NRAM2GDRAM, 48, 8, 9)
            out[at] = 1.0

    return run(kernel, zeros(4 * N), zeros(4 * N)).log


def device_rows(of: Log) -> np.ndarray:
    return np.flatnonzero(Accesses(of).on_device)


@pytest.mark.parametrize("most", [1 << 22, 100])
def test_pieces_are_the_bytes_that_operands_touch(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(module, "_MOST", most)
    rows = device_rows(log())
    pieces = Accesses(log()).pieces(rows)
    if most == 100:
        assert pieces is None
        return
    assert pieces is not None
    found: dict[int, set[int]] = {int(row): set() for row in rows}
    for row, begin, end in zip(*(column.tolist() for column in pieces), strict=True):
        found[row] |= set(range(begin, end))
    assert found == {row: touched(log(), row) for row in found}


@pytest.mark.parametrize("most", [1 << 22, 100])
def test_what_a_launch_reads_and_writes(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Of operands with gaps the first byte alone where there are too many pieces."""
    wanted: tuple[set[int], set[int]] = (set(), set())
    for row in device_rows(log()).tolist():
        bytes_ = touched(log(), row)
        cut = most == 100 and row in log().runs["operand"]
        offsets = {byte & ((1 << 40) - 1) for byte in bytes_}
        wanted[int(log().operand_written[row])].update({min(offsets)} if cut else offsets)
    monkeypatch.setattr(module, "_MOST", most)
    for ranges, right in zip(Accesses(log()).touched, wanted, strict=True):
        assert {byte for begin, end in ranges.tolist() for byte in range(begin, end)} == right
        assert (ranges[1:, 0] > ranges[:-1, 1]).all()


def test_last_writers() -> None:
    of, last = log(), dict[int, int]()
    for row in device_rows(of).tolist():
        if of.operand_written[row]:
            last |= dict.fromkeys(touched(of, row), row)
    begin = min(last)
    elements = np.arange((max(last) + 1 - begin) // 4)
    found = Writers(Accesses(of)).last(begin, 4, elements).tolist()
    assert found == [
        max(last.get(byte, -1) for byte in range(begin + 4 * int(at), begin + 4 * int(at) + 4)) for at in elements
    ]


def test_writers_before_a_record() -> None:
    """The last first, until they have written it all."""
    of, writers = log(), Writers(Accesses(log()))
    for row in device_rows(of).tolist():
        if of.operand_written[row]:
            continue
        key, size, *_ = of.operands[row].tolist()
        span, record = Span(key + 4 * N, key + 4 * N + size), int(of.owners[row])
        found = list(writers.before(record, span))
        assert found == sorted(found, reverse=True)
        assert all(of.owners[other] < record and touched(of, other) & set(range(*span[:2])) for other in found)


def test_spans_meet_in_bytes_and_lanes() -> None:
    assert Span(0, 4).meets(Span(3, 5))
    assert not Span(0, 4).meets(Span(4, 5))
    assert not Span(0, 4, 0, 2).meets(Span(0, 4, 2, 2))
    assert Span(0, 4, 0, 3).meets(Span(0, 4, 2, 2))


def test_ranges_that_touch_are_one() -> None:
    ranges = np.array([[8, 12], [0, 4], [4, 6], [9, 10]])
    assert merged(ranges).tolist() == [[0, 6], [8, 12]]
    assert overlap(merged(ranges), np.array([[11, 20]]))
    assert not overlap(merged(ranges), np.array([[6, 8], [12, 13]]))
    assert not overlap(merged(ranges), np.zeros((0, 2), np.int64))


def test_a_clock_learns_and_forgets_nothing() -> None:
    one, other = Clock({1: 3}), Clock({1: 2, 2: 1})
    one.learn(other)
    assert one == {1: 3, 2: 1}
    assert one.knows(1, 3)
    assert not one.knows(1, 4)
    assert not one.knows(3, 1)
