"""Operands of segments at strides, and of rows in the slices of a memory, as the tensor engine reads its weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ....isa import Order
from ...log.runs import strided_rows
from .arena import Allocation
from .byteset import Piece
from .strides import Lattice, bounds, folded
from .view import ArrayView, Footprint, View

#: What a record has room for.
_MOST_GAPS = (1 << 32) - 1


class Segments(Footprint):
    """Elements at strides in bytes; the last axis is a segment. ``folded``: segments may share bytes."""

    __slots__ = ("folded", "shape", "strides")

    def __init__(
        self, dtype: np.dtype, count: int, shape: tuple[int, ...], strides: tuple[int, ...], gaps: int
    ) -> None:
        low, end = bounds(0, shape, strides, dtype.itemsize) if count else (0, 0)
        super().__init__(dtype, count, low, end, gaps)
        self.shape, self.strides = shape, strides
        self.crossed = gaps != 0 and any(outer < inner for outer, inner in itertools.pairwise(strides))
        self.folded = folded(zip(shape[:-1], strides, strict=False), shape[-1] * dtype.itemsize)

    @classmethod
    def of(cls, dtype: np.dtype, steps: Sequence[bool], *numbers: int) -> Segments:
        """``numbers`` are the counts of the axes, each followed by its stride if the axis is one of ``steps``."""
        given = iter(numbers)
        axes = [(next(given), next(given) if step else None) for step in steps]
        shape = tuple(count for count, _ in axes)
        strides: list[int] = []
        packed, gaps = dtype.itemsize, 0
        for count, stride in reversed(axes):
            strides.insert(0, packed if stride is None else stride)
            if strides[0] != packed:  # segments that touch are one
                gaps = min(math.prod(shape[:-1]) - 1, _MOST_GAPS)
            packed *= count
        return cls(dtype, math.prod(shape), shape, tuple(strides), gaps)

    def at(self, entry: Allocation, address: int) -> StridedView:
        return StridedView(self, entry, address)

    def runs(self) -> tuple[Any, ...]:
        """What it leaves alone between its first byte and its last, as the recorder takes it; () if nothing."""
        return (strided_rows(self.shape, self.strides, self.dtype.itemsize),) if self.gaps else ()


class StridedView(ArrayView):
    """Segments at their place."""

    __slots__ = ("footprint",)

    def __init__(self, footprint: Segments, entry: Allocation, address: int) -> None:
        self.entry, self.address, self.footprint = entry, address, footprint
        self.low, self.end = address + footprint.below, address + footprint.above
        self.array = entry.strided(address, footprint.dtype, footprint.shape, footprint.strides)

    def copy(self, source: View) -> None:
        copy_segments(self.array, source.read(), self._apart(source))

    def pass_on(self, source: View) -> None:
        copy_segments(self.flags(), source.flags(), self._apart(source))
        self.entry.uninitialized.changed(self.low, self.end)

    def hole(self) -> Piece | None:
        """The uninitialized bytes with which the first segment begins that has any."""
        return self._first(0, self.flags())

    def written(self) -> None:
        if self.doubtful:
            self.flags()[...] = True
            self.entry.uninitialized.touched(self.low, self.end)

    def blocks(self) -> list[Lattice]:
        footprint = self.footprint
        return [Lattice(self.address, footprint.shape, footprint.strides, footprint.dtype.itemsize)]

    def runs(self) -> tuple[Any, ...]:
        return self.footprint.runs()

    def _apart(self, source: View) -> bool:
        """Neither an operand and this one nor segments of this one have a byte in common."""
        return not self.footprint.folded and (self.low >= source.end or source.low >= self.end)

    def _first(self, offset: int, flags: np.ndarray) -> Piece | None:
        """The first run of uninitialized bytes in a segment; ``flags`` are of those from an offset on."""
        if flags.all():
            return None
        at = np.unravel_index(int(flags.argmin()), flags.shape)
        start = self.address + offset + sum(int(i) * stride for i, stride in zip(at, flags.strides, strict=True))
        left = (flags.shape[-2] - int(at[-2])) * flags.shape[-1] - int(at[-1])
        return self.entry.uninitialized.first(start, start + left)


class Slices(Segments):
    """Rows in the slices of a memory.

    If a copy has dealt them out, those of a slice follow those of the one before. Else each lies where a copy put it.
    """

    __slots__ = ("order", "piece", "rows", "taken")

    order: Order
    rows: int
    piece: int
    taken: int  # of the elements of a piece of a row; the others are padding

    @classmethod
    def of_rows(cls, dtype: np.dtype, order: Order, apart: int, rows: int, *rest: int) -> Slices:
        """``rows`` of so many pieces and elements, dealt or not; ``apart`` are the bytes of a slice of the memory."""
        *pieces, dealt, taken = rest
        row = math.prod(pieces)
        used, each, size = min(rows, order.slices), -(-rows // order.slices), row * dtype.itemsize
        pitch = size if dealt else -(-size // order.pitch) * order.pitch
        apart = each * size if dealt else apart
        gaps = 0 if dealt and not rows % order.slices else rows - 1
        made = cls(dtype, rows * row, (used, each, row), (apart, pitch, dtype.itemsize), gaps)
        made.order, made.rows, made.piece, made.taken = order, rows, pieces[-1], taken
        return made

    def at(self, entry: Allocation, address: int) -> SlicedView:
        return SlicedView(self, entry, address)


class SlicedView(StridedView):
    """Rows in slices at their place; the last row of some slices lies behind the last of all."""

    __slots__ = ()

    footprint: Slices

    def read(self) -> np.ndarray:
        return self.footprint.order.to_rows(self.array)

    def split(self, dense: np.ndarray) -> Iterable[np.ndarray]:
        return [self.footprint.order.to_rows(dense)]  # which swaps two axes: it is its own inverse

    def flags(self) -> np.ndarray:
        return self.footprint.order.to_rows(super().flags())

    def hole(self) -> Piece | None:
        footprint = self.footprint
        if not footprint.gaps and footprint.taken == footprint.piece:
            return self.entry.uninitialized.first(self.low, self.end)
        flags = super().flags()
        flags = flags.reshape(*flags.shape[:2], -1, footprint.piece, flags.shape[-1])[..., : footprint.taken, :]
        whole, rest = divmod(footprint.rows, len(flags))
        found = self._first(0, flags[:, :whole])
        return found if found or not rest else self._first(whole * flags.strides[1], flags[:rest, whole:])


def copy_segments(target: np.ndarray, source: np.ndarray, apart: bool) -> None:
    """Copy a segment (the last axis of both) after the other (inferred), at once where the order makes no difference.

    ``apart``: neither source and target nor segments of the target have a byte in common.
    """
    if apart:
        target[...] = source if source.shape == target.shape else source.reshape(target.shape)
        return
    places = (itertools.product(*map(range, array.shape[:-1])) for array in (target, source))
    for to, from_ in zip(*places, strict=True):
        target[to] = source[from_]
