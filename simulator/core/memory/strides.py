"""Bytes at strides: their bounds, the runs of them that touch, and whether some are the same."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np


class Lattice(NamedTuple):
    """Elements of ``size`` bytes at strides, the same in each lane of a range; of one lane where there are none."""

    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    size: int
    lanes: tuple[int, int] = (0, 1)


def share(one: Lattice, other: Lattice) -> bool:
    """Whether two lattices have a byte in common; elements may interleave without one."""
    if one.lanes[0] >= other.lanes[1] or other.lanes[0] >= one.lanes[1]:
        return False
    return _share(other.start - one.start, *one[1:4], *other[1:4])


@lru_cache(maxsize=1024)  # a loop asks the same again and again
def _share(
    apart: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int,
    other_shape: tuple[int, ...], other_strides: tuple[int, ...], other_size: int,
) -> bool:  # fmt: skip
    mine = _marked(0, shape, strides, size)
    theirs = _marked(apart, other_shape, other_strides, other_size)
    low, end = max(mine[0], theirs[0]), min(mine[0] + len(mine[1]), theirs[0] + len(theirs[1]))
    if low >= end:
        return False
    common = (marks[low - first : end - first] for first, marks in (mine, theirs))
    return bool(np.logical_and(*common).any())


def _marked(start: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> tuple[int, np.ndarray]:
    """The first byte of a lattice, and for each byte up to the last whether it belongs to it."""
    low, end = bounds(start, shape, strides, size)
    marks = np.zeros(end - low, np.bool_)
    np.ndarray((*shape, size), np.bool_, marks, start - low, (*strides, 1))[...] = True
    return low, marks


def bounds(start: int, counts: Iterable[int], strides: Iterable[int], size: int) -> tuple[int, int]:
    """First and past-the-end address of elements of ``size`` bytes, the first at ``start``."""
    low, end = start, start + size
    for count, stride in zip(counts, strides, strict=True):
        reach = (count - 1) * stride
        low, end = low + min(reach, 0), end + max(reach, 0)
    return low, end


def folded(axes: Iterable[tuple[int, int]], span: int) -> bool:
    """Whether pieces of ``span`` bytes at axes (count, stride) may share bytes; false for all usual strides."""
    for stride, count in sorted((abs(stride), count) for count, stride in axes):
        if stride < span and count > 1:
            return True
        span += (count - 1) * stride
    return False


def run(shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> tuple[int, int]:
    """Bytes of a run of elements that touch, in a strided array, and the axes outside of it."""
    bytes, outer = size, len(shape)
    while outer and (strides[outer - 1] == bytes or shape[outer - 1] == 1):
        bytes *= shape[outer - 1]
        outer -= 1
    return bytes, outer


def segments(address: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> list[tuple[int, int]]:
    """Address and bytes of every run of consecutive elements of a strided array."""
    bytes, outer = run(shape, strides, size)
    if not outer:
        return [(address, bytes)]
    starts = np.zeros((), np.int64) + address
    for count, stride in zip(shape[:outer], strides[:outer], strict=True):
        starts = starts[..., None] + np.arange(count) * stride
    return [(start, bytes) for start in starts.ravel().tolist()]
