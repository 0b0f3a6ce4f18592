"""Operands of packed elements. Ports have lines of their own for these; what is rare is done here."""

from __future__ import annotations

import numpy as np

from .arena import POISON, Allocation
from .byteset import Piece
from .view import ArrayView


class PackedView(ArrayView):
    """Elements one after the other, of one axis or more."""

    __slots__ = ()

    def __init__(self, entry: Allocation, low: int, end: int, array: np.ndarray) -> None:
        super().__init__(entry, low, end, low, array)

    def hole(self) -> Piece | None:
        return self.entry.uninitialized.first(self.low, self.end)

    def written(self) -> None:
        self.entry.uninitialized.remove(self.low, self.end)

    def forget(self) -> None:
        self.entry.uninitialized.add(self.low, self.end)
        poison(self.array)

    def write_rows(self, rows: np.ndarray, values: np.ndarray) -> None:
        """New contents of some rows, which are initialized then; the others stay as they are."""
        self.array[rows] = values[rows]
        holes, size = self.entry.uninitialized, self.array.strides[0]
        if holes.hi:
            ends = np.flatnonzero(np.diff(np.concatenate(([0], rows.view(np.int8), [0]))))
            for first, last in ends.reshape(-1, 2).tolist():
                holes.remove(self.low + first * size, self.low + last * size)

    def undefine(self, defined: int) -> np.ndarray:
        """Nobody may rely on what comes behind the first elements of each row any more; these elements."""
        size, row = self.array.itemsize, self.array.shape[-1] * self.array.itemsize
        for first in range(self.low, self.end, max(row, 1)):
            if defined * size < row:
                self.entry.uninitialized.add(first + defined * size, first + row)
        return self.array[..., defined:]

    def lose(self, count: int) -> None:
        """Nobody may rely on its last elements any more."""
        if count > 0:
            self.entry.uninitialized.add(self.end - count * self.array.itemsize, self.end)
            poison(self.array[-count:])


def poison(rest: np.ndarray) -> None:
    """Overwrite what an instruction leaves undefined, so that a result that rests on it is wrong."""
    if rest.size:
        rest.view(np.uint8)[...] = POISON
