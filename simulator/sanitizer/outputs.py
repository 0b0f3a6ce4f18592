"""Bytes of an output that no task has written: a tail that the loop over tiles leaves out, the part of a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..findings import Finding, rules
from ..log import ARITHMETIC, NOWHERE, Log, pieces_of, region_of

#: Gaps between what was written that are looked at: more of them are a pattern, and meant.
_MOST_GAPS = 64


@dataclass(frozen=True)
class Output:
    """An array that a kernel may write: its name, the number of its first byte in the log, and its bytes.

    ``declared``: the kernel takes it as a pointer to what it may change, so that not to touch it at all is odd.
    """

    name: str
    key: int
    bytes: int
    declared: bool


def unwritten(log: Log, outputs: Iterable[Output]) -> Iterator[Finding]:
    """What no task has written of arrays that are outputs beyond doubt.

    Such an array is read by nobody, and written from its first byte on without a gap but for an end that is smaller
    than a piece that was written; or with few gaps while some tasks have done nothing. One that nobody touches, in a
    launch that writes none, is no less odd.
    """
    arrays = [output for output in outputs if output.bytes]
    device = next(n for n, space in enumerate(log.shape.spaces.values()) if space.scope == "device")
    idle = not any(op.engine and op.name != ARITHMETIC for op in log.ops)  # of that another rule speaks
    if not arrays or idle or log.shape.threads is not None:
        return
    mine = log.operand_spaces == device
    written = mine & log.operand_written
    pieces = pieces_of(log, np.flatnonzero(written))
    if pieces is None:  # too many to look at
        return
    row, begin, end = pieces
    reads = log.operands["key"][mine & ~written]
    read_ends = reads + log.operands["bytes"][mine & ~written]
    for output in arrays:
        low, high = output.key, output.key + output.bytes
        inside = (begin < high) & (end > low)
        touched = bool(((reads < high) & (read_ends > low)).any())
        if touched:
            continue
        if not inside.any():
            if output.declared and not len(begin):
                yield _finding(log, output, 0, output.bytes, -1)
            continue
        order = np.argsort(begin[inside], kind="stable")
        starts, ends, rows = begin[inside][order], end[inside][order], row[inside][order]
        reached = np.maximum.accumulate(ends)
        before = np.concatenate([[low], reached[:-1]]).astype(np.int64)
        gaps = np.flatnonzero(starts.astype(np.int64) > before)
        largest = int((ends - starts).max())
        tail = high - int(reached[-1])
        last = int(rows[int(np.argmax(ends))])
        if not len(gaps):
            if 0 < tail < largest or (tail > 0 and _idle(log, mine)):
                yield _finding(log, output, output.bytes - tail, tail, last)
        elif len(gaps) <= _MOST_GAPS and _idle(log, mine):
            at = int(gaps[0])
            yield _finding(log, output, int(before[at]) - low, int(starts[at]) - int(before[at]), last)


def _idle(log: Log, used: np.ndarray) -> bool:
    """Whether some tasks, but less than half of them, have not used the device's memory; ``used`` are operands there.

    One that has looked at something there may have had its reason to write nothing.
    """
    x, y, z = log.launch.get("dim", (1, 1, 1))
    busy = len(np.unique(log.records["task"][log.owners[used]]))
    return bool(x * y * z / 2 < busy < x * y * z)


def _finding(log: Log, output: Output, begin: int, lost: int, row: int) -> Finding:
    """No task has written some bytes of an output; ``row`` is the operand that reaches farthest, -1 for none."""
    part = "" if lost == output.bytes else f"{lost} of "
    record = int(log.owners[row]) if row >= 0 else -1
    return Finding(
        rules.UNWRITTEN,
        f"no task writes {part}the {output.bytes} bytes of {output.name}"
        + (f", from byte {begin} on" if begin else ""),
        instruction=log.ops[log.records["op"][record]].name if record >= 0 else "",
        region=region_of(output.key + begin, lost, tuple(log.shape.spaces)),
        suggestion="see what the last tile, and each task, leaves to be done",
        kernel=str(log.launch.get("kernel", "")),
        core=int(log.records["core"][record]) if record >= 0 else -1,
        task=int(log.records["task"][record]) if record >= 0 else -1,
        location=log.location(record) if record >= 0 else NOWHERE,
    )
