"""Inputs that are read as often as would read all of them, and not in full: an address does not step on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...findings import Finding, rules
from ...flow import Pieces, distinct
from .touched import Touched
from .touched_elements import elements_of, runs_of

#: Elements of such an array, at least: sizes and strides are read anew by each task.
_LEAST = 16


def read_instead(touched: Touched) -> Iterator[Finding]:
    """An input of which one line, or all, read so many bytes as would read it whole, and some of it never.

    It may be whole once or several times. Each task steps on by as much each time, or begins anew; where all read one
    piece, so do the tasks. No array of whole numbers is read, which may say what is taken.
    """
    array, pieces = touched.array, touched.pieces
    if not len(pieces.row) or touched.writes(array) or array.count < _LEAST or reads_indices(touched):
        return
    left = ~elements_of(touched, array, False)
    if not left.any():
        return
    lines = touched.log.records["loc"][touched.log.owners[pieces.row]]
    threads = touched.log.kind.transactions
    for mine in (*(lines == line for line in distinct(lines).tolist()), np.ones(len(lines), bool)):
        by_scalars = not threads and bool(touched.by_scalars[mine].any())
        if mine.sum() < 2 or by_scalars or not _would_fill(pieces.chosen(mine), array.bytes):
            continue
        if not all(_steps_on(touched, mine & (lines == line)) for line in distinct(lines[mine]).tolist()):
            continue
        size, holes, row = array.dtype.itemsize, runs_of(left)[0], int(pieces.row[mine][-1])
        said = touched.left_out(False, False, int(holes[0]) * size, int(left.sum()) * size, len(holes), row)
        yield rules.left_out.repeated(said)
        return


def _steps_on(touched: Touched, mine: np.ndarray) -> bool:
    """Whether pieces begin at equal distances in each task, one after the other, or in all where each has one."""
    rows = touched.pieces.row[mine]
    order = np.argsort(rows, kind="stable")
    begin, task = touched.pieces.begin[mine][order], touched.tasks[mine][order]
    if len(distinct(task)) == len(task):
        return _is_walk(begin[np.argsort(task)])
    return all(_is_walk(begin[task == one]) for one in distinct(task).tolist())


def _is_walk(begin: np.ndarray) -> bool:
    """Whether places are at equal distances, or such a walk is begun again and again."""
    steps = np.diff(begin)
    return bool(((steps == steps[:1]) | (begin[1:] == begin[0])).all())


def _would_fill(pieces: Pieces, bytes: int) -> bool:
    """Whether pieces, one behind the other, would fill an array once or several times.

    Of pieces at multiples of a distance, what lies between counts as well, as of the real parts of complex numbers. A
    kernel may read all of these several times: some are read more often than others.
    """
    length = pieces.end - pieces.begin
    distance = int(np.gcd.reduce(pieces.begin - pieces.begin.min()))
    if distance <= length[0] or (length != length[0]).any():
        return int(length.sum()) % bytes == 0
    times = np.unique(pieces.begin, return_counts=True)[1]
    return len(distinct(times)) > 1 and len(length) * distance % bytes == 0


def reads_indices(touched: Touched) -> bool:
    """Whether an array of whole numbers is read, which is longer than one of sizes."""
    return any(
        other.dtype.kind in "iu" and other.count >= _LEAST and not touched.writes(other)
        and elements_of(touched, other, False).any()
        for other in touched.others
    )  # fmt: skip
