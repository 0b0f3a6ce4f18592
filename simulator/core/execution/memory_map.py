"""The memory map of a machine: which memory an address lies in, and whether an operand may lie there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ....isa import ORDERS, Copy, Dialect, Kind, Overload, Parameter
from ...chip import Shape
from ...chip.launch_kinds import MEMORY_CORE_ID, Role
from ...findings import Collector, Finding, Squashed, rules
from ...log.region import Region, region_key
from ..memory import Allocation, Footprint, Memory, Tensor, View, lanes_of
from ..memory.overrun import Overrun, Overruns
from ..memory.scattered import Places
from ..memory.strided import Segments, Slices
from ..memory.tensor import TensorShape, across_lanes, in_system_memory, system_bounds
from .current import Current
from .operand_cache import OperandCache, OperandSlot

#: Bytes of an operand that is carried out as far as it lies inside of bounds: a longer one has a wrong count.
_LARGEST_OVERRUN = 1 << 24
#: Tensors that are kept in an allocation: those of the lines of a kernel, in a few places each.
_MOST_FOUND = 4096


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
        self._windows = {name: space.window(shape.arch) for name, space in dialect.spaces.items()}
        self.lanes = lanes_of(shape, dialect)
        #: Bytes of a slice, of each memory that has slices.
        self.slices = {
            name: memory.space.bytes // slices
            for name, memory in self.memories.items() if (slices := dialect.spaces[name].slices)
        }  # fmt: skip
        #: Addresses behind which copies have put rows into the slices of a memory, and not dealt them out.
        self.sliced: set[int] = set()
        #: The constant of the kernel's code that holds an address: its first byte, its end, its name, and what is
        #: behind the first one in the code (bytes).
        self.constants: Callable[[int], tuple[int, int, str, int] | None] = lambda address: None
        self._constants: dict[int, Allocation] = {}
        #: The operands of the instruction that is being issued which pass an end.
        self.overruns = Overruns()

    def owner(self, memory: Memory) -> int:
        """The running task's number among the owners of a memory."""
        scope = memory.space.scope
        return self._current.core if scope == "core" else 0 if scope == "device" else self._current.cluster

    def in_cluster(self, space: str, address: int, number: int) -> int:
        """Where an address in the memory of the running task's cluster lies in that of another one of its union."""
        memory, current = self.memories[space], self._current
        sees = current.running.sees
        own = sees.clusterId if sees.clusterDim else 0
        return address + (number - own) * memory.stride if memory.owner_of(address) == current.cluster else address

    def _reached(self, overload: Overload, parameter: Parameter, memory: Memory, address: int) -> int:
        """The owner of a memory whose part an operand may lie in: the running task's, or the one that it names."""
        effect = overload.instruction.effect
        named = isinstance(effect, Copy) and effect.cluster and parameter.writes
        found = memory.owner_of(address) if named else None
        return self.owner(memory) if found is None else found

    def memory_at(self, address: int) -> Memory | None:
        """The memory that an address lies in, in whoever's part of it."""
        for memory in self.memories.values():
            if memory.owner_of(address) is not None:
                return memory
        return None

    def region(self, address: int, bytes: int) -> Region | None:
        """The region that an address range is, if it lies in a memory."""
        memory = self.memory_at(address)
        if memory is None:
            return None
        owner, offset = divmod(address - memory.base, memory.stride)
        return Region(memory.name, owner, offset, max(bytes, 0))

    def key(self, address: int) -> int:
        """The number of an address in logs."""
        memory = self.memory_at(address)
        return memory.key(address) if memory else 0

    def find(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, size: int, space: str, dtype: np.dtype,
        place: int,
    ) -> OperandSlot:  # fmt: skip
        """The memory behind an operand, noted in its place of the cache, or a finding.

        The findings are wrong space, another core's memory, and out of bounds; where a launch goes on after that, what
        lies inside of bounds is carried out.
        """
        if size == 0:  # an operand that these arguments leave out; its address means nothing
            none = Allocation(address, address, space, 0, 0)
            return address, address, np.empty(0, dtype), 0, none.uninitialized, none
        memory = self._meant(pc, overload, parameter, address, size, self.memories[space])
        entry = self._entry(pc, overload, parameter, address, size, memory)
        found = entry.start, entry.end, entry.view(dtype), entry.key, entry.uninitialized, entry
        if isinstance(entry, Overrun):
            return found
        places = self._current.found
        places[place] = found
        if memory.space.scope == "device":
            self.cache.note_shared(places, place)
        return found

    def _meant(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, size: int, memory: Memory
    ) -> Memory:
        """The memory that an operand lies in where a copy names the one beside it, which its engine reaches as well."""
        other = self.memories.get(self._spaces[memory.name].alike)
        if other is None or not overload.instruction.select or other.owner_of(address) != self.owner(other):
            return memory
        region = self.region(address, size)
        assert region
        finding = rules.space.beside_direction(region, memory.name, parameter.name, parameter.writes)
        self._collector.report(replace(finding, instruction=overload.name, operand=parameter.name), pc)
        return other

    def _constant(self, parameter: Parameter, address: int, memory: Memory) -> Allocation | None:
        """The constant of the kernel's code that an operand is read from: the device has them in its memory."""
        if parameter.writes or parameter.is_tensor or memory.space.scope != "device":
            return None
        found = self.constants(address)
        if found is None:
            return None
        start, end, name, behind = found
        if start not in self._constants:
            key = region_key(memory.index, 0, memory.stride - behind)  # of no array: these begin at the other end
            self._constants[start] = Allocation(start, end, memory.name, 0, key, name)
        return self._constants[start]

    def _entry(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, size: int, memory: Memory
    ) -> Allocation:
        owner = self._reached(overload, parameter, memory, address)
        constant = self._constant(parameter, address, memory)
        entry = constant or memory.before(owner, address)
        if entry is not None and entry.start <= address <= address + size <= entry.end:
            return entry
        near = constant or (memory.nearest(address) if memory.owner_of(address) == owner else None)
        by_place = overload.instruction.looks_up or overload.instruction.measured  # what its contents say is not known
        is_part = near is not None and not by_place and address < near.end and address + size > near.start
        is_part = is_part and size <= _LARGEST_OVERRUN
        if not (is_part and self.overruns):  # of one instruction the first says it: all have the same counts
            finding = (
                self._past_constant(constant, address, size, overload) if constant
                else self._misplaced_operand(address, size, memory, owner, overload, parameter)
            )  # fmt: skip
            self._collector.report(replace(finding, instruction=overload.name, operand=parameter.name), pc)
        if near is None or not is_part:
            raise Squashed
        self.overruns.append(Overrun(near, address, address + size, near.key + address - near.start, parameter.writes))
        return self.overruns[-1]

    def _past_constant(self, constant: Allocation, address: int, size: int, overload: Overload) -> Finding:
        """An operand passes the end of the constant that it begins in."""
        memory, at = self.memories[constant.space], address - constant.start
        region = Region(memory.name, 0, constant.key - region_key(memory.index, 0, 0) + at, size)
        total = constant.end - constant.start
        return rules.bounds.outside(False, size, region, constant.name, at, total, overload.name)

    def footprints(self, parameter: Parameter, dtype: np.dtype, space: str) -> Callable[..., Footprint | TensorShape]:
        """A function that makes the footprint of an operand that is not packed, of its counts and strides.

        It takes the count of each axis, followed by its stride if the axis has one. The last arguments say of rows in
        slices whether they are dealt out and how many elements of a piece are used, and of a variable operand its kind.
        """
        if parameter.kind is Kind.SCATTERED:
            return partial(Places, dtype)
        if parameter.kind is Kind.VARIABLE:
            return lru_cache(maxsize=256)(partial(TensorShape.of_variable, dtype))
        if parameter.is_tensor:
            return lru_cache(maxsize=256)(partial(TensorShape, dtype, parameter.is_lanes))
        if parameter.order:
            order, apart = ORDERS[parameter.order], self.slices.get(space, 0)
            return lru_cache(maxsize=256)(partial(Slices.of_rows, dtype, order, apart))
        return lru_cache(maxsize=256)(partial(Segments.of, dtype, tuple(bool(dim.stride) for dim in parameter.dims)))

    def view(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, footprint: Footprint, space: str,
        place: int,
    ) -> View:  # fmt: skip
        """An operand that is not packed, its memory noted in its place of the cache, or a finding as of `find`."""
        low, end = address + footprint.below, address + footprint.above
        start, until, _, _, _, entry = self._current.found[place]
        if low < start or end > until or not footprint.bytes or entry is None or entry.space != space:
            entry = self.find(pc, overload, parameter, low, end - low, space, footprint.dtype, place)[5]
        assert entry is not None
        return footprint.at(entry, address)

    def note_slices(self, space: str, address: int, strides: tuple[int, ...]) -> None:
        """Keep in mind behind which addresses rows lie that a copy has put into the slices of a memory."""
        apart = self.slices.get(space)
        if apart:
            (self.sliced.add if apart in strides[:-1] else self.sliced.discard)(address)

    def tensor(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, form: TensorShape, local: bool = False
    ) -> Tensor:
        """The tensor that an operand is, across the lanes of the running core or in system memory, or a finding.

        ``local``: the arguments say that one that may lie in system memory lies across lanes.
        """
        shape, strides, dtype = form.shape, form.strides, form.dtype
        if not form.count:  # an operand that these arguments leave out; its address means nothing
            return Tensor(Allocation(0, 0, "", 0, 0), [], shape, dtype, 0, 0, mask=0)
        if parameter.is_lanes or local:
            return self._across_lanes(pc, overload, parameter, address, form)
        names = self._spaces[parameter.space].members
        memories = [self.memories[name] for name in names if name in self.memories]
        for memory in memories:
            window = self._windows[memory.name]
            if window and 0 <= address - window < memory.space.bytes:
                address += memory.base - window
        low, end = system_bounds(address, shape, strides, dtype.itemsize)
        memory = next((m for m in memories if m.owner_of(low) is not None), memories[0])
        entry = self._entry(pc, overload, parameter, low, end - low, memory)
        said = address, shape, strides, dtype
        kept: Tensor | None = entry.found.get(said)
        return kept or self._keep(entry, said, in_system_memory(entry, address, shape, strides, dtype))

    def _across_lanes(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, form: TensorShape
    ) -> Tensor:
        memory = self.memories[(parameter.is_lanes and parameter.space) or overload.instruction.space]
        lanes, entry = self.lanes, next(memory.allocations(self.owner(memory)))
        said = address, form.shape, form.strides, form.dtype, form.last
        kept: Tensor | None = entry.found.get(said)
        if kept is not None:
            return kept
        if 0 <= address < lanes.count * lanes.size:
            found = across_lanes(entry, address, form.shape, form.strides, form.dtype, lanes, form.last)
            if entry.start <= found.low and found.end <= entry.start + lanes.size:
                return self._keep(entry, said, found)
            past = found.end - entry.start - lanes.size
            finding = rules.bounds.outside_lane(form.shape, address, past, lanes.size, overload.name)
        else:
            finding = rules.bounds.in_no_lane(address, memory.name, lanes.count, lanes.size)
        if not self.overruns:  # of one instruction the first says it
            self._collector.report(replace(finding, instruction=overload.name, operand=parameter.name), pc)
        raise Squashed

    @staticmethod
    def _keep(entry: Allocation, said: tuple[Any, ...], found: Tensor) -> Tensor:
        """Keep an operand in mind that a loop is likely to have again."""
        if len(entry.found) >= _MOST_FOUND:
            entry.found.clear()
        entry.found[said] = found
        return found

    def misplaced(
        self, address: int, bytes: int, memory: Memory, writes: bool, owner: int | None = None, instruction: str = ""
    ) -> Finding:
        """Why [address, address + bytes) is not a legal operand in the part of ``memory`` that an owner has.

        Unless it is said, that is the running task's; scalar code has no instruction.
        """
        region = self.region(address, bytes)
        if address == 0:
            return rules.bounds.null_operand(memory.name)
        if region is None:
            return rules.bounds.nowhere(address, memory.name)
        if region.space != memory.name:
            return rules.space.elsewhere(region, memory.name)
        if region.owner != (self.owner(memory) if owner is None else owner):
            return rules.space.of_another_core(region)
        entry = memory.nearest(address)
        if entry is None:
            return rules.bounds.unallocated(writes, bytes, region)
        at, size = address - entry.start, entry.end - entry.start
        finding = rules.bounds.outside(writes, bytes, region, entry.name, at, size, instruction)
        if at >= size and self._current.role == Role.MEMORY:
            finding = rules.memory_core.behind(finding, MEMORY_CORE_ID, scalar=not instruction)
        return replace(finding, origin=entry.origin if entry.origin.line else None)

    def _misplaced_operand(
        self, address: int, bytes: int, memory: Memory, owner: int, overload: Overload, parameter: Parameter
    ) -> Finding:
        """Why an operand of an instruction is not legal, see `misplaced`."""
        region = self.region(address, bytes)
        if overload.instruction.select and region and address and region.space != memory.name:
            return rules.space.against_direction(region, memory.name, parameter.name, parameter.writes)
        return self.misplaced(address, bytes, memory, parameter.writes, owner, overload.name)
