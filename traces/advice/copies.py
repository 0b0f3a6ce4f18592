"""Copies that are too short, that bring what is there already or what a neighbour brings too, or that have gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...simulator.log import Log
from ...simulator.log.region import owner_numbers
from ...simulator.text import percent, size
from .question import Advice, Question

#: Copies that become one at most.
_MOST_JOINED = 256


def fewer_copies(question: Question) -> Iterator[Advice]:
    """Copies of a loop that become one for several turns: start-up and latency once, the bytes of all."""
    copies = question.of("io") & (question.far >= 0) & (question.near >= 0)
    found = [(line, mine, _groups(question, mine)) for line, mine in question.lines(copies)]
    found = [(line, mine, place) for line, mine, place in found if place.max(initial=0) > 0]
    for part in ([entry] for entry in found):
        yield from _joined(question, part)
    if len(found) > 1:
        yield from _joined(question, found)


def _groups(question: Question, mine: np.ndarray) -> np.ndarray:
    """Of every record of a line its number among those that can become one copy, 0 for the first; int64 [records].

    They belong to one task, have no barrier between them and lie at equal distances in the device's memory; what one
    reads is not what another instruction has written there since the first.
    """
    place = np.zeros(len(mine), np.int64)
    records = question.order[mine[question.order]]
    if len(records) < 2:
        return place
    log = question.log
    keys = log.operands["key"][question.far[records]].astype(np.int64)
    work, phase = question.records["work"][records].astype(np.int64), question.phase[records]
    step = np.diff(keys)
    joins = (
        (np.diff(phase) == 0) & (np.diff(work) == 0) & (step >= work[1:]) & (question.records["gaps"][records[1:]] == 0)
    )
    joins[1:] &= ~joins[:-1] | (step[1:] == step[:-1])
    even = step == work[1:]  # of two rows from anywhere one comes after the other often, of three rarely as far
    even[1:] |= step[1:] == step[:-1]
    even[:-1] |= step[1:] == step[:-1]
    joins &= even
    joins &= ~_rewritten(question, records)
    starts = np.append(0, np.where(joins, 0, np.arange(1, len(records))))
    place[records] = np.arange(len(records)) - np.maximum.accumulate(starts)
    return place


def _rewritten(question: Question, records: np.ndarray) -> np.ndarray:
    """Whether what a record reads of the device's memory is written between the one before it and itself."""
    found = np.zeros(len(records) - 1, bool)
    rows = question.far[records]
    if question.log.operand_written[rows[0]]:
        return found
    operands, stores = question.log.operands[rows], _Stores(question)
    for number in np.flatnonzero(stores.meet(operands)[1:]).tolist():
        writers = stores.of(operands[number + 1])
        found[number] = bool(((writers > records[number]) & (writers < records[number + 1])).any())
    return found


class _Stores:
    """What the copies of a launch write to the device's memory."""

    def __init__(self, question: Question) -> None:
        rows = question.far[question.far >= 0]
        rows = rows[question.log.operand_written[rows]]
        rows = rows[np.argsort(question.log.operands["key"][rows], kind="stable")]
        operands = question.log.operands[rows]
        self._records, self._begin = question.log.owners[rows], operands["key"]
        self._end = operands["key"] + operands["bytes"]
        self._last = np.maximum.accumulate(self._end)

    def meet(self, operands: np.ndarray) -> np.ndarray:
        """Whether bytes of operands are written, bool [operands]."""
        found = np.zeros(len(operands), bool)
        if len(self._begin):
            at = np.searchsorted(self._begin, operands["key"] + operands["bytes"])
            found = (at > 0) & (self._last[np.maximum(at - 1, 0)] > operands["key"])
        return found

    def of(self, operand: np.void) -> np.ndarray:
        """The records that write bytes of an operand."""
        at = np.searchsorted(self._begin, operand["key"] + operand["bytes"])
        writers: np.ndarray = self._records[:at][self._end[:at] > operand["key"]]
        return writers


def _joined(question: Question, found: list[tuple[int, np.ndarray, np.ndarray]]) -> Iterator[Advice]:
    """Advice for some lines: so many copies of each as one that the launch is quickest."""
    longest = min(int(place.max()) + 1 for _, _, place in found)
    room = _room(question, found)
    best = (question.timeline.total_us, 1)
    count = 2
    while count <= min(longest, room, _MOST_JOINED):
        best = min(best, (question.after(_with_joined(question, found, count)), count))
        if count == longest:
            break
        count = min(2 * count, longest)
    if best[1] == 1:
        return
    mine = np.any([chosen for _, chosen, _ in found], axis=0)
    fixed = float(question.fixed_us[mine].sum() / question.us[mine].sum())
    lines = [line for line, _, _ in found]
    bytes_ = size(int(np.median(question.records["work"][found[0][1]])))
    text = (
        f"copy {best[1]} times as much at a time at {question.names(lines)}: {percent(min(fixed, 1.0))} of a copy of "
        f"{bytes_} is start-up and latency"
    )
    everything = _with_joined(question, found, int(max(place.max() for _, _, place in found)) + 1)
    yield question.advice("short copies", lines[0], text, best[0], question.least(everything), len(lines))


def _room(question: Question, found: list[tuple[int, np.ndarray, np.ndarray]]) -> int:
    """How many copies of each line the memory has room for that holds what they bring."""
    needed, least = 0, float("inf")
    for _, mine, place in found:
        rows = question.near[mine]
        same = len(np.unique(question.log.operands["key"][rows])) <= len(rows) // 2
        if same:
            needed += int(question.records["work"][mine].max())
            least = min(least, _free(question, np.flatnonzero(mine & (place > 0))))
    return max(int(least // needed) + 1, 1) if needed else _MOST_JOINED


def _with_joined(question: Question, found: list[tuple[int, np.ndarray, np.ndarray]], count: int) -> Log:
    """The log with ``count`` copies of each line as one: the first of those that read, the last of those that write."""
    log, gone = question.log, np.zeros(len(question.log), bool)
    times = np.ones(len(log), np.int64)
    for _, mine, place in found:
        records = question.order[mine[question.order]]
        number = place[records]
        first = np.maximum.accumulate(np.where(number % count == 0, np.arange(len(records)), 0))
        held = np.bincount(first, minlength=len(records))
        heads = np.flatnonzero(held)
        writes = log.operand_written[question.far[records[0]]]
        keep = heads + held[heads] - 1 if writes else heads
        gone[records] = True
        gone[records[keep]] = False
        times[records[keep]] = held[heads]
    changed = question.without(gone)
    records, operands = changed.records, changed.operands
    kept = times > 1
    records["work"][kept] *= times[kept].astype(np.uint64)
    for rows in (question.far, question.near):
        operands["bytes"][rows[kept]] *= times[kept].astype(np.uint64)
    return changed


def kept_copies(question: Question) -> Iterator[Advice]:
    """Copies of bytes that the core has brought before, and that are never written: they stay where they are."""
    log = question.log
    for line, copies in question.lines(_constant(question)):
        records = np.flatnonzero(copies)
        source = log.operands[question.far[records]]
        columns = question.records["core"][records], question.records["task"][records], source["key"], source["bytes"]
        _, first = np.unique(np.stack([column.astype(np.int64) for column in columns]), axis=1, return_index=True)
        again = copies.copy()
        again[records[first]] = False
        kept = int(question.records["work"][records[first]].sum() // len(np.unique(question.records["core"][records])))
        if not again.any() or kept > _free(question, records):
            continue
        without = question.without(again)
        text = f"keep what line {question.name(line)} copies, {size(kept)} on a core: it brings the same again"
        yield question.advice("again", line, text, question.after(without), question.least(without))


def _constant(question: Question) -> np.ndarray:
    """The copies from the device's memory of bytes that are never written in this launch, bool [records]."""
    mine = question.of("io") & (question.far >= 0) & (question.near >= 0)
    rows = question.far[mine]
    mine[mine] = ~question.log.operand_written[rows] & ~_Stores(question).meet(question.log.operands[rows])
    return mine


def _free(question: Question, records: np.ndarray) -> int:
    """Bytes left of the memory that some copies go to."""
    log = question.log
    name = list(log.shape.spaces)[int(log.operand_spaces[question.near[records[0]]])]
    return log.shape.spaces[name].budget - question.most_in_use.get(name, 0)


def shared_copies(question: Question) -> Iterator[Advice]:
    """The same bytes for several cores of a cluster: one copy to the memory that they share, and from there to each."""
    log, shape = question.log, question.log.shape
    shared = next((name for name, space in shape.spaces.items() if space.scope == "cluster"), "")
    move = question.rates.engines.get("move")
    if not shared or not move or shape.cores_per_cluster < 2 or log.kind.together(shape) < 2:
        return
    for line, copies in question.lines(_constant(question) & (question.records["core"] < shape.cores)):
        records = np.flatnonzero(copies)
        source = log.operands[question.far[records]]
        cluster = owner_numbers(log.operands["key"][question.near[records]]) // shape.cores_per_cluster
        columns = np.stack([cluster, source["key"].astype(np.int64), source["bytes"].astype(np.int64)])
        _, first, which = np.unique(columns, axis=1, return_index=True, return_inverse=True)
        if len(first) == len(records):
            continue
        users = np.bincount(which.reshape(-1))
        if users.max() < 2:
            continue
        others = copies.copy()
        others[records[first]] = False
        work = question.records["work"][others].astype(float)
        costs = question.costing(others, (move.startup_cycles + work / move.rate) / question.rates.clock_mhz)
        text = (
            f"let one core of a cluster copy to {shared.upper()} what line {question.name(line)} brings to each: "
            f"the same bytes for {int(users.max())} cores"
        )
        least = replace(question.costing(copies, 0.0), moved=costs.moved)
        after = question.after(log, costs)
        yield question.advice("shared", line, text, after, question.least(log, least))


def strided_copies(question: Question) -> Iterator[Advice]:
    """Strided copies that become whole: no cost for further parts."""
    log, rates = question.log, question.rates
    engines = [None if op.granule > 1 else rates.engines.get(op.engine) for op in log.ops]  # accesses are no parts
    copies = np.array([engine is not None and engine.part_cycles > 0 for engine in engines], bool)[log.records["op"]]
    for line, mine in question.lines(copies & (log.records["gaps"] > 0)):
        records = log.records.copy()
        records["gaps"][mine] = 0
        whole = replace(log, records=records)
        text = f"lay out the data so that the strided copy at line {question.name(line)} is in one piece"
        yield question.advice("strides", line, text, question.after(whole), question.least(whole))
