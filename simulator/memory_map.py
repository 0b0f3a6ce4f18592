"""The memory map of a machine: which memory an address lies in, and whether an operand may lie there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ..isa import Overload, Parameter, Partial
from .device import Shape
from .finding import WARNING, Finding
from .ledger import Current, Ledger, Skip
from .log import Region, region_key
from .memory import POISON, Allocation, Memory
from .operand_cache import Found, OperandCache


class MemoryMap:
    """The memories of all spaces, as the running task may use them."""

    def __init__(self, shape: Shape, shared: Mapping[str, Memory], current: Current, ledger: Ledger) -> None:
        """``shared`` holds the memories that outlive a launch (the device's own), by space."""
        self._current, self._ledger = current, ledger
        self.cache = OperandCache(shape.cores + shape.clusters)
        self.memories: dict[str, Memory] = {}
        for index, (name, space) in enumerate(shape.spaces.items()):
            owners = {"device": 1, "cluster": shape.clusters, "core": shape.cores + shape.clusters}[space.scope]
            self.memories[name] = shared.get(name) or Memory(space, index, owners)

    def owner(self, memory: Memory) -> int:
        """The running task's number among the owners of a memory."""
        scope = memory.space.scope
        return self._current.core if scope == "core" else 0 if scope == "device" else self._current.cluster

    def region(self, address: int, bytes: int) -> Region | None:
        """The region that an address range is, if it lies in a memory."""
        for memory in self.memories.values():
            owner = memory.owner_of(address)
            if owner is not None:
                return Region(memory.name, owner, address - memory.base - owner * memory.stride, max(bytes, 0))
        return None

    def key(self, address: int) -> int:
        """The number of an address in logs."""
        found = self.region(address, 0)
        return region_key(list(self.memories).index(found.space), found.owner, found.offset) if found else 0

    def find(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, bytes: int, space: str, dtype: np.dtype,
        place: int,
    ) -> Found:  # fmt: skip
        """The memory behind an operand, noted in its place of the cache, or a finding.

        The findings are wrong space, another core's memory, and out of bounds.
        """
        memory = self.memories[space]
        if bytes == 0:  # an operand that these arguments leave out; its address means nothing
            nobody = Allocation(address, address, space, 0, 0)
            return address, address, np.empty(0, dtype), 0, nobody.undefined, nobody
        entry = memory.before(self.owner(memory), address)
        if entry is not None and entry.start <= address <= address + bytes <= entry.end:
            places = self._current.found
            places[place] = found = entry.start, entry.end, entry.view(dtype), entry.key, entry.undefined, entry
            if memory.space.scope == "device":
                self.cache.note_shared(places, place)
            return found
        finding = self.misplaced(address, bytes, memory, parameter.writes)
        self._ledger.report(replace(finding, instruction=overload.name, operand=parameter.name), pc)
        raise Skip

    def misplaced(self, address: int, bytes: int, memory: Memory, writes: bool) -> Finding:
        """Why [address, address + bytes) is not a legal operand in ``memory``."""
        verb = "write" if writes else "read"
        region = self.region(address, bytes)
        need = f"an address in {memory.name}"
        if address == 0:
            return Finding("bounds", "the pointer is null", limit=need, suggestion=f"pass {need}")
        if region is None:
            return Finding("bounds", f"address {address:#x} belongs to no memory of the device", limit=need)
        if region.space != memory.name:
            return Finding(
                "space", f"the operand lies in {region.space}, not in {memory.name}", region=region, limit=need,
                suggestion=f"copy the data to {memory.name} first",
            )  # fmt: skip
        if region.owner != self.owner(memory):
            return Finding(
                "space", f"{memory.name} of core {region.owner} is not this core's own", region=region, limit=need
            )
        entry = memory.find(address)
        if entry is None:
            return Finding("bounds", f"{verb} of {bytes} bytes where nothing is allocated", region=region)
        past = address + bytes - entry.end
        size = entry.end - entry.start
        return Finding(
            "bounds",
            f"{verb} of {bytes} bytes at byte {address - entry.start} of {entry.name!r} passes its end by {past}",
            region=region,
            limit=f"{entry.name!r} has {size} bytes",
            suggestion="make the variable larger or the count smaller",
        )

    def touch(
        self, pc: int, overload: Overload, parameter: Parameter, entry: Allocation, start: int, bytes: int
    ) -> None:
        """Warn of a read of bytes that nobody wrote, once for each byte."""
        piece = entry.undefined.first(start, start + bytes)
        if piece:
            entry.settle()
            entry.undefined.remove(start, start + bytes)
            self._ledger.report(
                Finding(
                    "undefined",
                    f"reads {piece[1] - piece[0]} bytes of {entry.name!r} that nobody has written",
                    instruction=overload.name,
                    operand=parameter.name,
                    region=self.region(piece[0], piece[1] - piece[0]),
                    severity=WARNING,
                    suggestion="write the memory before it is read",
                ),
                pc,
            )

    def read_strided(
        self, pc: int, overload: Overload, parameter: Parameter, entry: Allocation, address: int,
        shape: tuple[int, ...], strides: tuple[int, ...],
    ) -> None:  # fmt: skip
        """`touch` for each segment of a strided operand, until one is undefined."""
        for start, bytes in _segments(address, shape, strides):
            if entry.undefined.first(start, start + bytes):
                self.touch(pc, overload, parameter, entry, start, bytes)
                return

    def define_strided(self, entry: Allocation, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        """Every segment of a strided operand has been written."""
        for start, bytes in _segments(address, shape, strides):
            entry.undefined.remove(start, start + bytes)

    def undefine(self, entry: Allocation, start: int, end: int) -> None:
        """Nobody may rely on the bytes of [start, end) any more."""
        if end > start:
            entry.undefined.add(start, end)

    def spoil(self, rest: np.ndarray) -> None:
        """Overwrite what an instruction leaves undefined, so that a result that rests on it is wrong."""
        if rest.size:
            rest.view(np.uint8)[...] = POISON

    def partial(self, entry: Allocation, address: int, target: np.ndarray, result: Partial) -> None:
        """Write the rows of an output that an instruction produced; only they become defined."""
        target[result.rows] = result.values[result.rows]
        if entry.undefined.hi:
            size = target.strides[0]
            for row in np.flatnonzero(result.rows):
                entry.undefined.remove(address + int(row) * size, address + (int(row) + 1) * size)


def _segments(address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Iterable[tuple[int, int]]:
    for index in np.ndindex(*shape[:-1]):
        yield address + sum(i * s for i, s in zip(index, strides, strict=False)), shape[-1] * strides[-1]
