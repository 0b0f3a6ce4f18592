"""Kernel images: shared libraries of compiled kernels, loaded into the process that runs them."""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...core.memory import Variable, host_bytes
from ...findings import Finding, rules
from ...log import Location
from ...native.elf import CodeConstant, Elf
from ..description import Description
from . import abi
from .abi import FaultKind, load_runtime
from .faults import process_finding
from .lines import place


class ImageFault(Exception):  # noqa: N818 - the fault is the kernel's
    """A static initialiser of an image did what it may not; the process cannot load another one."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class LoadedImage:
    """A kernel image in this process: its entry points and its file-scope variables."""

    #: The variables of its code that are never written.
    constants: Sequence[CodeConstant] = ()

    def __init__(self, runtime: ctypes.CDLL, path: str) -> None:
        """`ImageFault` for what its initialisers do, OSError for what the loader says."""
        handle = runtime.mlusim_load(os.fsencode(path))
        if not handle:
            raise _load_error(runtime)
        self.library = ctypes.CDLL(path, handle=handle)
        self._entries: dict[int, ctypes.c_void_p] = {}
        bounds = runtime.mlusim_newest_image()[0]
        self.low, self.high = int(bounds.start), int(bounds.end)
        count = ctypes.c_int32()
        slots = runtime.mlusim_take_slots(ctypes.byref(count))
        self.variables = tuple(_variable(slots[i]) for i in range(count.value))
        #: Numbers of the issue ports that it calls.
        self.ports: list[int] = sorted(set(self._section("ports", np.dtype(np.int32)).tolist()))
        table = self._section("slots", np.dtype(np.uint64))
        #: The reference slots of the image, and which variable each one stands for.
        self.slots, self.order = table, table.astype(np.int64) - 1
        self.slots_address: int = table.ctypes.data

    def _section(self, name: str, dtype: np.dtype) -> np.ndarray:
        """The contents of a section of the image, in place."""
        begin, end = (bound or 0 for bound in (ctypes.c_void_p * 2).in_dll(self.library, f"mlusim_bounds_of_{name}"))
        return host_bytes(begin, end - begin).view(dtype) if end > begin else np.zeros(0, dtype)

    def entry(self, number: int) -> ctypes.c_void_p:
        """The address at which a kernel is entered, by its number in the image."""
        if number not in self._entries:
            self._entries[number] = ctypes.cast(getattr(self.library, f"mlusim_entry_{number}"), ctypes.c_void_p)
        return self._entries[number]

    def constant(self, address: int) -> tuple[int, int, str, int] | None:
        """The constant that holds an address: its first byte, its end, its name, and what is behind it in the image."""
        if self.low <= address < self.high:
            for name, start, size in self.constants:
                if start <= address - self.low < start + size:
                    start += self.low
                    return start, start + size, _plain(name), self.high - start
        return None

    def place(self, pc: int) -> Location:
        """Where a return address, or a variable's counter, lies in the image; see `lines.place`."""
        return place(pc if pc < 0 else pc - self.low if self.low <= pc < self.high else 0)

    def describe(self, kernels: int) -> Description:
        """What a program must know of it; it has so many kernels."""
        signatures = tuple(self._text(f"mlusim_signature_{number}") for number in range(kernels))
        variables = tuple(replace(variable, initial=None) for variable in self.variables)
        rows = [row.split("\t", 2) for row in self._text("mlusim_unknown").splitlines()]
        unknown = tuple((name, Location(file, int(line))) for name, line, file in rows)
        rows = [row.split("\t", 3) for row in self._text("mlusim_unset").splitlines()]
        unset = tuple((name, sure == "1", Location(file, int(line))) for name, sure, line, file in rows)
        return Description(variables, signatures, unknown, unset)

    def _text(self, name: str) -> str:
        """The text that a variable of the image holds, "" where it has no such."""
        try:
            begin = ctypes.addressof(ctypes.c_char.in_dll(self.library, name))
        except ValueError:
            return ""
        return ctypes.string_at(begin).decode(errors="backslashreplace")


#: One image at a time: the runtime hears of the variables of the image that is being loaded.
_LOADING: dict[int, threading.Lock] = {}  # by process: a child may be forked while its parent loads one
_LOADED: dict[tuple[Path, Path], LoadedImage] = {}


def load_image(runtime: Path, library: Path, descriptor: int | None = None) -> LoadedImage:
    """Load an image into this process, once: its variables announce themselves only the first time.

    ``descriptor``: the open file, for a process that may open none.
    """
    with _LOADING.setdefault(os.getpid(), threading.Lock()):
        found = _LOADED.get((runtime, library))
        if found is None:
            found = _LOADED[runtime, library] = LoadedImage(load_runtime(runtime), str(library))
            data = None if descriptor is None else os.pread(descriptor, os.fstat(descriptor).st_size, 0)
            found.constants = Elf(library, data).constants()
        return found


def _plain(name: str) -> str:
    """A variable's name in its source, of what C++ makes of it."""
    parts, rest = list[str](), name.removeprefix("_Z").removeprefix("N")
    while found := re.match(r"L?(\d+)", rest):
        end = found.end() + int(found[1])
        parts.append(rest[found.end() : end])
        rest = rest[end:]
    return "::".join(parts) or name


def _load_error(runtime: ctypes.CDLL) -> Exception:
    last = abi.last_fault(runtime)
    if last.kind < 0:
        return OSError(bytes(last.text).decode(errors="replace"))
    if last.kind == FaultKind.ACCESS:
        finding = rules.bounds.scalar(last.address)
    else:
        finding = process_finding(runtime, last.kind, last.address, last.size, None, os.getpid())
    bounds = runtime.mlusim_newest_image()[0]
    inside = bounds.start <= last.pc < bounds.end
    where = place(last.pc - bounds.start if inside else 0)
    return ImageFault(replace(rules.process.before_kernels(finding), location=where))


def _variable(slot: abi.NativeVariable) -> Variable:
    initial = ctypes.string_at(slot.initial, slot.bytes) if slot.initial else None
    where = Location(slot.file.decode(errors="backslashreplace"), int(slot.line))
    name, space = (text.decode(errors="backslashreplace") for text in (slot.name, slot.space))
    return Variable(name, space, int(slot.bytes), initial, where)
