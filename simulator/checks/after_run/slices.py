"""Arrays of which one place along an axis is left out: one of all rows, columns, taps of a filter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...findings import Finding, rules
from ...flow import distinct
from .touched import Touched, depends_on_data, gaps_in
from .touched_elements import times_of

#: Elements of an array that are told apart, and places along an axis, at least, of which one is an end.
_MOST, _LEAST = 1 << 20, 3
#: How often scalar code reads an element, at least and on average, of an array that is a table or a filter.
_OFTEN = 8


def part_of_axis(touched: Touched) -> Iterator[Finding]:
    """What is left out of an array where that is exactly one place along an axis of its shape.

    It is a warning of an output, unless a task has looked at data before, or the end of each row is left out, which may
    be padding. On the first axis of an output it is no end: how many rows come out may depend on data. On that of an
    input all other rows are read equally often: which of them are may depend on data, too. Or it is the first or the
    last part of an input, if scalar code reads all else again and again: a filter, of which a loop takes a tap too few.
    """
    count, made = touched.array.count, touched.made
    if made is None or not _LEAST <= count <= _MOST:
        return
    found = _along_an_axis(touched, made) or (None if made else _of_table(touched, count))
    if found:
        yield found


def _along_an_axis(touched: Touched, made: bool) -> Finding | None:
    array, pieces, size = touched.array, touched.pieces, touched.array.dtype.itemsize
    if len(array.shape) < 2 or not len(gaps_in(pieces, array).at):
        return None
    times = times_of(touched, array, made).reshape(array.shape)
    left, first = times == 0, int(np.argmin(times != 0))
    alike = len(distinct(times)) == 2
    for axis, length in enumerate(left.shape):
        place = int(np.unravel_index(first, left.shape)[axis])
        if length < _LEAST or left.sum() * length != left.size or not left.take(place, axis).all():
            continue
        if axis or (0 < place < length - 1 if made else alike):
            where, pads = (int(left.sum()), axis, place), (axis, place) == (left.ndim - 1, length - 1)
            sure = made and not pads and not depends_on_data(touched)
            said = rules.left_out.along_an_axis(made, array.name, where, array.element(first), sure)
            return touched.at(said, int(pieces.row[-1]), array.key + first * size, size)
    return None


def _of_table(touched: Touched, count: int) -> Finding | None:
    """The same of an input that scalar code reads again and again."""
    array, pieces, size = touched.array, touched.pieces, touched.array.dtype.itemsize
    if touched.times_by_scalars < _OFTEN * count:
        return None
    low, high = int(pieces.begin.min()) - array.key, int(pieces.end.max()) - array.key
    missing = (low + array.bytes - high) // size
    if (low and high < array.bytes) or not 0 < missing * _LEAST <= count:
        return None
    begin = 0 if low else high // size * size
    return touched.left_out(False, False, begin, missing * size, 1, int(pieces.row[-1]))
