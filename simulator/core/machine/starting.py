"""Tasks that an engine may begin without telling the machine of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import Context
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, NamedTuple, Protocol

from greenlet import getcurrent

from ...chip.launch_kinds import LaunchKind, Role, TaskPlace, Three
from ...findings import Squashed
from ..execution import Launch, Task, task_at
from . import fibers

if TYPE_CHECKING:
    from .machine import Machine

#: The most tasks of a queue (the last group may exceed it), and the most queues that are kept for later launches.
_LENGTH, _KEPT = 1024, 16
#: The owner of memories: its scope, and its number there.
Owner = tuple[str, int]
#: Places of a queue that run together.
Group = tuple[TaskPlace, ...]


@dataclass(eq=False)
class TaskQueue:
    """Tasks of a launch with dimensions ``dim``, in their order, in groups that run together."""

    groups: tuple[Group, ...]
    dim: Three

    def __post_init__(self) -> None:
        self.places = tuple(chain.from_iterable(self.groups))
        self._ranges: list[range] = []  # of every place: the places of its group
        for group in self.groups:
            begin = len(self._ranges)
            self._ranges += [range(begin, begin + len(group))] * len(group)
        #: By the first place of a group: the owners for the tasks from there on.
        self.owners: dict[int, frozenset[Owner]] = {}
        rest, at = frozenset[Owner](), len(self.places)
        for group in reversed(self.groups):
            own, at = owners_of(group), at - len(group)
            rest = rest if own <= rest else rest | own
            self.owners[at] = rest
        self.of_memory_core = next((place for place in self.places if place.role == Role.MEMORY), None)

    def group(self, at: int) -> range:
        """The places of the tasks that run together with the one at a place."""
        return self._ranges[at]


def owners_of(group: Iterable[TaskPlace]) -> frozenset[Owner]:
    """The owners of the memories that some tasks use."""
    return frozenset(owner for place in group for owner in (("core", place.core), ("cluster", place.cluster)))


class Begun(NamedTuple):
    """``tasks`` of a queue have begun, and are done.

    If there are none, the machine was told of the last one and has to finish it. ``ended``: this task did not come to
    its end by itself.
    """

    tasks: int
    ended: bool = False


class Starter(Protocol):
    """Begins tasks of a queue."""

    def sees_all(self) -> bool:
        """Whether checks have to see what a task like the current one does: then the machine has to be told of it."""

    def run_tasks(self, queue: TaskQueue, places: range, reused: bool, seen: int) -> Begun:
        """Begin the tasks at these places of a queue, and tell the machine (`Starting.tell`) of one that needs it.

        A core runs one task. If ``reused``, it runs more, until a task has written there what others may ask for.
        ``seen`` has a bit for each role whose scalar accesses checks have to see.
        """


class Starting:
    """Runs the tasks of launches, those that run together in turn: a task runs until it is done, or has to wait."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._kept: dict[tuple[LaunchKind, Three], TaskQueue] = {}
        #: Whose memories hold the variables of the program as a task finds them.
        self.fresh: set[Owner] = set()
        self._group: list[Task] = []  # the tasks of a group, once the machine has been told of one
        self._told = -1  # the place of the task of which the machine has been told last

    def run(self, launch: Launch, starter: Starter, entry: Callable[[Task], object], context: Context) -> None:
        """Run all tasks of a launch; ``entry`` runs one of which the machine has to be told."""
        for queue in self._queues(launch):
            at = 0
            while at < len(queue.places) and not self._machine.collector.ended:
                at = self._run_from(queue, at, starter, entry, context)

    def tell(self, queue: TaskQueue, at: int) -> Task:
        """The task at this place is the running one, whatever it has done so far; those before it are done."""
        group = queue.group(at)
        if not self._group:
            self._group = [task_at(place, queue.dim) for place in queue.places[group.start : group.stop]]
            self._machine.begin_group(self._group)
            self._have_ended(range(at - group.start))
        task = self._group[at - group.start]
        task.fiber = getcurrent()
        self._machine.become(task)
        self._told = at
        return task

    def _have_ended(self, numbers: range) -> None:
        """These tasks of the group were done without the machine."""
        for task in self._group[numbers.start : numbers.stop]:
            task.done = True

    def _queues(self, launch: Launch) -> Iterable[TaskQueue]:
        known = launch.kind, launch.dim
        if found := self._kept.get(known):
            return [found]
        total = prod(launch.dim)
        groups = map(tuple, launch.kind.groups(self._machine.shape, total))
        if total > _LENGTH:
            return self._long(groups, launch.dim)
        if len(self._kept) == _KEPT:
            self._kept.clear()
        made = self._kept[known] = TaskQueue(tuple(groups), launch.dim)
        return [made]

    @staticmethod
    def _long(groups: Iterator[Group], dim: Three) -> Iterator[TaskQueue]:
        some: list[Group] = []
        for group in groups:
            some.append(group)
            if sum(map(len, some)) >= _LENGTH:
                yield TaskQueue(tuple(some), dim)
                some.clear()
        if some:
            yield TaskQueue(tuple(some), dim)

    def _run_from(
        self, queue: TaskQueue, at: int, starter: Starter, entry: Callable[[Task], object], context: Context
    ) -> int:
        """Run tasks from the first of a group on; returns the place of the first task of the next group."""
        machine, group = self._machine, queue.group(at)
        reused = self._make_fresh(queue.owners[at])
        self._group, seen = [], 0
        if queue.of_memory_core:
            machine.become(task_at(queue.of_memory_core, queue.dim))
            seen = starter.sees_all() << Role.MEMORY
        machine.become(task_at(queue.places[at], queue.dim))
        if starter.sees_all():
            tasks = [task_at(place, queue.dim) for place in queue.places[group.start : group.stop]]
            machine.run_group(tasks, entry, context)
            return group.stop
        places = range(at, len(queue.places))
        while places and not machine.collector.ended:
            at = self._begin(queue, places, starter, reused, seen, context)
            group = queue.group(at - 1)
            places = range(at, group.stop)  # which find what the others of the group have written
        if self._group:
            machine.go_on(self._group)
            self.fresh -= owners_of(queue.places[group.start : group.stop])
        if not reused or machine.collector.ended:
            self.fresh.clear()
        return group.stop

    def _begin(
        self, queue: TaskQueue, places: range, starter: Starter, reused: bool, seen: int, context: Context
    ) -> int:
        """Begin tasks at these places, up to one that waits for others; returns the place after the last of them."""
        machine, begun = self._machine, Begun(1)

        def body() -> None:
            nonlocal begun
            try:
                begun = starter.run_tasks(queue, places, reused, seen)
                if not begun.tasks:
                    machine.finish(machine.current.running, begun.ended)
            except Squashed:
                pass
            except BaseException as error:
                machine.collector.crash(error)
            if not begun.tasks:
                machine.current.running.done = True

        self._told = -1
        fibers.start(body, context.copy())
        end = self._told + 1 if self._told >= 0 else places.start + begun.tasks
        if self._group:
            start = queue.group(end - 1).start
            self._have_ended(range(max(places.start - start, 0), end - start - (self._told >= 0)))
        return end

    def _make_fresh(self, owners: frozenset[Owner]) -> bool:
        """Give owners fresh variables.

        Returns whether all variables stay fresh until a first write, which is noticed. Those that begin with values
        have no first write.
        """
        for scope, owner in sorted(owners - self.fresh):
            self._machine.place(scope, owner)
        self.fresh |= owners
        return all(variable.initial is None for variable in self._machine.layout.variables)
