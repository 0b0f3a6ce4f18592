"""The structures of native/runtime/mlusim_rt.h, and the runtime of this process."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ....isa import Overload, result_type, wires
from ...core.issue import AccessRun
from ...log import RUNS
from ...log.recorder import HELD, ROW, SHAPE, Buffer
from ...structures import header

_RUNTIME, _PORTS = header("runtime/mlusim_rt.h"), header("runtime/ports.h")
#: A row of addresses that scalar accesses may use.
RANGE = _RUNTIME.dtype("mlusim_range")
#: A task that is to begin.
START = _RUNTIME.dtype("mlusim_start")
#: Kinds of fault; what has become of flags; who asks what a task has written.
FaultKind = _RUNTIME.enumeration("mlusim_fault_kind", "MLUSIM_")
Touched = _RUNTIME.enumeration("mlusim_touched", "MLUSIM_")
Asker = _RUNTIME.enumeration("mlusim_asker", "MLUSIM_")


class Range(ctypes.Structure):
    """Addresses that scalar accesses may use."""

    _fields_ = _RUNTIME.fields("mlusim_range")


class AccessRow(ctypes.Structure):
    """A run of scalar accesses."""

    _fields_ = _RUNTIME.fields("mlusim_run")

    def run(self) -> AccessRun:
        """The run as checks see it."""
        store = bool(self.store & 1)
        return AccessRun(self.pc, store, self.size, self.low, self.high, self.last, self.stride, self.times)


class NativeTask(ctypes.Structure):
    """What native code needs of the running task."""

    _fields_ = _RUNTIME.fields("mlusim_task")


class DrainedRows(ctypes.Structure):
    """Records with what belongs to them."""

    _fields_ = _RUNTIME.fields("mlusim_rows")

    def cut(self, runs: int) -> None:
        """Leave the records of so many runs, which have one operand each."""
        self.record_count = self.operand_count = runs

    def rows(self) -> tuple[Buffer, Buffer, np.ndarray | None, np.ndarray | None]:
        """What the recorder takes; good until native code goes on."""
        runs = shapes = None
        if self.run_count:
            runs = np.frombuffer(ctypes.string_at(self.runs, RUNS.itemsize * self.run_count), RUNS)
            runs = runs[runs["operand"] < self.operand_count]
        if self.shape_count:
            shapes = np.frombuffer(ctypes.string_at(self.shapes, SHAPE.itemsize * self.shape_count), SHAPE)
        records, operands = ctypes.c_char * (ROW * self.record_count), ctypes.c_char * (HELD * self.operand_count)
        return records.from_address(self.records), operands.from_address(self.operands), runs, shapes


class Late(ctypes.Structure):
    """A copy that a wait has to ask for."""

    _fields_ = _RUNTIME.fields("mlusim_late")


class NativeVariable(ctypes.Structure):
    """A variable in on-chip memory."""

    _fields_ = _RUNTIME.fields("mlusim_variable")


class Callbacks(ctypes.Structure):
    """What the simulator answers; every field is a type that a Python function is handed to."""

    _fields_ = _RUNTIME.fields("mlusim_callbacks")


class Fault(ctypes.Structure):
    """What a kernel did to its process, as far as the arguments of `fault` do not say it."""

    _fields_ = _RUNTIME.fields("mlusim_fault")


class NativePorts(ctypes.Structure):
    """The native ports of an overload."""

    _fields_ = _PORTS.fields("mlusim_native_ports")


class NativePortRow(ctypes.Structure):
    """A native port."""

    _fields_ = _PORTS.fields("mlusim_native_port")


NativeStep, NativeOperand, NativeValue, NativeLoopRow = (
    _PORTS.nested(f"mlusim_{name}") for name in ("step", "native_operand", "value", "loop")
)


@cache
def load_runtime(path: Path) -> ctypes.CDLL:
    """The native runtime in this process.

    A process has one, the first that it loads: images find its functions by their names, whoever has built it.
    """
    runtime = ctypes.CDLL(None)
    if not hasattr(runtime, "mlusim_connect"):
        runtime = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    runtime.mlusim_time_limit.argtypes = [ctypes.c_double]
    runtime.mlusim_load.argtypes, runtime.mlusim_load.restype = [ctypes.c_char_p], ctypes.c_void_p
    address, number = ctypes.c_void_p, ctypes.c_uint64
    runtime.mlusim_run_tasks.argtypes = [
        address, ctypes.POINTER(address), address, ctypes.c_int, number, ctypes.c_int, ctypes.c_int, address, number,
    ]  # fmt: skip
    runtime.mlusim_newest_image.restype = ctypes.POINTER(Range)
    runtime.mlusim_take_slots.restype = ctypes.POINTER(NativeVariable)
    return runtime


def last_fault(runtime: ctypes.CDLL) -> Fault:
    """What the runtime noted of the latest fault."""
    return Fault.in_dll(runtime, "mlusim_last")


def port_type(overload: Overload) -> Any:
    """The ctypes signature of an overload's port."""
    kinds = [
        ctypes.c_double if wire.is_float else ctypes.c_uint64 if wire.is_natural else ctypes.c_int64
        for wire in wires(overload)
    ]  # fmt: skip
    returns = overload.instruction.prototype.returns != "void" and result_type(overload).is_float
    return ctypes.CFUNCTYPE(ctypes.c_double if returns else ctypes.c_int64, ctypes.c_int64, *kinds)
