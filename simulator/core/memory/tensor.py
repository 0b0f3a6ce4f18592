"""Tensors [n, c, h, w] in memory: across the lanes of a core, or in system memory. Strides count elements.

Across lanes, element (n, c, h, w) of a tensor that starts in lane s lies in lane (s + c) % lanes, at byte
``offset + size * (n * ns + (s + c) // lanes * cs + h * hs + w * ws)`` of it. Its channels are at most three boxes
(n, row, lane, h, w) of constant strides over the flat memory: a first row of lanes that is not whole, whole rows, and
a last row that is not whole.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....isa import VARIABLE_TYPES
from ...log.runs import Row, strided_rows
from .arena import Allocation
from .byteset import EVERYWHERE, Piece
from .lanes import Lanes
from .strides import Lattice, bounds, folded, run
from .view import View

Four = tuple[int, int, int, int]


@dataclass(frozen=True)
class Box:
    """Channels [first, last) of a tensor: an array (n, row, lane, h, w) at a byte of the allocation."""

    first: int
    last: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # bytes


class TensorShape:
    """What arguments say of a tensor before its address is known; strides count elements, None: those of its place.

    A fifth size is the width of the last channel, where that is narrower than the others.
    """

    __slots__ = ("bytes", "count", "dtype", "gaps", "last", "shape", "strides")

    crossed = False

    def __init__(self, dtype: np.dtype, lanes: bool, shape: Sequence[int], strides: Four | None = None) -> None:
        self.dtype, self.strides = dtype, strides
        n, c, h, w, *last = shape
        self.shape, self.last = (n, c, h, w), last[0] if last else w
        self.count = n * h * ((c - 1) * w + self.last)
        self.bytes = self.count * dtype.itemsize
        together = strides or continuous_strides(self.shape)
        _, outer = run(self.shape[2:], together[2:], 1) if lanes else run(self.shape, together, 1)
        #: Between runs of elements that lie together; no run goes on from one lane to the next.
        self.gaps = max(math.prod(self.shape[: outer + 2 * lanes]) - 1, 0)

    @classmethod
    def of_variable(cls, dtype: np.dtype, shape: Sequence[int], kind: int) -> TensorShape:
        """That of a variable operand of a kind: where it is no tensor, every channel has one element."""
        if kind == VARIABLE_TYPES["TENSOR"]:
            return cls(dtype, True, shape)
        return cls(dtype, True, (1, shape[1], 1, 1), (1, 1, 1, 1))


class Tensor(View):
    """A tensor at its place: its contents have the shape [n, c, h, w]."""

    __slots__ = ("_array", "_arrays", "_parts", "_rows", "_runs", "_settled", "boxes", "dtype", "lane", "lanes", "mask",
                 "row", "shape")  # fmt: skip

    def __init__(
        self, entry: Allocation, boxes: list[Box], shape: tuple[int, ...], dtype: np.dtype, low: int, end: int,
        mask: int = -1, lane: int = 0, lanes: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(entry, low, end)
        self.boxes, self.shape, self.dtype = boxes, shape, dtype
        self.mask, self.lane, self.lanes = mask, lane, lanes
        self.row = self.key, end - low, lane, lanes  # in a log
        self._settled = -1  # the age of the allocation's uninitialized bytes at which it had none of them
        self._array: np.ndarray | None = None
        self._arrays: list[np.ndarray] | None = None
        self._parts: list[tuple[Any, tuple[int, ...]]] | None = None  # of `split`: an index and a shape
        self._runs: tuple[Any, ...] | None = None
        self._rows: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] | None = None

    def read(self) -> np.ndarray:
        view = self._only()
        if view is None:
            view = np.zeros(self.shape, self.dtype)  # a last channel may be narrower
            for array, part in zip(self.arrays(), self.split(view), strict=True):
                part[...] = array
        return view

    def write(self, values: Any) -> None:
        view = self._only()
        if view is None:
            dense = np.broadcast_to(np.asarray(values).astype(self.dtype, copy=False), self.shape)
            for array, part in zip(self.arrays(), self.split(dense), strict=True):
                array[...] = part
        else:
            view[...] = values

    def apply(self, ufunc: Callable[..., Any], *inputs: Any) -> None:
        view = self._only()
        if view is None:
            self.write(ufunc(*inputs))
        else:
            ufunc(*inputs, out=view)

    def copy(self, source: View) -> None:
        """In system memory, one element after the other (w fastest) where they share bytes."""
        values = source.read().reshape(self.shape)
        box = None if self.lanes or not self.boxes else self.boxes[0]
        if box is None or not folded(zip(box.shape, box.strides, strict=True), self.dtype.itemsize):
            self.write(values)
            return
        view = self._view(box)[:, 0]
        for index in np.ndindex(self.shape):
            view[index] = values[index]

    def arrays(self) -> list[np.ndarray]:
        if self._arrays is None:
            self._arrays = [self._view(box) for box in self.boxes]
        return self._arrays

    def rows(self) -> list[tuple[int, int, tuple[int, ...], tuple[int, ...]]]:
        """Of each of `arrays` its first channel, address, shape and strides; none where elements are apart in a row."""
        if self._rows is None:
            arrays, size = self.arrays(), self.dtype.itemsize
            packed = all(array.strides[4] == size and array.ctypes.data % size == 0 for array in arrays)
            parts = zip(self.boxes, arrays, strict=True) if packed else ()
            self._rows = [(box.first, array.ctypes.data, box.shape, box.strides[:4]) for box, array in parts]
        return self._rows

    def places(self) -> np.ndarray:
        """The address of each element; 0 for those that a narrower last channel lacks."""
        found = np.zeros(self.shape, np.int64)
        for array, part in zip(self.arrays(), self.split(found), strict=True):
            part[...] = array.ctypes.data
            for axis, (count, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
                part += np.arange(count).reshape(-1, *[1] * (array.ndim - 1 - axis)) * stride
        return found

    def split(self, dense: np.ndarray) -> Iterable[np.ndarray]:
        if self._parts is None:
            self._parts = [(np.s_[:, b.first : b.last, :, : b.shape[4]], b.shape) for b in self.boxes]
        return [dense[index].reshape(*shape, *dense.shape[4:]) for index, shape in self._parts]

    def hole(self) -> Piece | None:
        holes, size = self.entry.uninitialized, self.dtype.itemsize
        found = (holes.some(box.offset, box.shape, box.strides, size) for box in self.boxes)
        return next(filter(None, found), None)

    def stale(self) -> bool:
        holes = self.entry.uninitialized
        if self._settled == holes.age:
            return False
        if not self.doubtful or self.hole() is None:
            self._settled = holes.age
            return False
        self.fill_poison()
        return True

    def settled(self) -> bool:
        """Whether all of its bytes are known to have been written, until bytes of its memory become uninitialized."""
        return self._settled == self.entry.uninitialized.age or not self.doubtful

    def fill_poison(self) -> None:
        if self.entry.uninitialized.poisoned == EVERYWHERE:  # already
            return
        holes = self.entry.uninitialized
        for box in self.boxes:
            bytes_ = self._bytes(box)
            bytes_[holes.to_poison_at(bytes_.shape, box.offset, bytes_.strides)] = holes.poison

    def flags(self) -> np.ndarray:
        """A copy."""
        dense = np.ones((*self.shape, self.dtype.itemsize), np.bool_)
        for box, part in zip(self.boxes, self.split(dense), strict=True):
            part[...] = self._flags(box)
        return dense

    def define(self, initialized: Any) -> None:
        dense = np.broadcast_to(initialized, (*self.shape, self.dtype.itemsize))
        for box, part in zip(self.boxes, self.split(dense), strict=True):
            self._flags(box)[...] = part
        self.entry.uninitialized.changed(self.low, self.end)

    def forget(self) -> None:
        super().forget()
        for box in self.boxes:
            self.entry.undefine(self._bytes(box))

    def pass_on(self, source: View) -> None:
        self.define(source.flags().reshape(*self.shape, self.dtype.itemsize))

    def written(self) -> None:
        holes = self.entry.uninitialized
        if self._settled == holes.age or not self.doubtful:
            return
        self._settled = holes.age
        if not self.lanes:
            box = self.boxes[0]
            bytes, outer = run(box.shape, box.strides, self.dtype.itemsize)
            if not outer:  # no flags need be kept
                start = self.entry.start + box.offset
                self.entry.uninitialized.remove(start, start + bytes)
                return
        for box in self.boxes:
            self._flags(box)[...] = True
        self.entry.uninitialized.touched(self.low, self.end)

    def blocks(self) -> list[Lattice]:
        size, start = self.dtype.itemsize, self.entry.start
        if not self.lanes:
            return [Lattice(start + box.offset, box.shape, box.strides, size) for box in self.boxes]
        found = []
        for box in self.boxes:
            (n, rows, width, h, w), (ns, cs, lane_bytes, hs, ws) = box.shape, box.strides
            lane, inside = divmod(box.offset, lane_bytes)
            found.append(Lattice(start + inside, (n, rows, h, w), (ns, cs, hs, ws), size, (lane, lane + width)))
        return found

    def runs(self) -> tuple[Any, ...]:
        if self._runs is None:
            rows = tuple(itertools.chain.from_iterable(map(self._rows_of, self.blocks())))
            self._runs = () if all(row[0] == self.end - self.low for row in rows) else (rows,)
        return self._runs

    def _rows_of(self, block: Lattice) -> tuple[Row, ...]:
        start, _ = bounds(*block[:4])
        first, last = block.lanes if self.lanes else (0, 0)
        return strided_rows(*block[1:4], start - self.low, first, last - first)

    def _only(self) -> np.ndarray | None:
        """All of it as one array over the memory, where that is possible."""
        if self._array is None and len(self.boxes) == 1:
            box = self.boxes[0]
            if box.shape[1] == 1 and box.shape[4] == self.shape[3]:
                self._array = self._view(box)[:, 0]
        return self._array

    def _view(self, box: Box) -> np.ndarray:
        return np.ndarray(box.shape, self.dtype, self.entry.view(np.dtype(np.uint8)), box.offset, box.strides)

    def _bytes(self, box: Box) -> np.ndarray:
        shape, strides = (*box.shape, self.dtype.itemsize), (*box.strides, 1)
        return np.ndarray(shape, np.uint8, self.entry.view(np.dtype(np.uint8)), box.offset, strides)

    def _flags(self, box: Box) -> np.ndarray:
        shape, strides = (*box.shape, self.dtype.itemsize), (*box.strides, 1)
        return self.entry.uninitialized.absent(shape, box.offset, strides)


class Constant(Tensor):
    """A value that stands where a tensor may: it has no memory."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        nowhere = Allocation(0, 0, "", 0, 0)
        super().__init__(nowhere, [], (1, 1, 1, 1), np.asarray(value).dtype, 0, 0, mask=0)
        self.value = np.full(self.shape, value, self.dtype)

    def read(self) -> np.ndarray:
        return self.value

    def arrays(self) -> list[np.ndarray]:
        return [self.value]

    def split(self, dense: np.ndarray) -> Iterable[np.ndarray]:
        return [dense]

    @classmethod
    def of_bits(cls, bits: int, dtype: np.dtype) -> Constant:
        """The value of a C union's low bits."""
        return cls(from_bits(bits, dtype))


def from_bits(bits: int, dtype: np.dtype) -> Any:
    """The value of a C union's low bits."""
    return np.frombuffer((int(bits) & 0xFFFFFFFF).to_bytes(4, "little")[: dtype.itemsize], dtype)[0]


def across_lanes(
    entry: Allocation, offset: int, shape: Four, strides: Four | None, dtype: np.dtype, lanes: Lanes, last: int = 0
) -> Tensor:
    """The tensor at an offset of a core's local memory; without strides it is aligned.

    ``entry`` is all of that memory, ``lanes.count`` lanes one after the other; the last channel may be narrower than
    the others. The caller checks that it fits a lane.
    """
    size, (n, c, h, w) = dtype.itemsize, shape
    first, inside = divmod(offset, lanes.size)
    rows = -(-(first + c) // lanes.count)
    if strides is None:
        strides = aligned_strides(shape, first, size, lanes)
    ns, cs, hs, ws = (stride * size for stride in strides)
    boxes, channel, narrow = [], 0, 0 < last < w
    # What is left of the first row of lanes, then whole rows, then the rest.
    while channel < c:
        row, lane = divmod(first + channel, lanes.count)
        left = c - channel - (narrow and channel < c - 1)
        whole = left // lanes.count if lane == 0 else 0
        row_count, width = (whole, lanes.count) if whole else (1, min(left, lanes.count - lane))
        place = lane * lanes.size + inside + row * cs
        columns = last if narrow and channel == c - 1 else w
        shape_, strides_ = (n, row_count, width, h, columns), (ns, cs, lanes.size, hs, ws)
        boxes.append(Box(channel, channel + row_count * width, place, shape_, strides_))
        channel += row_count * width
    if c == 1 and narrow:
        w = last
    low, end = bounds(entry.start + inside, (n, rows, h, w), (ns, cs, hs, ws), size)
    count = min(c, lanes.count)
    everything = (1 << lanes.count) - 1
    mask = ((1 << count) - 1) << first
    return Tensor(entry, boxes, shape, dtype, low, end, (mask | mask >> lanes.count) & everything, first, count)


def in_system_memory(entry: Allocation, address: int, shape: Four, strides: Four | None, dtype: np.dtype) -> Tensor:
    """The tensor at an address of system memory; without strides it is continuous."""
    size, (n, c, h, w) = dtype.itemsize, shape
    ns, cs, hs, ws = (stride * size for stride in strides or continuous_strides(shape))
    box = Box(0, c, address - entry.start, (n, 1, c, h, w), (ns, 0, cs, hs, ws))
    low, end = bounds(address, shape, (ns, cs, hs, ws), size)
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
    return bounds(address, shape, tuple(stride * size for stride in strides or continuous_strides(shape)), size)
