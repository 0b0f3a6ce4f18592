"""The memory map of a machine: which memory an address lies in, and whether an operand may lie there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ....isa import Dialect, Overload, Parameter
from ...chip import Shape
from ...findings import Collector, Finding, Squashed, rules
from ...log.region import Region, region_key
from ..memory import Allocation, Memory, Tensor, lanes_of
from ..memory.tensor import Four, across_lanes, in_system_memory, system_bounds
from .current import Current
from .operand_cache import OperandCache, OperandSlot


class MemoryMap:
    """The memories of all spaces, as the running task may use them."""

    def __init__(
        self, shape: Shape, dialect: Dialect, shared: Mapping[str, Memory], current: Current, collector: Collector
    ) -> None:
        """``shared`` holds the memories that outlive a launch (the device's own), by space."""
        self._current, self._collector, self._spaces = current, collector, dialect.spaces
        self.cache = OperandCache(shape.cores + shape.clusters)
        self.memories: dict[str, Memory] = {}
        for index, (name, space) in enumerate(shape.spaces.items()):
            self.memories[name] = shared.get(name) or Memory(space, index, shape.owners(space.scope))
        self.own = [memory for name, memory in self.memories.items() if name not in shared]
        self.lanes = lanes_of(shape, dialect)
        #: Addresses behind which copies have put rows into the slices of a memory, and not dealt them out.
        self.sliced: set[int] = set()

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
        self, pc: int, overload: Overload, parameter: Parameter, address: int, size: int, space: str, dtype: np.dtype,
        place: int,
    ) -> OperandSlot:  # fmt: skip
        """The memory behind an operand, noted in its place of the cache, or a finding.

        The findings are wrong space, another core's memory, and out of bounds.
        """
        memory = self.memories[space]
        if size == 0:  # an operand that these arguments leave out; its address means nothing
            nobody = Allocation(address, address, space, 0, 0)
            return address, address, np.empty(0, dtype), 0, nobody.uninitialized, nobody
        entry = self._entry(pc, overload, parameter, address, size, memory)
        places = self._current.found
        places[place] = found = entry.start, entry.end, entry.view(dtype), entry.key, entry.uninitialized, entry
        if memory.space.scope == "device":
            self.cache.note_shared(places, place)
        return found

    def _entry(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, size: int, memory: Memory
    ) -> Allocation:
        entry = memory.before(self.owner(memory), address)
        if entry is not None and entry.start <= address <= address + size <= entry.end:
            return entry
        finding = self.misplaced(address, size, memory, parameter.writes)
        self._collector.report(replace(finding, instruction=overload.name, operand=parameter.name), pc)
        raise Squashed

    def tensor(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, shape: Four, strides: Four | None,
        dtype: np.dtype,
    ) -> Tensor:  # fmt: skip
        """The tensor that an operand is, across the lanes of the running core or in system memory, or a finding."""
        if parameter.is_lanes:
            return self._across_lanes(pc, overload, parameter, address, shape, strides, dtype)
        low, end = system_bounds(address, shape, strides, dtype.itemsize)
        names = self._spaces[parameter.space].members
        memories = [self.memories[name] for name in names if name in self.memories]
        memory = next((m for m in memories if m.owner_of(low) is not None), memories[0])
        entry = self._entry(pc, overload, parameter, low, end - low, memory)
        return in_system_memory(entry, address, shape, strides, dtype)

    def _across_lanes(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, shape: Four, strides: Four | None,
        dtype: np.dtype,
    ) -> Tensor:  # fmt: skip
        memory = self.memories[parameter.space or overload.instruction.space]
        lanes, entry = self.lanes, next(memory.allocations(self.owner(memory)))
        if 0 <= address < lanes.count * lanes.size:
            found = across_lanes(entry, address, shape, strides, dtype, lanes)
            if entry.start <= found.low and found.end <= entry.start + lanes.size:
                return found
            past = found.end - entry.start - lanes.size
            finding = rules.bounds.outside_lane(shape, address, past, lanes.size)
        else:
            finding = rules.bounds.in_no_lane(address, memory.name, lanes.count, lanes.size)
        self._collector.report(replace(finding, instruction=overload.name, operand=parameter.name), pc)
        raise Squashed

    def misplaced(self, address: int, bytes: int, memory: Memory, writes: bool) -> Finding:
        """Why [address, address + bytes) is not a legal operand in ``memory``."""
        region = self.region(address, bytes)
        if address == 0:
            return rules.bounds.null_operand(memory.name)
        if region is None:
            return rules.bounds.nowhere(address, memory.name)
        if region.space != memory.name:
            return rules.space.elsewhere(region, memory.name)
        if region.owner != self.owner(memory):
            return rules.space.of_another_core(region)
        entry = memory.nearest(address)
        if entry is None:
            return rules.bounds.unallocated(writes, bytes, region)
        at, size = address - entry.start, entry.end - entry.start
        finding = rules.bounds.outside(writes, bytes, region, entry.name, at, size)
        return replace(finding, origin=entry.origin if entry.origin.line else None)
