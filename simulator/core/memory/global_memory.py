"""Device memory as the host sees it: arrays that stay, and copies for the time of a launch."""

from __future__ import annotations

import gc
import itertools
import math
import os
import sys
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ...chip import Shape
from ...log import Location
from .arena import GUARD, Allocation, Memory, Table, reach
from .mapping import PAGE, Mapping, host_room, round_up
from .quarantine import Quarantine

#: Where device memories may lie: addresses that a worker finds free as well. Programs and their heaps begin between
#: 0x5555... and 0x5655..., libraries and stacks end at 0x7fff...
_ROOM = (range(0x2000 << 32, 0x5500 << 32), range(0x5800 << 32, 0x7A00 << 32))
#: How far apart they begin at least: of the memories of all devices that there are, hundreds have room.
_APART = 1 << 37
#: The first bytes of a device memory keep their host pages when they are freed: the next launch puts its arrays
#: there, and a fresh page costs more than the copy that fills it.
_KEPT = 256 << 20
#: Arrays that pass a multiple of this (bytes) with all others are refused where the host has no pages for them:
#: it would end this process.
_LARGE = 256 << 20
#: Arrays that are remembered when they have been freed.
_REMEMBERED = 256
#: The file behind a device memory holds what is allocated, and up to so many bytes more: a kernel that gets past all
#: checks cannot touch more.
_SPARE = 256 << 20
_BYTE = np.dtype(np.uint8)


class Freed(NamedTuple):
    """An array that was: its bytes [start, end), and who had allocated it."""

    start: int
    end: int
    name: str
    origin: Location


class Part(NamedTuple):
    """Whole pages of a device memory that another file backs, from ``offset`` on."""

    address: int
    bytes: int
    offset: int
    fd: int


class GlobalMemory:
    """The off-chip memory of one device, shared with the process that runs its kernels. Threads may use it at once."""

    _serials = itertools.count()

    def __init__(self, shape: Shape) -> None:
        """MemoryError if the host has no room for it."""
        name = next(name for name, space in shape.spaces.items() if space.scope == "device")
        space = shape.spaces[name]
        self.process = os.getpid()
        self.serial = next(self._serials)
        self.fd, self.mapping = _reserve(reach(space))
        self.address, self._backed = self.mapping.address, min(_SPARE, self.mapping.size)
        self.memory = Memory(space, list(shape.spaces).index(name), 1, self.mapping)
        self.dropped: deque[Allocation] = deque()
        self._freed: deque[Freed] = deque(maxlen=_REMEMBERED)
        self._quarantine = Quarantine()
        self._reclaimed: Table | None = None  # the allocations when all that was dropped had been returned
        #: What of it is another device memory's, by the address of the array; replaced when that changes.
        self.parts: dict[int, Part] = {}
        self._changes = threading.RLock()
        weakref.finalize(self, _release, self.fd, self.mapping).atexit = False

    def allocate(self, bytes: int, name: str, in_page: int | None = None) -> Allocation:
        """Memory for an array, ``in_page`` as in `Memory.allocate`; MemoryError says how much is free."""
        with self._changes:
            if self.dropped:
                self.reclaim()
            used = self.memory.used(0)
            if used + bytes > self.memory.space.bytes:
                raise MemoryError(
                    f"{name} needs {bytes} bytes of device memory; {used} of {self.memory.space.bytes} are in use"
                )
            if (used + bytes) // _LARGE > used // _LARGE and bytes > (room := host_room() - self._untouched(used)):
                raise MemoryError(f"{name} needs {bytes} bytes of the host's memory, which has {max(room, 0)} left")
            entry = self._placed(max(bytes, 1), name, in_page)
            try:
                self._back()
            except OSError as error:
                self.memory.free(entry)
                raise MemoryError(f"{name} needs more than a file may be long: {error.strerror}") from None
            return entry

    def allocate_written(self, bytes: int, name: str) -> Allocation:
        """Memory for an array all of which is written next."""
        entry = self.allocate(bytes, name)
        self.mapping.enlarge(entry.start, entry.end)
        return entry

    def _placed(self, bytes: int, name: str, in_page: int | None) -> Allocation:
        """A place for an array, of those that have been freed last only where there is no other."""
        if self._quarantine:
            with suppress(MemoryError):
                return self.memory.allocate(0, bytes, name, in_page, [*self._quarantine])
            self._quarantine.clear()
        return self.memory.allocate(0, bytes, name, in_page)

    def borrow(self, fd: int, offset: int, bytes: int, name: str) -> Allocation:
        """An array whose bytes are those of another device memory's file from ``offset`` on; which of them have
        been written is unknown. ``fd`` is then this memory's own. MemoryError where it does not fit.
        """
        with self._changes:
            entry = self.allocate(bytes, name, offset % PAGE)
            first = entry.pages[0]
            part = Part(first, round_up(entry.end - first, PAGE), offset - offset % PAGE, fd)
            self.mapping.put(range(first, first + part.bytes), fd, part.offset)
            self.parts = {**self.parts, entry.start: part}
            return entry

    def _give_back(self, entry: Allocation) -> None:
        """Let a borrowed array's addresses be this memory's own again."""
        if entry.start in self.parts:
            part = self.parts[entry.start]
            self.mapping.put(range(part.address, part.address + part.bytes), self.fd, part.address - self.address)
            self.parts = {start: other for start, other in self.parts.items() if start != entry.start}
            os.close(part.fd)

    def _back(self) -> None:
        """Let the file be as long as it has to be; OSError where it cannot."""
        last = next(reversed(self.memory.table(0)[1]), None)
        used = last.end - self.address if last else 0
        wanted = min(round_up(used + GUARD, _SPARE), self.mapping.size)
        if wanted != self._backed:
            os.ftruncate(self.fd, wanted)
            self._backed = wanted

    def _untouched(self, used: int) -> int:
        """Bytes of arrays that the host has no pages for yet, and will need."""
        return max(0, used - os.fstat(self.fd).st_blocks * 512)

    def reclaim(self) -> None:
        """Return the memory of what has been dropped; the host gets pages back that the next launch will not want.

        Not when it is dropped: that may be at any allocation of Python's, and while other memory is handed out.
        """
        if not self.dropped and self._reclaimed is self.memory.table(0):
            return
        with self._changes:
            while self.dropped:
                entry = self.dropped[0]
                self._give_back(entry)
                self.memory.free(entry)
                if entry.waits:
                    self._quarantine.take(entry)
                if entry.origin.line:
                    self._freed.append(Freed(entry.start, entry.end, entry.name, entry.origin))
                self.mapping.drop(max(entry.start, self.address + _KEPT), entry.end)
                self.dropped.popleft()  # last, so that an interrupt loses nothing
            self._back()
            self._drop_strays()
            self._reclaimed = self.memory.table(0)

    def _drop_strays(self) -> None:
        """Give pages back that belong to no array; the pages of arrays that were freed are kept up to a limit."""
        entries = self.memory.table(0)[1]
        pages = sum([entry.end - entry.start for entry in entries]) + 2 * PAGE * len(entries)
        if os.fstat(self.fd).st_blocks * 512 <= pages + _KEPT:
            return
        start = self.address
        for entry in entries:
            self.mapping.drop(start, entry.pages[0] or entry.start)
            start = max(entry.end, entry.pages[1])
        self.mapping.drop(start, self.address + self._backed)

    def freed_at(self, address: int) -> Freed | None:
        """The latest array that was freed where an address lies now that nothing does; None where something does."""
        entry = self.memory.nearest(address)
        if entry is not None and entry.start <= address < entry.end:
            return None
        return next((old for old in reversed(self._freed) if old.start <= address < old.end), None)

    def check(self) -> None:
        """RuntimeError if the memory has been unmapped."""
        if not self.mapping.reserved:
            raise RuntimeError("this device has gone together with what uses it; a finalizer cannot use it any more")

    def put(self, array: np.ndarray, name: str) -> Allocation:
        """Copy an array into device memory."""
        entry = self.allocate_written(array.nbytes, name)
        entry.origin = _callers_line()
        target = entry.view(_BYTE)[: array.nbytes].view(array.dtype).reshape(array.shape)
        np.copyto(target, array)
        return entry

    def held(self, entry: Allocation, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """What device memory holds, as an array that is no copy: it changes with the memory."""
        self.check()
        return entry.view(_BYTE)[: math.prod(shape) * dtype.itemsize].view(dtype).reshape(shape)


def _callers_line() -> Location:
    """The line of the user's program that is being executed, outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("mlusim."):
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)


def _reserve(bytes: int) -> tuple[int, Mapping]:
    """A file without a name that holds a device's memory, and where it is mapped."""
    try:
        fd = _file()
    except OSError as error:
        raise MemoryError(f"the host has no room for the memory of another device: {error.strerror}") from None
    try:
        os.ftruncate(fd, min(_SPARE, bytes))
        mapping = _first_free(bytes, fd)
        if mapping is None:
            gc.collect()  # devices that have been dropped may lie in circles of references
            mapping = _first_free(bytes, fd)
        if mapping is None:
            raise MemoryError("no addresses are left for the memory of another device; drop one")
        return fd, mapping
    except OSError as error:
        os.close(fd)
        raise MemoryError(f"the host has no room for {bytes} bytes of device memory: {error.strerror}") from None
    except BaseException:
        os.close(fd)
        raise


def _file() -> int:
    """A file in memory; where the system has none such, one without a name."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("mlusim-device-memory")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def addresses(bytes: int) -> Iterator[int]:
    """Where a device memory may begin."""
    for room in _ROOM:
        yield from range(room.start, room.stop, max(bytes, _APART))


def _first_free(bytes: int, fd: int) -> Mapping | None:
    for address in addresses(bytes):
        with suppress(FileExistsError):
            return Mapping(bytes, address, fd)
    return None


def _release(fd: int, mapping: Mapping) -> None:
    """The memory of a device without references goes back to the host."""
    mapping.close()
    os.close(fd)


class DeviceArray:
    """An array that stays in device memory until it is dropped.

    ``address`` is what a kernel sees; ``shape`` and ``dtype`` are those of the array it was made from. It belongs to
    the process that made it: a forked child gets a RuntimeError, and no other process can be sent one.
    """

    def __init__(self, memory: GlobalMemory, array: np.ndarray) -> None:
        check_elements("the array", array)
        given, array = array, np.asarray(array)
        if array is not given:
            check_elements("the array", array)
        memory.check()
        self._memory, self.shape, self.dtype = memory, array.shape, array.dtype
        self._allocation = memory.put(array, "device array")
        weakref.finalize(self, memory.dropped.append, self._allocation).atexit = False

    @property
    def allocation(self) -> Allocation:
        """The device memory that it takes; RuntimeError in a child that was forked from the process that made it."""
        if self._memory.process != os.getpid():
            raise RuntimeError(
                f"this device array belongs to process {self._memory.process}, which this process was forked from; "
                "make one here: the device has memory of its own in each process"
            )
        return self._allocation

    @property
    def address(self) -> int:
        """The address of the first byte."""
        return self.allocation.start

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def held(self) -> np.ndarray:
        """The elements where they lie, read-only: they change with the memory, and are gone with it."""
        elements = self._memory.held(self.allocation, self.shape, self.dtype)
        elements.flags.writeable = False
        return elements

    def numpy(self) -> np.ndarray:
        """A copy of the contents as they are now."""
        return self.held().copy()

    def __reduce__(self) -> str:
        raise TypeError("a device array stays in its device's memory and cannot be copied or sent; send its .numpy()")

    def __repr__(self) -> str:
        return f"<DeviceArray {self.dtype}{list(self.shape)} at {self._allocation.start:#x}>"


def check_elements(what: str, array: object) -> None:
    """TypeError for an array that cannot lie in device memory: its elements are no plain numbers of this machine."""
    if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):  # whose module NumPy imports late
        raise TypeError(f"{what} is a masked array, and device memory has no masks; pass its .data or .filled(value)")
    dtype = getattr(array, "dtype", None)
    if not isinstance(dtype, np.dtype):
        return
    if dtype.hasobject:
        raise TypeError(f"{what} is an array of Python objects, which cannot lie in device memory; pass numbers")
    if dtype.kind in "SUMmT" or not dtype.itemsize:
        raise TypeError(f"{what} has dtype {dtype}, which no kernel works on; pass numbers")
    if dtype.newbyteorder("=") != dtype:
        native = dtype.newbyteorder("=")
        raise TypeError(f"{what} has dtype {dtype} in foreign byte order; pass .astype({native.name!r})")
