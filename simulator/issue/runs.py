"""Runs of scalar accesses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

#: Runs of a larger stride than an element are looked at one by one up to this many accesses.
_EXACT = 4096


@dataclass(slots=True)
class AccessRun:
    """Accesses of one source position, one size and one direction at a constant stride (bytes)."""

    pc: int
    store: bool
    size: int
    low: int
    high: int
    last: int
    stride: int
    count: int

    @property
    def name(self) -> str:
        """Its name in logs and findings."""
        return "scalar.store" if self.store else "scalar.load"

    def pieces(self) -> Iterable[tuple[int, int]]:
        """The byte ranges that it touches; of a long run with gaps, one range with them."""
        if abs(self.stride) <= self.size or self.count == 1 or self.count > _EXACT:
            return [(self.low, self.high)]
        return [(start, start + self.size) for start in range(self.low, self.high, abs(self.stride))]
