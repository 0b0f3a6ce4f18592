"""Runs of scalar accesses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...log import LOAD, STORE
from ...log.runs import Row, strided_rows

#: Runs of a larger stride than an element are looked at one by one up to this many accesses.
_EXACT = 4096
#: The rows of the table of runs where no more than the first and the last byte is known.
_ANYWHERE: tuple[Row, ...] = ((0, 0, (0, 0, 0), (1, 1, 1), 0, 0),)


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
    dense: bool = True  # no byte between its first and its last is left out
    regular: bool = True  # all accesses are of one size, at one stride

    @property
    def name(self) -> str:
        """Its name in logs and findings."""
        return STORE if self.store else LOAD

    def add(self, address: int, size: int) -> None:
        """One access more."""
        step = address - self.last
        self.dense = self.dense and self.low <= address + size and address <= self.high
        self.regular = self.regular and size == self.size and (self.count == 1 or step == self.stride)
        self.stride, self.last, self.count = step, address, self.count + 1
        self.low, self.high = min(self.low, address), max(self.high, address + size)

    def rows(self) -> tuple[Row, ...]:
        """Its rows of the table of runs, if it leaves bytes between its first and its last out."""
        if self.dense:
            return ()
        return strided_rows((self.count,), (self.stride,), self.size) if self.regular else _ANYWHERE

    def pieces(self) -> Iterable[tuple[int, int]]:
        """The byte ranges that it touches; of a long run with gaps, one range with them."""
        if abs(self.stride) <= self.size or self.count == 1 or self.count > _EXACT:
            return [(self.low, self.high)]
        return [(start, start + self.size) for start in range(self.low, self.high, abs(self.stride))]
