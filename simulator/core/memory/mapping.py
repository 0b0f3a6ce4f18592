"""Reserved host memory: pages appear when they are touched."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import sys
import weakref
from contextlib import suppress
from pathlib import Path

import numpy as np

#: Bytes of a page of the host's, and of a large one.
PAGE, LARGE_PAGE = 4096, 2 << 20
_LINUX = sys.platform == "linux"
_PROT_RW, _SHARED, _PRIVATE, _ANONYMOUS = 3, mmap.MAP_SHARED, mmap.MAP_PRIVATE, mmap.MAP_ANONYMOUS
#: Those of other systems have no such flags, or by other numbers: pages appear when touched there too.
_FIXED, _NORESERVE, _FIXED_NOREPLACE = 0x10, 0x4000 * _LINUX, 0x100000 * _LINUX
_MADV_REMOVE, _MADV_COLLAPSE, _ALONE = 9, 25, (10, 16) if _LINUX else ()  # not in a fork, not in a core dump


def round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def host_bytes(address: int, size: int) -> np.ndarray:
    """The host memory at an address as an array of bytes, shape [size]; nothing is copied."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def host_room() -> int:
    """Bytes that the host has for this process, as far as it says: those left, and the limit of its group."""
    room = sys.maxsize
    with suppress(OSError, ValueError):
        table = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        room = sum(int(table[name].split()[0]) << 10 for name in ("MemAvailable", "SwapFree") if name in table)
    with suppress(OSError, ValueError):
        group = Path("/proc/self/cgroup").read_text().rpartition("::/")[2].strip()
        room = min(room, int(Path("/sys/fs/cgroup", group, "memory.max").read_text()))
    return room


class Mapping:
    """A range of reserved host memory; pages appear when they are touched. It goes with the last reference."""

    def __init__(self, size: int, address: int = 0, fd: int = -1) -> None:
        """Reserve ``size`` bytes, at ``address`` exactly if it is given, backed by ``fd`` if it is given.

        What is backed is this process's alone: a child that is forked does not have it, nor has a core dump.
        FileExistsError if the addresses are in use, MemoryError if the host has no room.
        """
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.mmap.restype = ctypes.c_void_p
        self._libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        self._libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self._libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        flags = _NORESERVE | (_FIXED_NOREPLACE if address else 0)
        flags |= _SHARED if fd >= 0 else _PRIVATE | _ANONYMOUS
        self.size = round_up(size, PAGE)
        found = self._libc.mmap(address or None, self.size, _PROT_RW, flags, fd, 0)
        if found in (None, ctypes.c_void_p(-1).value):
            error = ctypes.get_errno()
            kind = FileExistsError if error == errno.EEXIST else MemoryError
            raise kind(f"cannot reserve {size} bytes of address space: {os.strerror(error)}")
        self.address = int(found)
        if fd >= 0:
            for advice in _ALONE:
                self._libc.madvise(self.address, self.size, advice)
        self._unmapped = weakref.finalize(
            self, _unmap, self._libc, self.address, self.size, os.getpid() if fd >= 0 else None
        )
        self._unmapped.atexit = False  # other threads may still be at work, and the host takes it back anyway
        if address and found != address:  # by a kernel that does not know the flag
            self.close()
            raise FileExistsError(f"the {size} bytes at {address:#x} are in use")
        self._bytes = host_bytes(self.address, self.size)
        self._large: set[int] = set()  # the large pages that have been asked for, by number

    def bytes(self, start: int, size: int) -> np.ndarray:
        """The memory from an address on as an array of bytes, shape [size]; nothing is copied."""
        return self._bytes[start - self.address : start - self.address + size]

    def enlarge(self, start: int, end: int) -> None:
        """Ask for large pages for [start, end), which is about to be written, rounded to whole ones.

        First touches of as many small ones take longer than what is written, and each copy misses their addresses. A
        file in memory gets large ones by this call alone on most systems, and where something is there already.
        """
        half = LARGE_PAGE // 2
        pages = range((start + half) // LARGE_PAGE, (end + half) // LARGE_PAGE)
        if _LINUX and not self._large.issuperset(pages):
            first, last = pages.start * LARGE_PAGE, pages.stop * LARGE_PAGE
            self.bytes(start, end - start)[max(first - start, 0) :: LARGE_PAGE] = 0
            self._libc.madvise(first, last - first, _MADV_COLLAPSE)  # small ones do where it is refused
            self._large.update(pages)

    def drop(self, start: int, end: int) -> None:
        """Give the whole pages of [start, end) back to the host; they read as zero again."""
        first, last = round_up(start, PAGE), end // PAGE * PAGE
        if last > first and _LINUX:
            self._large.difference_update(range(first // LARGE_PAGE, -(-last // LARGE_PAGE)))
            self._libc.madvise(first, last - first, _MADV_REMOVE)
        elif last > first:
            self.bytes(first, last - first)[:] = 0

    @property
    def reserved(self) -> bool:
        """Whether it is there still: a finalizer can meet one that has gone before its users."""
        return self._unmapped.alive

    def leave(self) -> None:
        """Keep the addresses alone: nothing in this process reaches the memory until it enters again."""
        self._map_again(0, _PRIVATE | _ANONYMOUS, -1)

    def enter(self, fd: int) -> None:
        """Back the addresses by a file again."""
        self._map_again(_PROT_RW, _SHARED, fd)

    def put(self, part: range, fd: int, offset: int) -> None:
        """Back some of the addresses, whole pages, by another file from ``offset`` on, or by their own again."""
        self._map(part, _PROT_RW, _SHARED, fd, offset)
        for advice in _ALONE:
            self._libc.madvise(part.start, len(part), advice)

    def _map_again(self, access: int, flags: int, fd: int) -> None:
        self._map(range(self.address, self.address + self.size), access, flags, fd, 0)

    def _map(self, part: range, access: int, flags: int, fd: int, offset: int) -> None:
        if self._libc.mmap(part.start, len(part), access, flags | _FIXED | _NORESERVE, fd, offset) != part.start:
            raise MemoryError(f"cannot map {len(part)} bytes: {os.strerror(ctypes.get_errno())}")

    def close(self) -> None:
        """Unmap. No view of the memory may be used afterwards."""
        self._unmapped()


def _unmap(libc: ctypes.CDLL, address: int, size: int, process: int | None) -> None:
    if process in (None, os.getpid()):  # in a child, something else may lie where its parent has device memory
        libc.munmap(address, size)
