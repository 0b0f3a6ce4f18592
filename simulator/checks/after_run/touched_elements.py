"""Which elements of arrays operands touch, element by element, along axes and in runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...flow import Pieces
from .given import Given
from .touched import Touched, pieces_in


def elements_in(pieces: Pieces, array: Given) -> tuple[np.ndarray, np.ndarray]:
    """The elements of an array of which pieces have a byte: the first of each piece, and the one after its last."""
    size = array.dtype.itemsize
    return (pieces.begin - array.key) // size, -(-(pieces.end - array.key) // size)


def how_often(count: int, first: np.ndarray, end: np.ndarray) -> np.ndarray:
    """In how many ranges each of ``count`` elements lies, int64 [elements]; ranges may pass the last element."""
    begun, ended = (np.bincount(np.minimum(at, count), minlength=count + 1) for at in (first, end))
    times: np.ndarray = np.cumsum(begun - ended)[:count]
    return times


def times_of(touched: Touched, array: Given, written: bool) -> np.ndarray:
    """In how many pieces each element of an array is written, or read, at least in part, int64 [elements]."""
    pieces = pieces_in(touched.all_pieces, array)
    pieces = pieces.chosen(touched.log.operand_written[pieces.row] == written)
    return how_often(array.count, *elements_in(pieces, array))


def elements_of(touched: Touched, array: Given, written: bool) -> np.ndarray:
    """Whether each element of an array is written, or read, at least in part, bool [elements]."""
    found: np.ndarray = times_of(touched, array, written) > 0
    return found


def written_by_block(touched: Touched) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What each block writes of an array: blocks, first elements, and those behind the last; no element twice."""
    block, count = touched.tasks[touched.written], touched.array.count + 1
    low, high = elements_in(touched.pieces.chosen(touched.written), touched.array)
    high = np.minimum(high, count - 1)
    order = np.lexsort((low, block))
    block, low, high = block[order], low[order], high[order]
    reached = np.maximum.accumulate(np.append(0, high + block * count))[:-1] - block * count
    low = np.maximum(low, reached)
    more = low < high
    return block[more], low[more], high[more]


def along_axes(elements: np.ndarray) -> Iterator[np.ndarray]:
    """Of each axis of an array, bool, at which of its places an element is true, bool [places]."""
    for axis in range(elements.ndim):
        yield np.asarray(elements.any(axis=tuple(other for other in range(elements.ndim) if other != axis)))


def runs_of(chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where elements lie together that are chosen: the first of each run, and the one behind its last."""
    change = np.diff(chosen.astype(np.int8), prepend=0, append=0)
    return np.flatnonzero(change > 0), np.flatnonzero(change < 0)
