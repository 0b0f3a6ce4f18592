"""Where operands were found last, kept for every core by itself: a switch of tasks forgets nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..memory import Allocation, ByteSet, Shadow

#: The memory behind an operand: first and past-the-end address, typed view, key, uninitialized bytes and allocation.
OperandSlot = tuple[int, int, np.ndarray | None, int, ByteSet, Allocation | None]

#: What a slot holds before the first use: no address lies in it.
VACANT: OperandSlot = (1, 0, None, 0, Shadow(0, 0), None)


class OperandCache:
    """One list for each core, with a place for every memory operand of every port, or for the plans of a port.

    What a place holds is good for as long as its allocation. Whoever frees on-chip memory calls `forget`; arrays of
    the device come and go between launches, so that each launch begins with `forget_shared`.
    """

    def __init__(self, cores: int) -> None:
        self._places: list[list[OperandSlot]] = [[] for _ in range(cores)]
        self._shared: list[tuple[list[OperandSlot], int]] = []
        self.on_forget: Callable[[], None] = lambda: None  # is told that on-chip memory moves

    def __getitem__(self, core: int) -> list[OperandSlot]:
        """The places of a core; the list is the same for ever."""
        return self._places[core]

    def new(self) -> int:
        """The number of a new place, which every core has."""
        for places in self._places:
            places.append(VACANT)
        return len(self._places[0]) - 1

    def note_shared(self, places: list[OperandSlot], number: int) -> None:
        """A place holds memory of the device."""
        self._shared.append((places, number))

    def forget(self, cores: Iterable[int] | None = None) -> None:
        """Empty the places of some cores, or of all."""
        for places in self._places if cores is None else map(self._places.__getitem__, cores):
            places[:] = [VACANT] * len(places)
        self.on_forget()

    def forget_shared(self) -> None:
        """Empty the places that hold memory of the device."""
        for places, number in self._shared:
            places[number] = VACANT
        self._shared.clear()
