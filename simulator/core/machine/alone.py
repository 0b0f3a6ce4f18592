"""Tasks that run by themselves, one after the other, which an engine may begin without telling the machine of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import Context
from dataclasses import dataclass
from itertools import chain, islice
from math import prod
from typing import TYPE_CHECKING, NamedTuple, Protocol

from greenlet import greenlet

from ...chip.launch_kinds import LaunchKind, TaskPlace, Three
from ...findings import Squashed
from ..execution import Launch, Task, task_at

if TYPE_CHECKING:
    from .machine import Machine

#: Tasks of a queue, and queues that are kept for the launches to come.
_LENGTH, _KEPT = 1024, 16
#: The owner of memories: its scope, and its number there.
Owner = tuple[str, int]


@dataclass(eq=False)
class TaskQueue:
    """Tasks of a launch of such dimensions, in their order, and whose memories they have."""

    places: tuple[TaskPlace, ...]
    dim: Three

    def __post_init__(self) -> None:
        self.owners = self.owners_from(0)

    def owners_from(self, at: int) -> frozenset[Owner]:
        """The owners for the tasks from a place of the queue on."""
        rest = self.places[at:]
        return frozenset([("core", place.core) for place in rest] + [("cluster", place.cluster) for place in rest])


class Begun(NamedTuple):
    """So many tasks have begun. The last one is ``told`` where the machine knows of it, which has to see to its end
    then; it has been ``ended`` where it did not come there by itself.
    """

    tasks: int
    told: bool
    ended: bool


class Starter(Protocol):
    """Begins tasks of a queue."""

    def sees_all(self) -> bool:
        """Whether the machine has to be told of each task, such as of the one that is current."""

    def run_tasks(self, queue: TaskQueue, at: int, reused: bool) -> Begun:
        """Begin tasks from a place of the queue on, and tell the machine (`Alone.tell`) of one that needs it.

        A core runs one of them; where ``reused`` more, for as long as nothing of what they have is written to.
        """


class Alone:
    """Runs the tasks of launches in which each runs by itself."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._kept: dict[tuple[LaunchKind, Three], TaskQueue] = {}
        #: Whose memories hold the variables of the program as a task finds them.
        self.fresh: set[Owner] = set()

    def run(self, launch: Launch, starter: Starter, entry: Callable[[Task], object], context: Context) -> None:
        """Run all tasks of a launch; ``entry`` runs one of which the machine has to be told."""
        for queue in self._queues(launch):
            at = 0
            while at < len(queue.places) and not self._machine.collector.ended:
                at += self._run_some(queue, at, starter, entry, context)

    def tell(self, place: TaskPlace, dim: Three) -> Task:
        """This task is the running one, whatever it has done so far."""
        task = task_at(place, dim)
        task.fiber = greenlet.getcurrent()
        self._machine.begin_group([task])
        self._machine.become(task)
        return task

    def _queues(self, launch: Launch) -> Iterable[TaskQueue]:
        known = launch.kind, launch.dim
        if found := self._kept.get(known):
            return [found]
        total = prod(launch.dim)
        places = chain.from_iterable(launch.kind.groups(self._machine.shape, total))
        if total > _LENGTH:
            return self._long(places, launch.dim)
        if len(self._kept) == _KEPT:
            self._kept.clear()
        made = self._kept[known] = TaskQueue(tuple(places), launch.dim)
        return [made]

    @staticmethod
    def _long(places: Iterator[TaskPlace], dim: Three) -> Iterator[TaskQueue]:
        while some := tuple(islice(places, _LENGTH)):
            yield TaskQueue(some, dim)

    def _run_some(
        self, queue: TaskQueue, at: int, starter: Starter, entry: Callable[[Task], object], context: Context
    ) -> int:
        """Run tasks from a place of the queue on; how many."""
        machine, begun = self._machine, Begun(1, True, True)
        reused = self._make_fresh(queue, at)
        first = task_at(queue.places[at], queue.dim)
        machine.begin_group([first])
        machine.become(first)
        if starter.sees_all():
            machine.run_group([first], entry, context)
            return 1

        def body() -> None:
            nonlocal begun
            try:
                begun = starter.run_tasks(queue, at, reused)
                if begun.told:
                    machine.finish(machine.current.running, begun.ended)
            except Squashed:
                pass
            except BaseException as error:
                machine.collector.crash(error)
            machine.current.running.done = True

        fiber = greenlet(body)
        fiber.gr_context = context.copy()
        fiber.switch()
        if fiber:
            machine.go_on([machine.current.running])
        if begun.told or not reused or machine.collector.ended:
            self.fresh.clear()
        return begun.tasks

    def _make_fresh(self, queue: TaskQueue, at: int) -> bool:
        """Give the tasks from a place of the queue on fresh variables.

        Whether variables are fresh for as long as nothing is written to them for the first time.
        """
        owners = queue.owners if at == 0 else queue.owners_from(at)
        for scope, owner in sorted(owners - self.fresh):
            self._machine.place(scope, owner)
        self.fresh |= owners
        return all(variable.initial is None for variable in self._machine.layout.variables)
