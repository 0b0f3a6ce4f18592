"""The scalar unit's traffic with memory: single loads and stores, gathered into runs of equal stride.

A run is one record. A C kernel gathers its runs in native code and hands them over here; a Python kernel's accesses
come one by one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...chip.launch_kinds import Role
from ...findings import Finding, Squashed, rules
from ...log import ARITHMETIC, LOAD, STORE, Op
from ..issue import AccessRun, Check
from ..memory import Allocation, Memory
from .machine import Machine

#: Bytes that one access moves at most: compilers make none that is wider.
_WIDEST = 16
#: Accesses to memory that it does not have, after which a task is ended.
_MOST_OUTSIDE = 4096
#: Pipes that the front end waits for: the scalar unit is the front end.
_OWN = ("scalar",)
_ARITHMETIC = Op(ARITHMETIC, "", (), (), "scalar", _OWN, provenance="inferred")


class ScalarUnit:
    """Gathers, checks and records the scalar accesses of the running task."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.runs: list[AccessRun] = []
        self._open: dict[tuple[int, bool, int], AccessRun] = {}
        self._ops: dict[str, tuple[int, int]] = {}  # numbers in the log, by space
        self._watching = [check for check in machine.checks if type(check).watches_runs is not Check.watches_runs]
        self._looking = [check for check in machine.checks if type(check).looks_at_runs is not Check.looks_at_runs]

    @property
    def watched(self) -> bool:
        """Whether a check has to see the runs that the running task makes: each keeps to one stride then."""
        for check in self._watching:  # noqa: SIM110 - asked at every wait
            if check.watches_runs():
                return True
        return False

    @property
    def looked_at(self) -> bool:
        """Whether a check has to see the runs of the task that enters."""
        for check in self._looking:  # noqa: SIM110 - asked of every task
            if check.looks_at_runs():
                return True
        return False

    def access(self, address: int, size: int, store: bool, pc: int) -> None:
        """One access of a Python kernel; raises `Squashed` when it may not happen."""
        entry = self._allocation(address, size, store, pc)
        if store:
            entry.uninitialized.remove(address, address + size)
        else:
            self.load_unwritten(address, size, pc)
        key = (pc, store, entry.start)
        run = self._open.get(key)
        if run and (not self.watched or (run.size == size and (run.count == 1 or address == run.last + run.stride))):
            run.add(address, size)
            return
        self._open[key] = run = AccessRun(pc, store, size, address, address + size, address, 0, 1)
        self.runs.append(run)

    def load_unwritten(self, address: int, size: int, pc: int) -> None:
        """Say of a load which of its bytes are uninitialized, if there are any; from then on they count as written."""
        entry = self._found(address)
        if entry is None or not (piece := entry.uninitialized.first(address, address + size)):
            return
        self.drain()  # what is wrong with earlier accesses is said first
        entry.fill_poison(address, address + size)
        entry.uninitialized.remove(address, address + size)
        for check in self.machine.checks:
            check.unwritten_load(piece, entry, LOAD, pc)

    def passes_over(self, address: int, size: int) -> bool:
        """Whether a task goes on after an access that may not happen: one of a few bytes, to memory that is there.

        An array of the device is never touched, not even for a moment. It goes on for a while: what runs through memory
        that it does not have is ended.
        """
        memory = self.machine.map.memory_at(address)
        if memory is None or memory.owner_of(address + size) is None or size > _WIDEST:
            return False
        last = memory.find(address + size - 1)
        if memory.space.scope == "device" and last is not None and address < last.end:
            return False
        running = self.machine.current.running
        running.outside += 1
        return running.outside < _MOST_OUTSIDE

    def mutes(self, address: int) -> bool:
        """Whether a store to an address has no effect: one of the memory core to the memory of the device."""
        machine, memory = self.machine, self.machine.map.memory_at(address)
        silent = machine.current.role == Role.MEMORY and not machine.shape.memory_core_stores
        return silent and memory is not None and memory.space.scope == "device"

    def view(self, address: int, dtype: np.dtype) -> np.ndarray:
        """The element at a checked address, shape [1]."""
        entry = self._found(address)
        if entry is None:
            raise Squashed
        return entry.strided(address, dtype, (1,), (dtype.itemsize,))

    def _found(self, address: int) -> Allocation | None:
        memory = self.machine.map.memory_at(address)
        return memory.find(address) if memory else None

    def drain(self) -> None:
        """Record the runs gathered so far."""
        runs, self.runs = self.runs, []
        self._open.clear()
        for run in runs:
            memory = self.examine(run)
            if memory is not None:
                recorder, current = self.machine.recorder, self.machine.current
                if rows := run.rows():
                    recorder.pieces.append((recorder.operands.at, 0, rows))
                recorder.write(
                    self.ops(memory.name)[run.store], recorder.pipe("scalar"), 0, current.core, current.task, run.pc,
                    run.count, ((memory.key(run.low), run.high - run.low, 0, 0),),
                )  # fmt: skip

    @property
    def compute(self) -> int:
        """The number in the log of arithmetic, branches and calls, counted in simple operations."""
        return self.machine.recorder.op(_ARITHMETIC)

    def forget(self) -> None:
        """Drop the runs of a task that was ended."""
        self.runs.clear()
        self._open.clear()

    def examine(self, run: AccessRun) -> Memory | None:
        """Let the checks see a run; the memory that it is on."""
        memory = self.machine.map.memory_at(run.low)
        if memory is not None:
            for check in self.machine.checks:
                check.scalar_run(run, memory)
        return memory

    def ops(self, space: str) -> tuple[int, int]:
        """The numbers in the log of a load from a space, and of a store to it."""
        if space not in self._ops:
            machine = self.machine
            self._ops[space] = tuple(  # type: ignore[assignment]
                machine.recorder.op(
                    Op(
                        name, "", (operand,), (name == STORE,), f"scalar_{space}",
                        (*machine.dialect.scalar_waits, *_OWN), provenance="inferred", granule=_WIDEST,
                    )
                )
                for name, operand in ((LOAD, "src"), (STORE, "dst"))
            )  # fmt: skip
        return self._ops[space]

    def _allocation(self, address: int, size: int, store: bool, pc: int) -> Allocation:
        if finding := self.fault(address, size, store):
            self.drain()  # what is wrong with earlier accesses is said first
            self.machine.collector.report(finding, pc)
            raise Squashed
        entry = self._found(address)
        assert entry is not None
        return entry

    def fault(self, address: int, size: int, store: bool) -> Finding | None:
        """Why a scalar access may not happen, or None."""
        places, name = self.machine.map, STORE if store else LOAD
        memory = places.memory_at(address)
        if memory is None:
            return replace(rules.bounds.scalar_nowhere(store, size, address), instruction=name)
        entry = memory.find(address)
        if memory.owner_of(address) == places.owner(memory) and entry and address + size <= entry.end:
            return None
        return replace(places.misplaced(address, size, memory, store), instruction=name)
