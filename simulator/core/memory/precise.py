"""What the elements of memory would be without rounding: a float64 beside each that a floating instruction wrote."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from .arena import Allocation
from .view import View

#: What is kept of an element: its value without rounding and the value that it has in memory, where the difference was
#: born (a program counter, 0: nowhere), and the unit roundoff of the coarsest type that it has been in (0: no cell).
CELL = np.dtype([("precise", np.float64), ("real", np.float64), ("born", np.int64), ("unit", np.float64)])


class PreciseMemory:
    """The cells of all allocations, one for each element; untouched pages cost nothing.

    A cell is good for as long as memory holds the value beside which it was written: whoever else writes there, in
    native code too, makes the element its own precise value again.
    """

    def __init__(self) -> None:
        self._cells: WeakKeyDictionary[Allocation, dict[np.dtype, np.ndarray]] = WeakKeyDictionary()

    def clear(self) -> None:
        """Forget everything."""
        self._cells.clear()

    def fresh(self, place: View) -> np.ndarray:
        """Cells of an operand as it is now, each its own precise value, in the shape in which the semantics sees it."""
        return place.gather(own, CELL)

    def read(self, place: View) -> np.ndarray:
        """The cells of an operand, in the shape in which the semantics sees it; a copy."""
        return place.gather(lambda view: self._read(place.entry, view), CELL)

    def write(self, place: View, cells: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Keep the cells of what has been written (of some rows)."""
        for view, part in zip(place.arrays(), place.split(cells), strict=True):
            if rows is None:
                self._write(place.entry, view, part)
            else:
                for row in np.flatnonzero(rows):
                    self._write(place.entry, view[row], part[row])

    def forget(self, place: View) -> None:
        """What has been written has no other value than its own."""
        for view in place.arrays():
            for dtype in self._cells.get(place.entry, ()):
                window = self._elements(place.entry, view, dtype)
                if window is not None:
                    window["unit"] = 0

    def forget_run(self, entry: Allocation, low: int, high: int, stride: int, size: int) -> None:
        """The same of scalar stores of ``size`` bytes, the first at ``low``, at a stride (bytes)."""
        step = max(abs(stride), size)
        for dtype, cells in self._cells.get(entry, {}).items():
            width = dtype.itemsize
            first, last = (low - entry.start) // width, -(-(high - entry.start) // width)
            cells["unit"][first : last : step // width if step % width == 0 and size <= width else 1] = 0

    def take(self, place: View) -> dict[np.dtype, np.ndarray]:
        """The cells of what is about to be copied, in order, by element type."""
        taken: dict[np.dtype, list[np.ndarray]] = {}
        for view in place.arrays():
            for dtype in self._cells.get(place.entry, ()):
                window = self._elements(place.entry, view, dtype)
                if window is not None:
                    taken.setdefault(dtype, []).append(window.flatten())
        return {dtype: np.concatenate(parts) for dtype, parts in taken.items()}

    def put(self, place: View, taken: dict[np.dtype, np.ndarray]) -> None:
        """The cells of a copy."""
        self.forget(place)
        for dtype, cells in taken.items():
            at = 0
            for view in place.arrays():
                window = self._elements(place.entry, view, dtype, make=True)
                if window is None or at + window.size > cells.size:
                    break
                window[...] = cells[at : at + window.size].reshape(window.shape)
                at += window.size

    def written(self) -> list[tuple[Allocation, np.dtype, np.ndarray]]:
        """Every allocation and element type with their cells, zeros where memory does not hold what was computed."""
        found = []
        for entry, cells_of in self._cells.items():
            for dtype, cells in cells_of.items():
                with np.errstate(all="ignore"):
                    real = entry.view(dtype).astype(np.float64)
                kept = np.where(_good(cells, real), cells, np.zeros((), CELL))
                if kept["unit"].any():
                    found.append((entry, dtype, kept))
        return sorted(found, key=lambda one: (one[0].start, one[1].itemsize, one[1].name))

    def _elements(self, entry: Allocation, view: np.ndarray, dtype: np.dtype, make: bool = False) -> np.ndarray | None:
        """The cells of a view of bytes or elements, as elements of a type; None where it has not whole ones."""
        size, packed = dtype.itemsize, view.ndim and view.strides[-1] == view.itemsize
        if view.itemsize == size or (packed and view.shape[-1] * view.itemsize % size == 0):
            return self._window(entry, view.view(dtype), make)
        return None

    def _read(self, entry: Allocation, view: np.ndarray) -> np.ndarray:
        made = own(view)
        window = self._window(entry, view, make=False)
        if window is None:
            return made
        good = _good(window, made["real"])
        made[good] = window[good]
        return made

    def _write(self, entry: Allocation, view: np.ndarray, cells: np.ndarray) -> None:
        window = self._window(entry, view)
        if window is not None:
            window[...] = cells.reshape(window.shape)

    def _window(self, entry: Allocation, view: np.ndarray, make: bool = True) -> np.ndarray | None:
        """The cells of a view of an allocation, or None: there are none, or its elements lie across others."""
        size, cells_of = view.itemsize, self._cells.get(entry, {})
        if view.dtype not in cells_of:
            if not make:
                return None
            cells_of = self._cells.setdefault(entry, cells_of)
            cells_of[view.dtype] = np.zeros((entry.end - entry.start) // size, CELL)
        offset = int(view.__array_interface__["data"][0]) - entry.start
        if offset % size or any(stride % size for stride in view.strides) or not view.size:
            return None
        steps = tuple(stride // size * CELL.itemsize for stride in view.strides)
        return np.ndarray(view.shape, CELL, cells_of[view.dtype], offset // size * CELL.itemsize, steps)


def own(values: np.ndarray) -> np.ndarray:
    """Cells of elements that are their own precise values."""
    cells = np.zeros(values.shape, CELL)
    cells["precise"] = cells["real"] = values.astype(np.float64)
    return cells


def _good(cells: np.ndarray, real: np.ndarray) -> np.ndarray:
    """Whether memory still holds what the cells were written beside."""
    held = cells["real"]
    good: np.ndarray = (cells["unit"] > 0) & ((held == real) | (np.isnan(held) & np.isnan(real)))
    return good
