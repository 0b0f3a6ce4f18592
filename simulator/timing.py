"""Replay of a log against the rates of a device: when each instruction would start and end, and why not earlier.

Every pipe of every core is a queue served in order. Every channel (the DRAM, a cluster's port to it) is a queue that
its users share, served in the order of their requests. An instruction starts when the last of these allows it:

    start = max(front end of the core, pipe free, what it waits for, channel free)

The winning term is kept as the reason, with the record that held it up, so that no gap is unexplained.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from .costs import Costs
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
    costs = Costs.of(log, rates)
    walk = _Walk(log, rates, costs)
    walk.run()
    end = np.array(walk.end)
    return Timeline(
        log,
        rates,
        np.array(walk.start),
        end,
        np.array(walk.reason, np.uint8),
        np.array(walk.cause, np.int64),
        float(end.max(initial=0.0)) + rates.launch_overhead_us,
        costs.assumed_share,
        costs.not_modelled,
    )


# Plain integers: the walk compares and stores millions of them.
_LAUNCH, _ISSUE, _PIPE, _WAIT, _BARRIER, _CHANNEL = map(int, Reason)


class _Core:
    """One core in the walk: where its front end is, and what its pipes do."""

    __slots__ = ("at", "free", "held", "last", "lines", "now", "number", "open", "queue", "units", "who", "why")

    def __init__(self, number: int, queue: list[int], pipes: int, units: list[int]) -> None:
        self.number, self.queue, self.at, self.units = number, queue, 0, units
        self.now, self.why, self.who = 0.0, _LAUNCH, -1
        self.held = False  # in a meeting, or until a channel has served a blocking record
        self.free, self.last = [0.0] * pipes, [-1] * pipes  # when a pipe is free, and after which record
        # Records that were issued to a pipe behind one that waits for a channel, with the front end's time and reason.
        self.lines: list[deque[tuple[int, float, int, int]]] = [deque() for _ in range(pipes)]
        self.open = 0  # records in all lines


class _Walk:
    """The clocked walk through a log.

    A core runs ahead on its own until it depends on a channel's answer or on a meeting. Requests to channels are
    answered by time, ties by core number and then by record: whoever runs after an answer is later than it, so
    that the order of answers is the order of time.
    """

    def __init__(self, log: Log, rates: Rates, costs: Costs) -> None:
        count, records = len(log), log.records
        self.start, self.end = [0.0] * count, [0.0] * count
        self.reason, self.cause = [_LAUNCH] * count, [-1] * count
        self.issue_us = rates.engines["scalar"].startup_cycles / rates.clock_mhz
        self.duration, self.occupied = costs.duration.tolist(), [used.tolist() for used in costs.occupied]
        self.shared = costs.occupied.any(axis=0).tolist()
        self.pipe, self.work = records["pipe"].tolist(), records["work"].tolist()
        self.waits = [tuple(log.pipes.index(p) for p in op.waits if p in log.pipes) for op in log.ops]
        self.barrier = [bool(op.barrier) for op in log.ops]
        marks = [not (op.engine or op.waits or op.barrier) for op in log.ops]
        everything = tuple(range(len(log.pipes)))
        self.op = records["op"].tolist()
        self.blocking = ((records["flags"] & BLOCKING) != 0).tolist()
        #: Pipes that must be empty before a record starts; None for a mark, which takes no time.
        gates = [(None, None) if mark else (waits, everything) for mark, waits in zip(marks, self.waits, strict=True)]
        self.gates = [gates[op][blocking] for op, blocking in zip(self.op, self.blocking, strict=True)]
        self.asynchronous = [
            not (blocking or log.ops[op].waits or log.ops[op].barrier)
            for op, blocking in zip(self.op, self.blocking, strict=True)
        ]
        meetings = records["work"][np.isin(records["op"], np.flatnonzero(self.barrier))]
        self.members = dict(zip(*(column.tolist() for column in np.unique(meetings, return_counts=True)), strict=True))
        self.meetings: dict[int, list[tuple[float, int, _Core]]] = defaultdict(list)
        self.served: list[dict[int, tuple[float, int]]] = [{} for _ in costs.occupied]
        self.requests: list[tuple[float, int, int]] = []  # time, core, record
        self.ready: list[_Core] = []
        self.cores, self.first = self._cores(log, rates)

    def _cores(self, log: Log, rates: Rates) -> tuple[dict[int, _Core], set[int]]:
        """The cores with their records, and the records that begin a task on a core that has run another."""
        column, tasks, shape = log.records["core"], log.records["task"], log.shape
        order = np.argsort(column, kind="stable")
        numbers, starts = np.unique(column[order], return_index=True)
        cores, first = {}, set()
        for number, queue in zip(numbers.tolist(), np.split(order, starts[1:]), strict=False):
            cluster = number // shape.cores_per_cluster if number < shape.cores else number - shape.cores
            units = [{"device": 0, "cluster": cluster, "core": number}[c.scope] for c in rates.channels.values()]
            cores[number] = _Core(number, queue.tolist(), len(log.pipes), units)
            first.update(queue[1:][np.diff(tasks[queue].astype(np.int64)) != 0].tolist())
        return cores, first

    def run(self) -> None:
        """Fill ``start``, ``end``, ``reason`` and ``cause``."""
        ready, requests = self.ready, self.requests
        ready.extend(self.cores.values())
        while True:
            while ready:
                self._advance(ready.pop())
            if not requests:
                return
            time, number, record = heapq.heappop(requests)
            core = self.cores[number]
            self._serve(core, record, time)
            if not core.held:
                ready.append(core)

    def _advance(self, core: _Core) -> None:
        """Let the front end go on until it waits for a channel, for a meeting, or has no more to do."""
        start, end, reason, cause = self.start, self.end, self.reason, self.cause
        gates, asynchronous, pipe, shared = self.gates, self.asynchronous, self.pipe, self.shared
        duration, first, issue_us = self.duration, self.first, self.issue_us
        queue, at, free, last, lines = core.queue, core.at, core.free, core.last, core.lines
        now, why, who = core.now, core.why, core.who
        while at < len(queue):
            i = queue[at]
            if i in first:
                if core.open:
                    break
                latest = max(free, default=0.0)
                why, who = _LAUNCH, last[free.index(latest)] if latest > now else -1
                now = max(now, latest)
            gate = gates[i]
            if gate is None:
                start[i] = end[i] = now
                reason[i], cause[i] = why, who
                at += 1
                continue
            own = pipe[i]
            if asynchronous[i]:
                at += 1
                if lines[own]:
                    lines[own].append((i, now, why, who))
                    core.open += 1
                else:
                    begin = free[own]
                    if begin > now:
                        reason[i], cause[i] = _PIPE, last[own]
                    else:
                        begin = now
                        reason[i], cause[i] = why, who
                    if shared[i]:
                        self._request(core, i, begin)
                    else:
                        start[i], free[own], last[own] = begin, begin + duration[i], i
                        end[i] = free[own]
                now, why, who = now + issue_us, _ISSUE, i
                continue
            if core.open and any(lines[p] for p in gate):
                break
            at += 1
            begin = now
            for p in gate:
                if free[p] > begin:
                    begin, who = free[p], last[p]
                    why = _PIPE if p == own and self.blocking[i] else _WAIT
            reason[i], cause[i] = why, who
            if self.barrier[self.op[i]]:
                self._meet(core, i, begin)
                break
            if shared[i]:
                core.held = True
                self._request(core, i, begin)
                break
            now, why, who = begin + duration[i], _WAIT, i
            start[i], end[i] = begin, now
            if not self.waits[self.op[i]]:
                free[own], last[own] = now, i
        core.at = at
        if not core.held:
            core.now, core.why, core.who = now, why, who

    def _meet(self, core: _Core, i: int, begin: float) -> None:
        """A record arrives at its meeting; the last one lets all go on."""
        core.held = True
        self.start[i] = begin
        meeting = self.meetings[self.work[i]]
        meeting.append((begin, i, core))
        if len(meeting) < self.members[self.work[i]]:
            return
        latest, last = max((arrived, record) for arrived, record, _ in meeting)
        done = latest + self.duration[last]
        for arrived, record, member in meeting:
            self.end[record] = done
            if arrived < latest:
                self.reason[record], self.cause[record] = _BARRIER, last
            member.now, member.why, member.who, member.held = done, _BARRIER, last, False
            self.ready.append(member)

    def _request(self, core: _Core, i: int, begin: float) -> None:
        """A record could start at ``begin`` and needs a channel for it."""
        core.lines[self.pipe[i]].append((i, begin, self.reason[i], self.cause[i]))
        core.open += 1
        heapq.heappush(self.requests, (begin, core.number, i))

    def _serve(self, core: _Core, i: int, time: float) -> None:
        """Start a record that asked for its channels at ``time``, and those of its pipe behind it.

        Each channel serves it as soon as it is free, whatever the other channels do: what one channel lets through
        early is buffered, so that no channel idles while it has a request.
        """
        begin = time
        for occupied, served, unit in zip(self.occupied, self.served, core.units, strict=True):
            if occupied[i]:
                free, holder = served.get(unit, (0.0, -1))
                if free > begin:
                    begin, self.reason[i], self.cause[i] = free, _CHANNEL, holder
                served[unit] = (max(free, time) + occupied[i], i)
        self._begin(core, i, begin)
        line = core.lines[self.pipe[i]]
        line.popleft()
        core.open -= 1
        while line:
            i, begin, self.reason[line[0][0]], self.cause[line[0][0]] = line[0]
            p = self.pipe[i]
            if core.free[p] > begin:
                begin, self.reason[i], self.cause[i] = core.free[p], _PIPE, core.last[p]
            if self.shared[i]:
                heapq.heappush(self.requests, (begin, core.number, i))
                return
            self._begin(core, i, begin)
            line.popleft()
            core.open -= 1

    def _begin(self, core: _Core, i: int, begin: float) -> None:
        """Start a record that was issued before; if it is a blocking one, the front end goes on at its end."""
        finish = begin + self.duration[i]
        self.start[i], self.end[i] = begin, finish
        if not self.waits[self.op[i]]:
            core.free[self.pipe[i]], core.last[self.pipe[i]] = finish, i
        if not self.asynchronous[i]:
            core.now, core.why, core.who, core.held = finish, _WAIT, i, False
