"""Which memory an instruction touches, and whether two of them share a byte."""

from __future__ import annotations

import numpy as np

#: Where the elements of an operand with strides lie: address of the first, shape, strides and bytes of an element.
Steps = tuple[int, tuple[int, ...], tuple[int, ...], int]
#: Or the rows of one whose rows lie anywhere: addresses, and the bytes of a row.
Rows = tuple[np.ndarray, int]
Parts = Steps | Rows
#: Memory that an instruction touches: first and past-the-end address, whether it is written, a bit for each lane
#: (all of them, -1, outside the memories that have lanes, where addresses are those of the first lane), and its parts
#: if there may be gaps between them.
Extent = tuple[int, int, bool, int, Parts | None]
#: Operands of more segments are taken as a whole.
_MOST_SEGMENTS = 1 << 18


def meet(one: Extent, other: Extent) -> bool:
    """Whether two extents share a byte that one of them writes."""
    spans = one[0] < other[1] and other[0] < one[1] and (one[2] or other[2]) and bool(one[3] & other[3])
    return spans and (one[4] is other[4] is None or _segments_meet(one, other))


def _segments_meet(one: Extent, other: Extent) -> bool:
    (starts, size), (others, other_size) = _segments(one), _segments(other)
    starts = np.sort(starts)
    before = np.searchsorted(starts, others - size, "right")  # these end before the other segment begins
    return bool((np.searchsorted(starts, others + other_size) > before).any())


def _segments(extent: Extent) -> tuple[np.ndarray, int]:
    """Addresses of the segments of an extent, and the bytes of each."""
    low, end, _, _, parts = extent
    if parts is not None and len(parts) == 2:
        return parts
    if parts is None or np.prod(parts[1]) > _MOST_SEGMENTS:
        return np.array([low]), end - low
    first, shape, strides, size = parts
    starts = np.array([first])
    for count, stride in zip(shape[:-1], strides[:-1], strict=True):
        starts = np.add.outer(starts, np.arange(count) * stride).ravel()
    if strides[-1] == size:
        return starts, shape[-1] * size
    return np.add.outer(starts, np.arange(shape[-1]) * strides[-1]).ravel(), size
