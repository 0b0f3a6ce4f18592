"""Operands that pass an end of the variable or array that they lie in: what lies inside is carried out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arena import Allocation
from .byteset import POISON

_BYTE = np.dtype(np.uint8)


class Overrun(Allocation):
    """Stands for an allocation that an operand lies in in part: a copy, of which the part inside is written back.

    The part outside holds NaN patterns. They are not reported: that the operand passes an end has been.
    """

    def __init__(self, entry: Allocation, start: int, end: int, key: int, writes: bool) -> None:
        """The operand takes [start, end), of which some is inside of ``entry``; ``writes``: it is written."""
        super().__init__(start, end, entry.space, entry.owner, key, entry.name)
        self.writes, self._entry = writes, entry
        self._low, self._high = max(start, entry.start), min(end, entry.end)
        self._copy = np.full(end - start, POISON, np.uint8)
        entry.fill_poison(self._low, self._high)
        self._inside(self)[...] = self._inside(entry)
        for piece in entry.uninitialized.pieces(self._low, self._high):
            self.uninitialized.add(*piece)

    def view(self, dtype: np.dtype) -> np.ndarray:
        """The copy as an array of ``dtype``."""
        return self._copy[: len(self._copy) // dtype.itemsize * dtype.itemsize].view(dtype)

    def _inside(self, entry: Allocation) -> np.ndarray:
        return entry.view(_BYTE)[self._low - entry.start : self._high - entry.start]

    def put_back(self) -> None:
        """What an instruction has written becomes the allocation's, as far as it lies inside."""
        self._inside(self._entry)[...] = self._inside(self)

    def put_flags_back(self) -> None:
        """The same of which bytes have been written."""
        self._entry.uninitialized.remove(self._low, self._high)
        for piece in self.uninitialized.pieces(self._low, self._high):
            self._entry.uninitialized.add(*piece)


class Overruns(list[Overrun]):
    """The operands of the instruction that is being issued which pass an end."""

    def finish(self) -> None:
        """The effect has taken place."""
        for operand in self._written():
            operand.put_back()
            operand.put_flags_back()

    def after(self, effect: Callable[[], Any]) -> Callable[[], None]:
        """An effect that takes place later, and what follows from it."""
        operands = self._written()
        for operand in operands:
            operand.put_flags_back()

        def both() -> None:
            effect()
            for operand in operands:
                operand.put_back()

        return both

    def _written(self) -> list[Overrun]:
        """Those that it writes; it has been issued."""
        found = [operand for operand in self if operand.writes]
        self.clear()
        return found
