"""Bytes of an output that no task has written: a tail that the loop over tiles leaves out, the part of a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..findings import Finding, rules
from ..log import ARITHMETIC, NOWHERE, Log, region_of

#: Pieces of written operands that are looked at; where there are more, nothing is said.
_MOST = 1 << 22
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

    Such an array is read by nobody, and written from its first byte on in pieces without a gap, but for an end that is
    smaller than a piece; or with few gaps while some tasks have done nothing. One that nobody touches, in a
    launch that writes none, is no less odd.
    """
    arrays = [output for output in outputs if output.bytes]
    device = next(n for n, space in enumerate(log.shape.spaces.values()) if space.scope == "device")
    idle = not any(op.engine and op.name != ARITHMETIC for op in log.ops)  # of that another rule speaks
    if not arrays or idle or log.shape.threads is not None:
        return
    mine = log.operand_spaces == device
    written = mine & log.operand_written
    pieces = _pieces(log, np.flatnonzero(written))
    if pieces is None:
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
            if (len(rows) > 1 and 0 < tail < largest) or (tail > 0 and _idle(log, mine)):
                yield _finding(log, output, output.bytes - tail, tail, last)
        elif len(gaps) <= _MOST_GAPS and _idle(log, mine):
            at = int(gaps[0])
            yield _finding(log, output, int(before[at]) - low, int(starts[at]) - int(before[at]), last)


def _pieces(log: Log, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Operand, first and past-the-end key of every run of bytes of some operands; None where there are too many."""
    cut = np.isin(rows, log.runs["operand"])
    whole = rows[~cut]
    found = [(whole, log.operands["key"][whole], log.operands["key"][whole] + log.operands["bytes"][whole])]
    runs = log.runs[np.isin(log.runs["operand"], rows)]
    counts = runs["count"].astype(np.int64).prod(axis=1)
    if counts.sum() + len(whole) > _MOST:
        return None
    of = np.repeat(np.arange(len(runs)), counts)
    number = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    start = runs["start"][of].astype(np.int64)
    for axis in range(3):
        count = runs["count"][of, axis].astype(np.int64)
        start += number % count * runs["stride"][of, axis].astype(np.int64)
        number //= count
    operand = runs["operand"][of]
    key = log.operands["key"][operand] + start.astype(np.uint64)
    # Of operands of which nobody knows more than the bounds, all may have been written.
    span = np.where(runs["run"][of] > 0, runs["run"][of], log.operands["bytes"][operand])
    found.append((operand, key, key + span.astype(np.uint64)))
    operand, begin, end = (np.concatenate(column) for column in zip(*found, strict=True))
    return operand, begin.astype(np.int64), end.astype(np.int64)


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
