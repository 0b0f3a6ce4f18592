"""Runs compiled kernels on a machine: the Python side of native/runtime/tasks.cpp."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from itertools import count
from math import prod
from operator import is_
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...chip.launch_kinds import Role, TaskPlace
from ...core.execution import Launch, Task
from ...core.machine import Begun, Machine, ScalarUnit, TaskQueue
from ...findings import Squashed, rules
from ...log import ALLOC, FREE, OPERAND, RECORD
from ...spent import Spent, current, phase
from ..engine import OnProgress, Outcome
from . import abi
from .core import NativeCore, RangeTable
from .faults import process_finding
from .image import LoadedImage, load_image
from .native import NativeTable
from .queues import QueueAnswers
from .starts import Batch, NativeLaunch, StartTable

_u64 = ctypes.c_uint64
#: Whether instructions that need no Python are carried out without it; they come to the same.
NATIVE_PORTS = os.environ.get("MLUSIM_NATIVE_PORTS", "1") != "0"
#: Numbers of the runners of this process: native code keeps by them which sites it has asked a runner for.
_NUMBERS = count(1)
#: Flags of written bytes have been cleared since the last drain.
_TAKEN_AWAY = int(abi.Touched.TAKEN_AWAY)


class NativeRunner:
    """Executes kernels of images on one machine. One process has one running at a time."""

    def __init__(self, machine: Machine, runtime: Path) -> None:
        self.machine, self.scalar = machine, ScalarUnit(machine)
        self.number = next(_NUMBERS)
        self._runtime_path = runtime
        self.runtime = abi.load_runtime(runtime)
        self._port_table = (ctypes.c_void_p * len(machine.dialect.overloads))()
        self._table = ctypes.c_void_p.in_dll(self.runtime, "mlusim_port")
        self._count = ctypes.c_uint64.in_dll(self.runtime, "mlusim_port_count")
        self._current = ctypes.c_void_p.in_dll(self.runtime, "mlusim_current")
        self._status = ctypes.c_int.in_dll(self.runtime, "mlusim_status")
        self._strict = ctypes.c_int.in_dll(self.runtime, "mlusim_strict")
        self._native = NativeTable(machine)
        self._native_table = ctypes.c_void_p.in_dll(self.runtime, "mlusim_native")
        self._native_on, self._native_late, self._timed, self._seen = (
            ctypes.c_int.in_dll(self.runtime, f"mlusim_{name}")
            for name in ("native_on", "native_late", "native_timed", "seen")
        )
        self._arguments: tuple[bytes, ...] = ()  # of the last launch, and where they are
        self._values: list[ctypes.Array[ctypes.c_char]] = []
        self._seen_by_all: list[object] = []  # what the ranges that all tasks may use are made of
        self._ports: dict[int, Any] = {}
        self._spent: Spent | None = None  # what the ports keep their time in
        self._opened: set[LoadedImage] = set()  # the images whose ports are in the table
        self._cores: dict[int, NativeCore] = {}
        self._launch: NativeLaunch
        self._running: NativeCore  # that of the running task
        self._begun = ctypes.c_int.in_dll(self.runtime, "mlusim_begun")
        self._tables: WeakKeyDictionary[TaskQueue, StartTable] = WeakKeyDictionary()
        self._batch: Batch | None = None  # while native code begins tasks and Python has not been told of one
        queues = QueueAnswers(machine, self.runtime)
        answers: dict[str, Callable[..., int | None]] = {
            "drain": self._drain, "fault": self._fault, "local": self._local, "release": self._release,
            "not_modelled": self._not_modelled, "fill": self._fill, "assertion": self._assertion,
            "unwritten": self._unwritten, "keep_flags": self._keep_flags, "in_space": self._in_space,
            "begun": self._tell, "site": self._site, "defer": queues.defer, "turn": queues.turn,
            "section": queues.move_section, "broken": queues.report,
        }  # fmt: skip
        self._callbacks = abi.Callbacks(*(kind(self._guarded(answers[name])) for name, kind in abi.Callbacks._fields_))
        self._libc = ctypes.CDLL(None)

    def close(self) -> None:
        """Give the memories of the machine back; nothing can run afterwards."""
        self.machine.close()

    def run(self, launch: Launch, progress: OnProgress | None = None) -> Outcome:
        """Carry out a launch."""
        self.runtime.mlusim_set_stack()
        self.runtime.mlusim_time_limit(launch.time_limit or 0.0)
        machine = self.machine
        try:
            image = load_image(self._runtime_path, launch.library)
            if self._spent is not (spent := current()):
                self._spent, self._timed.value = spent, spent is not None
                self._ports.clear()
                self._opened.clear()
            self._open_ports(image)
            self._native_on.value = NATIVE_PORTS
            machine.execution.store.native = self.runtime.mlusim_store_sums if NATIVE_PORTS else None
            machine.execution.repeats.begin(self.runtime.mlusim_keep if NATIVE_PORTS and not launch.order else None)
            self._launch = self._given(launch, image)
            machine.map.constants = image.constant
            machine.on_enter, machine.collector.on_stop = self._enter, self._stop
            machine.execution.deferrals.on_change = lambda count: self._running.note_pending(count)
            self._native_late.value = not launch.order
            common, pipe = self._common, machine.recorder.pipe("scalar")
            self.runtime.mlusim_connect(
                ctypes.byref(self._callbacks), _u64(common.address), _u64(len(common.rows)), ctypes.c_int(pipe),
                ctypes.c_int(self.scalar.compute), ctypes.c_int(self.number),
            )  # fmt: skip
            return machine.run(
                launch, self._run_task, variables=image.variables, progress=progress, starter=self, image=image,
                locate=lambda counters: [image.place(pc) for pc in counters],
            )  # fmt: skip
        finally:
            self.runtime.mlusim_time_limit(0.0)
            self._libc.fflush(None)
            machine.on_enter, machine.collector.on_stop = lambda task: None, lambda: None
            machine.execution.deferrals.on_change = lambda count: None
            machine.execution.repeats.begin(None)

    def _given(self, launch: Launch, image: LoadedImage) -> NativeLaunch:
        """A launch of a kernel of an image."""
        values = self._argument_values(launch.arguments)
        self._common = self._common_ranges(values)
        addresses: list[int | None] = [ctypes.addressof(value) for value in values] or [None]
        part = len(launch.arguments[0]) // prod(launch.dim) if launch.each else 0
        arguments = (ctypes.c_void_p * len(addresses))(*addresses)
        return NativeLaunch(image, image.entry(launch.entry), arguments, addresses[0], part, launch.time_limit)

    def _run_task(self, task: Task) -> int:
        launch = self._launch
        launch.show(task.number)
        with phase("scalar code"):
            ended: int = self.runtime.mlusim_run_task(launch.entry, launch.arguments)
            if self._spent:
                self._spent.absorb(self._native.spent())
        if ended:  # its last first writes have not been drained
            self._note_first_writes()
        return ended

    # --- as a `Starter` ----------------------------------------------------------------------------------

    def sees_all(self) -> bool:
        """Whether the machine has to be told of each task, such as of the one that is current."""
        self._strict.value = self.scalar.watched
        self._look()
        return bool(self._seen.value)

    def run_tasks(self, queue: TaskQueue, places: range, reused: bool, seen: int) -> Begun:
        """Begin tasks in native code; see `Starter`."""
        launch, table = self._launch, self._tables.get(queue)
        image = launch.image
        if table is None or table.image is not image:
            cores = [self._core(place.core, place.cluster) for place in queue.places]
            mute = not self.machine.shape.memory_core_stores
            table = self._tables[queue] = StartTable(queue, image, cores, self._variable_rows, mute)
        self._batch = Batch(queue, places.start, table.cores)
        launch.show(0)
        with phase("scalar code"):
            begun = self.runtime.mlusim_run_tasks(
                launch.entry, launch.arguments, table.at(places.start), len(places), launch.part, reused, seen,
                image.slots_address, len(image.slots),
            )  # fmt: skip
            if self._spent:
                self._spent.absorb(self._native.spent())
                self._spent.count("scalar code", max(begun, 1) - 1)
        if begun > 0:
            self._batch = None
            return Begun(begun)
        if begun < 0:
            self._note_first_writes()
        self._running.forget_locals()
        return Begun(0, begun < 0)

    def _common_ranges(self, arguments: Sequence[ctypes.Array[ctypes.c_char]]) -> RangeTable:
        """What every task of a launch may use for scalar accesses: the arguments and the memory of the device."""
        memories = [m for m in self.machine.map.memories.values() if m.space.scope == "device"]
        entries = [entry for m in memories for entry in m.allocations()]
        seen = [arguments, *entries, *[entry.uninitialized for entry in entries]]
        if len(seen) != len(self._seen_by_all) or not all(map(is_, seen, self._seen_by_all)) or self._common.touched:
            plain = [(ctypes.addressof(value), ctypes.addressof(value) + len(value)) for value in arguments]
            self._seen_by_all, self._common = seen, RangeTable(entries, self.scalar.ops, plain)
        return self._common

    def _argument_values(self, arguments: tuple[bytes, ...]) -> Sequence[ctypes.Array[ctypes.c_char]]:
        """The arguments of a launch where kernels read them, and may write."""
        if arguments is not self._arguments:
            self._arguments = arguments
            self._values = [ctypes.create_string_buffer(value, max(len(value), 16)) for value in arguments]
        else:
            for value, held in zip(arguments, self._values, strict=True):
                ctypes.memmove(held, value.ljust(16, b"\0"), len(held))
        return self._values

    def _open_ports(self, image: LoadedImage) -> None:
        """Put the ports that an image calls into the table of the C boundary."""
        if image not in self._opened:
            for number in image.ports:
                self._port_table[number] = self._port(number)
            self._opened.add(image)
        self._native_table.value = self._native.address
        self._table.value, self._count.value = ctypes.addressof(self._port_table), len(self._port_table)

    def _port(self, number: int) -> int:
        """The address at which native code calls the port of an overload."""
        if number not in self._ports:
            self._ports[number] = abi.port_type(self.machine.dialect.overloads[number])(self.machine.port(number))
            self._native.add(number)
        return ctypes.cast(self._ports[number], ctypes.c_void_p).value or 0

    # --- what native code asks ---------------------------------------------------------------------------

    def _guarded(self, answer: Callable[..., int | None]) -> Callable[..., int]:
        """An answer as native code may call it: no exception leaves it, and the answer is 0 instead.

        After `Squashed`, what is wrong has been reported. Anything else is a failure of the simulator.
        """

        def guarded(*given: Any) -> int:
            try:
                return answer(*given) or 0
            except Squashed:
                return 0
            except BaseException as error:
                return self.machine.collector.crash(error)

        return guarded

    def _enter(self, task: Task) -> None:
        image, core = self._launch.image, self._cores.get(task.core)
        if core is None or core.task is not task:
            core = self._core(task.core, task.cluster)
            core.begin(task, task.role == Role.MEMORY and not self.machine.shape.memory_core_stores)
        self._running, self._current.value = core, core.address
        self._strict.value = self.scalar.watched
        self._look()
        if len(image.slots):
            image.slots[:] = core.slots

    def _look(self) -> None:
        """Ask whether checks have to see the runs of the running task."""
        self._seen.value = bool(self._strict.value) or self.scalar.looked_at

    def _core(self, number: int, cluster: int) -> NativeCore:
        """What native code needs of a core, kept for as long as the variables of the image stay in place."""
        layout, image = self.machine.layout, self._launch.image
        own, shared = layout.placement("core", number), layout.placement("cluster", cluster)
        core = self._cores.get(number)
        if core is None or not core.serves(image, own, shared):
            self._tables.clear()
            core = self._cores[number] = NativeCore(
                image, own, shared, self.machine.dialect.register_bytes, self.scalar.ops
            )
        return core

    def _set_ranges(self) -> None:
        """The running task has taken or returned a variable: tell native code what it may use."""
        owner = self.machine.map.owner
        own = self.machine.map.own
        self._running.set_ranges(entry for memory in own for entry in memory.allocations(owner(memory)))

    def _note_first_writes(self, taken_away: bool = True) -> None:
        if batch := self._batch:
            begun = self._begun.value
            for place in range(batch.at + batch.noted, batch.at + begun):
                if batch.cores[place].note_first_writes(taken_away):
                    self._no_longer_fresh(batch.queue.places[place])
            batch.noted = max(begun - 1, 0)  # the last one goes on
        else:
            self._running.note_first_writes(taken_away)
        self._common.note_first_writes(taken_away)

    def _tell(self, number: int) -> None:
        """Of the tasks that native code begins, this one runs, and Python is going to be asked or told of it."""
        batch = self._batch
        assert batch
        self._note_first_writes()
        self._running, self._batch = batch.cores[batch.at + number], None
        self._running.task = self.machine.starting.tell(batch.queue, batch.at + number)

    def _no_longer_fresh(self, place: TaskPlace) -> None:
        """A task that native code has begun has written to what it has, its own or its cluster's."""
        self.machine.starting.fresh -= {("core", place.core), ("cluster", place.cluster)}

    def _variable_rows(self, place: TaskPlace) -> tuple[np.ndarray, np.ndarray]:
        """The records of a task's variables, first as they come and then as they go, and their operands."""
        names = () if place.role == Role.MEMORY else (ALLOC, FREE)
        placement = self.machine.layout.placement("core", place.core)
        rows = [self.machine.variable_rows(name, place.core, placement) for name in names]
        records, operands = zip((np.zeros(0, RECORD), np.zeros(0, OPERAND)), *rows, strict=True)
        return np.concatenate(records), np.concatenate(operands)

    def _keep_flags(self, address: int) -> None:
        """Native code needs the flags of what lies at an address."""
        self._common.keep_flags(address)
        if batch := self._batch:
            place = batch.at + self._begun.value - 1
            batch.cores[place].keep_flags(address)
            self._no_longer_fresh(batch.queue.places[place])
        else:
            self._running.keep_flags(address)

    def _unwritten(self, address: int, size: int, pc: int) -> None:
        """Native code is about to load bytes, some of them uninitialized."""
        self.scalar.load_unwritten(address, size, pc)

    def _in_space(self, address: int, space: bytes) -> int:
        """Whether an address lies in the memory of that name of any core or cluster."""
        memory = self.machine.map.memories.get(_text(space))
        return int(memory is not None and memory.owner_of(address) is not None)

    def _stop(self) -> None:
        self._status.value = 1

    def _drain(self, runs: int, run_count: int, rows: int, touched: int) -> None:
        if touched:
            self._note_first_writes(touched == _TAKEN_AWAY)
        drained, done = abi.DrainedRows.from_address(rows), 0
        try:
            for row in (abi.AccessRow * run_count).from_address(runs) if self._seen.value else ():
                self.scalar.examine(row.run())
                done += 1
        except Squashed:
            drained.cut(done)
        self.machine.recorder.write_rows(*drained.rows())

    def _site(self, op: int, pipe: int, pc: int) -> int:
        """The number of a site."""
        return self.machine.recorder.sites(op, pipe)[pc]

    def _fault(self, kind: int, address: int, size: int, store: int, pc: int) -> int:
        """Whether the task may go on: it has accessed memory that is there, and findings are collected."""
        if kind == abi.FaultKind.ACCESS:
            finding = self.scalar.fault(address, size, bool(store))
            self.machine.collector.report(finding or rules.bounds.scalar(address), pc)
            return int(self.scalar.passes_over(address, size))
        finding = process_finding(self.runtime, kind, address, size, self._launch.time_limit, os.getpid())
        self.machine.collector.report(finding, pc)
        self.machine.collector.stop()
        return 0

    def _local(self, variable: int, pc: int) -> int:
        """Memory for a block-scope variable; one that the cores of a cluster share is allocated by the first."""
        try:
            machine, v = self.machine, abi.NativeVariable.from_address(variable)
            space, name, size = _text(v.space), _text(v.name), int(v.bytes)
            if space in machine.cluster_spaces:
                entry, fresh = machine.shared(space, size, name, (v.file, v.line, name, v.type), pc)
                self._look()
            else:
                entry, fresh = machine.local(space, size, name, pc), True
            if v.initial and fresh:
                ctypes.memmove(entry.start, v.initial, size)
                entry.uninitialized.remove(entry.start, entry.end)
            self._set_ranges()
            return entry.start
        except Squashed:
            self._stop()
            raise

    def _release(self, address: int, pc: int) -> None:
        self.machine.release(address, pc)
        self._set_ranges()

    def _fill(self, name: bytes, pointed: int, filled: int, pc: int) -> None:
        self.machine.collector.report(rules.fill.width(_text(name), pointed, filled), pc)

    def _not_modelled(self, name: bytes, pc: int) -> None:
        self.machine.collector.report(rules.not_modelled.executed(_text(name), self.machine.dialect), pc)

    def _assertion(self, text: bytes, pc: int) -> None:
        self.machine.collector.report(rules.assertion.failed(_text(text)), pc)


def _text(given: bytes) -> str:
    """What a kernel calls something: any bytes."""
    return given.decode(errors="backslashreplace")
