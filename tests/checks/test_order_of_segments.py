"""Which accesses meet memory that an unfinished copy of segments uses: those that share a byte with it, no others."""

import random

import numpy as np
import pytest
from mlusim.simulator import launch

CHIP = "mlu590"

ROOM = 160


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


@pytest.mark.parametrize(("mask", "other", "meets"), [(0x0F, 0xF0, False), (0x55, 0xAA, False), (0x0F, 0x18, True)])
def test_gathered_rows_beside_each_other_and_on_each_other(device, mask, other, meets):
    """Two gathers into one array, by the compute pipe and by the io pipe, each into the rows of its mask."""

    def kernel(mlu, source):
        room, rows, offsets = mlu.nram("uint8", 64), mlu.nram("uint8", 64), mlu.nram("uint32", 8)
        masks = [mlu.nram("uint8", 1) for _ in range(2)]
        mlu.__memcpy(rows, source, 64, mlu.GDRAM2NRAM)
        mlu.__bang_write_value(offsets, 8, 8)
        for place, bits in zip(masks, (mask, other), strict=True):
            place[0] = bits
        mlu.__sync()
        mlu.__gather_async(room, rows, offsets, masks[0], 8, mlu.NRAM2NRAM, 8, 8)
        mlu.__gather_async(room, source, offsets, masks[1], 8, mlu.GDRAM2NRAM, 8, 8)
        mlu.__sync()

    assert orders(kernel, device) == meets


@pytest.mark.parametrize(("where", "waits"), [("NRAM2NRAM", False), ("GDRAM2NRAM", True)])
def test_rows_gathered_into_what_a_copy_within_nram_writes(device, where, waits):
    """Both are in the order of one pipe; a gather from elsewhere is not, and needs a wait."""

    def kernel(mlu, source):
        room, rows, offsets = mlu.nram("uint8", 64), mlu.nram("uint8", 64), mlu.nram("uint32", 8)
        mlu.__memcpy(rows, source, 64, mlu.GDRAM2NRAM)
        mlu.__bang_write_value(offsets, 8, 8)
        mlu.__memcpy_async(room, rows, 64, mlu.NRAM2NRAM)
        mlu.__gather_async(room, rows if where == "NRAM2NRAM" else source, offsets, 8, getattr(mlu, where), 8, 8)
        mlu.__sync()

    assert orders(kernel, device) == waits
