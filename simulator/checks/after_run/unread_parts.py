"""Parts of an input that no task reads, where what a launch reads cannot depend on what it has read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...findings import Finding
from ...flow import distinct
from .touched import Touched, depends_on_data, gaps_in, is_staircase
from .touched_elements import how_often

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
    gaps = gaps_in(pieces, array)
    if not 0 < len(gaps.at) <= _MOST_GAPS * touched.log.tasks or 2 * gaps.missing >= array.bytes:
        return
    first, begin = int(gaps.at[0]), int(gaps.begin[0]) - array.key
    if is_staircase(gaps.end - gaps.begin) or (first == len(pieces.row) and not begin % size):
        return
    beside = int(pieces.row[np.argmax(pieces.end[: max(first, 1)])])
    yield touched.left_out(False, False, begin, gaps.missing, len(gaps.at), beside)


def _equally_often(touched: Touched) -> bool:
    """Whether all bytes that are read are read as many times."""
    places, back = np.unique([touched.pieces.begin, touched.pieces.end], return_inverse=True)
    times = how_often(len(places) - 1, *back.reshape(2, -1))
    return len(distinct(times[times > 0])) == 1
