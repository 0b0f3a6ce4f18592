"""Faults of the runtime: which rules they break, with what."""

from __future__ import annotations

import ctypes
import os

from ....isa import DIALECTS
from ...chip import Shape
from ...core.memory import Memory
from ...findings import Finding, rules
from ...log import Region
from ..tasks.faults import process_finding
from .abi import Kind, Runtime, ThreadFault
from .grid import Grid


class Faults:
    """Says what went wrong in a launch."""

    def __init__(
        self, runtime: Runtime, native: ctypes.CDLL, memory: Memory, shape: Shape, grid: Grid, limit: float | None
    ) -> None:
        """``native`` is the runtime of the process, which ``runtime`` is the guest of; ``limit``: of the time (s)."""
        self._runtime, self._native, self._limit = runtime, native, limit
        self._memory, self._shape, self._grid = memory, shape, grid
        assert shape.threads is not None
        self._static, self._warp = shape.threads.static_shared, shape.threads.warp

    def finding(self, fault: ThreadFault, core: int) -> Finding:
        """The finding that a fault is; ``core`` is where its block runs."""
        self._core = core
        made: Finding = getattr(self, "_" + Kind(fault.kind).name.lower())(fault)
        return made

    def _who(self, fault: ThreadFault, thread: int | None = None) -> str:
        return self._grid.place(fault.block, fault.thread if thread is None else thread)

    def _variable(self, address: int, size: int) -> tuple[str, Region | None, int, int]:
        """Name, bytes accessed, first and past-the-end address of what an address lies in or behind; "" for nothing."""
        if self._memory.owner_of(address) is not None:
            entry = self._memory.find(address)
            region = Region(self._memory.name, 0, address - self._memory.base, size)
            return (entry.name, region, entry.start, entry.end) if entry else ("", region, 0, 0)
        offset, found = self._runtime.shared_offset(address), self._runtime.variable(address)
        place = None if offset is None else Region("shared", self._core, offset, size)
        return (found[0], place, *found[1:]) if found else ("", place, 0, 0)

    def _bounds(self, fault: ThreadFault) -> Finding:
        address, size = int(fault.address), int(fault.size)
        name, region, start, end = self._variable(address, size)
        variable = name, start, end
        return rules.bounds.by_thread(bool(fault.store), size, address, self._who(fault), variable, region)

    def _alignment(self, fault: ThreadFault) -> Finding:
        size = int(fault.size)
        name, region, start, _ = self._variable(int(fault.address), size)
        where = f"byte {fault.address - start} of {name!r}" if name else f"address {fault.address:#x}"
        return rules.declared.misaligned_access(bool(fault.store), size, where, self._who(fault), region)

    def _race(self, fault: ThreadFault) -> Finding:
        name, region, start, _ = self._variable(int(fault.address), 1)
        other = "" if fault.other >= self._grid.block_threads else self._who(fault, fault.other)
        byte = int(fault.address - start)
        one_warp = bool(other) and fault.other // self._warp == fault.thread // self._warp
        return rules.race.of_threads(bool(fault.store), self._who(fault), byte, name, other, one_warp, region)

    def _update(self, fault: ThreadFault) -> Finding:
        name, region, start, _ = self._variable(int(fault.address), 1)
        other = self._grid.place(int(fault.size), fault.other)
        return rules.race.of_updates(self._who(fault), int(fault.address - start), name, other, region)

    def _global_race(self, fault: ThreadFault) -> Finding:
        name, region, start, _ = self._variable(int(fault.address), 1)
        other, in_block = self._grid.place(int(fault.size), fault.other), fault.size == fault.block
        one_warp = fault.other // self._warp == fault.thread // self._warp if in_block else None
        return rules.race.of_global_memory(
            bool(fault.store), self._who(fault), int(fault.address - start), name, other, one_warp, region
        )

    def _fence(self, fault: ThreadFault) -> Finding:
        name, region, start, _ = self._variable(int(fault.address), 1)
        other = self._grid.block_place(int(fault.size))
        return rules.race.without_fence(
            self._who(fault), int(fault.address - start), name, other, bool(fault.other), region
        )

    def _uninitialized(self, fault: ThreadFault) -> Finding:
        name, region, start, _ = self._variable(int(fault.address), 1)
        return rules.uninitialized.by_thread(self._who(fault), int(fault.address - start), name, region)

    def _order(self, fault: ThreadFault) -> Finding:
        name, region, start, _ = self._variable(int(fault.address), 1)
        byte, copier = int(fault.address - start), self._who(fault, fault.other)
        return rules.waits.of_copy(bool(fault.store), self._who(fault), byte, name, copier, region)

    def _barrier_ended(self, fault: ThreadFault) -> Finding:
        return rules.barrier.skipped(self._who(fault), int(fault.size), self._who(fault, fault.other))

    def _barrier_apart(self, fault: ThreadFault) -> Finding:
        return rules.barrier.apart(self._who(fault), self._who(fault, fault.other))

    def _warp_apart(self, fault: ThreadFault) -> Finding:
        other = "" if fault.other == fault.thread else self._who(fault, fault.other)
        return rules.barrier.apart_in_warp(self._who(fault), fault.text.decode(), int(fault.size), other)

    def _warp_absent(self, fault: ThreadFault) -> Finding:
        name, lane = fault.text.decode(), int(fault.other) % self._warp
        return rules.uninitialized.of_absent_thread(self._who(fault), name, lane, int(fault.size))

    def _process(self, fault: ThreadFault) -> Finding:
        kind, address, size = int(fault.other), int(fault.address), int(fault.size)
        found = process_finding(self._native, kind, address, size, self._limit, os.getpid())
        return rules.process.in_thread(found, self._who(fault))

    def _not_modelled(self, fault: ThreadFault) -> Finding:
        return rules.not_modelled.executed(fault.text.decode(), DIALECTS[self._shape.isa])

    def _assert(self, fault: ThreadFault) -> Finding:
        return rules.assertion.failed(fault.text.decode(), self._who(fault))

    def _budget(self, fault: ThreadFault) -> Finding:
        return rules.budget.shared(fault.text.decode(), int(fault.size), self._static)

    def _constant(self, fault: ThreadFault) -> Finding:
        return rules.space.constant(self._who(fault), fault.text.decode())
