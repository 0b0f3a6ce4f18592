"""Barriers of tasks: who waits for whom, and what is said when nobody can go on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from greenlet import getcurrent

from ....isa import Barrier
from ...chip.launch_kinds import Role
from ...findings import Collector, Finding, Squashed, rules
from .current import Current
from .tasks import Task

#: Tasks that are waited for at one barrier and that a finding names at most.
_NAMED = 8


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

    def deadlock(self, stuck: list[Task]) -> None:
        """Nobody can go on: say who waits for whom, and end the stuck tasks."""
        first = stuck[0]
        assert first.waiting is not None
        barrier, pc = first.waiting
        chain, links, other = [first], [], None
        while True:
            task = chain[-1]
            assert task.waiting is not None
            scope, missing = task.waiting[0].scope, self._missing(task)
            more = " and more" if len(missing) > _NAMED else ""
            whom = ", ".join(map(_state, missing[:_NAMED]))
            links.append(f"{_named(task)} waits in a {scope} barrier for {whom}{more}")
            ahead = next((t for t in missing if t.waiting and not t.done), None)
            if ahead is None or ahead in chain:
                break
            chain.append(ahead)
            assert ahead.waiting is not None
            other = ahead.waiting[1] if other is None else other
        message = f"{', and '.join(links)}; {len(stuck)} tasks wait for ever"
        self._collector.core, self._collector.task = first.core, first.number
        advice = "let every task of the scope reach the barrier"
        finding = Finding(rules.BARRIER, message, instruction=barrier.scope, suggestion=advice)
        with suppress(Squashed):
            self._collector.report(finding, pc, other)
        for task in stuck:
            task.waiting = None
        self._collector.stop()

    def _missing(self, task: Task) -> list[Task]:
        """Those that a task at a barrier waits for."""
        assert task.waiting is not None
        barrier = task.waiting[0]
        return [t for t in self.group if task.meets(barrier, t) and not (t.waiting and t.waiting[0] == barrier)]


def _named(task: Task) -> str:
    return f"the memory core of cluster {task.cluster}" if task.role == Role.MEMORY else f"task {task.number}"


def _state(task: Task) -> str:
    waits = f"waits in {task.waiting[0].scope}" if task.waiting else "runs"
    return f"{_named(task)} ({'has ended' if task.done else waits})"
