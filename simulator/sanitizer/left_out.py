"""Bytes that a launch leaves out: of an output that no task writes, of an input that no task reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..findings import ADVICE, Finding, rules
from ..log import ARITHMETIC, NOWHERE, Log, pieces_of, region_of
from .given import Given

#: Gaps between what was written that are looked at: more of them are a pattern, and meant.
_MOST_GAPS = 64
#: Holes that are a fault beyond doubt: more of them may be the padding of rows.
_FEW_HOLES = 2
#: How much longer than a hole the pieces on both its sides are, at least.
_HOLE = 10


def left_out(log: Log, given: Iterable[Given]) -> Iterator[Finding]:
    """What no task has written of arrays that are outputs beyond doubt, or read of those that are inputs.

    Such an array is either written or read, and that from its first byte on without a gap but for an end that is
    smaller than a piece (than all of them, which are alike, if it is read); or with few gaps while some tasks have done
    nothing; or with holes between pieces that are much longer. An output that nobody touches, in a launch that writes
    none, is no less odd.
    """
    arrays = [array for array in given if array.bytes]
    device = next(n for n, space in enumerate(log.shape.spaces.values()) if space.scope == "device")
    idle = not any(op.engine and op.name != ARITHMETIC for op in log.ops)  # of that another rule speaks
    if not arrays or idle or log.shape.threads is not None:
        return
    used = log.operand_spaces == device
    pieces = pieces_of(log, np.flatnonzero(used))
    if pieces is None:
        return
    row, begin, end = pieces
    order = np.argsort(begin, kind="stable")
    row, begin, end = row[order], begin[order], end[order]
    written = log.operand_written[row]
    nothing_written = not written.any()
    for array in arrays:
        low, high = array.key, array.key + array.bytes
        first, last = np.searchsorted(begin, (low, high))
        kinds = written[first:last]
        if not len(kinds):
            if array.declared and array.output and nothing_written:
                yield _finding(log, array, _Lost(True, 0, array.bytes), -1)
            elif not array.output:
                yield _finding(log, array, _Lost(False, 0, array.bytes), -1)
            continue
        writes = bool(kinds[0])
        if (kinds != writes).any() or (writes and not array.output):
            continue
        lost = _lost(low, high, begin[first:last], end[first:last], writes, lambda: _idle(log, used))
        if lost is not None:
            yield _finding(log, array, lost, int(row[first + lost.piece]))


@dataclass(frozen=True)
class _Lost:
    """Bytes of an array that are left out: where the first begin, how many there are, in how many places."""

    written: bool
    begin: int
    bytes: int
    places: int = 1
    piece: int = 0  # beside it
    sure: bool = True


def _lost(
    low: int, high: int, begin: np.ndarray, end: np.ndarray, written: bool, idle: Callable[[], bool]
) -> _Lost | None:
    """What the pieces of an array, in the order of their first bytes, leave out."""
    reached = np.maximum.accumulate(end)
    before = np.concatenate([[low], reached[:-1]])
    gaps = np.flatnonzero(begin > before)
    tail = high - int(reached[-1])
    sizes = end - begin
    if not len(gaps):
        tiles = written or (len(sizes) > 1 and int(sizes.min()) == int(sizes.max()))  # what is read may depend on data
        if (tiles and 0 < tail < int(sizes.max())) or (tail > 0 and idle()):
            return _Lost(written, high - low - tail, tail, piece=int(np.argmax(end)))
        return None
    length = (begin - before)[gaps]
    beside = np.minimum(sizes[gaps], np.where(gaps, sizes[gaps - 1], sizes[gaps]))
    holes = length * _HOLE <= beside
    if holes.any():
        at = int(gaps[holes][0])
        places = int(holes.sum())
        sure = places <= _FEW_HOLES
        return _Lost(written, int(before[at]) - low, int(length[holes].sum()), places, at, sure)
    if len(gaps) <= _MOST_GAPS and idle():
        at = int(gaps[0])
        return _Lost(written, int(before[at]) - low, int(length[0]), piece=int(np.argmax(end)))
    return None


def _idle(log: Log, used: np.ndarray) -> bool:
    """Whether some tasks, but less than half of them, have not used the device's memory; ``used`` are operands there.

    One that has looked at something there may have had its reason to write nothing.
    """
    x, y, z = log.launch.get("dim", (1, 1, 1))
    busy = len(np.unique(log.records["task"][log.owners[used]]))
    return bool(x * y * z / 2 < busy < x * y * z)


def _finding(log: Log, array: Given, lost: _Lost, row: int) -> Finding:
    """No task has used some bytes of an array; ``row`` is an operand beside them, -1 for none."""
    part = "" if lost.bytes == array.bytes else f"{lost.bytes} of "
    where = f", from byte {lost.begin} on" if lost.begin else ""
    if lost.places > 1:
        where = f", in {lost.places} gaps, the first at byte {lost.begin}"
    span = lost.bytes if lost.places == 1 else array.bytes - lost.begin
    record = int(log.owners[row]) if row >= 0 else -1
    found = Finding(
        rules.UNWRITTEN if lost.written else rules.UNREAD,
        f"no task {'writes' if lost.written else 'reads'} {part}the {array.bytes} bytes of {array.name}{where}",
        instruction=log.ops[log.records["op"][record]].name if record >= 0 else "",
        region=region_of(array.key + lost.begin, span, tuple(log.shape.spaces)),
        suggestion="see what the last tile, and each task, leaves to be done",
        kernel=str(log.launch.get("kernel", "")),
        core=int(log.records["core"][record]) if record >= 0 else -1,
        task=int(log.records["task"][record]) if record >= 0 else -1,
        location=log.location(record) if record >= 0 else NOWHERE,
    )
    return found if lost.sure else replace(found, severity=ADVICE)
