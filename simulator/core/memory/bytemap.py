"""A set of bytes with a flag for each byte of a block: for memory that is written in small scattered pieces."""

from __future__ import annotations

import mmap

import numpy as np

from .byteset import ByteSet, Piece
from .strides import run


class ByteMap(ByteSet):
    """Bytes of the block [start, end), at first all of them; its bounds are those of the block."""

    __slots__ = ("_absent", "_map")

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end)
        self._bound(start, end)
        # Pages of the host appear when they are touched, and go when the set is filled again.
        self._map = mmap.mmap(-1, end - start, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # a shared one keeps them
        self._absent: np.ndarray | None = None  # whether a byte is not in the set, shape [end - start]; None: all are

    def fill(self) -> None:
        self.age += 1
        if self._absent is not None:
            self._map.madvise(mmap.MADV_DONTNEED)
            self._absent = None
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
        flags = self.flags[start - self.start : end - self.start]
        edges = np.flatnonzero(np.diff(flags, prepend=True, append=True)) + start
        return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))

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
        return self.pieces(start, end)

    @property
    def flags(self) -> np.ndarray:
        if self._absent is None:
            self._absent = np.frombuffer(self._map, np.bool_)
            self._keep(self._absent)
        return self._absent
