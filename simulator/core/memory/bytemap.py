"""A set of bytes with a flag for each byte of a block: for memory that is written in small scattered pieces."""

from __future__ import annotations

import mmap

import numpy as np

from .byteset import ByteSet, Piece
from .strides import run


class ByteMap(ByteSet):
    """Bytes of the block [start, end), at first all of them; its bounds are those of the block."""

    __slots__ = ("_absent", "_map", "_poisoned")

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end)
        self._bound(start, end)
        # Pages of the host appear when they are touched, and go when the set is filled again.
        self._map = mmap.mmap(-1, end - start, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # a shared one keeps them
        self._absent: np.ndarray | None = None  # whether a byte is not in the set, shape [end - start]; None: all are
        # Whether the poison has come to a byte, which may hold what has been computed of it since; None: to none.
        self._poisoned: np.ndarray | None = None

    def fill(self) -> None:
        self.age += 1
        if self._absent is not None:
            self._map.madvise(mmap.MADV_DONTNEED)
            self._absent = self._poisoned = None
            self._keep(None)

    def add(self, start: int, end: int) -> None:
        self.age += 1
        self.flags[start - self.start : end - self.start] = False

    def remove(self, start: int, end: int) -> None:
        self.flags[start - self.start : end - self.start] = True

    def touched(self, start: int, end: int) -> None:
        """Nothing is derived from the flags."""

    def changed(self, start: int, end: int) -> None:
        self.age += 1

    def first(self, start: int, end: int) -> Piece | None:
        return next(iter(self.pieces(start, end)), None)

    def pieces(self, start: int, end: int) -> list[Piece]:
        return _pieces(~self.flags[start - self.start : end - self.start], start)

    def some(self, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> Piece | None:
        """The first piece of the first run of elements that has any."""
        length, outer = run(shape, strides, size)
        flags = self.absent((*shape[:outer], length), offset, (*strides[:outer], 1))
        if flags.all():
            return None
        *place, at = map(int, np.unravel_index(int(flags.argmin()), flags.shape))
        start = self.start + offset + sum(i * step for i, step in zip(place, strides, strict=False)) + at
        behind = flags[tuple(place)][at:]
        return start, start + (int(behind.argmax()) if behind.any() else len(behind))

    def to_poison(self, start: int, end: int) -> list[Piece]:
        return _pieces(self.to_poison_at((end - start,), start - self.start, (1,)), start)

    def to_poison_at(self, shape: tuple[int, ...], offset: int, strides: tuple[int, ...]) -> np.ndarray:
        if self._poisoned is None:
            self._poisoned = np.zeros(self.end - self.start, np.bool_)
        poisoned = np.ndarray(shape, np.bool_, self._poisoned, offset, strides)
        found: np.ndarray = ~(self.absent(shape, offset, strides) | poisoned)
        poisoned[...] = True
        return found

    @property
    def flags(self) -> np.ndarray:
        if self._absent is None:
            self._absent = np.frombuffer(self._map, np.bool_)
            self._keep(self._absent)
        return self._absent


def _pieces(members: np.ndarray, start: int) -> list[Piece]:
    """Runs of those that are members, the first of all at ``start``."""
    edges = np.flatnonzero(np.diff(members, prepend=False, append=False)) + start
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
