"""Simulated memory: one arena per space, real host memory behind it, reserved lazily.

Addresses are real pointers: C code and NumPy work on the same bytes. Untouched pages cost nothing.
"""

from __future__ import annotations

import ctypes
import os
from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from .device import Space
from .intervals import Intervals
from .log import region_key

#: Bytes between two allocations that belong to nobody, so that running out of one is seen.
GUARD = 128
#: Every allocation starts at a multiple of this.
ALIGNMENT = 128
_PAGE = 4096
#: Fill of fresh on-chip memory: NaN in every float type, a wild value in every integer type.
POISON = 0xFF

_PROT_RW, _SHARED, _PRIVATE, _ANONYMOUS, _NORESERVE, _FIXED_NOREPLACE = 3, 1, 2, 0x20, 0x4000, 0x100000
_MADV_REMOVE = 9


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def host_bytes(address: int, size: int) -> np.ndarray:
    """The host memory at an address as an array of bytes, shape [size]; nothing is copied."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


class Mapping:
    """A range of reserved host memory; pages appear when they are touched."""

    def __init__(self, size: int, address: int = 0, fd: int = -1) -> None:
        """Reserve ``size`` bytes, at ``address`` exactly if it is given, backed by ``fd`` if it is given."""
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.mmap.restype = ctypes.c_void_p
        self._libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        self._libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self._libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        flags = _NORESERVE | (_FIXED_NOREPLACE if address else 0)
        flags |= _SHARED if fd >= 0 else _PRIVATE | _ANONYMOUS
        self.size = _round_up(size, _PAGE)
        found = self._libc.mmap(address or None, self.size, _PROT_RW, flags, fd, 0)
        if found in (None, ctypes.c_void_p(-1).value) or (address and found != address):
            raise MemoryError(f"cannot reserve {size} bytes of address space: {os.strerror(ctypes.get_errno())}")
        self.address = int(found)

    def drop(self, start: int, end: int) -> None:
        """Give the whole pages of [start, end) back to the host; they read as zero again."""
        first, last = _round_up(start, _PAGE), end // _PAGE * _PAGE
        if last > first:
            self._libc.madvise(first, last - first, _MADV_REMOVE)

    def close(self) -> None:
        """Unmap. No view of the memory may be used afterwards."""
        self._libc.munmap(self.address, self.size)


@dataclass(eq=False)
class Allocation:
    """One variable or array: a byte range [start, end) that a kernel may use as a whole."""

    start: int
    end: int
    space: str
    owner: int
    key: int  # number of its first byte in a log
    name: str = ""
    undefined: Intervals = field(default_factory=Intervals)  # bytes nobody has written
    settled: bool = True  # whether the undefined bytes hold the poison
    _views: dict[np.dtype, np.ndarray] = field(default_factory=dict)

    def view(self, dtype: np.dtype) -> np.ndarray:
        """The memory as an array of ``dtype``, from the first byte, shape [bytes // itemsize]."""
        found = self._views.get(dtype)
        if found is None:
            whole = (self.end - self.start) // dtype.itemsize * dtype.itemsize
            found = self._views[dtype] = host_bytes(self.start, whole).view(dtype)
        return found

    def strided(self, address: int, dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
        """An array at any address and strides (bytes) inside; the caller has checked that it stays inside."""
        raw = self.view(np.dtype(np.uint8))
        return np.ndarray(shape, dtype, raw.data, address - self.start, strides)

    def poison(self) -> None:
        """Make every byte undefined; `settle` puts NaN patterns there before anyone reads them."""
        self.undefined.fill(self.start, self.end)
        self.settled = False

    def settle(self) -> None:
        """Fill the undefined bytes with NaN patterns; whoever reads memory that may be undefined calls this before."""
        if not self.settled:
            raw = self.view(np.dtype(np.uint8))
            for start, end in self.undefined:
                raw[start - self.start : end - self.start] = POISON
            self.settled = True


class Memory:
    """One space: the memories of all its owners, each with its allocations."""

    def __init__(self, space: Space, index: int, owners: int, mapping: Mapping | None = None) -> None:
        """``index`` is the space's number in logs; without ``mapping`` the memory gets one of its own."""
        self.space, self.index, self.owners = space, index, owners
        self._shift = (2 * space.bytes + (1 << 20) - 1).bit_length()
        self.stride = 1 << self._shift  # a power of two, so that the owner of an address is a shift away
        self.mapping = mapping or Mapping(self.stride * (owners + 1))
        self.base = _round_up(self.mapping.address, self.stride) if mapping is None else mapping.address
        self._starts: list[list[int]] = [[] for _ in range(owners)]
        self._allocations: list[dict[int, Allocation]] = [{} for _ in range(owners)]
        self._versions = [0] * owners

    @property
    def name(self) -> str:
        """The space's name."""
        return self.space.name

    def owner_of(self, address: int) -> int | None:
        """The owner whose memory an address lies in, or None if it lies in no memory of this space."""
        owner = (address - self.base) >> self._shift
        return owner if 0 <= owner < self.owners else None

    def key(self, address: int) -> int:
        """The number of an address of this space in logs."""
        owner, offset = divmod(address - self.base, self.stride)
        return region_key(self.index, owner, offset)

    def find(self, address: int) -> Allocation | None:
        """The last allocation that starts at or before ``address`` in the same owner's memory."""
        owner = self.owner_of(address)
        return None if owner is None else self.before(owner, address)

    def before(self, owner: int, address: int) -> Allocation | None:
        """The last allocation of an owner that starts at or before ``address``."""
        starts = self._starts[owner]
        at = bisect_right(starts, address)
        return self._allocations[owner][starts[at - 1]] if at else None

    def allocations(self, owner: int = 0) -> Iterator[Allocation]:
        """The allocations of an owner by address."""
        return (self._allocations[owner][start] for start in self._starts[owner])

    def allocate(self, owner: int, bytes: int, name: str = "") -> Allocation:
        """Take the first gap that fits; addresses and order of calls alone decide which, so runs are equal."""
        origin = self.base + owner * self.stride
        start = origin
        for entry in self.allocations(owner):
            if start + bytes + GUARD <= entry.start:
                break
            start = _round_up(entry.end + GUARD, ALIGNMENT)
        if start + bytes + GUARD > origin + self.stride:
            raise MemoryError(f"{self.name} has no room for {bytes} more bytes of {name or 'an array'}")
        made = Allocation(start, start + bytes, self.name, owner, region_key(self.index, owner, start - origin), name)
        insort(self._starts[owner], start)
        self._allocations[owner][start] = made
        self._versions[owner] += 1
        return made

    def free(self, allocation: Allocation) -> None:
        """Return an allocation; its host pages are given back where the memory is shared."""
        self._starts[allocation.owner].remove(allocation.start)
        del self._allocations[allocation.owner][allocation.start]
        self._versions[allocation.owner] += 1

    def keep(self, owner: int, allocations: Iterable[Allocation]) -> None:
        """Let an owner have these allocations, in order of address, and no others."""
        self._allocations[owner] = {entry.start: entry for entry in allocations}
        self._starts[owner] = list(self._allocations[owner])
        self._versions[owner] += 1

    def version(self, owner: int) -> int:
        """A number that is another one whenever the allocations of an owner have changed."""
        return self._versions[owner]

    def used(self, owner: int) -> int:
        """Bytes in use by an owner, guards not counted."""
        return sum(entry.end - entry.start for entry in self.allocations(owner))
