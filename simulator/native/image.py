"""Kernel images: shared libraries of compiled kernels, loaded into this process."""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from pathlib import Path

import numpy as np

from ..log import Location
from ..memory import Variable, host_bytes
from . import abi
from .abi import load_runtime


class LoadedImage:
    """A kernel image in this process: its entry points and its file-scope variables."""

    def __init__(self, runtime: ctypes.CDLL, path: str) -> None:
        self._signatures: dict[int, str] = {}
        self.library = ctypes.CDLL(path, mode=_RTLD_LAZY)
        count = ctypes.c_int32()
        runtime.mlusim_take_slots.restype = ctypes.POINTER(abi.Variable)
        slots = runtime.mlusim_take_slots(ctypes.byref(count))
        self.variables = tuple(_variable(slots[i]) for i in range(count.value))
        #: Numbers of the issue ports that it calls.
        self.ports: list[int] = sorted(set(self._section("ports", np.dtype(np.int32)).tolist()))
        table = self._section("slots", np.dtype(np.uint64))
        #: The reference slots of the image, and which variable each one stands for.
        self.slots, self.order = table, table.astype(np.int64) - 1
        #: Its addresses, from the first byte of the file on.
        self.low, self.high = self._bound("image", "begin"), self._bound("image", "end")
        runtime.mlusim_add_image(ctypes.c_uint64(self.low), ctypes.c_uint64(self.high))

    def _section(self, name: str, dtype: np.dtype) -> np.ndarray:
        """The contents of a section of the image, in place."""
        begin, end = self._bound(name, "begin"), self._bound(name, "end")
        return host_bytes(begin, end - begin).view(dtype) if end > begin else np.zeros(0, dtype)

    def _bound(self, name: str, which: str) -> int:
        bound = getattr(self.library, f"mlusim_{name}_{which}")
        bound.restype = ctypes.c_void_p
        return bound() or 0

    def entry(self, number: int) -> ctypes.c_void_p:
        """The address at which a kernel is entered, by its number in the image."""
        return ctypes.cast(getattr(self.library, f"mlusim_entry_{number}"), ctypes.c_void_p)

    def signature(self, number: int) -> str:
        """The types of a kernel's parameters; see `arguments.parse_signature`."""
        if number in self._signatures:
            return self._signatures[number]
        signature = getattr(self.library, f"mlusim_signature_{number}")
        text = ctypes.create_string_buffer(signature(None, 0) + 1)
        signature(text, len(text))
        return self._signatures.setdefault(number, text.value.decode())


_RTLD_LAZY = 1
#: One image at a time: the runtime hears of the variables of the image that is being loaded.
_LOADING = threading.Lock()


@cache
def load_image(runtime: Path, library: Path) -> LoadedImage:
    """Load an image into this process, once: its variables announce themselves only the first time."""
    with _LOADING:
        return LoadedImage(load_runtime(runtime), str(library))


def _variable(slot: abi.Variable) -> Variable:
    initial = ctypes.string_at(slot.initial, slot.bytes) if slot.initial else None
    where = Location(slot.file.decode(errors="backslashreplace"), int(slot.line))
    return Variable(slot.name.decode(), slot.space.decode(), int(slot.bytes), initial, where)
