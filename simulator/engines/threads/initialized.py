"""Which bytes of device memory a launch of thread blocks has written, and which it has loaded that nothing has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...core.memory import Allocation, Memory
from ...findings import Finding, rules
from ...log import Region
from .abi import ACCESSES, SPACES

_LOAD, _GLOBAL = ACCESSES.index("load"), SPACES.index("global")
#: Ranges that are told apart; of more, all that lies between them counts.
_MOST = 1 << 20


def note_accesses(rows: np.ndarray, pieces: np.ndarray | None, memory: Memory) -> Iterator[tuple[Finding, int]]:
    """Take what a launch has written out of the uninitialized bytes of a memory; a finding for each array of which it
    has loaded others, with the place. Without ``pieces``, which say what the rows touch, all may be written.
    """
    entries = [entry for entry in memory.allocations() if entry.uninitialized.hi]
    if not entries:
        return
    if pieces is None:
        for entry in entries:
            entry.uninitialized.remove(entry.start, entry.end)
        return
    row = pieces["row"].astype(np.int64)
    loads = rows["access"][row] == _LOAD
    ours = rows["space"][row] == _GLOBAL
    read, counters = _ranges(pieces[ours & loads]), rows["pc"][row[ours & loads]]
    written, _ = _ranges(pieces[ours & ~loads])
    for entry in entries:
        before = entry.uninitialized.pieces(entry.start, entry.end)
        for first, last in _inside(written, entry):
            entry.uninitialized.remove(first, last)
        found = _missing(entry, *read)
        if found:
            first, last, piece = found
            region = Region(memory.name, 0, first - memory.base, last - first)
            whole = before == [(entry.start, entry.end)]
            span = first - entry.start, last - entry.start
            yield rules.uninitialized.loaded(region, span, entry.name, whole), int(counters[piece])


def _ranges(pieces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of pieces, int64 [n, 2], and of which piece each range is."""
    start, run, stride, count = (pieces[name].astype(np.int64) for name in ("start", "run", "stride", "count"))
    of = np.arange(len(pieces))
    if count.sum() > _MOST:
        return np.stack([start, start + (count - 1) * stride + run], axis=1), of
    of = np.repeat(of, count)
    number = np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count)
    first = start[of] + number * stride[of]
    return np.stack([first, first + run[of]], axis=1), of


def _inside(ranges: np.ndarray, entry: Allocation) -> list[list[int]]:
    """The ranges of an array, those that touch as one."""
    mine = ranges[(ranges[:, 1] > entry.start) & (ranges[:, 0] < entry.end)]
    mine = np.clip(mine[np.argsort(mine[:, 0], kind="stable")], entry.start, entry.end)
    if not len(mine):
        return []
    ends = np.maximum.accumulate(mine[:, 1])
    begins = np.flatnonzero(np.append(True, mine[1:, 0] > ends[:-1]))
    lasts = np.append(begins[1:], len(mine)) - 1
    found: list[list[int]] = np.stack([mine[begins, 0], ends[lasts]], axis=1).tolist()
    return found


def _missing(entry: Allocation, ranges: np.ndarray, of: np.ndarray) -> tuple[int, int, int] | None:
    """The first bytes of an array that are loaded and uninitialized, and by which piece; None where there are none."""
    for first, last in entry.uninitialized.pieces(entry.start, entry.end):
        met = np.flatnonzero((ranges[:, 1] > first) & (ranges[:, 0] < last))
        if len(met):
            begin, end = _inside(np.clip(ranges[met], first, last), entry)[0]
            return begin, end, int(of[met[0]])
    return None
