"""Queues and notifiers as a host program uses them: what it puts into them, waits for and asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ...findings import rules
from ...flow import Clock, Ranges
from ...frames import Signed
from ...log import Location
from .messages import Done, Place, Status, handles
from .queues import HOST, Mark, Queue, QueueClock, Work, shared
from .report import ProgramReport

_NOT_READY, _FAILED = 1, 632015  # cnrtRet_t
NOTHING: Ranges = np.zeros((0, 2), np.int64)


class MakeQueue(NamedTuple):
    """A queue of a device; ``own`` is the default queue of a thread."""

    queue: int
    device: int
    own: bool


class WaitForQueue(NamedTuple):
    """The host waits for all that is in a queue."""

    queue: int
    place: Place


class WaitForDevice(NamedTuple):
    """The host waits for all queues of a device."""

    device: int
    place: Place


class WaitForNotifier(NamedTuple):
    """The host waits for what came before a notifier."""

    notifier: int
    place: Place


class AskQueue(NamedTuple):
    """Is all done that is in a queue?"""

    queue: int


class AskNotifier(NamedTuple):
    """Is all done that came before a notifier?"""

    notifier: int


class PlaceNotifier(NamedTuple):
    """A notifier records where a queue has come to."""

    queue: int
    notifier: int


class DropNotifier(NamedTuple):
    """A notifier goes."""

    notifier: int


class CallHost(NamedTuple):
    """A function of the host is called in a queue."""

    queue: int
    place: Place


class ResetDevice(NamedTuple):
    """A device begins anew: nothing is in its queues any more, and nothing has failed."""

    device: int


class OrderQueue(NamedTuple):
    """What comes into a queue from now on waits for a notifier."""

    queue: int
    notifier: int


class AskElapsed(NamedTuple):
    """How much time has gone by between two notifiers?"""

    start: int
    end: int


class Elapsed(NamedTuple):
    """A cnrtRet_t and what went wrong, as in `Status`; the time between two notifiers."""

    status: int = 0
    problem: str = ""
    nanoseconds: Signed = 0


class Later:
    """What calls that have been answered leave to be done, in order: the time and findings of launches."""

    def __init__(self) -> None:
        self._left: list[Callable[[], None]] = []

    def __len__(self) -> int:
        return len(self._left)

    def put(self, act: Callable[[], None]) -> None:
        """Leave something to be done."""
        self._left.append(act)

    def catch_up(self) -> None:
        """Do what is left, as a rule while the next launch runs."""
        left, self._left = self._left, []
        for act in left:
            act()


class Queues:
    """The queues and notifiers of a program, in simulated time."""

    def __init__(self, report: ProgramReport, later: Later) -> None:
        self.time = QueueClock()
        self._report, self._later = report, later
        self._marks: dict[int, Mark] = {}
        self.allocated: Callable[[int, int], Location | None] = lambda *_: None  # where the array at an offset was
        # What a queue, or the host, would know done with the waits that are missing and have been told.
        self._missed: defaultdict[int, Clock] = defaultdict(Clock)

    def put(
        self, queue: int, what: str, place: Place, spans: dict[int, tuple[Ranges, Ranges]], duration: float
    ) -> None:
        """Put a copy or fill into its queue, once for each device that it touches: bytes read and written."""
        if not self.time.open and queue == HOST:
            self.time.now += duration
            return
        where = self._report.location(place)
        for ordinal, touched in spans.items():
            work = Work(queue, 0, what, where, partial(_same, touched), ordinal)
            self.tell(work, self.time.add(work, duration, 0, 0))
            duration = 0.0

    def tell(self, work: Work, met: Sequence[Work]) -> None:
        """The finding of work that is not ordered with other work, unless a wait that has been told would order it."""
        missed = self._missed[work.queue]
        missing = [other for other in met if not missed.knows(other.queue, other.number)]
        for other in missing[:1]:
            found = rules.host_code.unordered(
                work.what, other.what, other.queue, None if work.queue == HOST else work.queue
            )
            origin = self.allocated(work.device, shared(work, other) or 0)
            self._report.add(replace(found, location=work.place, related=other.place, origin=origin))
            for waits in (work.queue, HOST):
                self._missed[waits].learn(self.time.queue(other.queue).known)

    def is_missed(self, copy: Location) -> bool:
        """Whether the host lacks a wait for a copy in a queue, and that has been told. If not, it is told now."""
        works = [work for work in self.time.open if copy.line and work.place == copy]
        missed = self._missed[HOST]
        if works and all(missed.knows(work.queue, work.number) for work in works):
            return True
        for work in works:
            missed.learn(self.time.queue(work.queue).known)
        return False

    def end(self) -> None:
        """The program ends by itself: there is no wait for what is still in queues, unless one of them has failed."""
        if any(queue.failure[0] for queue in self.time.queues.values()):
            return
        for queue in self.time.queues.values():
            if self.time.pending(queue) and not self._missed[HOST].knows(queue.number, queue.last):
                last = next(work for work in reversed(self.time.open) if work.queue == queue.number)
                self._report.add(replace(rules.host_code.not_waited_for(last.what), location=last.place))

    @handles
    def _make(self, message: MakeQueue) -> None:
        self.time.queues[message.queue] = Queue(message.queue, message.device, default=message.own)

    @handles
    def _wait_for_queue(self, message: WaitForQueue) -> Status:
        return self._wait([self.time.queue(message.queue)])

    @handles
    def _wait_for_device(self, message: WaitForDevice) -> Status:
        return self._wait([queue for queue in self.time.queues.values() if queue.device == message.device])

    @handles
    def _wait_for_notifier(self, message: WaitForNotifier) -> Status:
        mark = self._marks.get(message.notifier)
        if mark is None:
            return Status()
        self.time.wait_for(mark, None)
        return Status(*self.time.queue(mark.queue).failure)

    @handles
    def _ask_queue(self, message: AskQueue) -> Status:
        """A queue is done when the program has asked once."""
        queue = self.time.queue(message.queue)
        pending = self.time.pending(queue)
        self.time.wait([queue])
        status, problem = queue.failure
        return Status(status or (_NOT_READY if pending else 0), problem)

    @handles
    def _ask_notifier(self, message: AskNotifier) -> Status:
        mark = self._marks.get(message.notifier)
        if mark is None:
            return Status()
        done = mark.time <= self.time.now
        self.time.wait_for(mark, None)
        return Status(0 if done else _NOT_READY)

    @handles
    def _place_notifier(self, message: PlaceNotifier) -> None:
        self._marks[message.notifier] = self.time.mark(self.time.queue(message.queue))

    @handles
    def _drop_notifier(self, message: DropNotifier) -> None:
        self._marks.pop(message.notifier, None)

    @handles
    def _call_host(self, message: CallHost) -> None:
        device = self.time.queue(message.queue).device
        self.put(message.queue, "a host function", message.place, {device: (NOTHING, NOTHING)}, 0.0)

    @handles
    def _reset(self, message: ResetDevice) -> Done:
        self.time.reset(message.device)
        return Done()

    @handles
    def _order(self, message: OrderQueue) -> None:
        mark = self._marks.get(message.notifier)
        if mark is not None:
            self.time.wait_for(mark, self.time.queue(message.queue))

    @handles
    def _ask_elapsed(self, message: AskElapsed) -> Elapsed:
        first, last = self._marks.get(message.start), self._marks.get(message.end)
        if first is None or last is None:
            return Elapsed(_FAILED, "a notifier was placed before its device was reset")
        if not all(self.time.known.knows(mark.queue, mark.known.get(mark.queue, 0)) for mark in (first, last)):
            return Elapsed(_NOT_READY)
        return Elapsed(nanoseconds=round((last.time - first.time) * 1e3))

    def _wait(self, queues: Sequence[Queue]) -> Status:
        self._later.put(partial(self.time.wait, queues))
        if len(self._later) != 2:  # not the first wait after a launch
            self._later.catch_up()
        return Status(*next((queue.failure for queue in queues if queue.failure[0]), (0, "")))


def _same(touched: tuple[Ranges, Ranges]) -> tuple[Ranges, Ranges]:
    return touched
