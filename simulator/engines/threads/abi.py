"""The structures of native/threads/simt.h, and the functions of a kernel image's runtime."""

from __future__ import annotations

import ctypes
from enum import IntEnum

import numpy as np

from ..tasks import LoadedImage

_i32, _u32, _i64, _u64 = ctypes.c_int32, ctypes.c_uint32, ctypes.c_int64, ctypes.c_uint64


class Kind(IntEnum):
    """Kinds of fault, in the order of ``enum simt_fault_kind``."""

    BOUNDS = 0
    ALIGNMENT = 1
    RACE = 2
    UNINITIALIZED = 3
    BARRIER_ENDED = 4
    BARRIER_APART = 5
    PROCESS = 6
    NOT_MODELLED = 7
    ASSERT = 8
    BUDGET = 9
    CONSTANT = 10


#: Names of what the threads do to memory, in the order of ``enum simt_access``, and of ``enum simt_space``.
ACCESSES = ("load", "store", "atomic")
SPACES = ("global", "shared")


class Range(ctypes.Structure):
    """A range of addresses."""

    _fields_ = [("start", _u64), ("end", _u64)]


class Launch(ctypes.Structure):
    """What a launch is given."""

    _fields_ = [
        ("grid", _u32 * 3), ("block", _u32 * 3), ("dynamic_bytes", _u64), ("static_limit", _u64),
        ("arrays", ctypes.c_void_p), ("array_count", _u64), ("image", Range), ("collect", _i32),
    ]  # fmt: skip


class Fault(ctypes.Structure):
    """What went wrong at one place, with the first time that it did."""

    _fields_ = [
        ("pc", _i64), ("related", _i64), ("address", _u64), ("size", _u64), ("count", _u64), ("block", _u64),
        ("text", ctypes.c_char_p), ("thread", _u32), ("other", _u32), ("kind", _i32), ("store", _i32),
    ]  # fmt: skip


#: What the warps of one block did at one place of the source. In shared memory, ``address`` is an offset.
ROW = np.dtype(
    [("pc", "<i8"), ("block", "<u8"), ("address", "<u8"), ("requested", "<u8"), ("units", "<u8", (3,)),
     ("space", "<i4"), ("access", "<i4")]
)  # fmt: skip


class Runtime:
    """The functions of the runtime that an image holds; RuntimeError if a structure has another size there."""

    def __init__(self, image: LoadedImage) -> None:
        library = image.library
        sizes = (_u32 * 3).in_dll(library, "simt_sizes")
        for mine, theirs in zip((ctypes.sizeof(Launch), ctypes.sizeof(Fault), ROW.itemsize), sizes, strict=True):
            if mine != theirs:
                raise RuntimeError(f"a structure of {library._name} has {theirs} bytes, {mine} here")
        self.begin = library.simt_begin
        self.run = library.simt_run
        self.run.argtypes = [_u64, _u64]
        self._library = library
        library.simt_rows.restype = ctypes.c_void_p
        library.simt_faults.restype = ctypes.POINTER(Fault)
        library.simt_variable.restype = ctypes.c_char_p
        library.simt_shared_offset.restype = library.simt_declared.restype = _u64

    def rows(self) -> np.ndarray:
        """A copy of the rows of the launch, `ROW` [rows]."""
        count = _u64()
        address = self._library.simt_rows(ctypes.byref(count))
        size = count.value * ROW.itemsize
        return np.frombuffer(ctypes.string_at(address, size) if size else b"", ROW)

    def faults(self) -> list[Fault]:
        """The faults of the launch, good until the next one."""
        count = _u64()
        found = self._library.simt_faults(ctypes.byref(count))
        return [found[i] for i in range(count.value)]

    def shared_offset(self, address: int) -> int | None:
        """The place of an address in the shared memory of its block, None for other addresses."""
        offset = int(self._library.simt_shared_offset(_u64(address)))
        return None if offset == 2**64 - 1 else offset

    @property
    def declared(self) -> int:
        """Most bytes of declared shared memory that a block of the launch has used."""
        return int(self._library.simt_declared())

    def variable(self, address: int) -> tuple[str, int, int] | None:
        """Name, first and past-the-end address of the variable that an address lies in or behind."""
        found = Range()
        name = self._library.simt_variable(_u64(address), ctypes.byref(found))
        return (name.decode(), int(found.start), int(found.end)) if name else None
