"""Which arrays of a launch share host memory, and how they can share device memory.

A kernel sees every array packed: its elements one after the other. Arrays that share host memory share device memory
where one packed layout serves them all: contiguous ones (a view and its base, overlapping slices), and slices along the
first axis of one strided view.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, starmap
from typing import NamedTuple

import numpy as np

from ..core.memory import folded

#: Effort that is spent on finding out whether two strided views have an element in common, in steps of NumPy's search.
_EFFORT = 100_000


class SharedLayout(NamedTuple):
    """Where the bytes of an array lie: the first one, and axes (count, stride in bytes) with as few of them as can be.

    The last axis is that of the bytes of an element. ``low`` and ``end`` bound all bytes.
    """

    start: int
    axes: tuple[tuple[int, int], ...]
    low: int
    end: int

    @property
    def contiguous(self) -> bool:
        """Whether it is one run of bytes."""
        return len(self.axes) == 1

    @property
    def folded(self) -> bool:
        """Whether an element may share bytes with another one of the same array; false for all usual views."""
        return folded(self.axes, 1)


def layout(array: np.ndarray) -> SharedLayout:
    """The layout of an array."""
    start = array.__array_interface__["data"][0] if array.size else 0
    if array.flags.c_contiguous:
        return SharedLayout(start, ((array.nbytes, 1),), start, start + array.nbytes)
    axes = [(array.itemsize, 1)]
    for count, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
        inner, step = axes[0]
        if stride == inner * step:
            axes[0] = (count * inner, step)
        elif count > 1:
            axes.insert(0, (count, stride))
    reaches = [(count - 1) * stride for count, stride in axes]
    low, last = start + sum(min(reach, 0) for reach in reaches), start + sum(max(reach, 0) for reach in reaches)
    return SharedLayout(start, tuple(axes), low, last + 1)


def share(one: np.ndarray, other: np.ndarray, here: SharedLayout, there: SharedLayout) -> bool:
    """Whether two arrays have a byte in common; true where that is too hard to tell."""
    if here.end <= there.low or there.end <= here.low:
        return False
    if (here.contiguous and there.contiguous) or here == there:
        return True
    try:
        return np.shares_memory(one, other, max_work=_EFFORT)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def groups(arrays: Sequence[np.ndarray]) -> list[list[int]]:
    """The indices of arrays that are linked by memory that they share, each group and all of them in order."""
    if not any(starmap(np.may_share_memory, combinations(arrays, 2))):  # by their bounds
        return [[index] for index in range(len(arrays))]
    layouts = [layout(array) for array in arrays]
    found: list[list[int]] = []
    for index, (array, here) in enumerate(zip(arrays, layouts, strict=True)):
        linked = [group for group in found if any(share(array, arrays[i], here, layouts[i]) for i in group)]
        found = [group for group in found if group not in linked]
        found.append(sorted([index, *(i for group in linked for i in group)]))
    return sorted(found)


def pack(layouts: Sequence[SharedLayout]) -> list[tuple[int, int]] | None:
    """First and past-the-end byte of each array in device memory that they share, None where there is no such layout.

    All are counted in steps of one axis, that of the array with most axes; the inner axes have to be the same.
    """
    first = max(layouts, key=lambda layout: len(layout.axes))
    (_, stride), *inner = first.axes
    size = int(np.prod([count for count, _ in inner], dtype=np.int64)) if inner else 1
    if any(layout.folded for layout in layouts):
        return [(0, size * first.axes[0][0])] * len(layouts) if all(layout == first for layout in layouts) else None
    found = []
    for layout in layouts:
        count = layout.axes[0][0] if len(layout.axes) == len(first.axes) else 1
        if layout.axes not in (((count, stride), *inner), tuple(inner)) or (layout.start - first.start) % stride:
            return None
        step = (layout.start - first.start) // stride
        found.append((step * size, (step + count) * size))
    origin, end = min(begin for begin, _ in found), max(end for _, end in found)
    whole = SharedLayout(0, (((end - origin) // size, stride), *inner), 0, 0)
    return None if whole.folded else [(begin - origin, end - origin) for begin, end in found]
