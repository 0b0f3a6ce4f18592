"""The least time that what instructions need of each other leaves: as if nothing waited but for data."""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from ...simulator.log import BLOCKING, Log
from ..tracks import FRONT_END, HIDDEN

#: Records that are put in an order at most: those of the cores that end last, of all where cores wait for each other.
_MOST = 150_000


class FreeOrder(NamedTuple):
    """The kernel's time, 0 where there are too many records; the syncs that scalar code needs, bool [records].

    Code needs a sync where it reads what an instruction before the sync has written.
    """

    kernel_us: float
    needed: np.ndarray


class _Written:
    """Who has written which bytes of a memory last: spans in order that do not overlap."""

    def __init__(self) -> None:
        self.begins: list[int] = []
        self.spans: list[tuple[int, int]] = []  # end, record

    def makers(self, begin: int, end: int) -> list[int]:
        """The records that have written bytes of a span."""
        at = max(bisect_right(self.begins, begin) - 1, 0)
        found = []
        while at < len(self.begins) and self.begins[at] < end:
            if self.spans[at][0] > begin:
                found.append(self.spans[at][1])
            at += 1
        return found

    def write(self, begin: int, end: int, record: int) -> None:
        """A record writes a span."""
        low = bisect_left(self.begins, begin)
        if low and self.spans[low - 1][0] > begin:
            low -= 1
        high = bisect_left(self.begins, end)
        begins, spans = [begin], [(end, record)]
        if low < high:
            first, last = self.begins[low], self.spans[high - 1]
            if first < begin:
                begins, spans = [first, *begins], [(begin, self.spans[low][1]), *spans]
            if last[0] > end:
                begins, spans = [*begins, end], [*spans, last]
        self.begins[low:high], self.spans[low:high] = begins, spans


def free_order(log: Log, us: np.ndarray, row: np.ndarray, phase: np.ndarray, task_us: float) -> FreeOrder:
    """How long a kernel takes if each pipe takes whatever is ready first, and which syncs even that needs.

    ``us`` is how long each record lasts, ``row`` its row in a trace, ``phase`` what lies between two barriers of a
    task, arrays [records]; task n begins n times ``task_us`` after the first. An instruction waits for what has
    written the bytes that it reads, scalar code for its own order, and what comes behind scalar code for that: it may
    take its numbers. Buffers are as many as that needs.
    """
    barrier = log.which(lambda op: op.barrier)
    shown = row != HIDDEN
    order = _Order(log, np.where(barrier, 0.0, us), row, phase, (row == FRONT_END) & ~barrier)
    cores = _chosen(log, shown, bool(barrier.any()))
    if not cores:
        return FreeOrder(0.0, order.needed)
    ends = {core: task_us * int(log.records["task"][np.argmax(log.records["core"] == core)]) for core in cores}
    pieces = {core: order.pieces(np.flatnonzero(shown & (log.records["core"] == core))) for core in cores}
    numbers, counts = np.unique(log.records["work"][barrier], return_counts=True)
    meets = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    waiting: dict[int, list[int]] = defaultdict(list)  # by the number of a barrier: cores
    ready = list(cores)
    while ready:
        core = ready.pop()
        while pieces[core]:
            length, number = pieces[core].pop(0)
            ends[core] += length
            if number is not None:
                waiting[number].append(core)
                if len(waiting[number]) == meets[number]:
                    late = max(ends[other] for other in waiting[number])
                    ends |= dict.fromkeys(waiting[number], late)
                    ready += waiting.pop(number)
                break
    return FreeOrder(max(ends.values()), order.needed)


def _chosen(log: Log, shown: np.ndarray, all_of_them: bool) -> list[int]:
    """The cores whose records are put in order."""
    counts = np.bincount(log.records["core"][shown])
    if all_of_them:
        return np.flatnonzero(counts).tolist() if counts.sum() <= _MOST else []
    chosen, total = [], 0
    for core in np.argsort(-counts, kind="stable").tolist():
        total += int(counts[core])
        if not counts[core] or total > _MOST:
            break
        chosen.append(core)
    return chosen


class _Order:
    """What the records of a core need of each other."""

    def __init__(self, log: Log, us: np.ndarray, row: np.ndarray, phase: np.ndarray, syncs: np.ndarray) -> None:
        self._log, self._us, self._row, self._phase, self._syncs = log, us, row, phase, syncs
        self.needed = np.zeros(len(log), bool)
        self._scalar = {number + 1 for number, name in enumerate(log.pipes) if name == "scalar"}
        self._vague = set(log.runs["operand"].tolist())  # only the bounds of what they touch are looked at

    def pieces(self, mine: np.ndarray) -> list[tuple[float, int | None]]:
        """How long a core takes for what lies between two barriers or ends of tasks, and the number of the barrier."""
        written: dict[int, _Written] = defaultdict(_Written)
        found: list[tuple[float, int | None]] = []
        starts = np.flatnonzero(np.append(True, np.diff(self._phase[mine]) != 0)[: len(mine)])
        for part in np.split(mine, starts[1:]):
            last = int(part[-1])
            op = self._log.op(last)
            number = int(self._log.records["work"][last]) if op.barrier else None
            found.append((self._length(part.tolist(), written), number))
        return found

    def _length(self, records: list[int], written: dict[int, _Written]) -> float:
        """How long some records of a core take if each pipe takes what is ready, the first in the program first."""
        at = {record: number for number, record in enumerate(records)}
        us, rows = self._us[records].tolist(), self._row[records].tolist()
        left, then = [0] * len(records), defaultdict[int, list[int]](list)
        blocking = (self._log.records["flags"][records] & BLOCKING) != 0
        code, syncs = -1, list[int]()  # the last record of scalar code
        for number, record in enumerate(records):
            wanted = self._needs(record, written)
            if self._syncs[record]:
                syncs.append(number)
                us[number] = 0.0
                continue
            before = {at[other] for other in wanted if other in at}
            if rows[number] in self._scalar:
                for sync in {bisect_left(syncs, other) for other in before if not blocking[other]} - {len(syncs)}:
                    us[number] += 0.0 if self.needed[records[syncs[sync]]] else self._us[records[syncs[sync]]]
                    self.needed[records[syncs[sync]]] = True
            if code >= 0:
                before.add(code)
            for other in before:
                then[other].append(number)
            left[number] = len(before)
            if rows[number] in self._scalar:
                code = number
        return _scheduled(us, rows, left, then)

    def _needs(self, record: int, written: dict[int, _Written]) -> list[int]:
        """The records of a core that have written what one of them reads; what that writes is noted."""
        log = self._log
        op, first = log.op(record), int(log.records["first"][record])
        keys, sizes = (log.operands[name][first : first + len(op.operands)].tolist() for name in ("key", "bytes"))
        needs: list[int] = []
        for place, (key, size, writes) in enumerate(zip(keys, sizes, op.writes, strict=True)):
            if not writes and size:
                needs += written[key >> 40].makers(key, key + (1 if first + place in self._vague else size))
        for key, size, writes in zip(keys, sizes, op.writes, strict=True):
            if writes and size:
                written[key >> 40].write(key, key + size, record)
        return needs


def _scheduled(us: list[float], rows: list[int], left: list[int], then: dict[int, list[int]]) -> float:
    """When the last record ends; ``left`` is how many records each waits for, ``then`` who waits for it."""
    events = [(0.0, number) for number, count in enumerate(left) if not count]
    free: dict[int, float] = defaultdict(float)
    queues: dict[int, list[int]] = defaultdict(list)
    end = 0.0
    while events:
        now = events[0][0]
        touched = set()
        while events and events[0][0] <= now:
            _, number = heapq.heappop(events)  # a record that is ready, or -1 - a row that is free
            if number >= 0:
                heapq.heappush(queues[rows[number]], number)
            touched.add(rows[number] if number >= 0 else -1 - number)
        for pipe in touched:
            if not queues[pipe] or free[pipe] > now:
                continue
            number = heapq.heappop(queues[pipe])
            done = now + us[number]
            free[pipe], end = done, max(end, done)
            heapq.heappush(events, (done, -1 - pipe))
            for other in then.get(number, ()):
                left[other] -= 1
                if not left[other]:
                    heapq.heappush(events, (done, other))
    return end
