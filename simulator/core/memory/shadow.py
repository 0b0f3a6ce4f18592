"""Which bytes of an allocation nobody has written: a flag for each byte, and bounds that answer most questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np


class Shadow:
    """The uninitialized bytes of the block [start, end); at first none.

    All of them lie in [lo, hi), which is (0, 0) when there are none. As long as they are all of [lo, hi) there need be
    no flags: memory that is written from one end on never gets any. Native code sets flags of its own accord and says
    where with `touched`.
    """

    __slots__ = ("_bytes", "_flags", "_low", "_until", "end", "hi", "lo", "on_flags", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.lo = self.hi = 0
        self._flags: np.ndarray | None = None  # whether a byte has been written, shape [end - start]; None: not kept
        self._bytes = bytearray()  # what is behind them, now or when they are kept again
        self._low, self._until = end, start  # outside of these no flag is set
        self.on_flags: Callable[[np.ndarray], None] = lambda flags: None  # who is told of flags that had not been there

    @classmethod
    def of(cls, start: int, end: int, pieces: Iterable[tuple[int, int]]) -> Shadow:
        """The set of these pieces, in order."""
        made = cls(start, end)
        for number, (first, last) in enumerate(pieces):
            if number == 0:  # which may be all that there is
                made.lo, made.hi = first, last
            else:
                made.add(first, last)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Shadow.of, (self.start, self.end, list(self))

    def fill(self) -> None:
        """Become all bytes of the block."""
        self.lo, self.hi = (self.start, self.end) if self.end > self.start else (0, 0)
        self._flags = None

    def add(self, start: int, end: int) -> None:
        """Add the bytes of [start, end)."""
        self.flags[start - self.start : end - self.start] = False
        self.lo, self.hi = (min(start, self.lo), max(end, self.hi)) if self.hi else (start, end)

    def remove(self, start: int, end: int) -> None:
        """Take the bytes of [start, end) out."""
        if start >= self.hi or end <= self.lo:
            return
        if self._flags is not None or (start > self.lo and end < self.hi):
            start, end = max(start, self.start), min(end, self.end)
            self.flags[start - self.start : end - self.start] = True
            self.touched(start, end)
        elif start > self.lo:
            self.hi = start
        else:
            self._begin_at(end)

    def touched(self, start: int, end: int) -> None:
        """Flags in [start, end) have been set; the bounds follow."""
        self._low, self._until = min(self._low, start), max(self._until, end)
        if start <= self.lo < end:
            at = self._bytes.find(0, self.lo - self.start, self.hi - self.start)
            self._begin_at(self.start + at if at >= 0 else self.hi)
        if start < self.hi <= end:
            self.hi = self.start + self._bytes.rfind(0, self.lo - self.start, self.hi - self.start) + 1

    def changed(self, start: int, end: int) -> None:
        """Flags in [start, end) have been set or taken away; the bounds follow."""
        self._low, self._until = min(self._low, start), max(self._until, end)
        lo, hi = (min(start, self.lo), max(end, self.hi)) if self.hi else (start, end)
        at = self._bytes.find(0, lo - self.start, hi - self.start)
        last = self._bytes.rfind(0, lo - self.start, hi - self.start)
        self.lo, self.hi = (self.start + at, self.start + last + 1) if at >= 0 else (0, 0)

    def first(self, start: int, end: int) -> tuple[int, int] | None:
        """The first piece of the set inside [start, end), or None."""
        start, end = max(start, self.lo), min(end, self.hi)
        if start >= end:
            return None
        if self._flags is None:
            return start, end
        at = self._bytes.find(0, start - self.start, end - self.start)
        if at < 0:
            return None
        until = self._bytes.find(1, at, end - self.start)
        return self.start + at, self.start + until if until >= 0 else end

    def pieces(self, start: int, end: int) -> list[tuple[int, int]]:
        """The pieces of the set inside [start, end), in order."""
        found = []
        while piece := self.first(start, end):
            found.append(piece)
            start = piece[1]
        return found

    def absent(self, shape: tuple[int, ...], offset: int, strides: tuple[int, ...]) -> np.ndarray:
        """A view of the flags (True: not in the set) of bytes at strides, as `numpy.ndarray` takes them.

        Who changes it calls `changed`.
        """
        return np.ndarray(shape, np.bool_, self.flags.data, offset, strides)

    @property
    def flags(self) -> np.ndarray:
        """For every byte of the block whether it is not in the set; from now on they are kept."""
        if self._flags is None:
            if not self._bytes:
                self._bytes = bytearray(self.end - self.start)
            self._flags = np.frombuffer(self._bytes, np.bool_)
            if self._low < self._until:
                self._flags[self._low - self.start : self._until - self.start] = False
            lo, hi = (self.lo, self.hi) if self.hi else (self.end, self.end)
            self._flags[: lo - self.start] = self._flags[hi - self.start :] = True
            self._low = self.start if lo > self.start else hi
            self._until = self.end if hi < self.end else lo
            self.on_flags(self._flags)
        return self._flags

    def _begin_at(self, lo: int) -> None:
        self.lo, self.hi = (lo, self.hi) if lo < self.hi else (0, 0)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self.pieces(self.start, self.end))
