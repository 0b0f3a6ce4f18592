"""Faults of the runtime as findings."""

from __future__ import annotations

import ctypes
import os
from dataclasses import replace

from ....isa import DIALECTS
from ...chip import Shape
from ...core.memory import Memory
from ...findings import Finding, not_modelled, rules
from ...log import Region
from ..tasks import process_finding
from .abi import Fault, Kind, Runtime
from .grid import Grid

_GUARD = 4096  # addresses that stand for a null pointer


class Faults:
    """Says what went wrong in a launch."""

    def __init__(
        self, runtime: Runtime, native: ctypes.CDLL, memory: Memory, shape: Shape, grid: Grid, limit: float | None
    ) -> None:
        """``native`` is the runtime of the process, which ``runtime`` is the guest of; ``limit``: of the time (s)."""
        self._runtime, self._native, self._limit = runtime, native, limit
        self._memory, self._shape, self._grid = memory, shape, grid

    def finding(self, fault: Fault, core: int) -> Finding:
        """The finding that a fault is; ``core`` is where its block runs."""
        self._core = core
        made: Finding = getattr(self, "_" + Kind(fault.kind).name.lower())(fault)
        return made

    def _who(self, fault: Fault, thread: int | None = None) -> str:
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

    def _bounds(self, fault: Fault) -> Finding:
        what = "store" if fault.store else "load"
        who, address, size = self._who(fault), int(fault.address), int(fault.size)
        name, region, start, end = self._variable(address, size)
        if address < _GUARD:
            message = f"{what} of {size} bytes by {who}: the pointer is null"
        elif not name:
            message = f"{what} of {size} bytes by {who}: address {address:#x} belongs to no array of the device"
        else:
            at, past = address - start, address + size - end
            message = f"{what} of {size} bytes at byte {at} of {name!r} by {who} passes its end by {past}"
        return Finding(
            rules.BOUNDS, message, instruction=what, limit=f"{name!r} has {end - start} bytes" if name else "",
            region=region,
            suggestion="compare the index with the number of elements (index >= count ends the thread)"
            if name else "check the pointer and its index",
        )  # fmt: skip

    def _alignment(self, fault: Fault) -> Finding:
        what, size = "store" if fault.store else "load", int(fault.size)
        name, region, start, _ = self._variable(int(fault.address), size)
        where = f"byte {fault.address - start} of {name!r}" if name else f"address {fault.address:#x}"
        return Finding(
            rules.ALIGNMENT, f"{what} of {size} bytes at {where} by {self._who(fault)} is not aligned to its size",
            instruction=what, limit=f"a multiple of {size} bytes (CUDA C++ Programming Guide, device memory accesses)",
            region=region,
            suggestion="test the address before it is cast to a vector type, or use a narrower one",
        )  # fmt: skip

    def _race(self, fault: Fault) -> Finding:
        what = "stores to" if fault.store else "loads from"
        name, region, start, _ = self._variable(int(fault.address), 1)
        several = fault.other >= self._grid.block_threads
        other = "several threads" if several else self._who(fault, fault.other)
        return Finding(
            rules.RACE,
            f"{self._who(fault)} {what} byte {fault.address - start} of {name!r}, which {other} "
            f"{'have' if several else 'has'} accessed since the last barrier",
            instruction="store" if fault.store else "load", region=region,
            limit="one of the two writes, so that the order of the threads decides",
            suggestion="call __syncthreads() between them, or give each its own part",
        )  # fmt: skip

    def _uninitialized(self, fault: Fault) -> Finding:
        name, region, start, _ = self._variable(int(fault.address), 1)
        return Finding(
            rules.UNINITIALIZED,
            f"{self._who(fault)} loads byte {fault.address - start} of {name!r}, "
            "which no thread of the block has written",
            instruction="load", region=region,
            suggestion="write shared memory before it is read",
        )  # fmt: skip

    def _barrier_ended(self, fault: Fault) -> Finding:
        return Finding(
            rules.BARRIER,
            f"{self._who(fault)} waits at a barrier that {fault.size} threads of its block skip, "
            f"{self._who(fault, fault.other)} first: they have ended",
            instruction="__syncthreads", limit="every thread of the block reaches it (CUDA C++ Programming Guide)",
            suggestion="let the threads that have no element go on to the barrier, and test again after it",
        )  # fmt: skip

    def _barrier_apart(self, fault: Fault) -> Finding:
        return Finding(
            rules.BARRIER,
            f"{self._who(fault)} waits at one barrier, {self._who(fault, fault.other)} at another",
            instruction="__syncthreads", limit="every thread of the block reaches it (CUDA C++ Programming Guide)",
            suggestion="take the barrier out of the condition",
        )  # fmt: skip

    def _process(self, fault: Fault) -> Finding:
        kind, address, size = int(fault.other), int(fault.address), int(fault.size)
        found = process_finding(self._native, kind, address, size, self._limit, os.getpid())
        return replace(found, message=f"{found.message}, in {self._who(fault)}")

    def _not_modelled(self, fault: Fault) -> Finding:
        return not_modelled(fault.text.decode(), DIALECTS[self._shape.isa])

    def _assert(self, fault: Fault) -> Finding:
        return Finding(rules.ASSERT, f"the kernel's own assertion failed in {self._who(fault)}: {fault.text.decode()}")

    def _budget(self, fault: Fault) -> Finding:
        threads = self._shape.threads
        assert threads is not None
        name, most = fault.text.decode(), threads.static_shared
        return Finding(
            rules.BUDGET,
            f"a block declares {fault.size} bytes of shared memory with {name!r}, {fault.size - most} too many",
            operand=name, limit=f"{most} bytes", suggestion="declare less, or use dynamic shared memory",
        )  # fmt: skip

    def _constant(self, fault: Fault) -> Finding:
        return Finding(
            rules.SPACE, f"{self._who(fault)} stores to {fault.text.decode()!r}, which is __constant__",
            instruction="store", suggestion="declare it __device__",
        )  # fmt: skip
