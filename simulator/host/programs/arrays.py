"""What a host program has allocated on its devices, and what it has freed."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from ...core.execution import PlacedVariable
from ...core.memory import Allocation
from ...engines.worker.messages import MOST_PARTS
from ...findings import Finding
from ...flow import Ranges
from ...launches.device import Device
from ...launches.host_memory import after_free
from ...log import NOWHERE, Location
from .messages import Place
from .shared_arrays import handle_of, opened

#: Allocations that are remembered when they have been freed.
_REMEMBERED = 4096
#: Bytes of an argument that is a pointer.
_POINTER = 8
#: An allocation, and the places that made and freed it.
Freed = tuple[Allocation, Place, Place]


class Arrays:
    """The arrays of a program, by device and address."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self._devices = devices
        self._taken: dict[int, tuple[Allocation, int, Place]] = {}
        self._freed = [deque[Freed](maxlen=_REMEMBERED) for _ in devices]
        self._variables: list[dict[str, PlacedVariable]] = [{} for _ in devices]
        self._shared: dict[int, tuple[int, int]] = {}  # by address: the handle, and the descriptor that keeps it good
        self._names = 0

    def allocate(self, ordinal: int, bytes: int, place: Place, managed: bool = False) -> int:
        """The address of a new array; MemoryError says how much is free when it does not fit.

        One that is ``managed`` has pages of its own, and all of it counts as written: the host may do so unseen.
        """
        self._names += 1
        memory = self._devices[ordinal].memory
        entry = memory.allocate(bytes, f"array {self._names}", 0 if managed else None)
        entry.clear()
        entry.waits = True
        if managed:
            entry.uninitialized.remove(entry.start, entry.end)
        self._taken[entry.start] = entry, ordinal, place
        return entry.start

    def place(self, ordinal: int, key: str, bytes: int, managed: bool, functions: bool) -> int:
        """The address of a variable of kernels, which lies on a device from now on; ``managed`` as of an array."""
        entry = self._devices[ordinal].memory.allocate(bytes, key.rpartition(":")[2], 0 if managed else None)
        self._taken[entry.start] = entry, ordinal, Place()
        self._variables[ordinal][key] = PlacedVariable(key, entry.start, functions)
        return entry.start

    def variables(self, ordinal: int) -> tuple[PlacedVariable, ...]:
        """The variables of kernels that lie on a device."""
        return tuple(self._variables[ordinal].values())

    def free(self, address: int, freed: Place) -> tuple[int, Ranges]:
        """Give an array back at a place: its device, and the bytes that it had."""
        entry, ordinal, made = self._taken.pop(address)
        if address in self._shared:
            os.close(self._shared.pop(address)[1])
        self._freed[ordinal].append((entry, made, freed))
        own = self._variables[ordinal]
        self._variables[ordinal] = {key: one for key, one in own.items() if one.address != address}
        self._devices[ordinal].memory.dropped.append(entry)
        return ordinal, self.span(ordinal, entry.start, entry.end - entry.start)

    def share(self, address: int) -> int:
        """A handle of an array for other programs. From now on all of it counts as written."""
        entry, ordinal, _ = self._taken[address]
        entry.uninitialized.remove(entry.start, entry.end)
        if address not in self._shared:
            memory = self._devices[ordinal].memory
            self._shared[address] = handle_of(memory, address - memory.address, entry.end - address)
        return self._shared[address][0]

    def borrow(self, ordinal: int, handle: int, place: Place) -> tuple[int, int]:
        """The address and bytes of another program's array; ValueError, OSError or MemoryError if it cannot be had."""
        memory = self._devices[ordinal].memory
        if handle in (own for own, _ in self._shared.values()):
            raise ValueError("the handle is this program's own: another one maps it")
        if len(memory.parts) == MOST_PARTS:
            raise ValueError(f"{MOST_PARTS} arrays of other programs are mapped, and no more can be")
        fd, offset, size = opened(handle)
        self._names += 1
        try:
            entry = memory.borrow(fd, offset, size, f"array {self._names}, of another program")
        except BaseException:
            os.close(fd)
            raise
        self._taken[entry.start] = entry, ordinal, place
        return entry.start, size

    def allocated(self, ordinal: int, offset: int) -> Place:
        """Where the array at an offset in a device's memory was allocated, or the last one there that was freed."""
        address = self._devices[ordinal].memory.address + offset
        taken = ((entry, made) for entry, _, made in self._taken.values())
        freed = ((entry, made) for entry, made, _ in reversed(self._freed[ordinal]))
        return next((made for entry, made in chain(taken, freed) if entry.start <= address < entry.end), Place())

    def left(self) -> list[tuple[Place, int]]:
        """Where what has not been freed was allocated, and its bytes."""

        def is_own(entry: Allocation, ordinal: int) -> bool:
            is_borrowed = entry.start in self._devices[ordinal].memory.parts  # it is another program's
            return not is_borrowed and all(one.address != entry.start for one in self._variables[ordinal].values())

        return [
            (place, entry.end - entry.start)
            for entry, ordinal, place in self._taken.values() if is_own(entry, ordinal)
        ]  # fmt: skip

    def at(self, address: int) -> tuple[Allocation, int] | None:
        """The array that an address lies in, and its device."""
        for ordinal, device in enumerate(self._devices):
            own = device.memory
            if own.address <= address < own.address + own.mapping.size:
                entry = own.memory.find(address)
                return None if entry is None else (entry, ordinal)
        return None

    def span(self, ordinal: int, address: int, bytes: int) -> Ranges:
        """Bytes of a device's memory as queues count them."""
        start = address - self._devices[ordinal].memory.address
        return np.array([[start, start + bytes]], np.int64)

    def sourced(self, finding: Finding, ordinal: int, locate: Callable[[Place], Location]) -> Finding:
        """A finding with the line that allocated its array; an access to memory that was freed is a use of that."""
        memory, region = self._devices[ordinal].memory, finding.region
        memory.reclaim()
        found = after_free(finding, memory, self._freed[ordinal], locate)
        if found.origin or region is None or region.space != memory.memory.name:
            return found
        entry = memory.memory.nearest(memory.address + region.offset)
        origin = locate(self.allocated(ordinal, entry.start - memory.address)) if entry else NOWHERE
        return replace(found, origin=origin) if origin.line else found

    def unwritten(self, arguments: Sequence[bytes]) -> Iterator[tuple[int, str, Place]]:
        """Arguments that point to uninitialized arrays: their numbers, the arrays, who made them."""
        for number, value in enumerate(arguments):
            known = self._taken.get(int.from_bytes(value, "little")) if len(value) == _POINTER else None
            if known is None:
                continue
            entry, _, made = known
            if entry.uninitialized.pieces(entry.start, entry.end) == [(entry.start, entry.end)]:
                yield number, entry.name, made
