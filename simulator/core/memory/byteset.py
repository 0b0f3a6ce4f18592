"""Sets of bytes of an allocation: the uninitialized ones."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator

import numpy as np

#: Ages of new sets, so far apart that none grows to that of another.
_AGES = itertools.count(0, 1 << 32)
#: What every byte of fresh memory holds: NaN in every float type, a wild value in every integer type.
POISON = 0xFF
#: Bytes from the first address up to the second.
Piece = tuple[int, int]
#: All addresses.
EVERYWHERE: Piece = (0, (1 << 64) - 1)


class ByteSet(ABC):
    """Some bytes of the block [start, end), all of them in [lo, hi).

    Each byte has a flag, False for those of the set, as soon as `flags` are asked for. Who changes flags says
    where: by `touched` where bytes have only been taken out, else by `changed`. ``cell`` is what native code sees of
    it, a ``struct mlusim_holes``, and has in it where those bytes are known to hold the `poison`, `poisoned`. `age`
    grows with everything that may put bytes in, and no other set has ever been of it; it lies at ``age_at``.
    """

    __slots__ = ("_age", "age_at", "cell", "end", "hi", "lo", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self._age, self.cell = array("Q", (next(_AGES),)), array("Q", (0, 0, 0, *EVERYWHERE, POISON))
        self.age_at = self._age.buffer_info()[0]
        self._bound(0, 0)

    def _bound(self, lo: int, hi: int) -> None:
        """All of it lies in [lo, hi)."""
        self.lo, self.hi = lo, hi
        cell = self.cell
        cell[0], cell[1] = lo, hi

    def _keep(self, flags: np.ndarray | None) -> None:
        """These flags are kept from now on, or none."""
        self.cell[2] = 0 if flags is None else flags.ctypes.data

    @property
    def age(self) -> int:
        """How often bytes may have been put in, counted from a number that is this set's alone."""
        return self._age[0]

    @age.setter
    def age(self, age: int) -> None:
        self._age[0] = age

    @property
    def poisoned(self) -> Piece:
        """Where all of the set is known to hold the poison, or what has been computed of it since."""
        return self.cell[3], self.cell[4]

    @poisoned.setter
    def poisoned(self, where: Piece) -> None:
        self.cell[3], self.cell[4] = where

    @property
    def poison(self) -> int:
        """What a byte holds that nothing has written, when it is read."""
        return self.cell[5]

    @poison.setter
    def poison(self, byte: int) -> None:
        self.cell[5] = byte

    def keep_flags(self) -> None:
        """From now on flags are kept."""
        self.flags  # noqa: B018 - which makes them

    @property
    @abstractmethod
    def flags(self) -> np.ndarray:
        """For every byte of the block whether it is not in the set; from now on they are kept."""

    @abstractmethod
    def fill(self) -> None:
        """Become all bytes of the block."""

    @abstractmethod
    def add(self, start: int, end: int) -> None:
        """Add the bytes of [start, end)."""

    @abstractmethod
    def remove(self, start: int, end: int) -> None:
        """Take the bytes of [start, end) out."""

    @abstractmethod
    def touched(self, start: int, end: int) -> None:
        """Flags in [start, end) have been set."""

    @abstractmethod
    def changed(self, start: int, end: int) -> None:
        """Flags in [start, end) have been set or taken away."""

    @abstractmethod
    def first(self, start: int, end: int) -> Piece | None:
        """The first piece of the set inside [start, end), or None."""

    @abstractmethod
    def pieces(self, start: int, end: int) -> list[Piece]:
        """The pieces of the set inside [start, end), in order."""

    @abstractmethod
    def some(self, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> Piece | None:
        """Some bytes of the set among elements of ``size`` bytes, the first at ``offset``, at strides; or None."""

    @abstractmethod
    def to_poison(self, start: int, end: int) -> list[Piece]:
        """The pieces that need the poison now, so that all of the set inside [start, end) has it; sets `poisoned`."""

    def to_poison_at(self, shape: tuple[int, ...], offset: int, strides: tuple[int, ...]) -> np.ndarray:
        """The same of bytes at strides, as `numpy.ndarray` takes them: bool of that shape."""
        return ~self.absent(shape, offset, strides)

    def copy(self, start: int, end: int, other: ByteSet, begin: int) -> None:
        """Have of [start, end) what another set, or this one, has of as many bytes from ``begin`` on."""
        first = begin - other.start
        self.flags[start - self.start : end - self.start] = other.flags[first : first + end - start]
        self.changed(start, end)

    def absent(self, shape: tuple[int, ...], offset: int, strides: tuple[int, ...]) -> np.ndarray:
        """A view of the flags of bytes at strides, as `numpy.ndarray` takes them."""
        return np.ndarray(shape, np.bool_, self.flags, offset, strides)

    def __iter__(self) -> Iterator[Piece]:
        return iter(self.pieces(self.start, self.end))
