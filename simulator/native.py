"""Runs compiled kernels on a machine: the Python side of csrc/mlusim_rt.cpp."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..isa import Overload
from .context import not_modelled
from .finding import Finding
from .image import LoadedImage, load_image
from .ledger import Skip
from .log import NOWHERE, Location, Log
from .machine import Machine
from .native_core import NativeCore, range_table
from .scalar import ScalarRun, ScalarUnit
from .tasks import Task

_ACCESS, _STACK, _SIGNAL, _TIME, _EXIT = range(5)
_SIGNALS = {4: "illegal instruction", 6: "abort", 7: "bus error", 8: "arithmetic exception (division by zero?)",
            11: "segmentation fault"}  # fmt: skip
#: Signals that name the address of a memory access.
_ADDRESSED = (7, 11)
_i32, _i64, _u64, _text = ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_char_p
_CSRC = str(Path(__file__).resolve().parent / "csrc")


class _Run(ctypes.Structure):
    _fields_ = [("pc", _i64), ("low", _u64), ("high", _u64), ("last", _u64), ("stride", _i64), ("count", _u64),
                ("size", _i32), ("store", _i32)]  # fmt: skip


_DRAIN = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Run), _u64)
_FAULT = ctypes.CFUNCTYPE(None, _i32, _u64, _i32, _i32, _i64)
_LOCAL = ctypes.CFUNCTYPE(_u64, _text, _text, _u64, ctypes.c_void_p, _i64)
_SETTLE = ctypes.CFUNCTYPE(None, _u64)
_RELEASE = ctypes.CFUNCTYPE(None, _u64, _i64)
_NOT_MODELLED = ctypes.CFUNCTYPE(None, _text, _i64)


class _Callbacks(ctypes.Structure):
    _fields_ = [("drain", _DRAIN), ("fault", _FAULT), ("local", _LOCAL), ("release", _RELEASE),
                ("not_modelled", _NOT_MODELLED), ("assertion", _NOT_MODELLED), ("settle", _SETTLE)]  # fmt: skip


class NativeRunner:
    """Executes kernels of images on one machine. One process has one running at a time."""

    def __init__(self, machine: Machine, runtime: Path) -> None:
        self.machine, self.scalar = machine, ScalarUnit(machine)
        self._runtime_path = runtime
        self.runtime = ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
        self._places: dict[int, Location] = {}
        self._door_table = (ctypes.c_void_p * 4096).in_dll(self.runtime, "mlusim_door")
        self._current = ctypes.c_void_p.in_dll(self.runtime, "mlusim_current")
        self._status = ctypes.c_int.in_dll(self.runtime, "mlusim_status")
        self._doors: dict[int, Any] = {}
        self._cores: dict[int, NativeCore] = {}
        memories = machine.map.memories.values()
        self._own_memories = [memory for memory in memories if memory.space.scope != "device"]
        self._callbacks = _Callbacks(
            _DRAIN(self._drain), _FAULT(self._fault), _LOCAL(self._local), _RELEASE(self._release),
            _NOT_MODELLED(self._not_modelled), _NOT_MODELLED(self._assertion),
            _SETTLE(self._settle),
        )  # fmt: skip
        self.runtime.mlusim_time_limit.argtypes = [ctypes.c_double]
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
        self._open_doors(image)
        values = [ctypes.create_string_buffer(value, max(len(value), 16)) for value in arguments]
        common = range_table(self._common_ranges(values))
        pointers = (ctypes.c_void_p * max(len(values), 1))(*(ctypes.addressof(value) for value in values))
        address = image.entry(entry)
        machine = self.machine
        machine.on_enter, machine.ledger.on_stop = lambda task: self._enter(task, image), self._stop
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
            machine.on_enter, machine.ledger.on_stop = lambda task: None, lambda: None

    def _common_ranges(self, arguments: Sequence[ctypes.Array[ctypes.c_char]]) -> list[tuple[int, int, bool]]:
        """What every task of a launch may use for scalar accesses: the arguments and the memory of the device."""
        found = [(ctypes.addressof(value), ctypes.addressof(value) + len(value), False) for value in arguments]
        for memory in self.machine.map.memories.values():
            if memory.space.scope == "device":
                found += [(entry.start, entry.end, not entry.settled) for entry in memory.allocations()]
        return found

    def _open_doors(self, image: LoadedImage) -> None:
        """Put the doors that an image calls into the table of the C boundary."""
        for number in image.doors:
            self._door_table[number] = self._door(number)

    def _door(self, number: int) -> int:
        """The address at which native code calls the door of an overload."""
        if number not in self._doors:
            self._doors[number] = _wire(self.machine.dialect.overloads[number])(self.machine.door(number))
        return ctypes.cast(self._doors[number], ctypes.c_void_p).value or 0

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
            core = self._cores[task.core] = NativeCore(image, own, shared)
        return core

    def _set_ranges(self, task: Task) -> None:
        """The running task has taken or returned a variable: tell native code what it may use."""
        owner = self.machine.map.owner
        task.native.set_ranges(entry for memory in self._own_memories for entry in memory.allocations(owner(memory)))

    def _settle(self, address: int) -> None:
        """Native code is about to load from memory whose undefined bytes do not hold the poison yet."""
        try:
            for memory in self.machine.map.memories.values():
                entry = memory.find(address)
                if entry is not None:
                    entry.settle()
        except BaseException as error:
            self.machine.ledger.crash(error)

    def _stop(self) -> None:
        self._status.value = 1

    def _drain(self, runs: Any, count: int) -> None:
        try:
            for i in range(count):
                run = runs[i]
                self.scalar.record(
                    ScalarRun(run.pc, bool(run.store), run.size, run.low, run.high, run.last, run.stride, run.count)
                )
        except Skip:
            pass
        except BaseException as error:
            self.machine.ledger.crash(error)

    def _fault(self, kind: int, address: int, size: int, store: int, pc: int) -> None:
        with suppress(Skip):
            if kind == _ACCESS:
                finding = self.scalar.fault(address, size, bool(store))
                finding = finding or Finding("bounds", f"scalar access to {address:#x}")
            elif kind == _STACK:
                finding = Finding(
                    "stack",
                    "the kernel has overflowed its stack",
                    suggestion="end the recursion, or move large arrays off the stack",
                )
            elif kind == _TIME:
                finding = Finding(
                    "time", f"the kernel ran longer than the time limit of {self._time_limit:g} s",
                    suggestion="look for a loop that does not end, or raise time_limit",
                )  # fmt: skip
            elif kind == _EXIT:
                finding = Finding(
                    "crash", f"the kernel called exit({size})", suggestion="return from the kernel instead"
                )
            else:
                where = f" at {address:#x}" if size in _ADDRESSED else ""
                finding = Finding("crash", f"the kernel crashed: {_SIGNALS.get(size, f'signal {size}')}{where}")
            self.machine.ledger.report(finding, pc)

    def _local(self, space: bytes, name: bytes, size: int, initial: int | None, pc: int) -> int:
        try:
            task = self.machine.task
            assert task is not None
            entry = self.machine.local(space.decode(), size, name.decode(), pc)
            if initial:
                ctypes.memmove(entry.start, initial, size)
                entry.undefined.remove(entry.start, entry.end)
            self._set_ranges(task)
            return entry.start
        except Skip:
            self._stop()
        except BaseException as error:
            self.machine.ledger.crash(error)
        return 0

    def _release(self, address: int, pc: int) -> None:
        try:
            self.machine.release(address, pc)
            assert self.machine.task is not None
            self._set_ranges(self.machine.task)
        except BaseException as error:
            self.machine.ledger.crash(error)

    def _not_modelled(self, name: bytes, pc: int) -> None:
        text = name.decode()
        with suppress(Skip):
            self.machine.ledger.report(not_modelled(text, self.machine.dialect), pc)

    def _assertion(self, text: bytes, pc: int) -> None:
        with suppress(Skip):
            self.machine.ledger.report(Finding("assert", f"the kernel's own assertion failed: {text.decode()}"), pc)

    # --- source lines ------------------------------------------------------------------------------------------

    def _locate(self, image: LoadedImage, counters: list[int]) -> list[Location]:
        """Source lines of program counters (return addresses), the user's own where an instruction was inlined."""
        missing = [pc for pc in dict.fromkeys(counters) if pc >= 0 and pc not in self._places]
        inside = [pc for pc in missing if image.low <= pc < image.high]
        self._places.update(dict.fromkeys(missing, NOWHERE))
        tool = inside and (shutil.which("addr2line") or shutil.which("llvm-addr2line"))
        if tool:
            library = str(image.library._name)
            addresses = "".join(f"{pc - 1 - image.low:#x}\n" for pc in inside)
            done = subprocess.run(
                [tool, "-e", library, "-a", "-i"], input=addresses, capture_output=True, text=True, check=False
            )
            blocks = re.split(r"^0x[0-9a-f]+\n", done.stdout, flags=re.M)[1:]
            for pc, block in zip(inside, blocks, strict=False):
                self._places[pc] = _place(block.splitlines())
        return [self._places[pc] if pc >= 0 else image.variables[-1 - pc].location for pc in counters]


def _place(lines: list[str]) -> Location:
    for line in lines:
        file, _, number = line.split(" (")[0].rpartition(":")
        if number.isdigit() and not file.startswith((_CSRC, "<", "?")):
            return Location(file, int(number))
    return NOWHERE


def _wire(overload: Overload) -> Any:
    """The ctypes signature of an overload's door."""
    kinds = [ctypes.c_double if not p.is_memory and overload.element(p).is_float else _i64 for p in overload.parameters]
    return ctypes.CFUNCTYPE(_i64, _i64, *kinds)
