"""A set of byte intervals that shrinks and grows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator


class Intervals:
    """Disjoint half-open intervals [start, end), in order; ``lo`` and ``hi`` bound them all (0, 0 when empty)."""

    __slots__ = ("_ends", "_starts", "hi", "lo")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self.lo = self.hi = 0

    def add(self, start: int, end: int) -> None:
        """Add the bytes of [start, end)."""
        first, last = bisect_left(self._ends, start), bisect_right(self._starts, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last], self._ends[first:last] = [start], [end]
        self._bound()

    def remove(self, start: int, end: int) -> None:
        """Take the bytes of [start, end) out."""
        if start <= self.lo < end < self.hi and end < self._ends[0]:  # memory that is written from its beginning on
            self._starts[0] = self.lo = end
            return
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        if first >= last:
            return
        head, tail = self._starts[first], self._ends[last - 1]
        pieces = [(a, b) for a, b in ((head, start), (end, tail)) if a < b]
        self._starts[first:last] = [a for a, _ in pieces]
        self._ends[first:last] = [b for _, b in pieces]
        self._bound()

    def first(self, start: int, end: int) -> tuple[int, int] | None:
        """The first piece of the set inside [start, end), or None."""
        at = bisect_right(self._ends, start)
        if at == len(self._starts) or self._starts[at] >= end:
            return None
        return max(start, self._starts[at]), min(end, self._ends[at])

    def pieces(self, start: int, end: int) -> list[tuple[int, int]]:
        """The pieces of the set inside [start, end), in order."""
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        found = zip(self._starts[first:last], self._ends[first:last], strict=True)
        return [(max(start, begin), min(end, stop)) for begin, stop in found]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(list(zip(self._starts, self._ends, strict=True)))

    def _bound(self) -> None:
        self.lo, self.hi = (self._starts[0], self._ends[-1]) if self._starts else (0, 0)
