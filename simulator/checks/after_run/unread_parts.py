"""Parts of an input that no task reads, where what a launch reads cannot depend on what it has read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...findings import Finding
from ...flow import distinct
from .touched import Touched, depends_on_data, is_staircase

#: Elements of an input, at least, and gaps for each task, at most: more of them are a pattern, and meant.
_LEAST, _MOST_GAPS = 16, 2


def unread_parts(touched: Touched) -> Iterator[Finding]:
    """What is left out of an array that is read alone, in few gaps and more than half, and all of that equally often.

    A gap at its end alone says nothing, as kernels may be given more than they need, unless it cuts an element. What
    a task reads after it has looked at a number may depend on data, and so may rows that are not read equally often.
    """
    array, pieces = touched.array, touched.pieces
    size = array.dtype.itemsize
    if not len(pieces.row) or touched.written.any() or array.bytes < _LEAST * size:
        return
    if touched.by_scalars.any() or depends_on_data(touched) or not _equally_often(touched):
        return
    reached = np.maximum.accumulate(pieces.end)
    low, high = np.append(array.key, reached), np.append(pieces.begin, array.end)
    gaps = np.flatnonzero(high > low)
    low, high = low[gaps] - array.key, high[gaps] - array.key
    missing, tasks = int((high - low).sum()), touched.log.tasks
    if not len(gaps) or 2 * missing >= array.bytes or len(gaps) > _MOST_GAPS * tasks or is_staircase(high - low):
        return
    if gaps[0] == len(pieces.row) and not low[0] % size:
        return
    at = int(np.flatnonzero(pieces.end == reached[gaps[0] - 1])[0]) if gaps[0] else 0
    yield touched.left_out(False, False, int(low[0]), missing, len(gaps), int(pieces.row[at]))


def _equally_often(touched: Touched) -> bool:
    """Whether all bytes that are read are read as many times."""
    begin, end = touched.pieces.begin, touched.pieces.end
    places, back = np.unique(np.append(begin, end), return_inverse=True)
    change = np.zeros(len(places), np.int64)
    np.add.at(change, back, np.repeat([1, -1], len(begin)))
    times = np.cumsum(change)[:-1]
    return len(distinct(times[times > 0])) == 1
