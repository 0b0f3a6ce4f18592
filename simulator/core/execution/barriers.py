"""Barriers of tasks: who waits for whom, and what is said of a deadlock."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from greenlet import getcurrent

from ....isa import Barrier, Signal
from ...chip.launch_kinds import Role
from ...findings import Collector, Finding, Squashed, rules
from .current import Current
from .messages import held_by
from .tasks import Task


class Barriers:
    """The barriers of one launch."""

    def __init__(self, current: Current, collector: Collector) -> None:
        self._current, self._collector = current, collector
        self.begin()

    def begin(self) -> None:
        """A launch begins."""
        self.group: Sequence[Task] = ()
        self._open: dict[tuple[Barrier, int], int] = {}  # barrier and cluster -> its number
        self._count = 0

    def meet(self, barrier: Barrier, pc: int) -> int:
        """Wait for the other tasks of a barrier; returns its number."""
        task = self._current.running
        if task.role == Role.ALONE:
            self._count += 1
            return self._count
        if not task.meets(barrier, task):
            raise Squashed
        key = (barrier, task.cluster if barrier.reach == "cluster" else -1)
        if key not in self._open:
            self._count += 1
            self._open[key] = self._count
        number = self._open[key]
        task.waiting = (barrier, pc)
        others = [other for other in self.group if task.meets(barrier, other)]
        if all(other.waiting and other.waiting[0] == barrier for other in others):
            del self._open[key]
            for other in others:
                other.waiting = None
        else:
            getcurrent().parent.switch()
            if self._collector.ended:
                self._collector.on_stop()
                raise Squashed
        return number

    def told(self) -> None:
        """A message has been sent: tasks that wait for one look again."""
        for task in self.group:
            if task.waiting and isinstance(task.waiting[0], Signal):
                task.waiting = None

    def deadlock(self, stuck: list[Task]) -> None:
        """A deadlock: say who waits for whom, and end the stuck tasks."""
        held = next((task for task in stuck if task.waiting and isinstance(task.waiting[0], Signal)), None)
        self._collector.core, self._collector.task = (held or stuck[0]).core, (held or stuck[0]).number
        with suppress(Squashed):
            self._collector.report(*(_unsent(held) if held else self._unmet(stuck)))
        for task in stuck:
            task.waiting = None
        self._collector.stop()

    def _unmet(self, stuck: list[Task]) -> tuple[Finding, int, int | None]:
        """What is said of a barrier that not all reach, and where."""
        first = stuck[0]
        assert first.waiting is not None
        pc = first.waiting[1]
        chain, links, other = [first], [], None
        while True:
            task = chain[-1]
            missing = self._missing(task)
            links.append((_party(task), [_party(other) for other in missing]))
            ahead = next((t for t in missing if t.waiting and not t.done), None)
            if ahead is None or ahead in chain:
                break
            chain.append(ahead)
            assert ahead.waiting is not None
            other = ahead.waiting[1] if other is None else other
        return rules.barrier.deadlock(links, len(stuck)), pc, other

    def _missing(self, task: Task) -> list[Task]:
        """Those that a task at a barrier waits for."""
        assert task.waiting is not None
        barrier = task.waiting[0]
        assert isinstance(barrier, Barrier)
        return [t for t in self.group if task.meets(barrier, t) and not (t.waiting and t.waiting[0] == barrier)]


def _unsent(task: Task) -> tuple[Finding, int, int | None]:
    """What is said of a message that is never sent, or not often enough, and where."""
    held = held_by(task.pending)
    sent, pc = held.sent
    return rules.barrier.unsent(held.name, held.number, held.count, sent), held.pc, pc


def _party(task: Task) -> rules.barrier.Party:
    scope = task.waiting[0].scope if task.waiting and isinstance(task.waiting[0], Barrier) else ""
    return rules.barrier.Party(task.number, task.cluster, task.role == Role.MEMORY, scope, task.done)
