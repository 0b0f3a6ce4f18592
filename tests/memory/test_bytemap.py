"""The set of bytes with a flag for each against a Python set, and against the intervals that it stands in for."""

from __future__ import annotations

import random

import numpy as np
import pytest
from mlusim.simulator.memory.bytemap import ByteMap
from mlusim.simulator.memory.intervals import Intervals

START, END = 5000, 5000 + 4096 * 3


def runs(members: set[int], start: int, end: int) -> list[tuple[int, int]]:
    """The pieces of a set inside [start, end), byte by byte."""
    found: list[tuple[int, int]] = []
    for at in range(start, end):
        if at in members:
            if found and found[-1][1] == at:
                found[-1] = (found[-1][0], at + 1)
            else:
                found.append((at, at + 1))
    return found


def piece(chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(START, END)
    return start, min(END, start + chance.choice([1, 2, 7, 64, 4096, 9000]))


@pytest.mark.parametrize("kind", [ByteMap, Intervals])
def test_every_operation_against_a_set(kind: type) -> None:
    chance, members = random.Random(1), set(range(START, END))
    block = ByteMap(START, END) if kind is ByteMap else Intervals()
    block.fill(START, END)
    for _ in range(60):
        start, end = piece(chance)
        if chance.random() < 0.3:
            block.add(start, end)
            members |= set(range(start, end))
        else:
            block.remove(start, end)
            members -= set(range(start, end))
        low, high = piece(chance)
        wanted = runs(members, low, high)
        assert block.pieces(low, high) == wanted
        assert block.first(low, high) == (wanted[0] if wanted else None)
    assert list(block) == runs(members, START, END)
    if kind is ByteMap:
        assert (block.lo, block.hi) == (START, END)


def test_all_bytes_are_in_it_when_it_is_filled_again() -> None:
    """As at the beginning of every launch, also where it had been emptied to the last byte."""
    block = ByteMap(START, END)
    assert list(block) == [(START, END)]
    for _ in range(2):
        block.remove(START, END)
        assert list(block) == []
        block.fill(START, END)
        assert list(block) == [(START, END)]


def test_it_is_filled_with_its_own_block() -> None:
    with pytest.raises(ValueError, match="is not the block"):
        ByteMap(START, END).fill(START, END - 1)


def test_flags_at_strides_are_a_view() -> None:
    block, shape, strides = ByteMap(START, END), (2, 3, 4), (4096, 100, 1)
    flags = block.absent(shape, 10, strides)
    assert flags.shape == shape
    assert not flags.any()
    flags[1, :, 2] = True
    places = [START + 10 + 4096 + 100 * row + 2 for row in range(3)]
    assert list(block) == runs(set(range(START, END)) - set(places), START, END)
    block.remove(START, END)
    assert flags.all()
    assert flags.dtype == np.bool_
