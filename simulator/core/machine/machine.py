"""A machine: the memories and cores of one device while kernels run on them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextvars import Context, copy_context
from typing import Any

import numpy as np

from ....isa.check import check as check_declaration
from ...chip import Shape
from ...chip.launch_kinds import Role
from ...findings import Finding, Locate, Squashed, rules
from ...log import ALLOC, ARITHMETIC, FREE, OPERAND, RECORD, Location, Log, Op
from ...spent import current
from ..execution import Execution, Launch, Task, groups
from ..issue import Check, NativePort, Port, by_element_type, issue, native_ports
from ..memory import Allocation, Memory, Placement, Variable, VariableLayout, variable_counter
from .starting import Starter, Starting

#: Share of the asynchronous effects that come early in other orders.
_EARLY = 0.5
#: Records of a launch that was ended by its time limit, at most: those of a loop without an end repeat.
_ENOUGH = 1 << 16


class Machine:
    """Runs the tasks of launches, one at a time, and keeps what they did."""

    def __init__(
        self,
        shape: Shape,
        device: str,
        shared: dict[str, Memory],
        checks: Sequence[Callable[[Execution], Check]] = (),
    ) -> None:
        """``shared`` holds the memories that outlive a launch (the device's own), by space.

        ``checks`` look at each instruction, in their order.
        """
        self.device, self._off_chip, self._closed = device, tuple(shared.values()), False
        self.execution = execution = Execution(shape, shared)
        self.checks = [make(execution) for make in checks]
        self._beginning, self._ending = (
            [check for check in self.checks if getattr(type(check), hook) is not getattr(Check, hook)]
            for hook in ("begin", "end")
        )
        self.shape, self.dialect, self.current = shape, execution.dialect, execution.current
        self.collector, self.recorder, self.map = execution.collector, execution.recorder, execution.map
        spaces = self.dialect.spaces
        whole = {memory.name: not spaces[memory.name].registers for memory in self.map.own if spaces[memory.name].whole}
        self.cluster_spaces = {memory.name for memory in self.map.own if memory.space.scope == "cluster"}
        self.layout = VariableLayout(self.map.own, whole)
        self._marked: dict[tuple[str, int], tuple[Placement, np.ndarray, np.ndarray]] = {}  # see `variable_rows`
        self._marks: dict[tuple[str, str], int] = {}  # numbers in the log of what `_mark` notes, by name and space
        self._scalar_pipe = self.recorder.pipe("scalar")
        self.on_enter: Callable[[Task], None] = lambda task: None
        self._ports: dict[int, Port] = {}
        self._shared: dict[tuple[str, int, Hashable], Allocation] = {}
        self.starting = Starting(self)

    def close(self) -> None:
        """Give the on-chip memories back to the host; nothing can run afterwards."""
        self._closed = True
        for memory in self.map.own:
            memory.mapping.close()

    def port(self, number: int) -> Port:
        """The issue port of an overload, by its number in the dialect."""
        if number not in self._ports:
            overload = self.dialect.overloads[number]
            check_declaration(overload.instruction)
            make = by_element_type if overload.instruction.type_arguments else issue
            self._ports[number] = make(self.execution, overload, self.checks)
        spent = current()
        return spent.timed(self.dialect.overloads[number].name, self._ports[number]) if spent else self._ports[number]

    def native_ports(self, number: int) -> Mapping[int, NativePort | str]:
        """The native ports of an overload by the value of its selecting argument, or why there are none."""
        return native_ports(self.execution, self.dialect.overloads[number], self.checks)

    # --- running ---------------------------------------------------------------------------------

    def _begin(self, launch: Launch) -> None:
        """The state of one launch, all of it, begins anew."""
        self.collector.begin(launch.kernel, launch.on_finding)
        self.current.kind_given = launch.kind_given
        self.execution.barriers.begin()
        self.execution.messages.begin()
        self.recorder.begin(launch.log_limit)
        self.map.cache.forget_shared()
        self.map.sliced.clear()
        for memory in self.map.memories.values():
            if memory.poison != launch.poison:
                memory.refill(launch.poison)
        for check in self._beginning:
            check.begin()

    def run(
        self,
        launch: Launch,
        entry: Callable[[Task], object],
        *,
        locate: Locate,
        variables: tuple[Variable, ...] = (),
        progress: Callable[[int, int], None] | None = None,
        starter: Starter | None = None,
        image: Hashable = None,
    ) -> tuple[Log, list[Finding]]:
        """Run every task of a launch and return the log and the findings.

        ``entry`` runs one task, and returns whether it was ended early. A ``starter`` begins the tasks instead, unless
        ``progress`` is to be told after each or the launch asks for another order. If there is an ``image``, what
        ``locate`` says depends on that alone.
        Tasks run in the order of their numbers, and asynchronous effects come late, unless the launch asks for another
        order. A failure of the simulator itself (not of the kernel) is raised as it is.
        """
        if self._closed or not all(memory.mapping.reserved for memory in self._off_chip):
            raise RuntimeError(f"this {self.device} has gone; nothing can run on it any more")
        self._begin(launch)
        if self.layout.use(variables):
            self.starting.fresh.clear()
        with np.errstate(all="ignore"):  # NumPy keeps it in a context variable, and each task has a context of its own
            context = copy_context()
        self.place("device", 0)
        turns = random.Random(launch.order) if launch.order else None
        self.execution.deferrals.early = (lambda: turns.random() < _EARLY) if turns else lambda: False
        if starter and not turns and not progress:
            self.starting.run(launch, starter, entry, context)
        else:
            self._run_groups(launch, entry, context, turns, progress)
        if self.collector.failure is not None:
            raise self.collector.failure
        if not self.collector.ended:
            self.collector.leave_tasks()
            for check in self._ending:
                check.end()
        if self.collector.stopped and self.collector.stopped.rule == rules.process.TIME:
            self.recorder.shorten(_ENOUGH)
        log = self.recorder.finish(locate, self.shape, self.device, launch.header, image)
        if not any(op.engine and op.name != ARITHMETIC for op in log.ops) and not self.collector.has_error(
            besides=rules.not_modelled.NOT_MODELLED
        ):
            self.collector.leave_tasks()
            self.collector.report(rules.empty.no_instruction(), 0)
        if log.left_out and not self.collector.ended:
            self.collector.leave_tasks()
            self.collector.report(rules.log_limit.passed(len(log), log.left_out), 0)
        return log, self.collector.located(locate)

    def _run_groups(
        self, launch: Launch, entry: Callable[[Task], object], context: Context, turns: random.Random | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:  # fmt: skip
        ordered = groups(self.shape, launch.dim, launch.kind)
        total, done = math.prod(launch.dim), 0
        for group in self._in_turn(list(ordered) if turns else ordered, turns):
            self.run_group(group, entry, context, turns)
            done += sum(task.role != Role.MEMORY for task in group)
            if progress:
                progress(done, total)
            if self.collector.ended:
                break

    @staticmethod
    def _in_turn(items: Any, turns: random.Random | None) -> Any:
        """The items as they are, or in a random order."""
        if turns is not None:
            turns.shuffle(items)
        return items

    def run_group(
        self, group: list[Task], entry: Callable[[Task], object], context: Context, turns: random.Random | None = None
    ) -> None:
        """Run tasks together."""
        self.begin_group(group)
        self.starting.fresh.clear()
        for owner in {task.cluster for task in group}:
            self.place("cluster", owner)
        for task in group:
            self.place("core", task.core)
            task.fiber.run = self._body(task, entry)
            task.fiber.gr_context = context.copy()
        self.go_on(group, turns)

    def begin_group(self, group: list[Task]) -> None:
        """These tasks run together from now on."""
        self.execution.barriers.group, self._shared = group, {}

    def go_on(self, group: list[Task], turns: random.Random | None = None) -> None:
        """Let tasks run until all are done."""
        while any(not task.done for task in group):
            if self.collector.ended:
                self._unwind(group)
            ready = [task for task in group if not task.done and task.waiting is None]
            if not ready and not self.collector.ended:
                self.execution.barriers.deadlock([task for task in group if not task.done])
                ready = [task for task in group if not task.done]
            for task in self._in_turn(ready, turns):
                if not task.done and (task.fiber or not self.collector.ended):
                    self._enter(task)
                    task.fiber.switch()

    def _unwind(self, group: list[Task]) -> None:
        """A launch that has ended: tasks that have not begun never do, those at a barrier leave it."""
        for task in group:
            task.waiting = None
            task.done = task.done or not task.fiber

    def _body(self, task: Task, entry: Callable[[Task], object]) -> Callable[[], None]:
        def body() -> None:
            try:
                self._allocated(task)
                self.finish(task, bool(entry(task)))
            except Squashed:
                pass
            except BaseException as error:
                self.collector.crash(error)
            task.done = True

        return body

    def finish(self, task: Task, ended: bool) -> None:
        """The code of a task has come to its end, or has been ended."""
        self.execution.deferrals.finish()
        if not ended:
            self._check_section(task)
        self._freed(task)

    def _check_section(self, task: Task) -> None:
        """A task that has ended has closed its section."""
        if task.section:
            name, pc = task.moved_section
            self.collector.report(rules.section.left_open(name), pc)

    def _enter(self, task: Task) -> None:
        self.become(task)
        self.on_enter(task)

    def become(self, task: Task) -> None:
        """A task is the running one from now on."""
        current, collector = self.current, self.collector
        current.core, current.task, current.role, current.cluster = task.core, task.number, task.role, task.cluster
        current.running, collector.core, collector.task = task, task.core, task.number
        current.pending, current.found = task.pending, self.map.cache[task.core]

    def place(self, scope: str, owner: int) -> None:
        """Fresh file-scope variables for one owner; ports look for them anew where they are not where they were."""
        if self.layout.place(scope, owner):
            self.map.cache.forget((owner,) if scope == "core" else None)

    def _allocated(self, task: Task) -> None:
        if task.role != Role.MEMORY:
            self._mark_variables(ALLOC, task, self.layout.placement("core", task.core))

    def _freed(self, task: Task) -> None:
        """The variables that a task still holds at its end go back, the last one first."""
        for entry, pc in reversed(task.locals):
            self._mark(FREE, entry, pc)
        if task.role != Role.MEMORY:
            self._mark_variables(FREE, task, self.layout.placement("core", task.core))

    def _mark_variables(self, name: str, task: Task, placement: Placement) -> None:
        """The variables of the program come or go."""
        if placement.variables:
            records, operands = self.variable_rows(name, task.core, placement)
            records["task"] = task.number
            self.recorder.write_rows(records.tobytes(), operands.tobytes())

    def variable_rows(self, name: str, core: int, placement: Placement) -> tuple[np.ndarray, np.ndarray]:
        """The records, and the operand of each, of the program's variables that come (`ALLOC`) or go on a core.

        They are the same for all tasks of the core, and the same arrays for as long as the variables stay in place.
        """
        known = self._marked.get((name, core))
        if known is None or known[0] is not placement:
            held = placement.variables if name == ALLOC else placement.variables[::-1]
            records, operands = np.zeros(len(held), RECORD), np.zeros(len(held), OPERAND)
            records["core"] = core
            for row, (number, entry) in enumerate(held):
                sites = self.recorder.sites(self._mark_op(name, entry.space), self._scalar_pipe)
                records["loc"][row] = sites[variable_counter(number)]
                operands[row] = entry.key, entry.end - entry.start, 0, 0
            known = self._marked[name, core] = placement, records, operands
        return known[1:]

    def _mark_op(self, name: str, space: str) -> int:
        op = self._marks.get((name, space))
        if op is None:
            op = self._marks[name, space] = self.recorder.op(Op(name, space, ("dst",), (False,), ""))
        return op

    def _mark(self, name: str, entry: Allocation, pc: int) -> None:
        current = self.current
        self.recorder.write(
            self._mark_op(name, entry.space),
            self._scalar_pipe,
            0,
            current.core,
            current.task,
            pc,
            0,
            ((entry.key, entry.end - entry.start, 0, 0),),
        )

    # --- variables of a task -------------------------------------------------------------------------

    def shared(self, space: str, size: int, name: str, key: Hashable, pc: int) -> tuple[Allocation, bool]:
        """The variable that the tasks of one owner share under a key, and whether this call has allocated it."""
        memory = self.map.memories[space]
        where = (space, self.map.owner(memory), key)
        fresh = where not in self._shared
        if fresh:
            self._shared[where] = self.local(space, size, name, pc)
            self.current.running.locals.pop()  # it outlives the task that allocated it
        return self._shared[where], fresh

    def local(self, space: str, bytes: int, name: str, pc: int) -> Allocation:
        """Allocate on-chip memory for a variable of the running task; over budget is a finding."""
        memory = self.map.memories.get(space)
        if memory is None:
            self.collector.report(rules.space.absent(space, name), pc)
            raise Squashed
        used = memory.used(self.map.owner(memory)) + bytes
        if used > memory.space.budget:
            self.collector.report(rules.budget.variables(memory.space.name, used, memory.space.bytes, name), pc)
        entry = memory.allocate(self.map.owner(memory), bytes, name)
        entry.origin = Location("", pc)
        entry.clear()
        self.current.running.locals.append((entry, pc))
        self._mark(ALLOC, entry, pc)
        return entry

    def release(self, address: int, pc: int) -> None:
        """Return what `local` gave, by its address."""
        for held in reversed(self.current.running.locals):
            entry = held[0]
            if entry.start == address:
                self.current.running.locals.remove(held)
                memory = self.map.memories[entry.space]
                memory.free(entry)
                self.map.cache.forget((self.current.core,) if memory.space.scope == "core" else None)
                self._mark(FREE, entry, pc)
                return
