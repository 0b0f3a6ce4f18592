"""GDMA's copies and fills of elements of 4, 2 and 1 bytes, byte by byte."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.okk.lanes import LANE_BYTES, LANES, SHAPES, Four, Outside, Room, ceiling, run

TYPES = {32: "uint32", 16: "uint16", 8: "uint8"}
ROOM = 1 << 16


class Bytes:
    """A tensor of elements of a size at an address of local memory: strides, and the place of every element."""

    def __init__(self, address: int, shape: Four, size: int, stride: Four | None) -> None:
        self.address, self.shape, self.size, self.stride = address, shape, size, stride
        start, self.offset = divmod(address, LANE_BYTES)
        n, c, h, w = np.ix_(*map(np.arange, shape))
        channel = ceiling(shape[2] * shape[3], 128 // size)
        given = stride or (ceiling(start + shape[1], LANES) // LANES * channel, channel, shape[3], 1)
        rows = n * given[0] + (start + c) // LANES * given[1] + h * given[2] + w * given[3]
        self.at = np.broadcast_to((start + c) % LANES, rows.shape), self.offset // size + rows


def continuous(shape: Four) -> Four:
    _, c, h, w = shape
    return (c * h * w, h * w, w, 1)


def outside(shape: Four, stride: Four | None, first: int) -> np.ndarray:
    """The elements of a tensor in system memory."""
    grid = np.ix_(*map(np.arange, shape))
    return first + sum(i * s for i, s in zip(grid, stride or continuous(shape), strict=True))


def strides_of(shape: Four, start: int, gap: int) -> Four:
    """Rows with gaps between them, for local memory (a lane's rows) or, from no lane, for system memory."""
    _, c, h, w = shape
    rows = ceiling(start + c, LANES) // LANES if start >= 0 else c
    line = w + gap
    return (rows * (h * line + 1), h * line + 1, line, 1)


@pytest.mark.parametrize("bits", TYPES)
@pytest.mark.parametrize("given", list(itertools.product((False, True), repeat=2)))
def test_copies(bits: int, given: tuple[bool, bool]) -> None:
    kind, size = TYPES[bits], bits // 8
    for seed, (start, shape) in enumerate(SHAPES):
        room = Room(seed, start)
        system = room.chance.integers(0, 256, ROOM, np.uint8)
        inside = strides_of(shape, start, 2) if given[0] else None
        off = strides_of(shape, -1, 3) if given[1] else None
        local = Bytes(start * LANE_BYTES + 1024, shape, size, inside)
        moved = Bytes((start + 5) % LANES * LANE_BYTES + 40960, shape, size, None)
        source = outside(shape, off, 7)
        target = source + ROOM // size // 2
        assert target.max() < ROOM // size
        wanted, after = room.image.copy().view(kind), system.copy().view(kind)
        wanted[local.at] = after[source]
        wanted[moved.at] = after[source]
        after[target] = after[source]
        after[target + 1] = after[target]

        a = local
        b = moved
        half = ROOM // 2
        first = Outside(7 * size, kind)
        calls = [
            (f"okk_gdma_{bits}bit_cpy_S2L", a.address, first, shape, inside, off),
            (f"okk_gdma_{bits}bit_cpy_L2L", b.address, a.address, shape, None, inside),
            (f"okk_gdma_{bits}bit_cpy_L2S", Outside(half + 7 * size, kind), b.address, shape, off, None),
            (
                f"okk_gdma_{bits}bit_cpy_S2S",
                Outside(half + 8 * size, kind),
                Outside(half + 7 * size, kind),
                (1, 1, 1, 1),
                None,
                None,
            ),
        ]

        findings, image, found = run(room.image, *calls, system=system)
        after = system.copy().view(kind)
        after[target] = after[source]
        after[target.ravel()[0] + 1] = after[target.ravel()[0]]
        assert findings == []
        assert (image.view(kind) == wanted).all(), (start, shape)
        assert (found.view(kind) == after).all(), (start, shape)


@pytest.mark.parametrize("bits", TYPES)
def test_fills(bits: int) -> None:
    kind, size = TYPES[bits], bits // 8
    value = 0x9ABCDEF1 & ((1 << bits) - 1)
    for seed, (start, shape) in enumerate(SHAPES):
        room = Room(seed, start)
        system = room.chance.integers(0, 256, ROOM, np.uint8)
        inside, off = (strides_of(shape, lane, 2) if seed % 2 else None for lane in (start, -1))
        local = Bytes(start * LANE_BYTES + 1024, shape, size, inside)
        wanted, after = room.image.copy().view(kind), system.copy().view(kind)
        wanted[local.at] = value
        after[outside(shape, off, 5)] = value

        a = local
        calls = [
            (f"okk_gdma_{bits}bit_set_C_local", a.address, value, shape, inside),
            (f"okk_gdma_{bits}bit_set_C_system", Outside(5 * size, kind), value, shape, off),
        ]

        findings, image, found = run(room.image, *calls, system=system)
        assert findings == []
        assert (image.view(kind) == wanted).all(), (start, shape)
        assert (found.view(kind) == after).all(), (start, shape)
