"""A machine: the memories and cores of one device while kernels run on them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context

import numpy as np
from greenlet import getcurrent, greenlet

from ..isa import DIALECTS, Dialect
from .coherence import Coherence
from .deferred import Deferrals
from .device import Shape
from .door import Door, dispatch, issue
from .finding import Finding, budget_finding
from .layout import Layout, Variable
from .ledger import Current, Ledger, Locate, Skip
from .log import Log, Op
from .memory import Allocation, Memory
from .memory_map import MemoryMap
from .recorder import Recorder
from .tasks import MEMORY, Task, groups


class Machine:
    """Runs the tasks of launches, one at a time, and keeps what they did."""

    def __init__(self, shape: Shape, device: str, shared: dict[str, Memory]) -> None:
        """``shared`` holds the memories that outlive a launch (the device's own), by space."""
        self.shape, self.device = shape, device
        self.dialect: Dialect = DIALECTS[shape.isa]
        self.current, self.recorder = Current(), Recorder()
        self.ledger = Ledger(self.current)
        self.map = MemoryMap(shape, shared, self.current, self.ledger)
        self.deferrals = Deferrals(self.dialect, self.current, self.ledger)
        self.coherence = Coherence(self.dialect, self.ledger.report)
        self.private_spaces = {
            name for name, space in shape.spaces.items() if space.scope == "core" and name not in ("ldram", "vreg")
        }
        self.layout = Layout(self.map.memories.values())
        self._marks: dict[tuple[str, str], int] = {}  # numbers in the log of what `_mark` notes, by name and space
        self._scalar_pipe = self.recorder.pipe("scalar")
        self.on_enter: Callable[[Task], None] = lambda task: None
        self._doors: dict[int, Door] = {}
        self._begin("", "raise")

    def close(self) -> None:
        """Give the on-chip memories back to the host; nothing can run afterwards."""
        for memory in self.map.memories.values():
            if memory.space.scope != "device":
                memory.mapping.close()

    def door(self, number: int) -> Door:
        """The door of an overload, by its number in the dialect."""
        if number not in self._doors:
            overload = self.dialect.overloads[number]
            if overload.instruction.type_argument:
                self._doors[number] = dispatch(self, overload)
            else:
                self._doors[number] = issue(self, overload)
        return self._doors[number]

    # --- running ---------------------------------------------------------------------------------

    def _begin(self, kernel: str, on_finding: str) -> None:
        self.ledger.begin(kernel, on_finding)
        self._group: list[Task] = []
        self._shared: dict[tuple[str, int, int], Allocation] = {}
        self._meetings: dict[tuple[str, int], int] = {}
        self._met = 0
        self.task: Task | None = None
        self.recorder.at = 0
        self.coherence.reset()
        self.map.cache.forget_shared()

    def run(
        self,
        kernel: str,
        entry: Callable[[Task], None],
        dim: tuple[int, int, int],
        type: str,
        *,
        variables: tuple[Variable, ...] = (),
        on_finding: str = "raise",
        locate: Locate,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Log, list[Finding]]:
        """Run every task of a launch and return the log and the findings.

        A failure of the simulator itself (not of the kernel) is raised as it is.
        """
        self._begin(kernel, on_finding)
        self.layout.use(variables)
        with np.errstate(all="ignore"):  # NumPy keeps it in a context variable, and each task has a context of its own
            context = copy_context()
        total, done = dim[0] * dim[1] * dim[2], 0
        for group in groups(self.shape, dim, type):
            self._run_group(group, entry, context)
            done += len(group)
            if progress:
                progress(min(done, total), total)
            if self.ledger.ended:
                break
        if self.ledger.failure is not None:
            raise self.ledger.failure
        launch = {"kernel": kernel, "dim": list(dim), "type": type}
        log = self.recorder.finish(locate, self.shape, self.device, launch)
        return log, self.ledger.located(locate)

    def _run_group(self, group: list[Task], entry: Callable[[Task], None], context: Context) -> None:
        self._group, self._shared = group, {}
        for owner in {task.cluster for task in group}:
            self._place("cluster", owner)
        for task in group:
            self._place("core", task.core)
            task.greenlet = greenlet(self._body(task, entry))
            task.greenlet.gr_context = context.copy()
        while any(not task.done for task in group):
            if self.ledger.ended:
                self._unwind(group)
            ready = [task for task in group if not task.done and task.waiting is None]
            if not ready and not self.ledger.ended:
                self._deadlock([task for task in group if not task.done])
                ready = [task for task in group if not task.done]
            for task in ready:
                if not task.done and (task.greenlet or not self.ledger.ended):
                    self._enter(task)
                    task.greenlet.switch()

    def _unwind(self, group: list[Task]) -> None:
        """A launch that has ended: tasks that have not begun never do, those at a meeting leave it."""
        for task in group:
            task.waiting = None
            task.done = task.done or not task.greenlet

    def _body(self, task: Task, entry: Callable[[Task], None]) -> Callable[[], None]:
        def body() -> None:
            try:
                self._take(task)
                entry(task)
                self.deferrals.drain()
                self._give(task)
            except Skip:
                pass
            except BaseException as error:
                self.ledger.crash(error)
            task.done = True

        return body

    def _enter(self, task: Task) -> None:
        self.task = task
        current = self.current
        current.core, current.task, current.kind, current.cluster = task.core, task.taskId, task.kind, task.cluster
        current.pending, current.found = task.pending, self.map.cache[task.core]
        self.on_enter(task)

    def _place(self, scope: str, owner: int) -> None:
        """Fresh file-scope variables for one owner; doors look for them anew where they are not where they were."""
        if self.layout.place(scope, owner):
            self.map.cache.forget((owner,) if scope == "core" else None)

    def _take(self, task: Task) -> None:
        if task.kind != MEMORY:
            for number, entry in self.layout.placement("core", task.core).variables:
                self._mark("alloc", entry, variable_counter(number))

    def _give(self, task: Task) -> None:
        """The variables that a task still holds at its end go back, the last one first."""
        for entry, pc in reversed(task.locals):
            self._mark("free", entry, pc)
        if task.kind != MEMORY:
            for number, entry in reversed(self.layout.placement("core", task.core).variables):
                self._mark("free", entry, variable_counter(number))

    def _mark(self, name: str, entry: Allocation, pc: int) -> None:
        op = self._marks.get((name, entry.space))
        if op is None:
            op = self._marks[name, entry.space] = self.recorder.op(Op(name, entry.space, ("dst",), (False,), ""))
        current = self.current
        self.recorder.write(
            op, self._scalar_pipe, 0, current.core, current.task, pc, 0, (entry.key, entry.end - entry.start)
        )

    # --- variables of a task -------------------------------------------------------------------------

    def shared(self, space: str, bytes: int, number: int, pc: int) -> Allocation:
        """The ``number``-th variable that the tasks of one owner share; the first to ask for it takes the memory."""
        memory = self.map.memories[space]
        key = (space, self.map.owner(memory), number)
        if key not in self._shared:
            entry = self.local(space, bytes, f"{space} variable", pc)
            assert self.task is not None
            self.task.locals.pop()  # it outlives the task that took it
            self._shared[key] = entry
        return self._shared[key]

    def local(self, space: str, bytes: int, name: str, pc: int) -> Allocation:
        """Take on-chip memory for a variable of the running task; over budget is a finding."""
        assert self.task is not None
        memory = self.map.memories.get(space)
        if memory is None:
            self.ledger.report(Finding("space", f"this device has no {space}", operand=name), pc)
            raise Skip
        used = memory.used(self.map.owner(memory)) + bytes
        if used > memory.space.budget:
            self.ledger.report(budget_finding(memory.space.name, used, memory.space.bytes, name), pc)
        entry = memory.allocate(self.map.owner(memory), bytes, name)
        entry.poison()
        self.task.locals.append((entry, pc))
        self._mark("alloc", entry, pc)
        return entry

    def release(self, address: int, pc: int) -> None:
        """Return what `local` gave, by its address."""
        assert self.task is not None
        for held in reversed(self.task.locals):
            entry = held[0]
            if entry.start == address:
                self.task.locals.remove(held)
                memory = self.map.memories[entry.space]
                memory.free(entry)
                self.map.cache.forget((self.current.core,) if memory.space.scope == "core" else None)
                self._mark("free", entry, pc)
                return

    # --- deferred effects and meetings -------------------------------------------------------------------

    def meet(self, scope: str, pc: int) -> int:
        """Wait for the other tasks of a meeting; returns the meeting's number."""
        task = self.task
        assert task is not None
        if task.kind == 0:
            self._met += 1
            return self._met
        if not task.meets(scope, task):
            raise Skip
        key = (scope, task.cluster if scope.startswith("cluster") else -1)
        if key not in self._meetings:
            self._met += 1
            self._meetings[key] = self._met
        number = self._meetings[key]
        task.waiting = (scope, pc)
        others = [other for other in self._group if task.meets(scope, other)]
        if all(other.waiting and other.waiting[0] == scope for other in others):
            del self._meetings[key]
            for other in others:
                other.waiting = None
        else:
            getcurrent().parent.switch()
            if self.ledger.ended:
                self.ledger.on_stop()
                raise Skip
        return number

    def _deadlock(self, stuck: list[Task]) -> None:
        """Nobody can go on: say who waits for whom, and end the stuck tasks."""
        first = stuck[0]
        assert first.waiting is not None
        scope, pc = first.waiting
        missing = [t for t in self._group if first.meets(scope, t) and not (t.waiting and t.waiting[0] == scope)]

        def state(task: Task) -> str:
            name = f"the memory core of cluster {task.cluster}" if task.kind == MEMORY else f"task {task.taskId}"
            return f"{name} ({'has ended' if task.done else f'waits in {task.waiting[0]}' if task.waiting else 'runs'})"

        message = (
            f"task {first.taskId} waits in a {scope} meeting for {', '.join(map(state, missing[:8]))}"
            f"{' and more' if len(missing) > 8 else ''}; {len(stuck)} tasks wait for ever"
        )
        self.current.core, self.current.task = first.core, first.taskId
        advice = "let every task of the scope reach the barrier"
        with suppress(Skip):
            self.ledger.report(Finding("barrier", message, instruction=scope, suggestion=advice), pc)
        for task in stuck:
            task.waiting = None
        self.ledger.stop()


def variable_counter(number: int) -> int:
    """The (negative) program counter that stands for the declaration of a file-scope variable, by its number."""
    return -1 - number
