"""Runs compiled kernels on a machine: the Python side of csrc/mlusim_rt.cpp."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...isa import Overload, result_type, wires
from ..execution import Task
from ..findings import Finding, Squashed, not_modelled, rules
from ..issue import AccessRun
from ..log import NOWHERE, Location, Log
from ..machine import Machine, ScalarUnit
from . import abi
from .core import NativeCore, range_table
from .image import LoadedImage, load_image
from .lines import source_lines

_SIGNALS = {4: "illegal instruction", 6: "abort", 7: "bus error", 8: "arithmetic exception (division by zero?)",
            11: "segmentation fault"}  # fmt: skip
#: Signals that name the address of a memory access.
_ADDRESSED = (7, 11)
_i64, _u64 = ctypes.c_int64, ctypes.c_uint64


class NativeRunner:
    """Executes kernels of images on one machine. One process has one running at a time."""

    def __init__(self, machine: Machine, runtime: Path) -> None:
        self.machine, self.scalar = machine, ScalarUnit(machine)
        self._runtime_path = runtime
        self.runtime = abi.load_runtime(runtime)
        self._places: dict[int, Location] = {}
        self._port_table = (ctypes.c_void_p * len(machine.dialect.overloads))()
        self._table = ctypes.c_void_p.in_dll(self.runtime, "mlusim_port")
        self._current = ctypes.c_void_p.in_dll(self.runtime, "mlusim_current")
        self._status = ctypes.c_int.in_dll(self.runtime, "mlusim_status")
        self._ports: dict[int, Any] = {}
        self._cores: dict[int, NativeCore] = {}
        self._callbacks = abi.Callbacks(
            abi.DRAIN(self._drain), abi.FAULT(self._fault), abi.LOCAL(self._local), abi.RELEASE(self._release),
            abi.REPORT(self._not_modelled), abi.REPORT(self._assertion), abi.POISON(self._fill_poison),
            abi.REPORT(self._exception),
        )  # fmt: skip
        self._libc = ctypes.CDLL(None)

    def run(
        self,
        library: Path,
        entry: int,
        kernel: str,
        arguments: Sequence[bytes],
        dim: tuple[int, int, int],
        type: str,
        *,
        on_finding: str,
        time_limit: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Log, list[Finding]]:
        """Launch the kernel with the number ``entry`` in its image; ``arguments`` are the bytes of its parameters."""
        image = load_image(self._runtime_path, library)
        self._open_ports(image)
        values = [ctypes.create_string_buffer(value, max(len(value), 16)) for value in arguments]
        common = range_table(self._common_ranges(values))
        pointers = (ctypes.c_void_p * max(len(values), 1))(*(ctypes.addressof(value) for value in values))
        address = image.entry(entry)
        machine = self.machine
        machine.on_enter, machine.collector.on_stop = lambda task: self._enter(task, image), self._stop
        self._time_limit = time_limit
        self.runtime.mlusim_connect(ctypes.byref(self._callbacks), _u64(common.ctypes.data), _u64(len(common)))
        self.runtime.mlusim_set_stack()
        self.runtime.mlusim_time_limit(time_limit or 0.0)
        try:
            return machine.run(
                kernel, lambda task: self.runtime.mlusim_run_task(address, pointers), dim, type,
                variables=image.variables, on_finding=on_finding, locate=lambda counters: self._locate(image, counters),
                progress=progress,
            )  # fmt: skip
        finally:
            self.runtime.mlusim_time_limit(0.0)
            self._libc.fflush(None)
            machine.on_enter, machine.collector.on_stop = lambda task: None, lambda: None

    def _common_ranges(self, arguments: Sequence[ctypes.Array[ctypes.c_char]]) -> list[tuple[int, int, bool]]:
        """What every task of a launch may use for scalar accesses: the arguments and the memory of the device."""
        found = [(ctypes.addressof(value), ctypes.addressof(value) + len(value), False) for value in arguments]
        for memory in self.machine.map.memories.values():
            if memory.space.scope == "device":
                found += [(entry.start, entry.end, not entry.poisoned) for entry in memory.allocations()]
        return found

    def _open_ports(self, image: LoadedImage) -> None:
        """Put the ports that an image calls into the table of the C boundary."""
        for number in image.ports:
            self._port_table[number] = self._port(number)
        self._table.value = ctypes.addressof(self._port_table)

    def _port(self, number: int) -> int:
        """The address at which native code calls the port of an overload."""
        if number not in self._ports:
            self._ports[number] = _wire(self.machine.dialect.overloads[number])(self.machine.port(number))
        return ctypes.cast(self._ports[number], ctypes.c_void_p).value or 0

    # --- what native code asks ---------------------------------------------------------------------------

    def _enter(self, task: Task, image: LoadedImage) -> None:
        if task.native is None:
            task.native = self._core(task, image)
            task.native.begin(task)
        self._current.value = task.native.address
        if len(image.slots):
            image.slots[:] = task.native.slots

    def _core(self, task: Task, image: LoadedImage) -> NativeCore:
        """What native code needs of the task's core, kept for as long as the variables of the image stay in place."""
        layout = self.machine.layout
        own, shared = layout.placement("core", task.core), layout.placement("cluster", task.cluster)
        core = self._cores.get(task.core)
        if core is None or not core.serves(image, own, shared):
            core = self._cores[task.core] = NativeCore(image, own, shared, self.machine.dialect.register_bytes)
        return core

    def _set_ranges(self, task: Task) -> None:
        """The running task has taken or returned a variable: tell native code what it may use."""
        owner = self.machine.map.owner
        task.native.set_ranges(entry for memory in self.machine.map.own for entry in memory.allocations(owner(memory)))

    def _fill_poison(self, address: int) -> None:
        """Native code is about to load from memory whose uninitialized bytes do not hold the poison yet."""
        try:
            for memory in self.machine.map.memories.values():
                entry = memory.find(address)
                if entry is not None:
                    entry.fill_poison(entry.start, entry.end)
        except BaseException as error:
            self.machine.collector.crash(error)

    def _stop(self) -> None:
        self._status.value = 1

    def _drain(self, runs: Any, count: int) -> None:
        try:
            operations: Counter[int] = Counter()  # nothing comes between these runs, so that one record a line will do
            for i in range(count):
                run = runs[i]
                if run.operations:
                    operations[run.pc] += run.operations
                if not run.count:
                    continue
                self.scalar.record(
                    AccessRun(run.pc, bool(run.store), run.size, run.low, run.high, run.last, run.stride, run.count)
                )
            for pc, number in operations.items():
                self.scalar.compute(number, pc)
        except Squashed:
            pass
        except BaseException as error:
            self.machine.collector.crash(error)

    def _fault(self, kind: int, address: int, size: int, store: int, pc: int) -> None:
        with suppress(Squashed):
            if kind == abi.ACCESS:
                finding = self.scalar.fault(address, size, bool(store))
                finding = finding or Finding(rules.BOUNDS, f"scalar access to {address:#x}")
            elif kind == abi.STACK:
                finding = Finding(
                    rules.STACK,
                    "the kernel has overflowed its stack",
                    suggestion="end the recursion, or move large arrays off the stack",
                )
            elif kind == abi.TIME:
                finding = Finding(
                    rules.TIME, f"the kernel ran longer than the time limit of {self._time_limit:g} s",
                    suggestion="look for a loop that does not end, or raise time_limit",
                )  # fmt: skip
            elif kind == abi.EXIT:
                finding = Finding(
                    rules.CRASH, f"the kernel called exit({size})", suggestion="return from the kernel instead"
                )
            else:
                where = f" at {address:#x}" if size in _ADDRESSED else ""
                finding = Finding(rules.CRASH, f"the kernel crashed: {_SIGNALS.get(size, f'signal {size}')}{where}")
            self.machine.collector.report(finding, pc)

    def _local(self, variable: Any, pc: int) -> int:
        """Memory for a block-scope variable; one that the cores of a cluster share is allocated by the first."""
        try:
            machine, v = self.machine, variable[0]
            space, name, size = v.space.decode(), v.name.decode(), int(v.bytes)
            if space in machine.cluster_spaces:
                entry, fresh = machine.shared(space, size, name, (v.file, v.line, name, v.type), pc)
            else:
                entry, fresh = machine.local(space, size, name, pc), True
            if v.initial and fresh:
                ctypes.memmove(entry.start, v.initial, size)
                entry.uninitialized.remove(entry.start, entry.end)
            self._set_ranges(machine.current.running)
            return entry.start
        except Squashed:
            self._stop()
        except BaseException as error:
            self.machine.collector.crash(error)
        return 0

    def _release(self, address: int, pc: int) -> None:
        try:
            self.machine.release(address, pc)
            self._set_ranges(self.machine.current.running)
        except BaseException as error:
            self.machine.collector.crash(error)

    def _not_modelled(self, name: bytes, pc: int) -> None:
        text = name.decode()
        with suppress(Squashed):
            self.machine.collector.report(not_modelled(text, self.machine.dialect), pc)

    def _assertion(self, text: bytes, pc: int) -> None:
        with suppress(Squashed):
            self.machine.collector.report(
                Finding(rules.ASSERT, f"the kernel's own assertion failed: {text.decode()}"), pc
            )

    def _exception(self, text: bytes, pc: int) -> None:
        with suppress(Squashed):
            said = text.decode(errors="backslashreplace")
            self.machine.collector.report(
                Finding(
                    rules.CRASH, f"the kernel threw an exception that nothing catches: {said}",
                    suggestion="catch it in the kernel",
                ), pc,
            )  # fmt: skip

    # --- source lines ------------------------------------------------------------------------------------------

    def _locate(self, image: LoadedImage, counters: list[int]) -> list[Location]:
        """Source lines of program counters (return addresses), the user's own where an instruction was inlined."""
        missing = [pc for pc in dict.fromkeys(counters) if pc >= 0 and pc not in self._places]
        inside = [pc for pc in missing if image.low <= pc < image.high]
        self._places.update(dict.fromkeys(missing, NOWHERE))
        if inside:
            found = source_lines(str(image.library._name), [pc - 1 - image.low for pc in inside])
            self._places.update(zip(inside, found, strict=True))
        return [self._places[pc] if pc >= 0 else image.variables[-1 - pc].location for pc in counters]


def _wire(overload: Overload) -> Any:
    """The ctypes signature of an overload's port."""
    kinds = [
        ctypes.c_double if wire.is_float else _i64 for p in overload.parameters for wire in wires(p, overload.binding)
    ]
    returns = overload.instruction.prototype.returns != "void" and result_type(overload).is_float
    return ctypes.CFUNCTYPE(ctypes.c_double if returns else _i64, _i64, *kinds)
