"""Replay of a log against the rates of a device: when each instruction would start and end, and why not earlier.

Every pipe of every core is a queue served in order. Every channel (the DRAM, a cluster's port to it) is a queue that
its users share, served in the order of their requests. An instruction starts when the last of these allows it:

    start = max(front end of the core, pipe free, what it waits for, channel free)

Queues that run one after the other (outside a parallel section) count as one pipe.

The winning term is kept as the reason, with the record that held it up, so that no gap is unexplained.
"""

from __future__ import annotations

import heapq
import inspect
from collections import defaultdict, deque
from collections.abc import Generator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ..hardware.rates import Rates
from ..log import BLOCKING, SERIAL, Log
from ..text import quoted
from .costs import Costs


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
    """Time a log with ``rates`` (the shape stays the log's own).

    TypeError for arguments of another kind, ValueError for a log whose barriers cannot be met.
    """
    if not isinstance(log, Log):
        raise TypeError(f"log is {quoted(log)}; pass a Log, such as that of a run")
    if not isinstance(rates, Rates):
        raise TypeError(f"rates is {quoted(rates)}; pass Rates, such as those of a device")
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
        float(end.max(initial=0.0)) + (rates.launch_overhead_us if log.launch else 0.0),
        costs.assumed_share,
        costs.not_modelled,
    )


# Plain integers: the walk compares and stores millions of them.
_LAUNCH, _ISSUE, _PIPE, _WAIT, _BARRIER, _CHANNEL = map(int, Reason)


class _Core:
    """One core in the walk: where its front end is, and what its pipes do."""

    __slots__ = ("channels", "free", "front", "held", "last", "lines", "number", "open", "queue", "resume")

    def __init__(self, number: int, queue: list[int], pipes: int) -> None:
        self.number, self.queue = number, queue  # records of the core
        self.free, self.last = [0.0] * pipes, [-1] * pipes  # when a pipe is free, and after which record
        # Records issued to a pipe of which one waits for a channel, with the front end's time and reason.
        self.lines: list[deque[tuple[int, float, int, int]]] = [deque() for _ in range(pipes)]
        self.open = 0  # records in all lines
        self.channels: list[tuple[list[float], list[float]]] = []  # time on a channel by record; free from, last record
        self.held = -1  # the record that the front end waits for: a barrier, or a blocking one that asked for a channel
        self.resume = (0.0, _LAUNCH, -1)  # when and why it goes on
        self.front: Generator[None, None, None]


class _Walk:
    """The clocked walk through a log.

    A core's front end is a generator that runs ahead on its own until it depends on a channel's answer or on a barrier.
    Requests to channels are answered by time, ties by core number and then by record: what follows from an answer
    is never earlier than it, so that the order of answers is the order of time.
    """

    def __init__(self, log: Log, rates: Rates, costs: Costs) -> None:
        count, records = len(log), log.records
        self.start, self.end = [0.0] * count, [0.0] * count
        self.reason, self.cause = [_LAUNCH] * count, [-1] * count
        self.issue_us = rates.engines["scalar"].startup_cycles / rates.clock_mhz
        self.duration: list[float] = costs.duration.tolist()
        self.occupied: list[list[float]] = costs.occupied.tolist()
        self.shared: list[bool] = (costs.occupied.sum(axis=0) > 0).tolist()
        self.op, self.pipe, self.work = (records[field].tolist() for field in ("op", "pipe", "work"))
        self.blocking: list[bool] = ((records["flags"] & BLOCKING) != 0).tolist()
        self.serial: list[bool] = ((records["flags"] & SERIAL) != 0).tolist()
        self.queues = [tuple(log.pipes.index(pipe) for pipe in op.queues if pipe in log.pipes) for op in log.ops]
        waits = [tuple(log.pipes.index(pipe) for pipe in op.waits if pipe in log.pipes) for op in log.ops]
        self.waits, self.barrier = waits, [bool(op.barrier) for op in log.ops]
        self.mark = [not (op.engine or op.waits or op.barrier) for op in log.ops]
        barriers = records["work"][np.isin(records["op"], np.flatnonzero(self.barrier))]
        self.members = dict(zip(*(column.tolist() for column in np.unique(barriers, return_counts=True)), strict=True))
        self.barriers: dict[int, list[tuple[float, int, _Core]]] = defaultdict(list)
        self.requests: list[tuple[float, int, int]] = []  # time, core, record
        self.ready: list[_Core] = []  # cores whose front end can go on
        self.cores: dict[int, _Core] = {}
        self.first: set[int] = set()  # records that begin a task on a core that has run another
        self._spread(log, rates)

    def _spread(self, log: Log, rates: Rates) -> None:
        """Give every core its records and its channels."""
        shape, tasks = log.shape, log.records["task"].astype(np.int64)
        order = np.argsort(log.records["core"], kind="stable")
        numbers, starts = np.unique(log.records["core"][order], return_index=True)
        servers: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0, -1])
        for number, queue in zip(numbers.tolist(), np.split(order, starts[1:]), strict=False):
            core = self.cores[number] = _Core(number, queue.tolist(), len(log.pipes))
            cluster = number // shape.cores_per_cluster if number < shape.cores else number - shape.cores
            unit = {"device": 0, "cluster": cluster, "core": number}
            for (name, channel), occupied in zip(rates.channels.items(), self.occupied, strict=True):
                core.channels.append((occupied, servers[name, unit[channel.scope]]))
            core.front = self._front(core)
            self.first.update(queue[1:][np.diff(tasks[queue]) != 0].tolist())

    def run(self) -> None:
        """Fill ``start``, ``end``, ``reason`` and ``cause``."""
        ready, requests, cores = self.ready, self.requests, self.cores
        ready.extend(cores.values())
        while True:
            while ready:
                next(ready.pop().front, None)
            if not requests:
                break
            time, number, record = heapq.heappop(requests)
            core = cores[number]
            self._serve(core, record, time)
            if core.held < 0:
                next(core.front, None)
        for core in cores.values():
            if inspect.getgeneratorstate(core.front) != inspect.GEN_CLOSED:
                raise ValueError(f"the log cannot be timed: its barriers let core {core.number} wait for ever")

    def _front(self, core: _Core) -> Generator[None, None, None]:
        """The front end of a core; yields where it waits for a channel or a barrier."""
        start, end, reason, cause, duration = self.start, self.end, self.reason, self.cause, self.duration
        op, pipe, shared, blocking, issue_us = self.op, self.pipe, self.shared, self.blocking, self.issue_us
        mark, waits, barrier, first = self.mark, self.waits, self.barrier, self.first
        serial, queues = self.serial, self.queues
        free, last, lines, everything = core.free, core.last, core.lines, range(len(core.lines))
        now, why, who = core.resume
        for i in core.queue:
            if i in first:
                while core.open:
                    yield
                latest = max(free)
                why, who = _LAUNCH, last[free.index(latest)] if latest > now else -1
                now = max(now, latest)
            o, own = op[i], pipe[i]
            if serial[i]:  # after everything in the queues; the front end itself goes on
                while any(lines[p] for p in queues[o]):
                    yield
                busiest = max(queues[o], key=free.__getitem__, default=own)
                for p in queues[o]:
                    if free[p] < free[busiest]:
                        free[p], last[p] = free[busiest], last[busiest]
            if mark[o]:
                start[i] = end[i] = now
                reason[i], cause[i] = why, who
                continue
            if not blocking[i] and not waits[o] and not barrier[o]:
                if lines[own]:
                    lines[own].append((i, now, why, who))
                    core.open += 1
                else:
                    begin, reason[i], cause[i] = now, why, who
                    if free[own] > now:
                        begin, reason[i], cause[i] = free[own], _PIPE, last[own]
                    if shared[i]:
                        lines[own].append((i, now, why, who))
                        core.open += 1
                        heapq.heappush(self.requests, (begin, core.number, i))
                    else:
                        start[i], last[own] = begin, i
                        end[i] = free[own] = begin + duration[i]
                now, why, who = now + issue_us, _ISSUE, i
                continue
            gate = everything if blocking[i] else waits[o]
            while core.open and any(lines[p] for p in gate):
                yield
            for p in gate:
                if free[p] > now:
                    now, why, who = free[p], _PIPE if p == own and blocking[i] else _WAIT, last[p]
            start[i], reason[i], cause[i] = now, why, who
            if barrier[o]:
                self._meet(core, i)
                yield
                now, why, who = core.resume
                continue
            if shared[i]:
                core.held = i
                heapq.heappush(self.requests, (now, core.number, i))
                yield
            else:
                end[i] = now + duration[i]
            now, why, who = end[i], _WAIT, i
            if not waits[o]:
                free[own], last[own] = now, i

    def _meet(self, core: _Core, i: int) -> None:
        """A record arrives at its barrier; the last one lets all go on."""
        core.held = i
        barrier = self.barriers[self.work[i]]
        barrier.append((self.start[i], i, core))
        if len(barrier) < self.members[self.work[i]]:
            return
        latest, last = max((arrived, record) for arrived, record, _ in barrier)
        done = latest + self.duration[last]
        for arrived, record, member in barrier:
            self.end[record] = done
            if arrived < latest:
                self.reason[record], self.cause[record] = _BARRIER, last
            member.resume, member.held = (done, _BARRIER, last), -1
            self.ready.append(member)

    def _serve(self, core: _Core, i: int, time: float) -> None:
        """Start a record that asked for its channels at ``time``, and those of its pipe behind it.

        Each channel serves it as soon as it is free, whatever the other channels do: what one channel lets through
        early is buffered, so that no channel idles while it has a request.
        """
        begin = time
        for occupied, server in core.channels:
            busy = occupied[i]
            if busy:
                until, holder = server
                if until > begin:
                    begin, self.reason[i], self.cause[i] = until, _CHANNEL, int(holder)
                server[0], server[1] = (until if until > time else time) + busy, i
        self.start[i], self.end[i] = begin, begin + self.duration[i]
        if core.held == i:
            core.held = -1
            return
        own = self.pipe[i]
        line, free, last = core.lines[own], core.free, core.last
        free[own], last[own] = self.end[i], i
        line.popleft()
        core.open -= 1
        while line:
            i, begin, why, who = line[0]
            if free[own] > begin:
                begin, why, who = free[own], _PIPE, last[own]
            self.reason[i], self.cause[i] = why, who
            if self.shared[i]:
                heapq.heappush(self.requests, (begin, core.number, i))
                return
            self.start[i], self.end[i] = begin, begin + self.duration[i]
            free[own], last[own] = self.end[i], i
            line.popleft()
            core.open -= 1
