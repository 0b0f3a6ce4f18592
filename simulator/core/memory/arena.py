"""Simulated memory: one arena per space, real host memory behind it, reserved lazily.

Addresses are real pointers: C code and NumPy work on the same bytes. Untouched pages cost nothing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import merge
from operator import attrgetter
from typing import Any

import numpy as np

from ...chip import Space
from ...log.region import NOWHERE, Location, region_key
from .byteset import POISON, ByteSet
from .mapping import PAGE, Mapping, host_bytes, round_up
from .shadow import Shadow

#: Bytes between two allocations that belong to none, so that running out of one is seen; on a chip at least as many
#: as the one before them has, so that an index of up to twice its size is.
GUARD = 128
#: Every allocation starts at a multiple of this.
ALIGNMENT = 128
_BYTE = np.dtype(np.uint8)
_begin = attrgetter("start")


@dataclass(eq=False)
class Allocation:
    """One variable or array: a byte range [start, end) that a kernel may use as a whole."""

    start: int
    end: int
    space: str
    owner: int
    key: int  # number of its first byte in a log
    name: str = ""
    uninitialized: ByteSet = None  # type: ignore[assignment] # without it, none is uninitialized
    origin: Location = NOWHERE  # where it was declared or allocated; in a machine its place, `Location("", pc)`
    backing: Mapping | None = field(default=None, repr=False)  # stays reserved for as long as this exists
    waits: bool = False  # its addresses are not given anew for a while when it has been freed
    pages: tuple[int, int] = (0, 0)  # whole pages of the host's that are its alone, if it has such: [first, end)
    #: Operands that lie in it, by what arguments say of them.
    found: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False)
    _views: dict[np.dtype, np.ndarray] = field(default_factory=dict)
    _cleared: array[int] = field(init=False, repr=False)  # the cell of `uninitialized` after `clear`

    def __post_init__(self) -> None:
        self._cleared = array("Q", (self.start, self.end, 0, self.start, self.start, POISON))
        if self.uninitialized is None:
            self.uninitialized = Shadow(self.start, self.end)

    def view(self, dtype: np.dtype) -> np.ndarray:
        """The memory as an array of ``dtype``, from the first byte, shape [bytes // itemsize]."""
        found = self._views.get(dtype)
        if found is None:
            whole = (self.end - self.start) // dtype.itemsize * dtype.itemsize
            raw = self.backing.bytes(self.start, whole) if self.backing else host_bytes(self.start, whole)
            found = self._views[dtype] = raw.view(dtype)
        return found

    def strided(self, address: int, dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
        """An array at any address and strides (bytes) inside; the caller has checked that it stays inside."""
        return np.ndarray(shape, dtype, self.view(_BYTE), address - self.start, strides)

    def clear(self) -> None:
        """Make every byte uninitialized; `fill_poison` puts the poison there before anyone reads them."""
        if self.uninitialized.cell != self._cleared:  # most variables of a program are not of the kernel that runs
            self.uninitialized.fill()
            self.uninitialized.poisoned = self.start, self.start

    def refill(self, poison: int) -> None:
        """Let uninitialized bytes hold this from now on."""
        self.uninitialized.poison, self.uninitialized.poisoned = poison, (self.start, self.start)

    def fill_poison(self, start: int, end: int) -> None:
        """Put the poison into the uninitialized bytes of [start, end), before anyone reads them."""
        low, high = self.uninitialized.poisoned
        if start >= low and end <= high:
            return
        raw = self.view(_BYTE)
        for first, last in self.uninitialized.to_poison(start, end):
            raw[first - self.start : last - self.start] = self.uninitialized.poison

    def poison(self, start: int, end: int) -> None:
        """Put the poison into the uninitialized bytes of [start, end), whatever has been computed there."""
        raw, at = self.view(_BYTE), start
        while piece := self.uninitialized.first(at, end):
            raw[piece[0] - self.start : piece[1] - self.start] = self.uninitialized.poison
            at = piece[1]

    def undefine(self, rest: np.ndarray) -> None:
        """Overwrite what an instruction leaves undefined, so that a result that rests on it is wrong."""
        if rest.size:
            rest.view(np.uint8)[...] = self.uninitialized.poison

    def stale(self, start: int, end: int) -> bool:
        """Whether bytes of [start, end) are uninitialized; `fill_poison` has been there then."""
        self.fill_poison(start, end)
        return self.uninitialized.first(start, end) is not None


#: The allocations of one owner by address: where they start, and they themselves.
Table = tuple[tuple[int, ...], tuple[Allocation, ...]]


def reach(space: Space) -> int:
    """Bytes of addresses that one owner's memory takes: more than its bytes, for guards, gaps and what is over budget.

    A power of two, so that the owner of an address is a shift away.
    """
    return 1 << ((2 if space.scope == "device" else 4) * space.bytes + (1 << 20) - 1).bit_length()


def holds_constants(space: Space, offset: int) -> bool:
    """Whether an offset in a memory is one of constants of a kernel's code: they are at the far end, behind arrays."""
    return space.scope == "device" and offset >= reach(space) // 2


class Memory:
    """One space: the memories of all its owners, each with its allocations.

    The allocations of an owner are a table that is replaced as a whole and never changed, so that whoever reads it
    sees one state of it while other threads allocate.
    """

    def __init__(self, space: Space, index: int, owners: int, mapping: Mapping | None = None) -> None:
        """``index`` is the space's number in logs; without ``mapping`` (of `reach` bytes) it gets one of its own."""
        self.space, self.index, self.owners = space, index, owners
        self.stride = reach(space)
        self._shift = self.stride.bit_length() - 1
        self.mapping = mapping or Mapping(self.stride * (owners + 1))
        self.base = round_up(self.mapping.address, self.stride) if mapping is None else mapping.address
        self._tables: list[Table] = [((), ())] * owners
        self.poison = POISON  # what fresh memory holds

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
        starts, entries = self._tables[owner]
        at = bisect_right(starts, address)
        return entries[at - 1] if at else None

    def nearest(self, address: int) -> Allocation | None:
        """The allocation that holds an address or lies next to it, in the same owner's memory."""
        owner = self.owner_of(address)
        if owner is None:
            return None
        starts, entries = self._tables[owner]
        at = bisect_right(starts, address)
        return min(
            entries[max(at - 1, 0) : at + 1], key=lambda e: max(e.start - address, address - e.end), default=None
        )

    def allocations(self, owner: int = 0) -> Iterator[Allocation]:
        """The allocations of an owner by address, as they are now."""
        return iter(self._tables[owner][1])

    def allocate(
        self, owner: int, bytes: int, name: str = "", in_page: int | None = None, waiting: Iterable[Allocation] = ()
    ) -> Allocation:
        """Take the first gap that fits; addresses and order of calls alone decide which, so runs are equal.

        ``in_page``: it begins so far into a page of the host's, and its pages are its alone; ``waiting`` are arrays
        that have been freed, in order of address, and whose place it does not take. MemoryError when there is no gap.
        """
        origin = self.base + owner * self.stride
        while True:
            table = self._tables[owner]
            starts, entries = table
            first = origin
            for entry in merge(entries, waiting, key=_begin) if waiting else entries:
                start, end = self._room(first, bytes, in_page)
                if end <= (entry.pages[0] or entry.start):
                    break
                guarded = entry.end + self._guard(entry.end - entry.start)
                first = max(first, round_up(max(guarded, entry.pages[1]), ALIGNMENT))
            start, end = self._room(first, bytes, in_page)
            if start + bytes + GUARD > origin + self.stride:
                raise MemoryError(
                    f"{self.name} has no room for {bytes} more bytes of {name or 'an array'} in one piece"
                )
            key = region_key(self.index, owner, start - origin)
            made = Allocation(start, start + bytes, self.name, owner, key, name, backing=self.mapping)
            made.uninitialized.poison = self.poison
            made.pages = (start - in_page, end) if in_page is not None else (0, 0)
            at = bisect_left(starts, start)
            grown = (*starts[:at], start, *starts[at:]), (*entries[:at], made, *entries[at:])
            if self._tables[owner] is table:  # or a finalizer has allocated meanwhile
                self._tables[owner] = grown
                return made

    def refill(self, poison: int) -> None:
        """Let fresh memory hold this, in what is allocated now and in what will be."""
        self.poison = poison
        for _, entries in self._tables:
            for entry in entries:
                entry.refill(poison)

    def _room(self, first: int, bytes: int, in_page: int | None) -> tuple[int, int]:
        """Where so many bytes begin in a gap that begins at ``first``, and where what they take ends."""
        if in_page is None:
            return first, first + bytes + self._guard(bytes)
        start = round_up(first, PAGE) + in_page
        return start, round_up(start + bytes + GUARD, PAGE)

    def _guard(self, bytes: int) -> int:
        """Bytes behind an allocation that belong to none."""
        return GUARD if self.space.scope == "device" else max(bytes, GUARD)

    def free(self, allocation: Allocation) -> None:
        """Return an allocation, if it has not been returned."""
        owner = allocation.owner
        while True:
            table = self._tables[owner]
            starts, entries = table
            at = bisect_left(starts, allocation.start)
            if at == len(entries) or entries[at] is not allocation:
                return
            shrunk = starts[:at] + starts[at + 1 :], entries[:at] + entries[at + 1 :]
            if self._tables[owner] is table:
                self._tables[owner] = shrunk
                return

    def keep(self, owner: int, allocations: Iterable[Allocation]) -> None:
        """Let an owner have these allocations, in order of address, and no others."""
        entries = tuple(allocations)
        self._tables[owner] = tuple([entry.start for entry in entries]), entries

    def table(self, owner: int) -> Table:
        """The allocations of an owner; this very table for as long as none comes or goes."""
        return self._tables[owner]

    def restore(self, owner: int, table: Table) -> None:
        """Let an owner have the allocations of an earlier table again, and no others."""
        self._tables[owner] = table

    def used(self, owner: int) -> int:
        """Bytes in use by an owner, guards not counted."""
        return sum([entry.end - entry.start for entry in self._tables[owner][1]])
