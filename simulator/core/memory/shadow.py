"""Which bytes of an allocation are uninitialized: a flag for each byte, and bounds that answer most questions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .byteset import ByteSet, Piece
from .strides import segments


class Shadow(ByteSet):
    """The uninitialized bytes of the block [start, end); at first none.

    All of them lie in [lo, hi), which is (0, 0) when there are none. As long as they are all of [lo, hi) there need be
    no flags: memory that is written from one end on never gets any. Native code sets flags of its own accord; where, is
    said with `touched` later.
    """

    __slots__ = ("_bytes", "_flags", "_low", "_until")

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end)
        self._flags: np.ndarray | None = None  # whether a byte has been written, shape [end - start]; None: not kept
        self._bytes = bytearray()  # what is behind them, now or when they are kept again
        self._low, self._until = end, start  # outside of these no flag is set

    @classmethod
    def of(cls, start: int, end: int, pieces: Iterable[Piece]) -> Shadow:
        """The set of these pieces, in order."""
        made = cls(start, end)
        for number, (first, last) in enumerate(pieces):
            if number == 0:  # which may be all that there is
                made._bound(first, last)
            else:
                made.add(first, last)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Shadow.of, (self.start, self.end, list(self))

    def fill(self) -> None:
        self.age += 1
        self._bound(*((self.start, self.end) if self.end > self.start else (0, 0)))
        self._flags = None
        self._keep(None)

    def add(self, start: int, end: int) -> None:
        self.age += 1
        self.flags[start - self.start : end - self.start] = False
        self._bound(*((min(start, self.lo), max(end, self.hi)) if self.hi else (start, end)))

    def remove(self, start: int, end: int) -> None:
        if start >= self.hi or end <= self.lo:
            return
        if self._flags is not None or (start > self.lo and end < self.hi):
            start, end = max(start, self.start), min(end, self.end)
            self.flags[start - self.start : end - self.start] = True
            self.touched(start, end)
        elif start > self.lo:
            self._bound(self.lo, start)
        else:
            self._begin_at(end)

    def touched(self, start: int, end: int) -> None:
        """Flags in [start, end) have been set; the bounds follow."""
        self._low, self._until = min(self._low, start), max(self._until, end)
        if start <= self.lo < end:
            at = self._bytes.find(0, self.lo - self.start, self.hi - self.start)
            self._begin_at(self.start + at if at >= 0 else self.hi)
        if start < self.hi <= end:
            last = self._bytes.rfind(0, self.lo - self.start, self.hi - self.start)
            self._bound(self.lo, self.start + last + 1)

    def changed(self, start: int, end: int) -> None:
        """Flags in [start, end) have been set or taken away; the bounds follow."""
        self.age += 1
        self._low, self._until = min(self._low, start), max(self._until, end)
        if self.lo < start and end < self.hi:  # the first and the last of the set stay
            return
        lo, hi = (min(start, self.lo), max(end, self.hi)) if self.hi else (start, end)
        at = self._bytes.find(0, lo - self.start, hi - self.start)
        last = self._bytes.rfind(0, lo - self.start, hi - self.start)
        self._bound(*((self.start + at, self.start + last + 1) if at >= 0 else (0, 0)))

    def first(self, start: int, end: int) -> Piece | None:
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

    def pieces(self, start: int, end: int) -> list[Piece]:
        found = []
        while piece := self.first(start, end):
            found.append(piece)
            start = piece[1]
        return found

    def some(self, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> Piece | None:
        """The first piece of the first run of elements that has any."""
        runs = segments(self.start + offset, shape, strides, size)
        return next(filter(None, (self.first(start, start + run) for start, run in runs)), None)

    def to_poison(self, start: int, end: int) -> list[Piece]:
        """What is known to have it is one range: what lies between two that were asked for gets it as well."""
        low, high = self.poisoned
        if low >= high:
            low = high = start
        self.poisoned = min(start, low), max(end, high)
        return [*self.pieces(start, low), *self.pieces(high, end)]

    @property
    def flags(self) -> np.ndarray:
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
            self._keep(self._flags)
        return self._flags

    def _begin_at(self, lo: int) -> None:
        self._bound(*((lo, self.hi) if lo < self.hi else (0, 0)))
