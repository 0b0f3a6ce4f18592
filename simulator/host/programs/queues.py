"""Queues in simulated time, and what of their work is ordered with what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...flow import Clock, Ranges, common, overlap
from ...log import Location

#: The host's own copies: no queue.
HOST = 0


@dataclass(eq=False)
class Work:
    """Something that was put into a queue: what it touches is asked for only when it meets other work."""

    queue: int
    number: int
    what: str
    place: Location
    touched: Callable[[], tuple[Ranges, Ranges]]  # read, written: offsets in device memory
    device: int
    start: float = 0.0
    end: float = 0.0


def shared(work: Work, other: Work) -> int | None:
    """The first byte that two of them touch and one of them writes, by its offset in device memory."""
    reads, writes = work.touched()
    other_reads, other_writes = other.touched()
    pairs = ((writes, other_writes), (writes, other_reads), (reads, other_writes))
    return min((int(common(*pair)[0, 0]) for pair in pairs if overlap(*pair)), default=None)


@dataclass(eq=False)
class Queue:
    """A queue: when its last work ends (microseconds), and up to which number of each queue it knows all work done."""

    number: int
    device: int
    default: bool
    ready: float = 0.0
    last: int = 0
    known: Clock = field(default_factory=Clock)
    failure: tuple[int, str] = (0, "")


@dataclass(frozen=True)
class Mark:
    """What a notifier has recorded."""

    time: float
    known: Clock
    queue: int


class QueueClock:
    """All queues of a program. Kernels share the cores of their device, copies have the bus for themselves."""

    def __init__(self) -> None:
        self.queues: dict[int, Queue] = {}
        self.now = 0.0  # up to where the host has waited
        self.known = Clock()  # what the host knows done
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
            queue.known.learn(self.known)
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

    def _meets(self, work: Work, other: Work, known: Clock) -> bool:
        if other.queue == work.queue or known.knows(other.queue, other.number):
            return False
        if work.queue == HOST and self.queues[other.queue].default:
            return False  # a copy of the host's comes after its default queue (inferred)
        return shared(work, other) is not None

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
            self.known.learn(queue.known)
            self.now = max(self.now, queue.ready)
        self._settle()

    def reset(self, device: int) -> None:
        """The host has waited for all of a device, and what has failed there is forgotten."""
        for queue in self.queues.values():
            if queue.device == device:
                queue.failure = (0, "")

    def mark(self, queue: Queue) -> Mark:
        """What a notifier records in a queue."""
        queue.known.learn(self.known)
        return Mark(max(queue.ready, self.now), Clock(queue.known), queue.number)

    def wait_for(self, mark: Mark, queue: Queue | None) -> None:
        """A queue, or the host, waits for a notifier."""
        if queue is not None:
            queue.known.learn(mark.known)
            queue.ready = max(queue.ready, mark.time)
            return
        self.known.learn(mark.known)
        self.now = max(self.now, mark.time)
        self._settle()

    def pending(self, queue: Queue) -> bool:
        """Whether the host does not know the work of a queue done."""
        return not self.known.knows(queue.number, queue.last)

    def _settle(self) -> None:
        self.open = [work for work in self.open if not self.known.knows(work.queue, work.number)]
