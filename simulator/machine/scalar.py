"""The scalar unit's traffic with memory: single loads and stores, gathered into runs of equal stride.

A run is one record. A C kernel gathers its runs in native code and hands them over here; a Python kernel's accesses
come one by one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..findings import Finding, Squashed, rules
from ..issue import AccessRun
from ..log import ARITHMETIC, Op
from ..memory import Allocation, Memory
from .machine import Machine

#: Bytes that one access moves at most: the granule of the DRAM (mlu-ops docs/BANG-C-OPS-Develop-Guide.md).
_GRANULE = 64
#: Pipes that the front end waits for: the scalar unit is the front end.
_OWN = ("scalar",)
_ARITHMETIC = Op(ARITHMETIC, "", (), (), "scalar", _OWN, provenance="inferred")


class ScalarUnit:
    """Gathers, checks and records the scalar accesses of the running task."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.runs: list[AccessRun] = []
        self._open: dict[tuple[int, bool, int], AccessRun] = {}
        self._ops: dict[tuple[str, bool], int] = {}  # numbers in the log, by space and direction

    def access(self, address: int, size: int, store: bool, pc: int) -> None:
        """One access of a Python kernel; raises `Squashed` when it may not happen."""
        entry = self._allocation(address, size, store, pc)
        entry.fill_poison(address, address + size)
        key = (pc, store, entry.start)
        run = self._open.get(key)
        if run and run.size == size and (run.count == 1 or address == run.last + run.stride):
            run.stride = address - run.last
            run.last, run.count = address, run.count + 1
            run.low, run.high = min(run.low, address), max(run.high, address + size)
            return
        self._open[key] = run = AccessRun(pc, store, size, address, address + size, address, 0, 1)
        self.runs.append(run)

    def view(self, address: int, dtype: np.dtype) -> np.ndarray:
        """The element at a checked address, shape [1]."""
        memory = self._memory(address)
        entry = memory.find(address) if memory else None
        if entry is None:
            raise Squashed
        return entry.strided(address, dtype, (1,), (dtype.itemsize,))

    def _memory(self, address: int) -> Memory | None:
        for memory in self.machine.map.memories.values():
            if memory.owner_of(address) is not None:
                return memory
        return None

    def drain(self) -> None:
        """Record the runs gathered so far."""
        runs, self.runs = self.runs, []
        self._open.clear()
        for run in runs:
            self.record(run)

    def compute(self, operations: int, pc: int) -> None:
        """Append a record of arithmetic, branches and calls, counted in simple operations."""
        machine = self.machine
        recorder, current = machine.recorder, machine.current
        op = recorder.op(_ARITHMETIC)
        recorder.write(op, recorder.pipe("scalar"), 0, current.core, current.task, pc, operations)

    def forget(self) -> None:
        """Drop the runs of a task that was ended."""
        self.runs.clear()
        self._open.clear()

    def record(self, run: AccessRun) -> None:
        """Let the checks see a run, and append its record."""
        machine = self.machine
        memory = self._memory(run.low)
        if memory is None:
            return
        entry = memory.find(run.low)
        for check in machine.checks:
            check.scalar_access(run, memory, entry)
        if run.store and entry is not None and entry.uninitialized.hi > run.low:
            for start, end in run.pieces():
                entry.uninitialized.remove(start, end)
        op = self._ops.get((memory.name, run.store))
        if op is None:
            operand = "dst" if run.store else "src"
            entered = Op(
                run.name, "", (operand,), (run.store,), f"scalar_{memory.name}", (*machine.dialect.scalar_waits, *_OWN),
                provenance="inferred", granule=_GRANULE,
            )  # fmt: skip
            op = self._ops[memory.name, run.store] = machine.recorder.op(entered)
        recorder, current = machine.recorder, machine.current
        recorder.write(
            op, recorder.pipe("scalar"), 0, current.core, current.task, run.pc, run.count,
            ((memory.key(run.low), run.high - run.low, 0, 0),),
        )  # fmt: skip

    def _allocation(self, address: int, size: int, store: bool, pc: int) -> Allocation:
        finding = self.fault(address, size, store)
        if finding:
            self.drain()  # what is wrong with earlier accesses is said first
            self.machine.collector.report(finding, pc)
            raise Squashed
        region = self.machine.map.region(address, size)
        assert region is not None
        entry = self.machine.map.memories[region.space].find(address)
        assert entry is not None
        return entry

    def fault(self, address: int, size: int, store: bool) -> Finding | None:
        """Why a scalar access may not happen, or None."""
        machine = self.machine
        name = "scalar.store" if store else "scalar.load"
        for memory in machine.map.memories.values():
            if memory.owner_of(address) is not None:
                entry = memory.find(address)
                if memory.owner_of(address) == machine.map.owner(memory) and entry and address + size <= entry.end:
                    return None
                return replace(machine.map.misplaced(address, size, memory, store), instruction=name)
        what = "the pointer is null" if address < 4096 else f"address {address:#x} belongs to no memory of the device"
        return Finding(
            rules.BOUNDS, f"{'store' if store else 'load'} of {size} bytes: {what}", instruction=name,
            suggestion="check the pointer and its index",
        )  # fmt: skip
