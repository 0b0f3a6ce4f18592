"""Tensors [n, c, h, w] in memory: across the lanes of a core, or in system memory. Strides count elements.

Across lanes, element (n, c, h, w) of a tensor that starts in lane s lies in lane (s + c) % lanes, at byte
``offset + size * (n * ns + (s + c) // lanes * cs + h * hs + w * ws)`` of it. Its channels are at most three boxes
(n, row, lane, h, w) of constant strides over the flat memory: a first row of lanes that is not whole, whole rows, and
a last row that is not whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....isa import Dialect
from ...chip import Shape
from .arena import POISON, Allocation
from .bytemap import ByteMap
from .shadow import Shadow

Four = tuple[int, int, int, int]


@dataclass(frozen=True)
class Box:
    """Channels [first, last) of a tensor: an array (n, row, lane, h, w) at a byte of the allocation."""

    first: int
    last: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # bytes


@dataclass(frozen=True)
class Lanes:
    """How the memory of a core is cut: lanes, bytes of each, and bytes that a lane computes in a cycle."""

    count: int
    size: int
    beat: int


def lanes_of(shape: Shape, dialect: Dialect) -> Lanes:
    """How the lanes of a core share its local memory; one lane of no bytes where it has none."""
    whole = next((shape.spaces[name].bytes for name, space in dialect.spaces.items() if space.lanes), 0)
    return Lanes(shape.lanes or 1, whole // (shape.lanes or 1), shape.eu_bytes or 1)


class Tensor:
    """A tensor at its place. ``low`` and ``end`` bound its bytes, across lanes those of every lane as if in the first.

    ``mask`` has a bit for each lane that it touches (all bits where there are no lanes); ``lane`` is the first one and
    ``lanes`` how many, 0 where there are none.
    """

    __slots__ = ("boxes", "dtype", "end", "entry", "lane", "lanes", "low", "mask", "shape")

    def __init__(
        self, entry: Allocation, boxes: list[Box], shape: Four, dtype: np.dtype, low: int, end: int,
        mask: int = -1, lane: int = 0, lanes: int = 0,
    ) -> None:  # fmt: skip
        self.entry, self.boxes, self.shape, self.dtype = entry, boxes, shape, dtype
        self.low, self.end, self.mask, self.lane, self.lanes = low, end, mask, lane, lanes

    def read(self) -> np.ndarray:
        """The contents, shape [n, c, h, w]; a view where that is possible."""
        if len(self.boxes) == 1 and self.boxes[0].shape[1] == 1:
            return self._view(self.boxes[0])[:, 0]
        dense = np.empty(self.shape, self.dtype)
        for box, part in self._parts(dense):
            part[...] = self._view(box)
        return dense

    def write(self, values: Any) -> None:
        """New contents: an array that broadcasts to [n, c, h, w], or a value."""
        if len(self.boxes) == 1 and self.boxes[0].shape[1] == 1:
            self._view(self.boxes[0])[:, 0] = values
            return
        for box, part in self._parts(np.broadcast_to(np.asarray(values).astype(self.dtype, copy=False), self.shape)):
            self._view(box)[...] = part

    def write_in_order(self, values: np.ndarray) -> None:
        """New contents, in system memory, one element after the other (w fastest) where they share bytes."""
        (box,) = self.boxes
        if not folded(zip(box.shape, box.strides, strict=True), self.dtype.itemsize):
            self.write(values)
            return
        view = self._view(box)[:, 0]
        for index in np.ndindex(self.shape):
            view[index] = values[index]

    def apply(self, ufunc: Callable[..., Any], *inputs: Any) -> None:
        """New contents from a ufunc, without a copy where the tensor is one view."""
        if len(self.boxes) == 1 and self.boxes[0].shape[1] == 1:
            ufunc(*inputs, out=self._view(self.boxes[0])[:, 0])
        else:
            self.write(ufunc(*inputs))

    def initialized(self) -> bool:
        """Whether all of it has been written."""
        bytes_ = self.entry.uninitialized
        if isinstance(bytes_, ByteMap):
            return all(bool(self._flags(bytes_, box).all()) for box in self.boxes)
        return not (self.low < bytes_.hi and self.end > bytes_.lo) or self.uninitialized() is None

    def fill_poison(self) -> None:
        """Put NaN patterns into its bytes that nobody has written."""
        bytes_ = self.entry.uninitialized
        if not isinstance(bytes_, ByteMap):
            self.entry.fill_poison(self.low, self.end)
            return
        raw = self.entry.view(np.dtype(np.uint8))
        for box in self.boxes:
            flags = self._flags(bytes_, box)
            np.ndarray(flags.shape, np.uint8, raw.data, box.offset, self._steps(box))[~flags] = POISON

    def uninitialized(self) -> tuple[int, int] | None:
        """Some bytes of it that nobody has written, or None."""
        bytes_ = self.entry.uninitialized
        if not isinstance(bytes_, ByteMap):
            found = (bytes_.first(start, start + size) for start, size in self.segments())
            return next(filter(None, found), None)
        for box in self.boxes:
            absent = self._flags(bytes_, box)
            if not absent.all():
                at = np.unravel_index(int(absent.argmin()), absent.shape)
                start = (
                    self.entry.start + box.offset + sum(int(i) * s for i, s in zip(at, self._steps(box), strict=True))
                )
                return start, start + 1
        return None

    def flags(self) -> np.ndarray:
        """For each byte of it whether it has been written, shape [n, c, h, w, bytes of an element]; a copy."""
        dense = np.ones((*self.shape, self.dtype.itemsize), np.bool_)
        for box, part in self._parts(dense):
            part[...] = self._flags(self.entry.uninitialized, box)
        return dense

    def define(self, initialized: np.ndarray) -> None:
        """Which of its bytes count as written: an array that broadcasts to the shape of `flags`."""
        shadow = self.entry.uninitialized
        dense = np.broadcast_to(initialized, (*self.shape, self.dtype.itemsize))
        for box, part in self._parts(dense):
            self._flags(shadow, box)[...] = part
        shadow.changed(self.low, self.end)

    def written(self) -> None:
        """All of it has been written."""
        bytes_ = self.entry.uninitialized
        if isinstance(bytes_, ByteMap):
            for box in self.boxes:
                self._flags(bytes_, box)[...] = True
        elif self.low < bytes_.hi and self.end > bytes_.lo:
            for start, size in self.segments():
                bytes_.remove(start, start + size)

    def forget(self) -> None:
        """Nobody may rely on its contents any more."""
        bytes_ = self.entry.uninitialized
        if isinstance(bytes_, ByteMap):
            for box in self.boxes:
                self._flags(bytes_, box)[...] = False
        else:
            for start, size in self.segments():
                bytes_.add(start, start + size)

    def segments(self) -> Iterable[tuple[int, int]]:
        """Address and bytes of every run of it."""
        for box in self.boxes:
            yield from segments(self.entry.start + box.offset, box.shape, box.strides, self.dtype.itemsize)

    def boxes_of(self, dense: np.ndarray) -> Iterable[tuple[np.ndarray, np.ndarray]]:
        """The memory of every box, with the part of a dense array [n, c, h, w] that belongs there."""
        return ((self._view(box), part) for box, part in self._parts(dense))

    def _view(self, box: Box) -> np.ndarray:
        raw = self.entry.view(np.dtype(np.uint8))
        return np.ndarray(box.shape, self.dtype, raw.data, box.offset, box.strides)

    def _steps(self, box: Box) -> tuple[int, ...]:
        return (*box.strides, 1)

    def _flags(self, bytes_: Shadow | ByteMap, box: Box) -> np.ndarray:
        return bytes_.absent((*box.shape, self.dtype.itemsize), box.offset, self._steps(box))

    def _parts(self, dense: np.ndarray) -> Iterable[tuple[Box, np.ndarray]]:
        """Every box with the part of a dense array that lies in it."""
        for box in self.boxes:
            n, rows, lanes, h, w = box.shape
            yield box, dense[:, box.first : box.last].reshape(n, rows, lanes, h, w, *dense.shape[4:])


class Constant(Tensor):
    """A value that stands where a tensor may: it has no memory."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        nowhere = Allocation(0, 0, "", 0, 0)
        super().__init__(nowhere, [], (1, 1, 1, 1), np.asarray(value).dtype, 0, 0, mask=0)
        self.value = value

    def read(self) -> np.ndarray:
        """The value, shape [1, 1, 1, 1]."""
        return np.full(self.shape, self.value, self.dtype)


def across_lanes(
    entry: Allocation, offset: int, shape: Four, strides: Four | None, dtype: np.dtype, lanes: Lanes
) -> Tensor:
    """The tensor at an offset of a core's local memory; without strides it is aligned.

    ``entry`` is all of that memory, ``lanes.count`` lanes one after the other. The caller checks that it fits a lane.
    """
    size, (n, c, h, w) = dtype.itemsize, shape
    first, inside = divmod(offset, lanes.size)
    rows = -(-(first + c) // lanes.count)
    if strides is None:
        strides = aligned_strides(shape, first, size, lanes)
    ns, cs, hs, ws = (stride * size for stride in strides)
    boxes, channel = [], 0
    # What is left of the first row of lanes, then whole rows, then the rest.
    while channel < c:
        row, lane = divmod(first + channel, lanes.count)
        left = c - channel
        whole = left // lanes.count if lane == 0 else 0
        row_count, width = (whole, lanes.count) if whole else (1, min(left, lanes.count - lane))
        place = lane * lanes.size + inside + row * cs
        boxes.append(
            Box(channel, channel + row_count * width, place, (n, row_count, width, h, w), (ns, cs, lanes.size, hs, ws))
        )
        channel += row_count * width
    low, end = _bounds(entry.start + inside, (n, rows, h, w), (ns, cs, hs, ws), size)
    count = min(c, lanes.count)
    everything = (1 << lanes.count) - 1
    mask = ((1 << count) - 1) << first
    return Tensor(entry, boxes, shape, dtype, low, end, (mask | mask >> lanes.count) & everything, first, count)


def in_system_memory(entry: Allocation, address: int, shape: Four, strides: Four | None, dtype: np.dtype) -> Tensor:
    """The tensor at an address of system memory; without strides it is continuous."""
    size, (n, c, h, w) = dtype.itemsize, shape
    ns, cs, hs, ws = (stride * size for stride in strides or continuous_strides(shape))
    box = Box(0, c, address - entry.start, (n, 1, c, h, w), (ns, 0, cs, hs, ws))
    low, end = _bounds(address, shape, (ns, cs, hs, ws), size)
    return Tensor(entry, [box], shape, dtype, low, end)


def aligned_strides(shape: Four, first_lane: int, size: int, lanes: Lanes) -> Four:
    """The strides (elements) of the aligned layout: every channel begins at a multiple of a lane's beat."""
    _, c, h, w = shape
    beat = max(lanes.beat // size, 1)
    channel = -(-h * w // beat) * beat
    return -(-(first_lane + c) // lanes.count) * channel, channel, w, 1


def continuous_strides(shape: Four) -> Four:
    """The strides (elements) of system memory: one element after the other."""
    _, c, h, w = shape
    return c * h * w, h * w, w, 1


def system_bounds(address: int, shape: Four, strides: Four | None, size: int) -> tuple[int, int]:
    """First and past-the-end address of a tensor in system memory."""
    return _bounds(address, shape, tuple(stride * size for stride in strides or continuous_strides(shape)), size)


def _bounds(start: int, counts: tuple[int, ...], strides: tuple[int, ...], size: int) -> tuple[int, int]:
    reach = [(count - 1) * stride for count, stride in zip(counts, strides, strict=True)]
    return start + sum(min(r, 0) for r in reach), start + sum(max(r, 0) for r in reach) + size


def folded(axes: Iterable[tuple[int, int]], span: int) -> bool:
    """Whether pieces of ``span`` bytes at axes (count, stride) may share bytes; false for all usual strides."""
    for stride, count in sorted((abs(stride), count) for count, stride in axes):
        if stride < span and count > 1:
            return True
        span += (count - 1) * stride
    return False


def segments(address: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> Iterable[tuple[int, int]]:
    """Address and bytes of every run of consecutive elements of a strided array."""
    run, outer = size, len(shape)
    while outer and (strides[outer - 1] == run or shape[outer - 1] == 1):
        run *= shape[outer - 1]
        outer -= 1
    if not outer:
        return [(address, run)]
    starts = np.zeros((), np.int64) + address
    for count, stride in zip(shape[:outer], strides[:outer], strict=True):
        starts = starts[..., None] + np.arange(count) * stride
    return [(start, run) for start in starts.ravel().tolist()]
