"""Runs compiled kernels on a machine: the Python side of csrc/mlusim_rt.cpp."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...isa import Overload, result_type, wires
from ..execution import Task
from ..findings import Finding, Squashed, not_modelled, rules
from ..issue import AccessRun
from ..log import Log
from ..machine import Machine, ScalarUnit
from . import abi
from .core import NativeCore, range_table
from .faults import process_finding
from .image import LoadedImage, load_image

_i64, _u64 = ctypes.c_int64, ctypes.c_uint64


class NativeRunner:
    """Executes kernels of images on one machine. One process has one running at a time."""

    def __init__(self, machine: Machine, runtime: Path) -> None:
        self.machine, self.scalar = machine, ScalarUnit(machine)
        self._runtime_path = runtime
        self.runtime = abi.load_runtime(runtime)
        self._port_table = (ctypes.c_void_p * len(machine.dialect.overloads))()
        self._table = ctypes.c_void_p.in_dll(self.runtime, "mlusim_port")
        self._current = ctypes.c_void_p.in_dll(self.runtime, "mlusim_current")
        self._status = ctypes.c_int.in_dll(self.runtime, "mlusim_status")
        self._ports: dict[int, Any] = {}
        self._cores: dict[int, NativeCore] = {}
        self._callbacks = abi.Callbacks(
            abi.DRAIN(self._drain), abi.FAULT(self._fault), abi.LOCAL(self._local), abi.RELEASE(self._release),
            abi.REPORT(self._not_modelled), abi.REPORT(self._assertion), abi.POISON(self._fill_poison),
        )  # fmt: skip
        self._libc = ctypes.CDLL(None)

    def close(self) -> None:
        """Give the memories of the machine back; nothing can run afterwards."""
        self.machine.close()

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
        """Launch the kernel with the number ``entry`` in its image; ``arguments`` are the bytes of its parameters.

        Lines are places in the image, see `LineTable`.
        """
        self.runtime.mlusim_set_stack()
        self.runtime.mlusim_time_limit(time_limit or 0.0)
        machine = self.machine
        try:
            image = load_image(self._runtime_path, library)
            self._open_ports(image)
            values = [ctypes.create_string_buffer(value, max(len(value), 16)) for value in arguments]
            common = range_table(self._common_ranges(values))
            pointers = (ctypes.c_void_p * max(len(values), 1))(*(ctypes.addressof(value) for value in values))
            address = image.entry(entry)
            machine.on_enter, machine.collector.on_stop = lambda task: self._enter(task, image), self._stop
            self._time_limit = time_limit
            self.runtime.mlusim_connect(ctypes.byref(self._callbacks), _u64(common.ctypes.data), _u64(len(common)))
            return machine.run(
                kernel, lambda task: self.runtime.mlusim_run_task(address, pointers), dim, type,
                variables=image.variables, on_finding=on_finding, progress=progress,
                locate=lambda counters: [image.place(pc) for pc in counters],
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
            for i in range(count):
                run = runs[i]
                self.scalar.record(
                    AccessRun(run.pc, bool(run.store), run.size, run.low, run.high, run.last, run.stride, run.count)
                )
        except Squashed:
            pass
        except BaseException as error:
            self.machine.collector.crash(error)

    def _fault(self, kind: int, address: int, size: int, store: int, pc: int) -> None:
        with suppress(Squashed):
            if kind == abi.ACCESS:
                finding = self.scalar.fault(address, size, bool(store))
                finding = finding or Finding(rules.BOUNDS, f"scalar access to {address:#x}")
            else:
                finding = process_finding(self.runtime, kind, address, size, self._time_limit, os.getpid())
            self.machine.collector.report(finding, pc)
            if kind != abi.ACCESS:
                self.machine.collector.stop()

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


def _wire(overload: Overload) -> Any:
    """The ctypes signature of an overload's port."""
    kinds = [
        ctypes.c_double if wire.is_float else _i64 for p in overload.parameters for wire in wires(p, overload.binding)
    ]
    returns = overload.instruction.prototype.returns != "void" and result_type(overload).is_float
    return ctypes.CFUNCTYPE(ctypes.c_double if returns else _i64, _i64, *kinds)
