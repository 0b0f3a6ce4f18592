"""Runs of scalar accesses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

#: Runs of a larger stride than an element are looked at one by one up to this many accesses.
_EXACT = 4096


#: Names in logs and findings.
LOAD, STORE = "scalar.load", "scalar.store"


@dataclass(slots=True)
class AccessRun:
    """Accesses of one source position, one size and one direction at a constant stride (bytes).

    While no check watches the runs, accesses at other strides belong to it too.
    """

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
        return STORE if self.store else LOAD

    def pieces(self) -> Iterable[tuple[int, int]]:
        """The byte ranges that it touches; of a long run with gaps, one range with them."""
        if abs(self.stride) <= self.size or self.count == 1 or self.count > _EXACT:
            return [(self.low, self.high)]
        return [(start, start + self.size) for start in range(self.low, self.high, abs(self.stride))]
