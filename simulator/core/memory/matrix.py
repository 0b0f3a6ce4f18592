"""Matrices across the lanes of a core: some columns of every row in each channel, fewer in the last one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from .arena import Allocation
from .tensor import Box, Lanes, Tensor, TensorShape, across_lanes


class MatrixShape(TensorShape):
    """A matrix [rows, columns], so many columns in a channel: an aligned tensor [rows, channels, 1, columns]."""

    __slots__ = ("columns",)

    def __init__(self, dtype: np.dtype, shape: tuple[int, int, int]) -> None:
        rows, self.columns, each = shape
        super().__init__(dtype, (rows, -(-self.columns // max(each, 1)), 1, each))
        self.count = rows * self.columns
        self.bytes = self.count * dtype.itemsize


class Matrix(Tensor):
    """A matrix at its place: its contents have the shape [rows, columns]."""

    __slots__ = ("each",)

    each: int  # columns of a channel

    def split(self, dense: np.ndarray) -> Iterable[np.ndarray]:
        for box in self.boxes:
            n, rows, lanes, _, w = box.shape
            first = box.first * self.each
            part = dense[:, first : first + rows * lanes * w]
            yield part.reshape(n, rows, lanes, 1, w, *dense.shape[2:])

    def _only(self) -> None:
        return None


def matrix_across_lanes(entry: Allocation, offset: int, form: MatrixShape, lanes: Lanes) -> Matrix:
    """The matrix at an offset of a core's local memory; see `across_lanes`."""
    found = across_lanes(entry, offset, form.shape, None, form.dtype, lanes)
    rows, channels, _, each = form.shape
    boxes, short = found.boxes, form.columns - (channels - 1) * each
    if short < each:
        boxes = [*boxes[:-1], *_shortened(boxes[-1], short)]
    made = Matrix(
        entry, boxes, (rows, form.columns), form.dtype, found.low, found.end, found.mask, found.lane, found.lanes
    )
    made.each = each
    return made


def _shortened(box: Box, short: int) -> Iterable[Box]:
    """A box whose last channel has so many columns alone, as boxes: the others, and it."""
    n, rows, lanes, h, w = box.shape
    ns, cs, ls, hs, ws = box.strides
    if rows > 1:  # whole rows of lanes
        yield replace(box, last=box.last - lanes, shape=(n, rows - 1, lanes, h, w))
    if lanes > 1:
        first, place = box.last - lanes, box.offset + (rows - 1) * cs
        yield Box(first, box.last - 1, place, (n, 1, lanes - 1, h, w), box.strides)
    place = box.offset + (rows - 1) * cs + (lanes - 1) * ls
    yield Box(box.last - 1, box.last, place, (n, 1, 1, h, short), (ns, cs, ls, hs, ws))
