"""What a trace and a summary have in common: which row shows a record, and the bytes in use of every memory."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from ..simulator.log import ALLOC, FREE, REQUEST, Log, Op
from ..simulator.log.region import owner_numbers, space_numbers

#: Row of a record that no row shows: taking and returning memory is drawn as a counter, requests are for the summary.
HIDDEN = -1
#: Row of what the core's front end does itself: syncs, barriers, and marks without an engine. They may lie
#: beside work that is still under way in their pipe, so they cannot share the pipe's row.
FRONT_END = 0


def _is_sync(op: Op) -> bool:
    """Whether an instruction does nothing but wait; the scalar unit waits for its own work."""
    return bool(op.waits) and not op.engine.startswith("scalar")


def rows(log: Log) -> np.ndarray:
    """Row of every record within its core, int64 [records]: `HIDDEN`, `FRONT_END`, or 1 + its pipe."""
    hidden = np.array([op.name in (ALLOC, FREE, REQUEST) for op in log.ops], bool)
    front_end = np.array([not op.engine or bool(op.barrier) or _is_sync(op) for op in log.ops], bool)
    op = log.records["op"]
    row = np.where(front_end[op], FRONT_END, log.records["pipe"].astype(np.int64) + 1)
    return np.where(hidden[op], HIDDEN, row)


def covered(begin: np.ndarray, end: np.ndarray) -> int:
    """How many bytes intervals cover, each byte counted once."""
    order = np.argsort(begin, kind="stable")
    begin, end = (side[order].astype(np.int64) for side in (begin, end))
    reached = np.maximum.accumulate(np.append(0, end))[:-1]
    return int(np.maximum(end - np.maximum(begin, reached), 0).sum())


def bytes_in_use(log: Log) -> dict[tuple[str, int], tuple[np.ndarray, np.ndarray]]:
    """Per memory (space, owner) that the kernel takes bytes of: the records that change it, and the bytes after each.

    Memory that several tasks hold at once (a variable that a cluster shares) counts once. Both arrays are
    int64 and in order of execution.
    """
    if bytes_in_use not in log.kept:
        log.kept[bytes_in_use] = _bytes_in_use(log)
    found: dict[tuple[str, int], tuple[np.ndarray, np.ndarray]] = log.kept[bytes_in_use]
    return found


def _bytes_in_use(log: Log) -> dict[tuple[str, int], tuple[np.ndarray, np.ndarray]]:
    spaces = tuple(log.shape.spaces)
    takes, gives = log.which(lambda op: op.name == ALLOC), log.which(lambda op: op.name == FREE)
    changes = np.flatnonzero(takes | gives)
    places = log.operands[log.records["first"][changes]]
    owners = zip(space_numbers(places["key"]).tolist(), owner_numbers(places["key"]).tolist(), strict=True)
    holders: Counter[tuple[int, int]] = Counter()
    used: Counter[tuple[int, int]] = Counter()
    history: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    columns = (changes.tolist(), takes[changes].tolist(), places["key"].tolist(), places["bytes"].tolist(), owners)
    for index, taken, key, size, memory in zip(*columns, strict=True):
        place = key, size
        if taken:
            used[memory] += 0 if holders[place] else size
            holders[place] += 1
        else:
            holders[place] -= 1
            used[memory] -= 0 if holders[place] else size
        history[memory].append((index, used[memory]))
    return {
        (spaces[space], owner): (np.array([i for i, _ in steps]), np.array([level for _, level in steps]))
        for (space, owner), steps in sorted(history.items(), key=lambda entry: (spaces[entry[0][0]], entry[0][1]))
    }
