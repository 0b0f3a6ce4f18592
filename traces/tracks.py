"""What a trace and a summary have in common: which row shows a record, and the bytes in use of every memory."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from ..simulator.log import ALLOC, FREE, REQUEST, Log, Op, Region, region_of

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


def bytes_in_use(log: Log) -> dict[tuple[str, int], tuple[np.ndarray, np.ndarray]]:
    """Per memory (space, owner) that the kernel takes bytes of: the records that change it, and the bytes after each.

    Memory that several tasks hold at once (a variable that a cluster shares) counts once. Both arrays are
    int64 and in order of execution.
    """
    names, spaces = [op.name for op in log.ops], tuple(log.shape.spaces)
    changes = np.isin(log.records["op"], [i for i, name in enumerate(names) if name in (ALLOC, FREE)])
    holders: Counter[Region] = Counter()
    used: Counter[tuple[str, int]] = Counter()
    history: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for index in np.flatnonzero(changes).tolist():
        record = log.records[index]
        key, size, *_ = log.operands[record["first"]].tolist()
        taken = region_of(key, size, spaces)
        memory = taken.space, taken.owner
        if names[record["op"]] == ALLOC:
            used[memory] += taken.bytes if not holders[taken] else 0
            holders[taken] += 1
        else:
            holders[taken] -= 1
            used[memory] -= taken.bytes if not holders[taken] else 0
        history[memory].append((index, used[memory]))
    return {
        memory: (np.array([i for i, _ in steps]), np.array([level for _, level in steps]))
        for memory, steps in sorted(history.items())
    }
