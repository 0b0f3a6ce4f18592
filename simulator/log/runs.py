"""Which bytes an operand touches, where it does not touch all between its first and its last: the table of runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .log import RUNS

#: A row without its operand: run, start, three strides, three counts, first lane and lanes.
Row = tuple[int, int, tuple[int, int, int], tuple[int, int, int], int, int]
_AXES = 3  # of a row
_MOST_ROWS = 256  # of an array with one axis more


def table_of_runs(pieces: Sequence[tuple[Any, ...]], given: Sequence[np.ndarray], operands: int) -> np.ndarray:
    """The table of a launch with so many operands, of rows that are ``given`` and of pieces.

    A piece is (operand, ...), see `Recorder`; none is of an operand that has rows.
    """
    parts, arrays = [rows[rows["operand"] < operands] for rows in given], []
    for operand, *where in pieces:
        if len(where) == 1:
            arrays.append((operand, where[0]))
        else:
            parts.append(_anywhere(operand, *where))
    if arrays:
        parts.append(_of_arrays(*zip(*arrays, strict=True)))
    if not parts:
        return np.zeros(0, RUNS)
    table = np.concatenate(parts)
    ordered: np.ndarray = table[np.argsort(table["operand"], kind="stable")]
    return ordered


def _of_arrays(operands: Sequence[int], runs: Sequence[tuple[Row, ...]]) -> np.ndarray:
    """The table of arrays at strides, of which a loop has the same again and again."""
    distinct = {id(found): found for found in runs}
    kinds = {key: number for number, key in enumerate(distinct)}
    lengths = np.array([len(found) for found in distinct.values()])
    once = np.array([(0, *row) for found in distinct.values() for row in found], RUNS)
    kind = np.array([kinds[id(found)] for found in runs])
    count, begin = lengths[kind], (np.cumsum(lengths) - lengths)[kind]
    table: np.ndarray = once[np.repeat(begin - (np.cumsum(count) - count), count) + np.arange(count.sum())]
    table["operand"] = np.repeat(np.array(operands), count)
    return table


@lru_cache(maxsize=4096)
def strided_rows(
    counts: tuple[int, ...], strides: tuple[int, ...], element: int, start: int = 0, lane: int = 0, lanes: int = 0
) -> tuple[Row, ...]:
    """The rows of an array at strides (bytes), whose first byte is at ``start``, in each of some lanes.

    Axes that touch are one; which way an axis goes makes no difference. An array without elements has no rows.
    """
    if not (element and all(counts)):
        return ()
    axes = sorted((abs(stride), count) for count, stride in zip(counts, strides, strict=True) if count > 1 and stride)
    run = element
    outer: list[tuple[int, int]] = []
    for stride, count in axes:
        if not outer and stride <= run:
            run += (count - 1) * stride
        elif outer and stride == outer[-1][0] * outer[-1][1]:
            outer[-1] = (outer[-1][0], outer[-1][1] * count)
        else:
            outer.append((stride, count))
    step, times = outer.pop() if len(outer) == _AXES + 1 else (0, 1)
    if len(outer) > _AXES or run >> 32 or times > _MOST_ROWS:  # only the first and the last byte are known
        return ((0, start, (0, 0, 0), (1, 1, 1), lane, lanes),)
    outer += [(0, 1)] * (_AXES - len(outer))
    s, c = zip(*outer, strict=True)
    return tuple((run, start + number * step, s, c, lane, lanes) for number in range(times))


def _anywhere(operand: int, places: np.ndarray, run: int) -> np.ndarray:
    """The rows of pieces of ``run`` bytes at places that the contents of another operand have given."""
    starts = np.sort(places.astype(np.int64).ravel())
    found = np.zeros(len(starts), RUNS)
    found["operand"], found["run"], found["count"] = operand, run, 1
    found["start"] = starts - (starts[0] if len(starts) else 0)
    return found
