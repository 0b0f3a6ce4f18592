"""Queues in simulated time, and what of their work is ordered with what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...log import Location, Log, pieces_of
from ...log.region import offset_numbers

#: The host's own copies: no queue.
HOST = 0

Ranges = np.ndarray  # int64 [n, 2]: first byte and the one after the last, offsets in device memory


@dataclass(eq=False)
class Work:
    """Something that was put into a queue: what it touches is asked for only when it meets other work."""

    queue: int
    number: int
    what: str
    place: Location
    touched: Callable[[], tuple[Ranges, Ranges]]  # read, written
    device: int
    start: float = 0.0
    end: float = 0.0


@dataclass(eq=False)
class Queue:
    """A queue: when its last work ends (microseconds), and up to which number of each queue it knows all work done."""

    number: int
    device: int
    default: bool
    ready: float = 0.0
    last: int = 0
    known: dict[int, int] = field(default_factory=dict)
    failure: tuple[int, str] = (0, "")


@dataclass(frozen=True)
class Mark:
    """What a notifier has recorded."""

    time: float
    known: dict[int, int]
    queue: int


class Timeline:
    """All queues of a program. Kernels share the cores of their device, copies have the bus for themselves."""

    def __init__(self) -> None:
        self.queues: dict[int, Queue] = {}
        self.now = 0.0  # up to where the host has waited
        self.known: dict[int, int] = {}  # what the host knows done
        self.open: list[Work] = []  # that the host has not waited for
        self._busy: dict[int, list[tuple[float, float, int]]] = {}

    def queue(self, number: int) -> Queue:
        """A queue of the program."""
        return self.queues[number]

    def add(self, work: Work, duration: float, cores: int, of: int) -> list[Work]:
        """Put work into its queue, or carry out the host's own (then the host waits for it).

        ``cores`` of the ``of`` cores of its device are taken by a kernel, 0 by a copy. What it is not ordered with and
        touches the same memory is returned.
        """
        queue = self.queues.get(work.queue)
        known = self.known if queue is None else queue.known
        if queue is not None:
            _join(queue.known, self.known)
        met = [other for other in self.open if other.device == work.device and self._meets(work, other, known)]
        begin = max(self.now, queue.ready if queue else 0.0)
        work.start = self._free(work.device, begin, duration, cores, of) if cores else begin
        work.end = work.start + duration
        if queue is None:
            self.now = work.end
        else:
            queue.ready = work.end
            queue.last += 1
            work.number = queue.last
            queue.known[queue.number] = queue.last
            self.open.append(work)
        return met

    def _meets(self, work: Work, other: Work, known: dict[int, int]) -> bool:
        if other.queue == work.queue or other.number <= known.get(other.queue, 0):
            return False
        if work.queue == HOST and self.queues[other.queue].default:
            return False  # a copy of the host's comes after its default queue (inferred)
        reads, writes = work.touched()
        other_reads, other_writes = other.touched()
        return overlap(writes, other_writes) or overlap(writes, other_reads) or overlap(reads, other_writes)

    def _free(self, device: int, begin: float, duration: float, cores: int, of: int) -> float:
        """From when on so many cores are free for so long."""
        busy = [entry for entry in self._busy.get(device, []) if entry[1] > min(begin, self.now)]
        self._busy[device] = busy
        wanted = min(cores, of)
        for start in sorted({begin, *(end for _, end, _ in busy if end > begin)}):
            until = start + duration
            points = [start, *(first for first, _, _ in busy if start < first < until)]
            if all(sum(n for first, end, n in busy if first <= at < end) + wanted <= of for at in points):
                busy.append((start, until, wanted))
                return start
        raise AssertionError  # after the last one ends all cores are free

    def wait(self, queues: Sequence[Queue]) -> None:
        """The host waits for queues."""
        for queue in queues:
            _join(self.known, queue.known)
            self.now = max(self.now, queue.ready)
        self._settle()

    def mark(self, queue: Queue) -> Mark:
        """What a notifier records in a queue."""
        _join(queue.known, self.known)
        return Mark(max(queue.ready, self.now), dict(queue.known), queue.number)

    def wait_for(self, mark: Mark, queue: Queue | None) -> None:
        """A queue, or the host, waits for a notifier."""
        if queue is not None:
            _join(queue.known, mark.known)
            queue.ready = max(queue.ready, mark.time)
            return
        _join(self.known, mark.known)
        self.now = max(self.now, mark.time)
        self._settle()

    def pending(self, queue: Queue) -> bool:
        """Whether the host does not know the work of a queue done."""
        return self.known.get(queue.number, 0) < queue.last

    def _settle(self) -> None:
        self.open = [work for work in self.open if work.number > self.known.get(work.queue, 0)]


def touched_by(log: Log) -> tuple[Ranges, Ranges]:
    """What a launch has read and written of device memory: every piece of an operand with gaps, or its first byte alone
    where the pieces are not known or too many.
    """
    own = np.flatnonzero(log.operand_spaces == list(log.shape.spaces).index(_device_space(log)))
    vague = np.isin(own, log.runs["operand"][log.runs["run"] == 0])
    pieces = pieces_of(log, own[~vague])
    if pieces is None:
        vague = np.isin(own, log.runs["operand"])
        rows = own[~vague]
        pieces = rows, log.operands["key"][rows], log.operands["key"][rows] + log.operands["bytes"][rows]
    rows, begin, end = pieces
    first = log.operands["key"][own[vague]]
    rows = np.concatenate([rows, own[vague]])
    start = offset_numbers(np.concatenate([begin, first]).astype(np.uint64))
    length = np.concatenate([end - begin, np.ones(len(first), np.int64)]).astype(np.int64)
    ranges = np.stack([start, start + length], axis=1)[length > 0]
    written = log.operand_written[rows][length > 0]
    return merged(ranges[~written]), merged(ranges[written])


def _device_space(log: Log) -> str:
    return next(name for name, space in log.shape.spaces.items() if space.scope == "device")


def merged(ranges: Ranges) -> Ranges:
    """Ranges in order, those that touch as one."""
    if not len(ranges):
        return ranges.reshape(0, 2)
    ranges = ranges[np.argsort(ranges[:, 0], kind="stable")]
    ends = np.maximum.accumulate(ranges[:, 1])
    first = np.concatenate([[True], ranges[1:, 0] > ends[:-1]])
    last = np.concatenate([first[1:], [True]])
    return np.stack([ranges[first, 0], ends[last]], axis=1)


def overlap(one: Ranges, other: Ranges) -> bool:
    """Whether ranges in order have a byte in common."""
    if not len(one) or not len(other):
        return False
    at = np.searchsorted(other[:, 1], one[:, 0], side="right")
    inside = at < len(other)
    return bool((other[at[inside], 0] < one[inside, 1]).any())


def _join(known: dict[int, int], other: dict[int, int]) -> None:
    for queue, number in other.items():
        if number > known.get(queue, 0):
            known[queue] = number
