"""Replay of a log against the rates of a device: when each instruction would start and end, and why not earlier.

Every pipe of every core is a queue served in order, every channel (the DRAM, a cluster's port to it) is a
server shared by its users. An instruction starts when the last of these allows it:

    start = max(front end of the core, pipe free, what it waits for, channel free)

The winning term is kept as the reason, with the record that held it up, so that no gap is unexplained.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from .device import Rates
from .log import BLOCKING, Log


class Reason(IntEnum):
    """Why an instruction did not start earlier."""

    LAUNCH = 0  # the task began here
    ISSUE = 1  # program order: the core's front end got here only now
    PIPE = 2  # its own pipe was busy with the record named as cause
    WAIT = 3  # a blocking instruction or a sync waited for the record named as cause
    BARRIER = 4  # the last task to arrive was the record named as cause
    CHANNEL = 5  # a shared channel was busy with the record named as cause


@dataclass(frozen=True)
class Timeline:
    """Start and end of every record, in microseconds from the launch; arrays are parallel to ``log.records``."""

    log: Log
    rates: Rates
    start: np.ndarray
    end: np.ndarray
    reason: np.ndarray
    cause: np.ndarray  # index of the record that held it up, -1 if none
    total_us: float
    assumed_share: float  # share of the busy time that rests on assumed rates, 0..1
    not_modelled: tuple[str, ...]  # instructions without a cost in the device file: the time lacks them


def replay(log: Log, rates: Rates) -> Timeline:
    """Time a log with ``rates`` (the shape stays the log's own)."""
    costs = _Costs(log, rates)
    count = len(log)
    start, end = np.zeros(count), np.zeros(count)
    reason, cause = np.zeros(count, np.uint8), np.full(count, -1, np.int64)
    if count:
        _Replay(log, rates, costs).run(start, end, reason, cause)
    busy = costs.duration.sum()
    return Timeline(
        log,
        rates,
        start,
        end,
        reason,
        cause,
        float(end.max(initial=0.0)) + rates.launch_overhead_us,
        float(costs.duration[costs.assumed].sum() / busy) if busy else 0.0,
        costs.not_modelled,
    )


class _Costs:
    """Duration of every record without waiting, and its bytes on each channel; all vectorised."""

    def __init__(self, log: Log, rates: Rates) -> None:
        op = log.records["op"]
        work = log.records["work"].astype(np.float64)
        names, spaces = list(log.ops), log.space_index()
        cycle_us = 1.0 / rates.clock_mhz
        missing = sorted({o.name for o in names if o.engine and o.engine not in rates.engines})
        self.not_modelled = tuple(missing)
        startup, per_cycle, quantum = (np.zeros(len(names)) for _ in range(3))
        assumed = np.zeros(len(names), bool)
        for index, entry in enumerate(names):
            engine = rates.engines.get(entry.engine)
            per_cycle[index], quantum[index] = 1.0, 1.0
            if engine is None:
                work[op == index] = 0.0
                continue
            startup[index], per_cycle[index], quantum[index] = engine.startup_cycles, engine.per_cycle, engine.quantum
            if entry.barrier:
                work[op == index] = 0.0
            assumed[index] = any(
                rates.kind(f"engines.{entry.engine}.{key}") == "assumed" for key in ("startup_cycles", "per_cycle")
            )
        self.duration = (startup[op] + np.ceil(work / quantum[op]) * quantum[op] / per_cycle[op]) * cycle_us
        self.assumed = assumed[op]
        self.channels: list[tuple[str, str, np.ndarray]] = []  # scope, and microseconds on it per record
        order = list(log.shape.spaces)
        for name, channel in rates.channels.items():
            used = np.isin(spaces, [order.index(space) for space in channel.spaces if space in order])
            moved = np.where(used, log.records["operands"]["bytes"], 0).sum(axis=1)
            occupied = moved / (channel.gb_per_s * 1e3)
            self.channels.append((name, channel.scope, occupied))
            self.duration = np.maximum(self.duration, np.where(moved > 0, self.duration * 0 + occupied, 0.0))
            self.duration += np.where(moved > 0, channel.latency_ns * 1e-3, 0.0)


class _Replay:
    """The clocked walk: always the core whose front end is earliest goes next, ties by core number."""

    def __init__(self, log: Log, rates: Rates, costs: _Costs) -> None:
        self.log, self.costs = log, costs
        self.issue_us = rates.engines["scalar"].startup_cycles / rates.clock_mhz
        members: dict[int, int] = defaultdict(int)
        for work in log.records["work"][np.isin(log.records["op"], self._barriers())]:
            members[int(work)] += 1
        self.members = members

    def _barriers(self) -> list[int]:
        return [index for index, op in enumerate(self.log.ops) if op.barrier]

    def run(self, start: np.ndarray, end: np.ndarray, reason: np.ndarray, cause: np.ndarray) -> None:
        """Fill the four arrays."""
        log, records = self.log, self.log.records
        cores, queues = records["core"], {}
        for core in np.unique(cores):
            queues[int(core)] = np.flatnonzero(cores == core).tolist()
        pipe, op = records["pipe"].tolist(), records["op"].tolist()
        blocking = ((records["flags"] & BLOCKING) != 0).tolist()
        duration = self.costs.duration.tolist()
        work = records["work"].tolist()
        waits = [tuple(log.pipes.index(p) for p in o.waits if p in log.pipes) for o in log.ops]
        barrier = [bool(o.barrier) for o in log.ops]
        timeless = [not o.engine for o in log.ops]
        per_cluster = log.shape.cores_per_cluster
        channels = [(scope, occupied.tolist()) for _, scope, occupied in self.costs.channels]
        free: dict[tuple[int, int], tuple[float, int]] = {}  # (core, pipe) -> time, record
        served: dict[tuple[int, int], tuple[float, int]] = {}  # (channel, unit) -> time, record
        meetings: dict[int, list[tuple[float, int, int]]] = defaultdict(list)
        position = dict.fromkeys(queues, 0)
        heap = [(0.0, core) for core in sorted(queues)]
        front_cause = dict.fromkeys(queues, (int(Reason.LAUNCH), -1))
        npipes = len(log.pipes)

        while heap:
            now, core = heapq.heappop(heap)
            queue, at = queues[core], position[core]
            if at == len(queue):
                continue
            i = queue[at]
            position[core] = at + 1
            o = op[i]
            why, who = front_cause[core]
            begin = now
            if timeless[o] and not waits[o] and not barrier[o]:
                start[i] = end[i] = now
                reason[i], cause[i] = why, who
                heapq.heappush(heap, (now, core))
                continue
            if blocking[i]:
                for p in range(npipes):
                    at_free = free.get((core, p))
                    if at_free and at_free[0] > begin:
                        begin, why, who = at_free[0], (Reason.PIPE if p == pipe[i] else Reason.WAIT), at_free[1]
            elif not waits[o]:
                at_free = free.get((core, pipe[i]))
                if at_free and at_free[0] > begin:
                    begin, why, who = at_free[0], Reason.PIPE, at_free[1]
            for p in waits[o]:
                at_free = free.get((core, p))
                if at_free and at_free[0] > begin:
                    begin, why, who = at_free[0], Reason.WAIT, at_free[1]
            if barrier[o]:
                meeting = meetings[work[i]]
                meeting.append((begin, i, core))
                start[i], reason[i], cause[i] = begin, why, who
                if len(meeting) == self.members[work[i]]:
                    last, last_record, _ = max(meeting)
                    done = last + duration[i]
                    for arrived, record, member in meeting:
                        end[record] = done
                        if arrived < last:
                            reason[record], cause[record] = Reason.BARRIER, last_record
                        front_cause[member] = (int(Reason.BARRIER), last_record)
                        heapq.heappush(heap, (done, member))
                continue
            for c, (scope, occupied) in enumerate(channels):
                if occupied[i]:
                    unit = 0 if scope == "device" else core // per_cluster if scope == "cluster" else core
                    busy = served.get((c, unit))
                    if busy and busy[0] > begin:
                        begin, why, who = busy[0], Reason.CHANNEL, busy[1]
            for c, (scope, occupied) in enumerate(channels):
                if occupied[i]:
                    unit = 0 if scope == "device" else core // per_cluster if scope == "cluster" else core
                    served[c, unit] = (begin + occupied[i], i)
            finish = begin + duration[i]
            start[i], end[i], reason[i], cause[i] = begin, finish, int(why), who
            if not waits[o]:
                free[core, pipe[i]] = (finish, i)
            if blocking[i] or waits[o]:
                front_cause[core] = (int(Reason.WAIT), i)
                heapq.heappush(heap, (finish, core))
            else:
                front_cause[core] = (int(Reason.ISSUE), i)
                heapq.heappush(heap, (now + self.issue_us, core))
