"""Operands at their places: their contents, and which of their bytes have been written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .arena import Allocation
from .byteset import Piece

#: What is fetched for an array of memory: as many elements, in the same shape.
Fetch = Callable[[np.ndarray], np.ndarray]


class View(ABC):
    """An operand in an allocation: all of its bytes lie in [low, end).

    Across the lanes of a core these bound the bytes of every lane as if in the first. ``mask`` has a bit for each lane
    that it touches (all bits where there are no lanes); ``lane`` is the first one and ``lanes`` how many, 0 where there
    are none.
    """

    __slots__ = ("end", "entry", "low")

    mask, lane, lanes = -1, 0, 0

    def __init__(self, entry: Allocation, low: int, end: int) -> None:
        self.entry, self.low, self.end = entry, low, end

    # --- contents ------------------------------------------------------------------------------------------

    @abstractmethod
    def read(self) -> np.ndarray:
        """The contents, in the shape in which the semantics takes them; a view where that is possible."""

    @abstractmethod
    def write(self, values: Any) -> None:
        """New contents: an array that broadcasts to their shape, or a value."""

    @abstractmethod
    def apply(self, ufunc: Callable[..., Any], *inputs: Any) -> None:
        """New contents from a ufunc."""

    @abstractmethod
    def copy(self, source: View) -> None:
        """New contents from another operand, one segment after the other where they share bytes."""

    @abstractmethod
    def gather(self, fetch: Fetch, dtype: np.dtype) -> np.ndarray:
        """What is fetched for its memory, as elements of ``dtype`` in the shape of `read`."""

    @abstractmethod
    def arrays(self) -> list[np.ndarray]:
        """Its memory, as arrays at strides; none if only contents tell where it lies."""

    @abstractmethod
    def split(self, dense: np.ndarray) -> Iterable[np.ndarray]:
        """The parts of an array in the shape of `read` that belong to each of `arrays`."""

    # --- which bytes have been written ---------------------------------------------------------------------

    @abstractmethod
    def hole(self) -> Piece | None:
        """Some bytes of it that nobody has written, or None."""

    @abstractmethod
    def flags(self) -> np.ndarray:
        """For each of its bytes whether it has been written, in the shape of `read` [..., bytes of an element]."""

    @abstractmethod
    def define(self, initialized: Any) -> None:
        """Which of its bytes count as written: an array that broadcasts to the shape of `flags`."""

    @abstractmethod
    def written(self) -> None:
        """All of it has been written."""

    def forgive(self) -> None:
        """None of its bytes count as uninitialized any more."""
        self.written()

    def forget(self) -> None:
        """Nobody may rely on its contents any more."""
        self.define(np.False_)

    def pass_on(self, source: View) -> None:
        """A byte of it counts as written where the one that it is a copy of does."""
        self.define(source.flags())

    @property
    def doubtful(self) -> bool:
        """Whether it may hold bytes that nobody has written: uninitialized ones lie around, or in it."""
        holes = self.entry.uninitialized
        return self.low < holes.hi and self.end > holes.lo

    def stale(self) -> bool:
        """Whether it holds bytes that nobody has written, which have NaN patterns then."""
        return self.doubtful and self.entry.stale(self.low, self.end) and self.hole() is not None

    # --- as others see its place ---------------------------------------------------------------------------

    @property
    def key(self) -> int:
        """The number of its first byte in logs."""
        return self.entry.key + self.low - self.entry.start

    def runs(self) -> tuple[Any, ...]:
        """Where it lies, as the recorder takes it, if it leaves bytes between its first and its last alone; else ()."""
        return ()

    def shares(self, other: View) -> bool:
        """Whether a byte may belong to both."""
        return self.low < other.end and other.low < self.end and bool(self.mask & other.mask)


class ArrayView(View):
    """An operand that is one array over the memory, its first element at ``address``."""

    __slots__ = ("address", "array")

    def __init__(self, entry: Allocation, low: int, end: int, address: int, array: np.ndarray) -> None:
        super().__init__(entry, low, end)
        self.address, self.array = address, array

    def read(self) -> np.ndarray:
        return self.array

    def write(self, values: Any) -> None:
        self.array[...] = values

    def apply(self, ufunc: Callable[..., Any], *inputs: Any) -> None:
        ufunc(*inputs, self.array)

    def gather(self, fetch: Fetch, dtype: np.dtype) -> np.ndarray:
        return fetch(self.array)

    def arrays(self) -> list[np.ndarray]:
        return [self.array]

    def split(self, dense: np.ndarray) -> Iterable[np.ndarray]:
        return [dense]

    def flags(self) -> np.ndarray:
        shape, strides = (*self.array.shape, self.array.itemsize), (*self.array.strides, 1)
        return self.entry.uninitialized.absent(shape, self.address - self.entry.start, strides)

    def define(self, initialized: Any) -> None:
        self.flags()[...] = initialized
        self.entry.uninitialized.changed(self.low, self.end)
