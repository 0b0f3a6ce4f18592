"""Arrays that would be whole with one task more: work that is split among more tasks than there are."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...findings import Finding
from ...flow import distinct
from .touched import Touched, gaps_in

#: Elements of a task's part, at least: smaller ones may be results of tasks, in an array with room for one more.
_PART = 8
#: Elements to which a part may be rounded up.
_ROUND = 64


def missing_task(touched: Touched) -> Iterator[Finding]:
    """What a task behind the last one would have written, or read, of an array that has room for its part.

    Every task has one part, they are equally long but for an element and lie in the order of tasks, and the rest is
    as long as one, with what a division leaves over or, where parts are rounded up, shorter. Or tasks take pieces in
    turn, and the turn of one more is left out each time.
    """
    array, tasks, made = touched.array, touched.log.tasks, touched.made
    if tasks < 2 or made is None:
        return
    hole = _behind_the_last(touched, tasks) or _turn_left_out(touched, tasks)
    if hole:
        key, bytes, places, row = hole
        yield touched.left_out(made, made, key - array.key, bytes, places, row)


def _behind_the_last(touched: Touched, tasks: int) -> tuple[int, int, int, int] | None:
    """The rest of an array behind one part for each task: its key and bytes, 1, and the row of the last piece."""
    array, pieces, size = touched.array, touched.pieces, touched.array.dtype.itemsize
    number = touched.tasks
    if len(distinct(number)) != tasks or (np.diff(number) < 0).any():
        return None
    first = np.searchsorted(number, np.arange(tasks))
    begins, ends = pieces.begin[first], np.maximum.reduceat(pieces.end, first)
    parts, reached = ends - begins, np.maximum.accumulate(pieces.end)
    if begins[0] != array.key or (pieces.begin[1:] > reached[:-1]).any() or (begins[1:] != ends[:-1]).any():
        return None
    most, part, rest = int(parts[0]), int(parts[-1]), array.end - int(ends[-1])
    if part < size * _PART or (np.diff(parts) > 0).any() or len(distinct(parts)) > 2:
        return None
    if most > part:  # the first have one element, or row, more
        alike = rest == part and (most - part) * _PART <= part
    else:
        count = array.count
        least = math.ceil(count / (tasks + 1))
        alike = 0 < rest <= part and least <= part // size < least + (_ROUND if part % (_ROUND * size) == 0 else 1)
        alike = alike or (part // size == count // (tasks + 1) and rest - part < (tasks + 1) * size)  # and what is left
    if not alike:
        return None
    return int(ends[-1]), rest, 1, int(pieces.row[-1])


def _turn_left_out(touched: Touched, tasks: int) -> tuple[int, int, int, int] | None:
    """The pieces of an array that one task more would take: the key of the first, all bytes, places, a row beside."""
    array, pieces = touched.array, touched.pieces
    gaps = gaps_in(pieces, array)
    at, low, high = gaps
    if len(at) < 2:
        return None
    turn = int(high[0] - low[0])
    if (high - low != turn)[:-1].any() or high[-1] - low[-1] > turn or (np.diff(low) != turn * (tasks + 1)).any():
        return None
    if (low[0] - array.key) % turn:
        return None
    between = slice(*np.searchsorted(pieces.begin, (high[0], low[1])))
    which = (pieces.begin[between] - high[0]) // turn
    takers = [distinct(touched.tasks[between][which == k]) for k in range(tasks)]
    if any(len(taker) != 1 for taker in takers) or len(distinct(np.concatenate(takers))) != tasks:
        return None
    return int(low[0]), gaps.missing, len(at), int(pieces.row[max(int(at[0]) - 1, 0)])
