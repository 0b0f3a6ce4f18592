"""Blocks of threads that store nothing but what other blocks store, too, or do the very same as another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...findings import Finding, rules
from .touched import Touched
from .touched_elements import elements_in, how_often, written_by_block

#: The share of blocks that do, at least; fewer may lie at an end to which they are moved back.
_SHARE = 1 / 2
#: Elements that each of them stores, at least: flags, and a result of all, are stored by each alike.
_LEAST = 8
#: Elements of an array that are looked at, at most.
_MOST = 1 << 24


def done_twice(arrays: Sequence[Touched]) -> Iterator[Finding]:
    """What `_stored_twice` says of the blocks of a launch, or else `_same_work`."""
    found = [*_stored_twice(arrays)]
    yield from found or _same_work(arrays)


def _same_work(arrays: Sequence[Touched]) -> Iterator[Finding]:
    """Some blocks, but not all, load the same elements as another one and update the same ones.

    They load eight elements or more that are not written: who finds that nothing is left to do loads a count. To store
    the same result twice does no harm.
    """
    if not arrays or not (arrays[0].log.has_atomics or any(0 < t.written.sum() < len(t.written) for t in arrays)):
        return
    log = arrays[0].log
    signs, loaded, stores = (np.zeros(log.tasks, kind) for kind in (np.uint64, np.int64, bool))
    for touched in arrays:
        low, high = elements_in(touched.pieces, touched.array)
        signed = _mixed(touched.pieces.begin, touched.pieces.end, touched.written)
        np.add.at(signs, touched.tasks, signed)
        np.logical_or.at(stores, touched.tasks, touched.written)
        if not touched.written.any():
            np.add.at(loaded, touched.tasks, high - low)
    busy = np.flatnonzero(stores & (loaded >= _LEAST))
    _, first, which, times = np.unique(signs[busy], return_index=True, return_inverse=True, return_counts=True)
    if len(times) < 2 or times.max() < 2:
        return
    of = int(np.argmax(times))
    one, other = busy[first[of]], busy[np.flatnonzero(which == of)[1]]
    stored = next(touched for touched in arrays if (touched.written & (touched.tasks == other)).any())
    said = rules.race.of_same_work(stored.array.name, int(other), int(one), int((times - 1).sum()))
    yield from _at_block(stored, other, said)


def _mixed(*columns: np.ndarray) -> np.ndarray:
    """A number for each row that rows with other numbers hardly have, uint64 [rows]."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _stored_twice(arrays: Sequence[Touched]) -> Iterator[Finding]:
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
    yield from _at_block(first, again[-1], rules.race.of_blocks(first.array.name, len(again), busy, whole))


def _at_block(touched: Touched, block: int, said: Finding) -> Iterator[Finding]:
    """What is said of what a block writes of an array, if it writes any of it."""
    mine = touched.pieces.chosen(touched.written & (touched.tasks == block))
    if len(mine.row):
        yield touched.at(said, int(mine.row[0]), int(mine.begin[0]), int(mine.end[-1] - mine.begin[0]))
