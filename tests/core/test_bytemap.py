"""The sets of uninitialized bytes, with a flag for each, against a Python set."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
from mlusim.simulator.core.memory.bytemap import ByteMap
from mlusim.simulator.core.memory.shadow import Shadow

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


def other_set(chance: random.Random, kind: type) -> ByteMap | Shadow:
    """Some pieces of a block of the same length, three bytes further on."""
    made = kind(START + 3, END + 3)
    made.fill()
    for _ in range(chance.randrange(4)):
        start, end = piece(chance)
        made.remove(start + 3, end + 3)
    return made


@pytest.mark.parametrize("kind", [ByteMap, Shadow])
@pytest.mark.parametrize("seed", range(8))
def test_every_operation_against_a_set(kind: type, seed: int) -> None:
    chance, members = random.Random(seed), set(range(START, END))
    block = kind(START, END)
    block.fill()
    for step in range(80):
        start, end = piece(chance)
        change = chance.random()
        if change < 0.3:
            block.add(start, end)
            members |= set(range(start, end))
        elif change < 0.5 and step > 9 * seed:  # until then there is no need for flags
            block.flags[start - START : end - START] = True
            block.touched(start, end)
            members -= set(range(start, end))
        elif change < 0.53:
            block.fill()
            members = set(range(START, END))
        elif change < 0.7:
            source, shift = chance.choice([(block, 0), (other_set(chance, kind), 3)])
            begin = chance.randrange(START, END - (end - start) + 1)
            taken = {at - shift for first, last in source for at in range(first, last)}
            block.copy(start, end, source, begin + shift)
            members -= set(range(start, end))
            members |= {start + at - begin for at in taken if begin <= at < begin + end - start}
        else:
            block.remove(start, end)
            members -= set(range(start, end))
        low, high = piece(chance)
        wanted = runs(members, low, high)
        assert block.pieces(low, high) == wanted
        assert block.first(low, high) == (wanted[0] if wanted else None)
        assert all(block.lo <= at < block.hi for at in (min(members), max(members))) if members else True
    assert list(block) == runs(members, START, END)
    assert list(pickle.loads(pickle.dumps(block))) == list(block) if kind is Shadow else True


def test_bounds_follow_what_is_written() -> None:
    """They decide whether an instruction has to look at the flags."""
    block = Shadow(START, END)
    assert (block.lo, block.hi) == (0, 0)
    block.fill()
    block.remove(START + 100, START + 200)
    assert (block.lo, block.hi) == (START, END)
    block.remove(START, START + 100)
    assert (block.lo, block.hi) == (START + 200, END)
    block.remove(END - 64, END)
    block.remove(START + 300, END - 64)
    assert (block.lo, block.hi) == (START + 200, START + 300)
    block.flags[200:300] = True
    block.touched(START + 200, START + 300)
    assert (block.lo, block.hi) == (0, 0)


@pytest.mark.parametrize("kind", [ByteMap, Shadow])
def test_all_bytes_are_in_it_when_it_is_filled_again(kind: type) -> None:
    """As at the beginning of every launch, also where it had been emptied to the last byte."""
    block = kind(START, END)
    block.fill()
    assert list(block) == [(START, END)]
    for _ in range(2):
        block.remove(START, END)
        assert list(block) == []
        block.fill()
        assert list(block) == [(START, END)]


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
