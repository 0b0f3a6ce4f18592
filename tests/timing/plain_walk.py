"""The clocked walk through a log once more, in Python, step by step: what native code is compared with."""

from __future__ import annotations

import heapq
import inspect
from array import array
from collections import defaultdict, deque
from collections.abc import Generator, Iterator

import numpy as np
from mlusim.simulator.log import BLOCKING, SERIAL
from mlusim.simulator.timing import Reason
from mlusim.simulator.timing.plan import Times, WalkPlan, stuck

from tests.timing.plain_channels import Channels, Server


def plain_walk(plan: WalkPlan) -> Times:
    """Start, end, reason and cause of every record; ValueError for a log whose barriers cannot be met."""
    walk = _Walk(plan)
    walk.run()
    return (
        np.frombuffer(walk.start), np.frombuffer(walk.end), np.frombuffer(walk.reason, np.uint8),
        np.frombuffer(walk.cause, np.int64),
    )  # fmt: skip


#: Records of a core that are Python's numbers at a time.
_CHUNK = 4096
# Plain integers: the walk compares and stores millions of them.
_LAUNCH, _ISSUE, _PIPE, _WAIT, _BARRIER = map(int, Reason)
#: A record on its way: number, pipe, how long it lasts without its channels, whether it has to share one.
_Item = tuple[int, int, float, bool]


class _Core:
    """One core in the walk: where its front end is, and what its pipes do."""

    __slots__ = ("free", "front", "held", "last", "lines", "number", "open", "queue", "resume", "servers")

    def __init__(self, number: int, queue: np.ndarray, pipes: int) -> None:
        self.number, self.queue = number, queue  # records of the core
        self.free, self.last = [0.0] * pipes, [-1] * pipes  # when a pipe is free, and after which record
        # Records issued to a pipe of which one is on a channel, with the front end's time and reason.
        self.lines: list[deque[tuple[_Item, float, int, int]]] = [deque() for _ in range(pipes)]
        self.open = 0  # records in all lines
        self.servers: list[Server] = []  # the channels that it may have to share
        self.held = -1  # the record that the front end waits for: a barrier, or a blocking one that is on a channel
        self.resume = (0.0, _LAUNCH, -1)  # when and why it goes on
        self.front: Generator[None, None, None]


class _Walk:
    """The clocked walk through a log.

    A core's front end is a generator that runs ahead on its own until it depends on a channel or on a barrier.
    Transfers begin and end in the order of time, ties by core number and then by record: what follows from an end is
    never earlier than it, so that the order of events is the order of time.
    """

    def __init__(self, plan: WalkPlan) -> None:
        log, count = plan.log, len(plan.log)
        self.plan, self.log = plan, log
        self.start, self.end = array("d", bytes(8 * count)), array("d", bytes(8 * count))
        self.reason, self.cause = bytearray(count), array("q", b"\xff" * (8 * count))
        self.barriers: dict[int, list[tuple[float, int, _Core]]] = defaultdict(list)
        self.requests: list[tuple[float, int, _Item]] = []  # time, core, record
        self.ready: list[_Core] = []  # cores whose front end can go on
        self.channels = Channels(self._through)
        self.flying: dict[int, list[float]] = {}  # record on channels -> how many, and when the last was through
        self.alone: dict[int, tuple[float, float, _Core]] = {}  # ... -> when it would have ended, latency, core
        servers = [Server(rate, core_rate, moved.data) for rate, core_rate, moved in plan.servers]
        for server in servers:
            self.channels.add(server)
        self.cores: dict[int, _Core] = {}
        for number, queue, used in plan.cores:
            self.cores[number] = core = _Core(number, queue, len(log.pipes))
            core.servers = [servers[place] for place in used]
            core.front = self._front(core)

    def run(self) -> None:
        """Fill ``start``, ``end``, ``reason`` and ``cause``."""
        ready, requests, channels = self.ready, self.requests, self.channels
        ready.extend(self.cores.values())
        while True:
            while ready:
                next(ready.pop().front, None)
            through = channels.next()
            if requests and requests[0][0] < through:
                time, number, item = heapq.heappop(requests)
                self._begin(self.cores[number], item, time)
            elif through < float("inf"):
                channels.leave()
            else:
                break
        for core in self.cores.values():
            if inspect.getgeneratorstate(core.front) != inspect.GEN_CLOSED:
                raise stuck(core.number)

    def _records(self, core: _Core) -> Iterator[tuple[int, int, int, int, int, float, bool]]:
        """The records of a core in order: number, instruction, pipe, flags, task, duration, whether it shares."""
        records, costs = self.log.records, self.plan.costs
        for begin in range(0, len(core.queue), _CHUNK):
            part = core.queue[begin : begin + _CHUNK]
            rows = records[part]
            shared = self.plan.shared[part]
            length = costs.alone[part] + np.where(shared, 0.0, costs.latency[part])
            yield from zip(
                part.tolist(), rows["op"].tolist(), rows["pipe"].tolist(), rows["flags"].tolist(),
                rows["task"].tolist(), length.tolist(), shared.tolist(), strict=True,
            )  # fmt: skip

    def _front(self, core: _Core) -> Generator[None, None, None]:
        """The front end of a core; yields where it waits for a channel or a barrier."""
        start, end, reason, cause = self.start, self.end, self.reason, self.cause
        plan, number = self.plan, core.number
        issue_us, task_us, mark, waits, queues = plan.issue_us, plan.task_us, plan.mark, plan.waits, plan.queues
        barrier = plan.barrier
        free, last, lines, everything = core.free, core.last, core.lines, range(len(core.lines))
        now, why, who = core.resume
        running = -1
        for i, o, own, flags, task, length, shared in self._records(core):
            if task != running:  # the task begins: not before it is handed out, nor before the last one has finished
                while core.open:
                    yield
                if running < 0:
                    now = task * task_us
                else:
                    latest = max(free)
                    handed = task * task_us
                    before = who if now > handed else -1
                    why, who = _LAUNCH, last[free.index(latest)] if latest > max(now, handed) else before
                    now = max(now, latest, handed)
                running = task
            if flags & SERIAL:  # after everything in the queues; the front end itself goes on
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
            blocking = flags & BLOCKING
            if not blocking and not waits[o] and not barrier[o]:
                late = lines[own] or free[own] > now
                if lines[own]:
                    lines[own].append(((i, own, length, shared), now, why, who))
                    core.open += 1
                else:
                    begin, reason[i], cause[i] = now, why, who
                    if free[own] > now:
                        begin, reason[i], cause[i] = free[own], _PIPE, last[own]
                    if shared:
                        item = i, own, length, shared
                        lines[own].append((item, now, why, who))
                        core.open += 1
                        heapq.heappush(self.requests, (begin, number, item))
                    else:
                        start[i], last[own] = begin, i
                        end[i] = free[own] = begin + length
                now, why, who = now + issue_us, _ISSUE, who if late and who >= 0 else i
                continue
            gate = everything if blocking else waits[o]
            while core.open and any(lines[p] for p in gate):
                yield
            for p in gate:
                if free[p] > now:
                    now, why, who = free[p], _PIPE if p == own and blocking else _WAIT, last[p]
            start[i], reason[i], cause[i] = now, why, who
            if barrier[o]:
                self._meet(core, i, length)
                yield
                now, why, who = core.resume
                continue
            if shared:
                core.held = i
                heapq.heappush(self.requests, (now, number, (i, own, length, shared)))
                yield
            else:
                end[i] = now + length
            now, why, who = end[i], _WAIT, i
            if not waits[o]:
                free[own], last[own] = now, i

    def _meet(self, core: _Core, i: int, length: float) -> None:
        """A record arrives at its barrier; the last one lets all go on."""
        core.held = i
        number = int(self.log.records["work"][i])
        barrier = self.barriers[number]
        barrier.append((self.start[i], i, core))
        if len(barrier) < self.plan.members[number]:
            return
        latest, last = max((arrived, record) for arrived, record, _ in barrier)
        done = latest + length
        for arrived, record, member in barrier:
            self.end[record] = done
            if arrived < latest:
                self.reason[record], self.cause[record] = _BARRIER, last
            member.resume, member.held = (done, _BARRIER, last), -1
            self.ready.append(member)
        del self.barriers[number]

    def _begin(self, core: _Core, item: _Item, time: float) -> None:
        """A record begins to move its bytes through its channels."""
        i, _, length, _ = item
        self.start[i] = time
        used = [server for server in core.servers if server.moved[i]]
        self.flying[i] = [len(used), time]
        self.alone[i] = time + length, float(self.plan.costs.latency[i]), core
        for server in used:
            self.channels.enter(server, core.number, i, time)

    def _through(self, i: int, time: float) -> None:
        """A channel has moved all bytes of a record. After the last one the record ends, and its pipe goes on."""
        flying = self.flying[i]
        flying[0] -= 1
        if flying[0]:
            return
        del self.flying[i]
        done, latency, core = self.alone.pop(i)
        self.end[i] = ended = max(done, time) + latency
        if core.held == i:
            core.held = -1
            self.ready.append(core)
            return
        own = int(self.log.records["pipe"][i])
        line, free, last = core.lines[own], core.free, core.last
        free[own], last[own] = ended, i
        line.popleft()
        core.open -= 1
        while line:
            item, begin, why, who = line[0]
            i, _, length, shared = item
            if free[own] > begin:
                begin, why, who = free[own], _PIPE, last[own]
            self.reason[i], self.cause[i] = why, who
            if shared:
                heapq.heappush(self.requests, (begin, core.number, item))
                break
            self.start[i], self.end[i] = begin, begin + length
            free[own], last[own] = self.end[i], i
            line.popleft()
            core.open -= 1
        if core.held < 0:
            self.ready.append(core)
