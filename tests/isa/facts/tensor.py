"""Tensors [n, c, h, w] of TPU-KERNEL: their strides, and the bytes that they span (tpu_api.md, "Extents").

Strides count elements. Across lanes, channel c of a tensor that starts in lane s lies in lane (s + c) % lanes, in row
(s + c) // lanes of it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple


class Dim4(NamedTuple):
    """C's ``dim4``."""

    n: int
    c: int
    h: int
    w: int


@dataclass(frozen=True)
class Chip:
    """The local memory of a core (tpu_isa.md (a))."""

    lanes: int
    lane_bytes: int
    eu_bytes: int  # that a lane computes in a cycle


CHIPS = {
    1684: Chip(64, 256 << 10, 64),
    1688: Chip(32, 128 << 10, 16),
    1690: Chip(64, 256 << 10, 64),
}


def continuous(shape: Dim4) -> Dim4:
    """What a null stride means in system memory."""
    return Dim4(shape.c * shape.h * shape.w, shape.h * shape.w, shape.w, 1)


def aligned(shape: Dim4, lane: int, size: int, chip: Chip) -> Dim4:
    """What a null stride means in local memory."""
    channel = -(-shape.h * shape.w * size // chip.eu_bytes) * chip.eu_bytes // size
    return Dim4(-(-(lane + shape.c) // chip.lanes) * channel, channel, shape.w, 1)


def system_span(shape: Dim4, strides: Dim4 | None, size: int) -> int:
    """Bytes from the first to the last one in system memory."""
    return _span(shape, strides or continuous(shape), size)


def lane_span(shape: Dim4, strides: Dim4 | None, size: int, lane: int, chip: Chip) -> int:
    """Bytes from the first to the last one of any lane, for a tensor that starts in ``lane``."""
    rows = (lane + shape.c - 1) // chip.lanes + 1
    return _span(shape._replace(c=rows), strides or aligned(shape, lane, size, chip), size)


def lanes_of(shape: Dim4, lane: int, chip: Chip) -> set[int]:
    """The lanes that it touches."""
    return {(lane + channel) % chip.lanes for channel in range(min(shape.c, chip.lanes))}


def lane_bytes_of(shape: Dim4, strides: Dim4 | None, size: int, address: int, chip: Chip) -> set[tuple[int, int]]:
    """Lane and byte of all that a tensor consists of."""
    lane, start = divmod(address, chip.lane_bytes)
    ns, cs, hs, ws = strides or aligned(shape, lane, size, chip)
    return {
        ((lane + c) % chip.lanes, start + size * (n * ns + (lane + c) // chip.lanes * cs + h * hs + w * ws) + byte)
        for n, c, h, w in itertools.product(*map(range, shape))
        for byte in range(size)
    }


def _span(counts: Dim4, strides: Dim4, size: int) -> int:
    return size * (sum((count - 1) * stride for count, stride in zip(counts, strides, strict=True)) + 1)
