"""Which accesses meet memory that an unfinished copy of segments uses: those that share a byte with it, no others."""

import random

import numpy as np
import pytest
from mlusim.simulator import Device, launch

ROOM = 160


@pytest.fixture(scope="module")
def device() -> Device:
    return Device.load("mlu590")


def touched(first: int, size: int, stride: int, segnum: int) -> set[int]:
    return {first + i * stride + at for i in range(segnum + 1) for at in range(size)}


def pattern(chance: random.Random, unit: int) -> tuple[int, int, int, int]:
    """First byte, bytes of a segment, stride and number of further segments, all within the room."""
    while True:
        size, stride = chance.randrange(1, 5) * unit, chance.randrange(-6, 7) * unit
        segnum, first = chance.randrange(5), chance.randrange(40) * unit
        found = touched(first, size, stride, segnum)
        if min(found) >= 0 and max(found) < 40 * unit:
            return first, size, stride, segnum


def orders(kernel, device) -> bool:
    run = launch(kernel, args=[np.zeros(2 * ROOM, np.uint8)], device=device, on_finding="collect")
    assert {finding.rule for finding in run.errors} <= {"order"}
    return bool(run.errors)


@pytest.mark.parametrize("unit", [1, 4])
def test_a_fill_of_segments_beside_a_copy_of_segments(device, unit):
    chance, seen = random.Random(unit), []
    for _ in range(150):
        copied, filled = pattern(chance, unit), pattern(chance, unit)
        kind = "float" if unit == 4 else "int8"

        def kernel(mlu, source, copied=copied, filled=filled, kind=kind):
            room = mlu.nram("uint8", ROOM)
            first, size, stride, segnum = copied
            mlu.__memcpy_async(room + first, source, size, mlu.GDRAM2NRAM, stride, size, segnum)
            first, size, stride, segnum = filled
            target = mlu.nram(kind, ROOM // unit)
            target = target + (room.address + first - target.address) // unit
            mlu.__nramset_async(target, size // unit, 0, stride, segnum)
            mlu.__sync()

        seen.append((orders(kernel, device), bool(touched(*copied) & touched(*filled)), copied, filled))
    assert not [case for case in seen if case[0] != case[1]]
    assert 20 < sum(wanted for _, wanted, *_ in seen) < 130


def test_scalar_stores_between_segments_and_on_them(device):
    for at in range(20):

        def kernel(mlu, source, at=at):
            room = mlu.nram("uint8", ROOM)
            mlu.__memcpy_async(room, source, 3, mlu.GDRAM2NRAM, 5, 3, 3)
            room[at] = 1
            mlu.__sync()

        assert orders(kernel, device) == (at % 5 < 3 and at < 18), at
