"""Bytes at strides: their bounds, the runs of them that touch, and whether some are the same."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


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
