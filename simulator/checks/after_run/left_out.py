"""Bytes that a launch leaves out: of an output that no task writes, of an input that no task reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...findings import Finding, rules
from ...flow import Accesses
from ...log import ARITHMETIC, NOWHERE, Log, region_of
from .given import Given
from .off_grid import off_grid

#: Gaps between what was written that are looked at: more of them are a pattern, and meant.
_MOST_GAPS = 64
#: Holes that are a fault beyond doubt: more of them may be the padding of rows.
_FEW_HOLES = 2
#: How much longer than a hole the pieces on both its sides are, at least; the bytes of an element or two.
_HOLE, _ELEMENT = 10, 8
#: The share of tasks that do nothing, at most, where that is odd: more of them may have no work. Where they leave gaps
#: all the same, there are so many pieces for each.
_SOME, _MANY = 1 / 2, 8


def left_out(log: Log, given: Iterable[Given]) -> Iterator[Finding]:
    """What no task has written of arrays that are outputs beyond doubt, or read of those that are inputs.

    Such an array is either written or read, and that from its first byte on without a gap but for an end that is
    smaller than a piece (than all of them, which are alike, if it is read); or with few gaps while some tasks have done
    nothing, or with gaps of whole pieces, but many times as many pieces, while most have; or with holes between pieces
    that are much longer. An output that nobody touches, in a launch that writes none, is no less odd; and so are holes
    of an element or two, and the part of idle tasks, in an array that is read and written.
    """
    arrays = [array for array in given if array.bytes]
    device = next(n for n, space in enumerate(log.shape.spaces.values()) if space.scope == "device")
    idle = not any(op.engine and op.name != ARITHMETIC for op in log.ops)  # of that another rule speaks
    if not arrays or idle or log.kind.transactions:
        return
    used = log.operand_spaces == device
    pieces = Accesses(log).pieces(np.flatnonzero(used))
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
        mine = np.arange(first, last)
        yield from off_grid(log, array.name, low, row[mine], begin[mine], end[mine])
        writes = bool(kinds[0])
        lost = None
        if (kinds == writes).all() and (not writes or array.output):
            lost = _lost(low, high, begin[mine], end[mine], writes, lambda: _idle(log, used))
        if lost is None and array.output and kinds.any():
            if not kinds.all():
                lost = _idle_part(low, high, begin[mine], end[mine], _idle(log, used))
            if lost is None:
                fills = np.array([len(op.operands) == 1 for op in log.ops])[log.records["op"][log.owners[row[mine]]]]
                seen, mine = mine[~kinds], mine[kinds & ~fills]
                lost = _holes(low, begin[mine], end[mine], begin[seen], end[seen])
        if lost is not None:
            yield _finding(log, array, lost, int(row[mine[lost.piece]]))


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
    low: int, high: int, begin: np.ndarray, end: np.ndarray, written: bool, idle: Callable[[], float]
) -> _Lost | None:
    """What the pieces of an array, in the order of their first bytes, leave out."""
    reached = np.maximum.accumulate(end)
    before = np.concatenate([[low], reached[:-1]])
    gaps = np.flatnonzero(begin > before)
    tail = high - int(reached[-1])
    sizes = end - begin
    if not len(gaps):
        tiles = written or (len(sizes) > 1 and int(sizes.min()) == int(sizes.max()))  # what is read may depend on data
        if (tiles and 0 < tail < int(sizes.max())) or (tail > 0 and 0 < idle() <= _SOME):
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
    share, few = idle(), len(gaps) <= _MOST_GAPS
    missing = (int(length.sum()) + tail) / (high - low)
    some = 0 < share <= _SOME and (few or (written and share / 2 < missing < share * 2))
    pieces = share > _SOME and written and len(sizes) >= _MANY * len(gaps) and not (length % beside).any()
    if some or pieces:
        at = int(gaps[0])
        return _Lost(written, int(before[at]) - low, int(length[0]), piece=int(np.argmax(end)), sure=some and few)
    return None


def _holes(low: int, begin: np.ndarray, end: np.ndarray, seen: np.ndarray, until: np.ndarray) -> _Lost | None:
    """Holes of an element or two between pieces that fills do not count as.

    There are no larger ones, or, where pieces from ``seen`` to ``until`` are read, these have the holes.
    """
    if len(begin) < 2:
        return None
    reached = np.maximum.accumulate(end)
    gaps = np.flatnonzero(begin[1:] > reached[:-1]) + 1
    length, sizes = begin[gaps] - reached[gaps - 1], end - begin
    holes = (length <= _ELEMENT) & (2 * length <= np.minimum(sizes[gaps], sizes[gaps - 1]))
    if len(seen):
        furthest = np.maximum.accumulate(until)[np.searchsorted(seen, reached[gaps - 1], side="right") - 1]
        holes &= (seen[0] <= reached[gaps - 1]) & (furthest >= begin[gaps])
    elif not holes.all():
        return None
    if not holes.any() or length[holes].min() != length[holes].max():
        return None
    at = int(gaps[holes][0])
    return _Lost(True, int(reached[at - 1]) - low, int(length[holes].sum()), int(holes.sum()), at, sure=False)


def _idle_part(low: int, high: int, begin: np.ndarray, end: np.ndarray, share: float) -> _Lost | None:
    """What nobody touches of an array that is read and written: about the share of the tasks that do nothing."""
    reached = np.maximum.accumulate(end)
    before = np.concatenate([[low], reached[:-1]])
    missing = np.append(np.maximum(begin - before, 0), max(high - int(reached[-1]), 0))
    if share > _SOME or not share / 2 < missing.sum() / (high - low) < share * 2 or (missing > 0).sum() > _FEW_HOLES:
        return None
    at = int(np.argmax(missing))
    where = int(before[at]) if at < len(begin) else int(reached[-1])
    return _Lost(True, where - low, int(missing.sum()), int((missing > 0).sum()), min(at, len(begin) - 1), sure=False)


def _idle(log: Log, used: np.ndarray) -> float:
    """The share of tasks that have not used the device's memory; ``used`` are operands there.

    One that has looked at something there may have had its reason to write nothing.
    """
    x, y, z = log.launch.get("dim", (1, 1, 1))
    busy = len(np.unique(log.records["task"][log.owners[used]]))
    return float(1 - busy / (x * y * z))


def _finding(log: Log, array: Given, lost: _Lost, row: int) -> Finding:
    """No task has used some bytes of an array; ``row`` is an operand beside them, -1 for none."""
    span = lost.bytes if lost.places == 1 else array.bytes - lost.begin
    record = int(log.owners[row]) if row >= 0 else -1
    untouched = rules.left_out.untouched(
        lost.written, lost.sure, array.name, array.bytes, lost.bytes, lost.begin, lost.places
    )
    return replace(
        untouched,
        instruction=log.ops[log.records["op"][record]].name if record >= 0 else "",
        region=region_of(array.key + lost.begin, span, tuple(log.shape.spaces)),
        kernel=str(log.launch.get("kernel", "")),
        core=int(log.records["core"][record]) if record >= 0 else -1,
        task=int(log.records["task"][record]) if record >= 0 else -1,
        location=log.location(record) if record >= 0 else NOWHERE,
    )
