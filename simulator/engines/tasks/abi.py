"""The structures of native/runtime/mlusim_rt.h, and the check that both sides mean the same."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

from ...log.recorder import ROW

_i32, _i64, _u64, _text = ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_char_p
_pointer = ctypes.c_void_p


class Range(ctypes.Structure):
    """Addresses that scalar accesses may use."""

    _fields_ = [("start", _u64), ("end", _u64), ("written", _pointer), ("key", _u64), ("load", _u64), ("store", _u64),
                ("touched", _u64), ("until", _u64)]  # fmt: skip


class Run(ctypes.Structure):
    """A run of scalar accesses."""

    _fields_ = [("pc", _i64), ("low", _u64), ("high", _u64), ("last", _u64), ("stride", _i64), ("times", _u64),
                ("size", _u64), ("store", _i64), ("operations", _u64), ("apart", _i64), ("uneven", _i64)]  # fmt: skip


class Row(ctypes.Structure):
    """A row of the log, `recorder.RAW`."""

    _fields_ = [("bytes", ctypes.c_char * ROW)]


class NativeTask(ctypes.Structure):
    """What native code needs of the running task."""

    _fields_ = [("built_in", _i32 * 12), ("section", _i32), ("core", _i32), ("mute", _i32), ("jump", _pointer),
                ("ranges", _pointer), ("range_count", _u64), ("registers", _u64), ("register_bytes", _u64),
                ("register_end", _u64)]  # fmt: skip


class Variable(ctypes.Structure):
    """A variable in on-chip memory."""

    _fields_ = [("name", _text), ("space", _text), ("file", _text), ("initial", _pointer), ("type", _pointer),
                ("bytes", _u64),
                ("line", _i32)]  # fmt: skip


DRAIN = ctypes.CFUNCTYPE(None, ctypes.POINTER(Run), _pointer, _u64, _u64, _i32)
FAULT = ctypes.CFUNCTYPE(None, _i32, _u64, _u64, _i32, _i64)
LOCAL = ctypes.CFUNCTYPE(_u64, ctypes.POINTER(Variable), _i64)
RELEASE = ctypes.CFUNCTYPE(None, _u64, _i64)
REPORT = ctypes.CFUNCTYPE(None, _text, _i64)
IN_SPACE = ctypes.CFUNCTYPE(_i32, _u64, _text)
KEEP = ctypes.CFUNCTYPE(None, _u64)
#: `enum mlusim_touched`: flags have been taken away since the last drain.
TAKEN_AWAY = 2
UNWRITTEN = ctypes.CFUNCTYPE(None, _u64, _u64, _i64)


class Callbacks(ctypes.Structure):
    """What the simulator answers."""

    _fields_ = [("drain", DRAIN), ("fault", FAULT), ("local", LOCAL), ("release", RELEASE), ("not_modelled", REPORT),
                ("assertion", REPORT), ("unwritten", UNWRITTEN), ("keep_flags", KEEP),
                ("in_space", IN_SPACE)]  # fmt: skip


class Fault(ctypes.Structure):
    """What a kernel did to its process, as far as the arguments of `fault` do not say it."""

    _fields_ = [("kind", _i32), ("address", _u64), ("size", _u64), ("pc", _i64), ("abi", _i32),
                ("arguments", _i64 * 6), ("text", ctypes.c_char * 256), ("second", ctypes.c_char * 256)]  # fmt: skip


#: Kinds of fault, in the order of ``enum mlusim_fault_kind``.
ACCESS, STACK, SIGNAL, TIME, EXIT, CALL, THROW, JUMP, OUTPUT, EARLY, REGISTERS = range(11)
_STRUCTURES = (Range, Run, Row, NativeTask, Variable, Callbacks, Fault)


@cache
def load_runtime(path: Path) -> ctypes.CDLL:
    """The native runtime in this process; RuntimeError if a structure has another size there.

    A process has one, the first that it loads: images find its functions by their names, whoever has built it.
    """
    runtime = ctypes.CDLL(None)
    if not hasattr(runtime, "mlusim_connect"):
        runtime = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    sizes = (ctypes.c_uint32 * len(_STRUCTURES)).in_dll(runtime, "mlusim_sizes")
    for structure, size in zip(_STRUCTURES, sizes, strict=True):
        if ctypes.sizeof(structure) != size:
            raise RuntimeError(f"{structure.__name__} has {size} bytes in {path}, {ctypes.sizeof(structure)} here")
    runtime.mlusim_time_limit.argtypes = [ctypes.c_double]
    runtime.mlusim_load.argtypes, runtime.mlusim_load.restype = [_text], _pointer
    runtime.mlusim_newest_image.restype = ctypes.POINTER(Range)
    runtime.mlusim_take_slots.restype = ctypes.POINTER(Variable)
    return runtime


def last_fault(runtime: ctypes.CDLL) -> Fault:
    """What the runtime noted of the latest fault."""
    return Fault.in_dll(runtime, "mlusim_last")
