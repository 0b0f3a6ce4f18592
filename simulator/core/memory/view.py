"""Operands at their places: their contents, and which of their bytes have been written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .arena import Allocation
from .byteset import Piece
from .flags import assign
from .strides import Lattice, share


class View(ABC):
    """An operand in an allocation: all of its bytes lie in [low, end).

    Across the lanes of a core these bound the bytes of every lane as if in the first. ``mask`` has a bit for each lane
    that it touches (all bits where there are no lanes); ``lane`` is the first one and ``lanes`` how many, 0 where there
    are none. Contents and flags have the shape in which the semantics takes the operand, flags of each byte with one
    axis more.
    """

    __slots__ = ("end", "entry", "low")

    mask, lane, lanes = -1, 0, 0

    def __init__(self, entry: Allocation, low: int, end: int) -> None:
        self.entry, self.low, self.end = entry, low, end

    @abstractmethod
    def read(self) -> np.ndarray:
        """The contents; a view where that is possible."""

    @abstractmethod
    def write(self, values: Any) -> None:
        """New contents: an array that broadcasts to their shape, or a value."""

    def apply(self, ufunc: Callable[..., Any], *inputs: Any) -> None:
        """New contents from a ufunc."""
        self.write(ufunc(*inputs))

    def copy(self, source: View) -> None:
        """New contents from another operand, one segment after the other where they share bytes."""
        self.write(source.read())

    @abstractmethod
    def arrays(self) -> list[np.ndarray]:
        """The memory, as arrays at strides."""

    def split(self, dense: np.ndarray) -> Iterable[np.ndarray]:
        """The parts of an array in the shape of the contents that belong to each of `arrays`."""
        return [dense]

    def gather(self, fetch: Callable[[np.ndarray], np.ndarray], dtype: np.dtype) -> np.ndarray:
        """What is fetched for each of `arrays`, as many elements of ``dtype``, in the shape of the contents."""
        dense = np.empty(self.read().shape, dtype)
        for array, part in zip(self.arrays(), self.split(dense), strict=True):
            part[...] = fetch(array)
        return dense

    @abstractmethod
    def flags(self) -> np.ndarray:
        """For each byte whether it has been written."""

    @abstractmethod
    def define(self, initialized: Any) -> None:
        """Which bytes count as written: an array that broadcasts to the shape of `flags`."""

    @abstractmethod
    def hole(self) -> Piece | None:
        """Some uninitialized bytes, or None."""

    def written(self) -> None:
        """All of it has been written."""
        if self.doubtful:
            self.define(np.True_)

    def forgive(self) -> None:
        """None of its bytes count as uninitialized any more."""
        self.written()

    def forget(self) -> None:
        """Make its contents uninitialized."""
        self.define(np.False_)

    def pass_on(self, source: View) -> None:
        """A byte counts as written where the one that it is a copy of does."""
        self.define(source.flags())

    def fill_poison(self) -> None:
        """Put the poison into its uninitialized bytes; what is computed of it there stays."""
        self.entry.fill_poison(self.low, self.end)

    @property
    def doubtful(self) -> bool:
        """Whether it may hold uninitialized bytes: some lie around it, or in it."""
        holes = self.entry.uninitialized
        return self.low < holes.hi and self.end > holes.lo

    def stale(self) -> bool:
        """Whether it holds uninitialized bytes, which hold the poison then."""
        holes, low, end = self.entry.uninitialized, self.low, self.end
        return low < holes.hi and end > holes.lo and self.entry.stale(low, end) and self.hole() is not None

    @property
    def key(self) -> int:
        """The number of its first byte in logs."""
        return self.entry.key + self.low - self.entry.start

    def blocks(self) -> list[Lattice]:
        """Where it lies."""
        return [Lattice(self.low, (), (), self.end - self.low)]

    def shares(self, other: View) -> bool:
        """Whether it has a byte in common with another operand."""
        return any(share(mine, theirs) for mine in self.blocks() for theirs in other.blocks())

    def runs(self) -> tuple[Any, ...]:
        """Where it lies, as the recorder takes it, if it leaves bytes between its first and its last alone; else ()."""
        return ()


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

    def arrays(self) -> list[np.ndarray]:
        return [self.array]

    def flags(self) -> np.ndarray:
        shape, strides = (*self.array.shape, self.array.itemsize), (*self.array.strides, 1)
        return self.entry.uninitialized.absent(shape, self.address - self.entry.start, strides)

    def define(self, initialized: Any) -> None:
        assign(self.flags(), np.asarray(initialized))
        self.entry.uninitialized.changed(self.low, self.end)


class PackedView(ArrayView):
    """Packed elements. Ports have lines of their own for these; what is rare is done here."""

    __slots__ = ()

    def __init__(self, entry: Allocation, low: int, end: int, array: np.ndarray) -> None:
        super().__init__(entry, low, end, low, array)

    def hole(self) -> Piece | None:
        return self.entry.uninitialized.first(self.low, self.end)

    def written(self) -> None:
        self.entry.uninitialized.remove(self.low, self.end)

    def forget(self) -> None:
        self.entry.uninitialized.add(self.low, self.end)
        self.entry.undefine(self.array)

    def pass_on(self, source: View) -> None:
        if isinstance(source, PackedView) and source.end - source.low == self.end - self.low:
            self.entry.uninitialized.copy(self.low, self.end, source.entry.uninitialized, source.low)
        else:
            super().pass_on(source)

    def write_rows(self, rows: np.ndarray, values: np.ndarray) -> None:
        """New contents of some rows, which are initialized then; the others stay as they are."""
        self.array[rows] = values[rows]
        holes, size = self.entry.uninitialized, self.array.strides[0]
        if holes.hi:
            ends = np.flatnonzero(np.diff(np.concatenate(([0], rows.view(np.int8), [0]))))
            for first, last in ends.reshape(-1, 2).tolist():
                holes.remove(self.low + first * size, self.low + last * size)

    def undefine(self, defined: int) -> np.ndarray:
        """Make what comes behind the first elements of each row uninitialized; these elements."""
        size, row = self.array.itemsize, self.array.shape[-1] * self.array.itemsize
        for first in range(self.low, self.end, max(row, 1)):
            if defined * size < row:
                self.entry.uninitialized.add(first + defined * size, first + row)
        return self.array[..., defined:]

    def lose(self, count: int) -> None:
        """Make its last elements uninitialized."""
        if count > 0:
            self.entry.uninitialized.add(self.end - count * self.array.itemsize, self.end)
            self.entry.undefine(self.array[-count:])


class Footprint(ABC):
    """What the counts and strides of an operand say before its address is known.

    It has ``count`` elements of ``dtype`` in [below, above), distances in bytes from its address. ``gaps`` counts the
    places where segments do not touch; ``crossed``: these lie in memory in another order than that in which they are
    taken.
    """

    __slots__ = ("above", "below", "bytes", "count", "crossed", "dtype", "gaps")

    def __init__(self, dtype: np.dtype, count: int, below: int, above: int, gaps: int = 0) -> None:
        self.dtype, self.count, self.bytes = dtype, count, count * dtype.itemsize
        self.below, self.above, self.gaps, self.crossed = below, above, gaps, False

    @abstractmethod
    def at(self, entry: Allocation, address: int) -> View:
        """The operand at an address of an allocation, in which it lies."""
