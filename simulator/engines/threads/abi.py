"""The structures of native/threads/simt.h, and the functions of a kernel image's runtime."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from ...structures import header
from ..tasks.image import LoadedImage

_SIMT = header("threads/simt.h")
#: Kinds of fault.
Kind = _SIMT.enumeration("simt_fault_kind", "SIMT_")
#: Names of what the threads do to memory, and of the spaces, by their numbers.
ACCESSES = tuple(kind.name.lower() for kind in _SIMT.enumeration("simt_access", "SIMT_"))
SPACES = tuple(kind.name.lower() for kind in _SIMT.enumeration("simt_space", "SIMT_"))
#: What the warps of one block did at one place of the source. In shared memory, ``address`` is an offset.
ROW = _SIMT.dtype("simt_row")
#: Bytes of arrays that a row of these has touched.
PIECE = _SIMT.dtype("simt_piece")
#: What became of the words of shared memory that one place of the source has stored.
STORED = _SIMT.dtype("simt_stored")
#: What one thread did.
EVENT = _SIMT.dtype("simt_event")
#: A range of addresses.
RANGE = _SIMT.dtype("simt_range")


class ThreadRange(ctypes.Structure):
    """A range of addresses."""

    _fields_ = _SIMT.fields("simt_range")


class ModuleVariable(ctypes.Structure):
    """A variable of the module, and where it lies."""

    _fields_ = _SIMT.fields("simt_placed")


class GridLaunch(ctypes.Structure):
    """What a launch is given."""

    _fields_ = _SIMT.fields("simt_launch")


class ThreadFault(ctypes.Structure):
    """What went wrong at one place, with the first time that it did."""

    _fields_ = _SIMT.fields("simt_fault")


class Runtime:
    """The functions of the runtime that an image holds."""

    def __init__(self, image: LoadedImage) -> None:
        library = image.library
        self.begin = library.simt_begin
        self.run = library.simt_run
        self.run.argtypes = [ctypes.c_uint64, ctypes.c_uint64]
        self._library = library
        library.simt_rows.restype = library.simt_pieces.restype = library.simt_events.restype = ctypes.c_void_p
        library.simt_stored_words.restype = ctypes.c_void_p
        library.simt_faults.restype = ctypes.POINTER(ThreadFault)
        library.simt_variable.restype = ctypes.c_char_p
        library.simt_shared_offset.restype = library.simt_declared.restype = ctypes.c_uint64

    def rows(self) -> np.ndarray:
        """A copy of the rows of the launch, `ROW` [rows]."""
        return self._copied(self._library.simt_rows, ROW)

    def events(self) -> np.ndarray:
        """A copy of the events that are kept, `EVENT` [events], in their order."""
        return self._copied(self._library.simt_events, EVENT)

    def stored(self) -> np.ndarray:
        """A copy of what became of words of shared memory that are stored, `STORED` [places]."""
        return self._copied(self._library.simt_stored_words, STORED)

    @staticmethod
    def _copied(listed: Callable[..., int], kind: np.dtype) -> np.ndarray:
        count = ctypes.c_uint64()
        address = listed(ctypes.byref(count))
        size = count.value * kind.itemsize
        return np.frombuffer(ctypes.string_at(address, size) if size else b"", kind)

    def pieces(self) -> np.ndarray | None:
        """A copy of what the rows touch of arrays, `PIECE` [pieces], in their order; None where that is too much."""
        count = ctypes.c_uint64()
        address = self._library.simt_pieces(ctypes.byref(count))
        size = count.value * PIECE.itemsize
        if not address and size:
            return None
        return np.frombuffer(ctypes.string_at(address, size) if size else b"", PIECE)

    def faults(self) -> list[ThreadFault]:
        """The faults of the launch, good until the next one."""
        count = ctypes.c_uint64()
        found = self._library.simt_faults(ctypes.byref(count))
        return [found[i] for i in range(count.value)]

    def shared_offset(self, address: int) -> int | None:
        """The place of an address in the shared memory of its block, None for other addresses."""
        offset = int(self._library.simt_shared_offset(ctypes.c_uint64(address)))
        return None if offset == 2**64 - 1 else offset

    @property
    def declared(self) -> int:
        """Most bytes of declared shared memory that a block of the launch has used."""
        return int(self._library.simt_declared())

    def variable(self, address: int) -> tuple[str, int, int] | None:
        """Name, first and past-the-end address of the variable that an address lies in or behind."""
        found = ThreadRange()
        name = self._library.simt_variable(ctypes.c_uint64(address), ctypes.byref(found))
        return (name.decode(), int(found.start), int(found.end)) if name else None
