"""A set of bytes with a flag for each byte of a block: for memory that is written in small scattered pieces."""

from __future__ import annotations

import mmap
from collections.abc import Iterator

import numpy as np


class ByteMap:
    """Bytes of the block [start, end), with the methods of `Shadow`; at first all of them."""

    __slots__ = ("_absent", "_map", "hi", "lo")

    def __init__(self, start: int, end: int) -> None:
        self.lo, self.hi = start, end
        # Pages of the host appear when they are touched, and go when the set is filled again.
        self._map = mmap.mmap(-1, end - start, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # a shared one keeps them
        self._absent: np.ndarray | None = None  # whether a byte is not in the set, shape [end - start]; None: all are

    def fill(self) -> None:
        """Become all bytes of the block."""
        if self._absent is not None:
            self._map.madvise(mmap.MADV_DONTNEED)
            self._absent = None

    def add(self, start: int, end: int) -> None:
        """Add the bytes of [start, end)."""
        self.flags[start - self.lo : end - self.lo] = False

    def remove(self, start: int, end: int) -> None:
        """Take the bytes of [start, end) out."""
        self.flags[start - self.lo : end - self.lo] = True

    def touched(self, start: int, end: int) -> None:
        """Flags in [start, end) have been set; nothing is derived from them."""

    changed = touched

    def first(self, start: int, end: int) -> tuple[int, int] | None:
        """The first piece of the set inside [start, end), or None."""
        return next(self._runs(start, end), None)

    def pieces(self, start: int, end: int) -> list[tuple[int, int]]:
        """The pieces of the set inside [start, end), in order."""
        return list(self._runs(start, end))

    def absent(self, shape: tuple[int, ...], offset: int, strides: tuple[int, ...]) -> np.ndarray:
        """A view of the flags (True: not in the set) of bytes at strides, as `numpy.ndarray` takes them."""
        return np.ndarray(shape, np.bool_, self.flags.data, offset, strides)

    @property
    def flags(self) -> np.ndarray:
        """For every byte of the block whether it is not in the set."""
        if self._absent is None:
            self._absent = np.frombuffer(self._map, np.bool_)
        return self._absent

    def _runs(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        flags = self.flags[start - self.lo : end - self.lo]
        edges = np.flatnonzero(np.diff(flags, prepend=True, append=True)) + start
        yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return self._runs(self.lo, self.hi)
