"""The scalar unit's traffic with memory: single loads and stores, gathered into runs of equal stride.

A run is one record. A C kernel gathers its runs in native code and hands them over here; a Python kernel's accesses
come one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .finding import WARNING, Finding
from .ledger import Skip
from .log import Op
from .machine import Machine
from .memory import Memory

#: Runs of a larger stride than an element are looked at one by one up to this many accesses.
_EXACT = 4096


@dataclass(slots=True)
class ScalarRun:
    """Accesses of one source position, one size and one direction at a constant stride (bytes)."""

    pc: int
    store: bool
    size: int
    low: int
    high: int
    last: int
    stride: int
    count: int


class ScalarUnit:
    """Gathers, checks and records the scalar accesses of the running task."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.runs: list[ScalarRun] = []
        self._open: dict[tuple[int, bool, int], ScalarRun] = {}
        self._ops: dict[tuple[str, bool], int] = {}  # numbers in the log, by space and direction

    def access(self, address: int, size: int, store: bool, pc: int) -> None:
        """One access of a Python kernel; raises `Skip` when it may not happen."""
        entry = self._allocation(address, size, store, pc)
        entry.settle()
        key = (pc, store, entry.start)
        run = self._open.get(key)
        if run and run.size == size and (run.count == 1 or address == run.last + run.stride):
            run.stride = address - run.last
            run.last, run.count = address, run.count + 1
            run.low, run.high = min(run.low, address), max(run.high, address + size)
            return
        self._open[key] = run = ScalarRun(pc, store, size, address, address + size, address, 0, 1)
        self.runs.append(run)

    def view(self, address: int, dtype: np.dtype) -> np.ndarray:
        """The element at a checked address, shape [1]."""
        memory = self._memory(address)
        entry = memory.find(address) if memory else None
        if entry is None:
            raise Skip
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

    def forget(self) -> None:
        """Drop the runs of a task that was ended."""
        self.runs.clear()
        self._open.clear()

    def record(self, run: ScalarRun) -> None:
        """Check a run for undefined bytes and append its record."""
        machine = self.machine
        memory = self._memory(run.low)
        if memory is None:
            return
        entry = memory.find(run.low)
        if entry is not None and entry.undefined.hi > run.low and entry.undefined.lo < run.high:
            self._definedness(run, entry)
        name = "scalar.store" if run.store else "scalar.load"
        if machine.current.pending:
            machine.deferrals.order(run.pc, name, "scalar", False, ((run.low, run.high, run.store),))
        if memory.name == machine.dialect.cached_space:
            if run.store:
                machine.coherence.store(run.low, run.high)
            else:
                machine.coherence.load(run.low, run.high, run.pc)
        op = self._ops.get((memory.name, run.store))
        if op is None:
            operand, engine = "dst" if run.store else "src", f"scalar_{memory.name}"
            entered = Op(name, "", (operand,), (run.store,), engine, ("compute",), provenance="inferred")
            op = self._ops[memory.name, run.store] = machine.recorder.op(entered)
        recorder, current = machine.recorder, machine.current
        recorder.write(
            op, recorder.pipe("scalar"), 0, current.core, current.task, run.pc, run.count,
            (memory.key(run.low), run.high - run.low),
        )  # fmt: skip

    def _definedness(self, run: ScalarRun, entry: Any) -> None:
        packed = abs(run.stride) <= run.size or run.count == 1 or run.count > _EXACT
        step = abs(run.stride) or run.size
        pieces = [(run.low, run.high)] if packed else [(a, a + run.size) for a in range(run.low, run.high, step)]
        for start, end in pieces:
            if run.store:
                entry.undefined.remove(start, end)
            elif entry.undefined.first(start, end):
                entry.undefined.remove(run.low, run.high)
                self.machine.ledger.report(
                    Finding(
                        "undefined",
                        f"scalar load of bytes of {entry.name!r} that nobody has written",
                        instruction="scalar.load",
                        region=self.machine.map.region(start, end - start),
                        severity=WARNING,
                        suggestion="write the memory before it is read",
                    ),
                    run.pc,
                )
                return

    def _allocation(self, address: int, size: int, store: bool, pc: int) -> Any:
        finding = self.fault(address, size, store)
        if finding:
            self.machine.ledger.report(finding, pc)
            raise Skip
        region = self.machine.map.region(address, size)
        assert region is not None
        return self.machine.map.memories[region.space].find(address)

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
            "bounds", f"{'store' if store else 'load'} of {size} bytes: {what}", instruction=name,
            suggestion="check the pointer and its index",
        )  # fmt: skip
