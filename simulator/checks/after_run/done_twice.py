"""Blocks of threads that store nothing but what other blocks store, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...findings import Finding, rules
from .touched import Touched
from .touched_elements import how_often, written_by_block

#: The share of blocks that do, at least; fewer may lie at an end to which they are moved back.
_SHARE = 1 / 2
#: Elements that each of them stores, at least: flags, and a result of all, are stored by each alike.
_LEAST = 8
#: Elements of an array that are looked at, at most.
_MOST = 1 << 24


def done_twice(arrays: Sequence[Touched]) -> Iterator[Finding]:
    """Half of the blocks or more store elements of arrays each of which another block stores as well.

    Nothing is said of a launch with atomics, which may say whose turn it is.
    """
    if not arrays or arrays[0].log.has_atomics or any(t.array.count > _MOST for t in arrays):
        return
    log = arrays[0].log
    stored, alone = np.zeros(log.tasks, np.int64), np.zeros(log.tasks, np.int64)
    first: Touched | None = None
    whole = True  # each block stores every element
    for touched in arrays:
        block, low, high = written_by_block(touched)
        if not len(block):
            continue
        first = first or touched
        times = how_often(touched.array.count, low, high)
        whole = whole and bool((times == log.tasks).all())
        single = np.cumsum(np.append(0, times == 1))
        np.add.at(stored, block, high - low)
        np.add.at(alone, block, single[high] - single[low])
    again = np.flatnonzero((stored >= _LEAST) & (alone == 0))
    busy = int((stored > 0).sum())
    if first is None or len(again) < 2 or len(again) < busy * _SHARE:
        return
    mine = first.pieces.chosen(first.written & (first.tasks == again[-1]))
    if not len(mine.row):
        return
    said = rules.race.of_blocks(first.array.name, len(again), busy, whole)
    yield first.at(said, int(mine.row[0]), int(mine.begin[0]), int(mine.end[-1] - mine.begin[0]))
