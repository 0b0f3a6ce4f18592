"""Where the file-scope variables of a program lie in on-chip memory, kept from launch to launch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...log.region import Location
from .arena import Allocation, Memory, Table
from .bytemap import ByteMap
from .variable import Variable

_BYTE = np.dtype(np.uint8)


@dataclass(eq=False)
class Placement:
    """What one owner's memories hold when a task begins."""

    variables: tuple[tuple[int, Allocation], ...]  # with their numbers in the program, by memory and address
    whole: tuple[Allocation, ...]  # memories that kernels use without declaring anything
    tables: tuple[Table, ...]  # of the memories, with just this in them

    @property
    def entries(self) -> list[Allocation]:
        """All of it, by memory and address."""
        return [*self.whole, *(entry for _, entry in self.variables)]


class VariableLayout:
    """Places the variables of one program at a time, at the same addresses in every launch."""

    def __init__(self, memories: Iterable[Memory], whole: Mapping[str, bool]) -> None:
        """``memories`` are those that live as long as a launch.

        ``whole`` names the ones that kernels use as they are, and whether they are written in small scattered pieces.
        """
        self._whole = whole
        self._memories: dict[str, list[Memory]] = {"core": [], "cluster": [], "device": []}
        for memory in memories:
            self._memories[memory.space.scope].append(memory)
        self._placed: dict[tuple[str, int], Placement] = {}
        self.variables: tuple[Variable, ...] = ()

    def use(self, variables: tuple[Variable, ...]) -> bool:
        """These are the variables from now on; whether they were others before."""
        if variables == self.variables:
            return False
        self._placed.clear()
        self.variables = variables
        return True

    def placement(self, scope: str, owner: int) -> Placement:
        """What `place` has made for an owner."""
        return self._placed[scope, owner]

    def place(self, scope: str, owner: int) -> bool:
        """Give an owner fresh variables; whether anything in its memories has moved or gone since the last time."""
        memories = self._memories[scope]
        placement = self._placed.get((scope, owner))
        moved = placement is None
        if placement is None:
            placement = self._placed[scope, owner] = self._lay_out(memories, owner)
        for memory, table in zip(memories, placement.tables, strict=True):
            if memory.table(owner) is not table:
                memory.restore(owner, table)
                moved = True
        for entry in placement.whole:
            entry.clear()
        for number, entry in placement.variables:
            entry.clear()
            initial = self.variables[number].initial
            if initial is not None:
                entry.view(_BYTE)[:] = np.frombuffer(initial, np.uint8)
                entry.uninitialized.remove(entry.start, entry.end)
        return moved

    def _lay_out(self, memories: Sequence[Memory], owner: int) -> Placement:
        found, whole = [], []
        for memory in memories:
            memory.keep(owner, ())
            if memory.name in self._whole:
                entry = memory.allocate(owner, memory.space.bytes, f"{memory.name} memory")
                if self._whole[memory.name]:
                    entry.uninitialized = ByteMap(entry.start, entry.end)
                    entry.refill(memory.poison)
                whole.append(entry)
            for number, variable in enumerate(self.variables):
                if variable.space == memory.name:
                    entry = memory.allocate(owner, variable.size, variable.name)
                    entry.origin = Location("", variable_counter(number))
                    found.append((number, entry))
        return Placement(tuple(found), tuple(whole), tuple([memory.table(owner) for memory in memories]))


def variable_counter(number: int) -> int:
    """The (negative) program counter that stands for the declaration of a file-scope variable, by its number."""
    return -1 - number
