"""Where the operands of doors were found last, kept for every core by itself: a switch of tasks forgets nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: First and past-the-end address, typed view, key, undefined bytes and allocation of the memory behind an operand.
Found = tuple[int, int, Any, int, Any, Any]


class _Nothing:
    """The undefined bytes of no memory: none."""

    lo = hi = 0


#: What a place holds before the first use: no address lies in it.
NOWHERE: Found = (1, 0, None, 0, _Nothing, None)


class OperandCache:
    """One list for each core, with a place for every memory operand of every door.

    What a place holds is good for as long as its allocation. Whoever frees on-chip memory calls `forget`; arrays of
    the device come and go between launches, so that each launch begins with `forget_shared`.
    """

    def __init__(self, cores: int) -> None:
        self._places: list[list[Found]] = [[] for _ in range(cores)]
        self._shared: list[tuple[list[Found], int]] = []

    def __getitem__(self, core: int) -> list[Found]:
        """The places of a core; the list is the same for ever."""
        return self._places[core]

    def new(self) -> int:
        """The number of a new place, which every core has."""
        for places in self._places:
            places.append(NOWHERE)
        return len(self._places[0]) - 1

    def note_shared(self, places: list[Found], number: int) -> None:
        """A place holds memory of the device."""
        self._shared.append((places, number))

    def forget(self, cores: Iterable[int] | None = None) -> None:
        """Empty the places of some cores, or of all."""
        for places in self._places if cores is None else map(self._places.__getitem__, cores):
            places[:] = [NOWHERE] * len(places)

    def forget_shared(self) -> None:
        """Empty the places that hold memory of the device."""
        for places, number in self._shared:
            places[number] = NOWHERE
        self._shared.clear()
