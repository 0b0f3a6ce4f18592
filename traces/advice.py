"""What would make a run faster: each cause of waiting is removed in turn and the log timed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..simulator.log import BLOCKING, Log
from ..simulator.timing import Costs, Timeline, timed

#: Bytes below which a copy counts as short, gains (shares of the time) that are worth a line, lines that are asked of.
_SHORT, _WORTH, _MOST = 4096, 0.02, 12


@dataclass(frozen=True)
class Advice:
    """A change, the lines that it concerns, and the time that the whole launch would take with it, at best."""

    kind: str
    text: str
    file: str
    line: int
    before_us: float
    after_us: float

    @property
    def gain(self) -> float:
        """Share of the time that it saves, at most."""
        return 1.0 - self.after_us / self.before_us if self.before_us else 0.0

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data."""
        return asdict(self) | {"gain": self.gain}


def advise(timeline: Timeline) -> list[Advice]:
    """All changes that are worth it, the greatest gain first."""
    log, costs = timeline.log, Costs.of(timeline.log, timeline.rates)
    found = [
        *_overlaps(timeline, costs), *_waits(timeline, costs), *_short_copies(timeline, costs),
        *_parts(timeline), *_idle_cores(timeline, costs), *_imbalance(timeline, costs),
    ] if len(log) else []  # fmt: skip
    return sorted((entry for entry in found if entry.gain >= _WORTH), key=lambda entry: -entry.gain)


def _lines(timeline: Timeline, chosen: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The source lines of the chosen records with their records, those that last longest first."""
    loc = timeline.log.records["loc"]
    us = np.bincount(loc[chosen], (timeline.end - timeline.start)[chosen], minlength=len(timeline.log.locations))
    for line in np.argsort(-us, kind="stable")[:_MOST].tolist():
        if us[line] > 0:
            yield line, chosen & (loc == line)


def _advice(timeline: Timeline, kind: str, line: int, text: str, log: Log, costs: Costs) -> Advice:
    place = timeline.log.locations[line]
    after = timed(log, timeline.rates, costs).total_us
    return Advice(kind, text.format(line=place.line), place.file, place.line, timeline.total_us, after)


def _overlaps(timeline: Timeline, costs: Costs) -> Iterator[Advice]:
    """A blocking copy that becomes asynchronous, with as many buffers as that takes."""
    log = timeline.log
    copies = np.array([op.engine in ("io", "move", "gdma") for op in log.ops], bool)[log.records["op"]]
    blocking = copies & ((log.records["flags"] & BLOCKING) != 0)
    chosen = list(_lines(timeline, blocking))
    everything = [("all copies", chosen[0][0], blocking)] if len(chosen) > 1 else []
    for what, line, mine in [*(("the copy at line {line}", line, mine) for line, mine in chosen), *everything]:
        records = log.records.copy()
        records["flags"][mine] &= ~np.uint8(BLOCKING)
        beside = _longest(timeline, ~copies & (np.arange(len(log)) >= 0))
        text = f"overlap {what} with the computation" + (f" at line {beside}" if beside else "")
        yield _advice(timeline, "overlap", line, text, replace(log, records=records), costs)


def _longest(timeline: Timeline, chosen: np.ndarray) -> int:
    """The line of a pipe's records that last longest among the chosen ones; 0 without any."""
    log = timeline.log
    pipes = np.array([bool(op.engine) and not op.waits and not op.barrier for op in log.ops], bool)[log.records["op"]]
    line = next((line for line, _ in _lines(timeline, chosen & pipes)), -1)
    return log.locations[line].line if line >= 0 else 0


def _waits(timeline: Timeline, costs: Costs) -> Iterator[Advice]:
    """A sync that is not there: what it orders would have to be in different buffers."""
    log = timeline.log
    syncs = np.array([op.engine == "sync" and not op.barrier for op in log.ops], bool)[log.records["op"]]
    for line, mine in _lines(timeline, syncs | (syncs & (timeline.end > timeline.start))):
        ops, records = [*log.ops], log.records.copy()
        for number in np.unique(records["op"][mine]).tolist():
            ops.append(replace(log.ops[number], engine="", waits=()))
            records["op"][mine & (log.records["op"] == number)] = len(ops) - 1
        alone, latency = costs.alone.copy(), costs.latency.copy()
        alone[mine] = latency[mine] = 0.0
        yield _advice(
            timeline, "wait", line, "let nothing wait at line {line}, with a buffer more for what it separates",
            replace(log, records=records, ops=tuple(ops)), replace(costs, alone=alone, latency=latency),
        )  # fmt: skip


def _short_copies(timeline: Timeline, costs: Costs) -> Iterator[Advice]:
    """Short copies in a row that become one: start-up and latency once for each run of them on a core."""
    log, rates = timeline.log, timeline.rates
    copies = np.array([op.engine == "io" for op in log.ops], bool)[log.records["op"]]
    short = copies & (log.records["work"] < _SHORT)
    engine = rates.engines.get("io")
    if engine is None:
        return
    order = np.lexsort((np.arange(len(log)), log.records["core"]))
    for line, mine in _lines(timeline, short):
        follows = np.zeros(len(log), bool)
        pipe = log.records["pipe"][order]
        same = mine[order]
        moving = copies[order]
        # A copy follows one of its own line if the record before it on its core is of that line.
        follows[order[1:]] = same[1:] & same[:-1] & moving[1:] & (pipe[1:] == pipe[:-1])
        follows[order[1:]] &= log.records["core"][order[1:]] == log.records["core"][order[:-1]]
        if not follows.any():
            continue
        alone, latency = costs.alone.copy(), costs.latency.copy()
        alone[follows] = np.maximum(alone[follows] - engine.startup_cycles / rates.clock_mhz, 0.0)
        latency[follows] = 0.0
        count = int(follows.sum()) + 1
        text = f"make one copy of the {count:,} short ones at line {{line}}"
        yield _advice(timeline, "short copies", line, text, log, replace(costs, alone=alone, latency=latency))


def _parts(timeline: Timeline) -> Iterator[Advice]:
    """Strided copies that become whole: no cost for further parts."""
    log, rates = timeline.log, timeline.rates
    engines = [None if op.granule > 1 else rates.engines.get(op.engine) for op in log.ops]  # accesses are no parts
    copies = np.array([engine is not None and engine.part_cycles > 0 for engine in engines], bool)[log.records["op"]]
    for line, mine in _lines(timeline, copies & (log.records["gaps"] > 0)):
        records = log.records.copy()
        records["gaps"][mine] = 0
        text = "lay out the data so that the strided copy at line {line} is in one piece"
        yield _advice(timeline, "strides", line, text, log, Costs.of(replace(log, records=records), rates))


def _idle_cores(timeline: Timeline, costs: Costs) -> Iterator[Advice]:
    """Cores without a task that get their part: every record shrinks, what all share stays as busy.

    Where kernels run as blocks of threads, what counts are the multiprocessors without a block: a core is one of the
    places that they have for blocks.
    """
    log, rates, shape = timeline.log, timeline.rates, timeline.log.shape
    cores = np.unique(log.records["core"][log.records["core"] < shape.cores])
    each = shape.cores_per_cluster if log.kind.transactions else 1
    used, there = len(np.unique(cores // each)), shape.cores // each
    if not used or used >= there or any(op.barrier for op in log.ops):
        return
    share = used / there
    kernel = float(timeline.end.max(initial=0.0))
    overhead = timeline.total_us - kernel
    limits = [
        float(costs.moved[number].sum()) / channel.rate
        for number, channel in enumerate(rates.channels.values())
        if channel.scope == "device"
    ]
    handed = rates.task_us * (used - 1), rates.task_us * (there - 1)  # when the last task starts
    after = max([max(kernel - handed[0], 0.0) * share + handed[1], *limits]) + overhead
    place = log.locations[int(log.records["loc"][int(np.argmax(timeline.end))])]
    text = f"use all {there} cores: {there - used} have no task"
    if log.kind.transactions:
        text = f"launch more blocks: {there - used} of {there} multiprocessors have none"
    yield Advice("idle cores", text, place.file, place.line, timeline.total_us, after)


def _imbalance(timeline: Timeline, costs: Costs) -> Iterator[Advice]:
    """Work that is the same on every core: the records of each last as much longer or shorter as that takes."""
    log = timeline.log
    cores, core = np.unique(log.records["core"], return_inverse=True)
    if len(cores) < 2 or any(op.barrier for op in log.ops):
        return
    ends = np.zeros(len(cores))
    np.maximum.at(ends, core, timeline.end)
    if not ends.min() > 0:
        return
    factor = (ends.mean() / ends)[core]
    balanced = replace(costs, alone=costs.alone * factor, latency=costs.latency * factor, moved=costs.moved * factor)
    line = int(log.records["loc"][int(np.argmax(timeline.end))])
    text = f"deal the work evenly: the slowest core takes {ends.max() / ends.mean():.2f} times the mean"
    yield _advice(timeline, "imbalance", line, text, log, balanced)
