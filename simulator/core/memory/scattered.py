"""Operands whose rows lie wherever the contents of another operand say."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from .arena import Allocation
from .byteset import Piece
from .strides import Lattice
from .view import Footprint, View


class Places(Footprint):
    """Rows of bytes at ``places``, distances from the address; see `Instruction.measured`."""

    __slots__ = ("places", "row")

    def __init__(self, dtype: np.dtype, places: np.ndarray, *counts: int) -> None:
        """``counts`` are those of the axes of a row."""
        self.places, self.row = places, math.prod(counts) * dtype.itemsize
        some = len(places) * self.row > 0
        bounds = (int(places.min()), int(places.max()) + self.row) if some else (0, 0)
        super().__init__(dtype, len(places) * math.prod(counts), *bounds)

    def at(self, entry: Allocation, address: int) -> ScatteredView:
        return ScatteredView(self, entry, address)


class ScatteredView(View):
    """Rows at their places, shape [rows, bytes of a row]; rows may share bytes."""

    __slots__ = ("_memory", "_places", "_row")

    def __init__(self, footprint: Places, entry: Allocation, address: int) -> None:
        super().__init__(entry, address + footprint.below, address + footprint.above)
        self._row, self._places = footprint.row, footprint.places + (address - entry.start)
        self._memory = entry.view(footprint.dtype)

    def read(self) -> np.ndarray:
        rows: np.ndarray = windows(self._memory, self._row)[self._places]
        return rows

    def write(self, values: Any) -> None:
        windows(self._memory, self._row)[self._places] = values

    def arrays(self) -> list[np.ndarray]:
        return [self._memory[place : place + self._row] for place in self._places.tolist()]

    def split(self, dense: np.ndarray) -> Iterable[np.ndarray]:
        return dense

    def hole(self) -> Piece | None:
        starts = (self._places + self.entry.start).tolist()
        return next(filter(None, (self.entry.uninitialized.first(at, at + self._row) for at in starts)), None)

    def flags(self) -> np.ndarray:
        """A copy, shape [rows, bytes of a row, 1]."""
        rows: np.ndarray = self._flags()[self._places]
        return rows[..., None]

    def define(self, initialized: Any) -> None:
        self._flags()[self._places] = np.broadcast_to(initialized, (len(self._places), self._row, 1))[..., 0]
        self.entry.uninitialized.changed(self.low, self.end)

    def forgive(self) -> None:
        """None of its bytes counts as uninitialized any more, nor any other between its first and its last."""
        self.entry.uninitialized.remove(self.low, self.end)

    def blocks(self) -> list[Lattice]:
        return [Lattice(start, (), (), self._row) for start in (self._places + self.entry.start).tolist()]

    def runs(self) -> tuple[Any, ...]:
        return (self._places, self._row) if self._row * len(self._places) else ()

    def _flags(self) -> np.ndarray:
        return windows(self.entry.uninitialized.flags, self._row)


def windows(memory: np.ndarray, row: int) -> np.ndarray:
    """Every row of bytes that begins somewhere in memory; no copy, no bounds."""
    step = memory.strides[0]
    return np.lib.stride_tricks.as_strided(memory, (max(len(memory) - row + 1, 0), row), (step, step))
