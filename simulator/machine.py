"""A machine: the memories and cores of one device while kernels run on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from greenlet import getcurrent, greenlet

from ..isa import DIALECTS, Dialect, Overload, Parameter, Partial, ValueOutOfRange
from .coherence import Coherence
from .device import Shape
from .door import Door, Skip, dispatch, issue
from .finding import ERROR, WARNING, Finding
from .guards import Guard
from .log import Location, Log, Op, Region, region_key
from .memory import POISON, Allocation, Memory
from .recorder import Recorder
from .tasks import MEMORY, Task, groups

Cache = tuple[int, int, np.ndarray, int, Any, Allocation]
Locate = Callable[[list[int]], list[Location]]


@dataclass
class Current:
    """What the door asks of the running task; filled in at every switch."""

    core: int = 0
    task: int = 0
    kind: int = 0
    pending: list[Deferred] = field(default_factory=list)


@dataclass(frozen=True)
class Deferred:
    """An effect that waits for the sync that asks for it, and the memory it touches: (start, end, written)."""

    pipe: str
    effect: Callable[[], None]
    pc: int
    name: str
    spans: tuple[tuple[int, int, bool], ...]


@dataclass(frozen=True)
class Variable:
    """A file-scope variable of a kernel in on-chip memory."""

    name: str
    space: str
    bytes: int
    initial: bytes | None = None
    location: Location = Location("", 0)


class Machine:
    """Runs the tasks of launches, one at a time, and keeps what they did."""

    def __init__(self, shape: Shape, device: str, shared: dict[str, Memory]) -> None:
        """``shared`` holds the memories that outlive a launch (the device's own), by space."""
        self.shape, self.device = shape, device
        self.dialect: Dialect = DIALECTS[shape.isa]
        self.memories: dict[str, Memory] = {}
        for index, (name, space) in enumerate(shape.spaces.items()):
            owners = {"device": 1, "cluster": shape.clusters, "core": shape.cores + shape.clusters}[space.scope]
            self.memories[name] = shared.get(name) or Memory(space, index, owners)
        self.private_spaces = {
            name for name, space in shape.spaces.items() if space.scope == "core" and name not in ("ldram", "vreg")
        }
        self.current, self.recorder = Current(), Recorder()
        self.on_switch: list[Callable[[], None]] = []
        self.on_enter: Callable[[Task], None] = lambda task: None
        self.on_stop: Callable[[], None] = lambda: None
        self.coherence = Coherence(self.report)
        self._doors: dict[int, Door] = {}
        self._variables: tuple[Variable, ...] = ()
        self._begin("", "raise")

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
        self.kernel, self.collecting = kernel, on_finding == "collect"
        self.stopped: Finding | None = None
        self.failure: BaseException | None = None
        self._found: dict[tuple[Any, ...], tuple[Finding, int, int | None]] = {}
        self._group: list[Task] = []
        self._meetings: dict[tuple[str, int], int] = {}
        self._met = 0
        self.task: Task | None = None
        self.recorder.at = 0
        self.coherence.reset()

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
        self._variables = variables
        total, done = dim[0] * dim[1] * dim[2], 0
        for group in groups(self.shape, dim, type):
            self._run_group(group, entry)
            done += len(group)
            if progress:
                progress(min(done, total), total)
            if self.stopped or self.failure:
                break
        if self.failure is not None:
            raise self.failure
        launch = {"kernel": kernel, "dim": list(dim), "type": type}
        log = self.recorder.finish(locate, self.shape, self.device, launch)
        return log, self._located(locate)

    def _run_group(self, group: list[Task], entry: Callable[[Task], None]) -> None:
        self._group = group
        for owner in {task.cluster for task in group}:
            self._place(owner, "cluster")
        for task in group:
            self._place(task.core, "core")
            task.greenlet = greenlet(self._body(task, entry))
        while any(not task.done for task in group):
            ready = [task for task in group if not task.done and task.waiting is None]
            if not ready:
                self._deadlock([task for task in group if not task.done])
                ready = [task for task in group if not task.done]
            for task in ready:
                if not task.done:
                    self._enter(task)
                    task.greenlet.switch()

    def _body(self, task: Task, entry: Callable[[Task], None]) -> Callable[[], None]:
        def body() -> None:
            try:
                with np.errstate(all="ignore"):
                    self._take(task)
                    entry(task)
                    self.drain(self.current)
            except Skip:
                pass
            except BaseException as error:
                self.failure = self.failure or error
            task.done = True

        return body

    def _enter(self, task: Task) -> None:
        self.task = task
        current = self.current
        current.core, current.task, current.kind, current.pending = task.core, task.taskId, task.kind, task.pending
        for reset in self.on_switch:
            reset()
        self.on_enter(task)

    def _place(self, owner: int, scope: str) -> None:
        """Lay out the file-scope variables of one owner, fresh."""
        for name, memory in self.memories.items():
            if memory.space.scope != scope:
                continue
            memory.clear(owner)
            if name == "vreg":
                memory.allocate(owner, memory.space.bytes, "vector registers").poison()
            for variable in self._variables:
                if variable.space == name:
                    allocation = memory.allocate(owner, variable.bytes, variable.name)
                    allocation.poison()
                    if variable.initial is not None:
                        allocation.view(np.dtype(np.uint8))[:] = np.frombuffer(variable.initial, np.uint8)
                        allocation.undefined.remove(allocation.start, allocation.end)

    def _take(self, task: Task) -> None:
        for memory in self.memories.values():
            if memory.space.scope == "core" and memory.name != "vreg" and task.kind != MEMORY:
                for entry in memory.allocations(task.core):
                    self._mark("alloc", entry, self.variable_counter(entry.name))

    def variable_counter(self, name: str) -> int:
        """The (negative) program counter that stands for the declaration of a file-scope variable."""
        return -1 - next(number for number, variable in enumerate(self._variables) if variable.name == name)

    def _mark(self, name: str, entry: Allocation, pc: int) -> None:
        op = self.recorder.op(Op(name, entry.space, ("dst",), (False,), ""))
        self.recorder.write(
            op, self.recorder.pipe("scalar"), 0, self.current.core, self.current.task, pc, 0,
            (entry.key, entry.end - entry.start),
        )  # fmt: skip

    # --- variables of a task -------------------------------------------------------------------------

    def owner(self, memory: Memory) -> int:
        """The running task's number among the owners of a memory."""
        assert self.task is not None
        return {"device": 0, "cluster": self.task.cluster, "core": self.task.core}[memory.space.scope]

    def local(self, space: str, bytes: int, name: str, pc: int) -> Allocation:
        """Take on-chip memory for a variable of the running task; over budget is a finding."""
        assert self.task is not None
        memory = self.memories.get(space)
        if memory is None:
            self.report(Finding("space", f"this device has no {space}", operand=name), pc)
            raise Skip
        used = memory.used(self.owner(memory)) + bytes
        if used > memory.space.budget:
            self.report(
                budget_finding(memory.space.name, used, memory.space.bytes, memory.space.reserved, name), pc
            )
        entry = memory.allocate(self.owner(memory), bytes, name)
        entry.poison()
        self.task.locals.append(entry)
        self._mark("alloc", entry, pc)
        return entry

    def release(self, address: int, pc: int) -> None:
        """Return what `local` gave, by its address."""
        assert self.task is not None
        for entry in reversed(self.task.locals):
            if entry.start == address:
                self.task.locals.remove(entry)
                self.memories[entry.space].free(entry)
                self._mark("free", entry, pc)
                for reset in self.on_switch:
                    reset()
                return

    # --- deferred effects and meetings -------------------------------------------------------------------

    def defer(
        self, pipe: str, effect: Callable[[], None], pc: int, overload: Overload,
        spans: tuple[tuple[int, int, bool], ...],
    ) -> None:  # fmt: skip
        """Keep an effect for the wait that asks for it."""
        self.current.pending.append(Deferred(pipe, effect, pc, overload.name, spans))

    def order(
        self, pc: int, overload: Overload | str, pipe: str, blocking: bool, spans: Iterable[tuple[int, int, bool]]
    ) -> None:
        """Report an access to memory that a deferred effect of another pipe still uses; a blocking one waits for it."""
        for entry in list(self.current.pending):
            if entry.pipe == pipe or not any(
                start < other_end and other_start < end and (written or other_written)
                for start, end, written in spans
                for other_start, other_end, other_written in entry.spans
            ):
                continue
            if blocking:
                self.drain(self.current, (entry.pipe,))
                continue
            name = overload if isinstance(overload, str) else overload.name
            wait = self._wait_for(entry.pipe)
            self.report(
                Finding(
                    "order",
                    f"{name} uses memory that {entry.name} is still working on; nothing waits for the {entry.pipe} pipe",
                    instruction=name,
                    suggestion=f"call {wait}() between them" if wait else "",
                ),
                pc,
                entry.pc,
            )

    def _wait_for(self, pipe: str) -> str:
        """The narrowest instruction that waits for a pipe."""
        waits = [entry for entry in self.dialect.instructions if pipe in entry.waits and not entry.barrier]
        return min(waits, key=lambda entry: len(entry.waits)).name if waits else ""

    def drain(self, current: Current, pipes: Iterable[str] | None = None) -> None:
        """Let the deferred effects on ``pipes`` (all by default) happen, in order."""
        wanted = None if pipes is None else set(pipes)
        kept = []
        for entry in current.pending:
            if wanted is None or entry.pipe in wanted:
                entry.effect()
            else:
                kept.append(entry)
        current.pending[:] = kept

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
            if self.stopped or self.failure:
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
        self.task = first
        self.current.core, self.current.task = first.core, first.taskId
        try:
            self.report(
                Finding("barrier", message, instruction=scope, suggestion="let every task of the scope reach the barrier"),
                pc,
            )
        except Skip:
            pass
        for task in stuck:
            task.waiting = None
        self.stopped = self.stopped or self._last_error()

    # --- findings ------------------------------------------------------------------------------------

    def report(self, finding: Finding, pc: int, related: int | None = None) -> None:
        """Keep a finding; one that ends the launch stops the running task by `Skip`.

        ``related`` is the program counter of the other instruction involved, if there is one.
        """
        full = replace(finding, kernel=self.kernel, core=self.current.core, task=self.current.task)
        key = (full.rule, full.instruction, full.operand, full.severity, pc)
        seen = self._found.get(key)
        self._found[key] = (seen[0].again() if seen else full, pc, related)
        if full.severity == ERROR and not self.collecting:
            self.stopped = self.stopped or full
            self.on_stop()
            raise Skip

    def _last_error(self) -> Finding | None:
        return next((f for f, *_ in reversed(self._found.values()) if f.severity == ERROR), None)

    def _located(self, locate: Locate) -> list[Finding]:
        def place(pc: int | None) -> Location | None:
            return None if pc is None else locate([pc])[0]

        return [
            replace(finding, location=place(pc), related=place(related)) for finding, pc, related in self._found.values()
        ]

    def broken(self, guard: Guard, pc: int, overload: Overload, address: int, bytes: int) -> None:
        """Report a guard that did not hold."""
        self.report(
            Finding(
                guard.rule,
                guard.message,
                instruction=overload.name,
                operand=guard.operand,
                region=self.region(address, bytes) if guard.operand else None,
                limit=guard.limit,
                suggestion=guard.suggestion,
                provenance=guard.provenance,
            ),
            pc,
        )

    def bad_value(self, error: ValueOutOfRange, pc: int, overload: Overload) -> int:
        """Report an element with a value out of range; the instruction had no effect."""
        try:
            self.report(
                Finding(
                    "value",
                    str(error),
                    instruction=overload.name,
                    operand=error.operand,
                    limit=error.limit,
                    suggestion=f"keep every element of {error.operand} {error.limit}",
                ),
                pc,
            )
        except Skip:
            pass
        return 0

    def crash(self, error: BaseException) -> int:
        """Keep an exception that must not cross the C boundary; it is raised when the launch has unwound."""
        self.failure = self.failure or error
        self.on_stop()
        return 0

    # --- memory --------------------------------------------------------------------------------------------

    def region(self, address: int, bytes: int) -> Region | None:
        """The region that an address range is, if it lies in a memory."""
        for memory in self.memories.values():
            owner = memory.owner_of(address)
            if owner is not None:
                return Region(memory.name, owner, address - memory.base - owner * memory.stride, max(bytes, 0))
        return None

    def key(self, address: int) -> int:
        """The number of an address in logs."""
        found = self.region(address, 0)
        return region_key(list(self.memories).index(found.space), found.owner, found.offset) if found else 0

    def find(
        self, pc: int, overload: Overload, parameter: Parameter, address: int, bytes: int, space: str, dtype: np.dtype
    ) -> Cache:
        """The memory behind an operand, or a finding: wrong space, another core's memory, or out of bounds."""
        memory = self.memories[space]
        entry = memory.find(address)
        owner = memory.owner_of(address)
        if entry is not None and owner == self.owner(memory) and entry.start <= address <= address + bytes <= entry.end:
            return entry.start, entry.end, entry.view(dtype), entry.key, entry.undefined, entry
        finding = self.misplaced(address, bytes, memory, parameter.writes)
        self.report(replace(finding, instruction=overload.name, operand=parameter.name), pc)
        raise Skip

    def misplaced(self, address: int, bytes: int, memory: Memory, writes: bool) -> Finding:
        """Why [address, address + bytes) is not a legal operand in ``memory``."""
        verb = "write" if writes else "read"
        region = self.region(address, bytes)
        need = f"an address in {memory.name}"
        if address == 0:
            return Finding("bounds", "the pointer is null", limit=need, suggestion=f"pass {need}")
        if region is None:
            return Finding("bounds", f"address {address:#x} belongs to no memory of the device", limit=need)
        if region.space != memory.name:
            return Finding(
                "space", f"the operand lies in {region.space}, not in {memory.name}", region=region, limit=need,
                suggestion=f"copy the data to {memory.name} first",
            )  # fmt: skip
        if region.owner != self.owner(memory):
            return Finding(
                "space", f"{memory.name} of core {region.owner} is not this core's own", region=region, limit=need
            )
        entry = memory.find(address)
        if entry is None or address >= entry.end:
            before = f"; the nearest before it, {entry.name!r}, ends at {entry.end:#x}" if entry else ""
            return Finding("bounds", f"{verb} of {bytes} bytes where nothing is allocated{before}", region=region)
        past = address + bytes - entry.end
        size = entry.end - entry.start
        return Finding(
            "bounds",
            f"{verb} of {bytes} bytes at byte {address - entry.start} of {entry.name!r} passes its end by {past}",
            region=region,
            limit=f"{entry.name!r} has {size} bytes",
            suggestion="make the variable larger or the count smaller",
        )

    def touch(self, pc: int, overload: Overload, parameter: Parameter, entry: Allocation, start: int, bytes: int) -> None:
        """Warn of a read of bytes that nobody wrote, once for each byte."""
        piece = entry.undefined.first(start, start + bytes)
        if piece:
            entry.undefined.remove(start, start + bytes)
            self.report(
                Finding(
                    "undefined",
                    f"reads {piece[1] - piece[0]} bytes of {entry.name!r} that nobody has written",
                    instruction=overload.name,
                    operand=parameter.name,
                    region=self.region(piece[0], piece[1] - piece[0]),
                    severity=WARNING,
                    suggestion="write the memory before it is read",
                ),
                pc,
            )

    def read_strided(
        self, pc: int, overload: Overload, parameter: Parameter, entry: Allocation, address: int,
        shape: tuple[int, ...], strides: tuple[int, ...],
    ) -> None:  # fmt: skip
        """`touch` for each segment of a strided operand, until one is undefined."""
        for start, bytes in _segments(address, shape, strides):
            if entry.undefined.first(start, start + bytes):
                self.touch(pc, overload, parameter, entry, start, bytes)
                return

    def define_strided(
        self, entry: Allocation, address: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        """Every segment of a strided operand has been written."""
        for start, bytes in _segments(address, shape, strides):
            entry.undefined.remove(start, start + bytes)

    def undefine(self, entry: Allocation, start: int, end: int) -> None:
        """Nobody may rely on the bytes of [start, end) any more."""
        if end > start:
            entry.view(np.dtype(np.uint8))[start - entry.start : end - entry.start] = POISON
            entry.undefined.add(start, end)

    def partial(self, entry: Allocation, address: int, target: np.ndarray, result: Partial) -> None:
        """Write the rows of an output that an instruction produced; only they become defined."""
        target[result.rows] = result.values[result.rows]
        if entry.undefined.hi:
            size = target.strides[0]
            for row in np.flatnonzero(result.rows):
                entry.undefined.remove(address + int(row) * size, address + (int(row) + 1) * size)

    def assign(self, targets: tuple[np.ndarray, ...], values: tuple[Any, ...]) -> None:
        """Write the results of an instruction with several outputs."""
        for target, value in zip(targets, values, strict=True):
            target[...] = value


def _segments(address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Iterable[tuple[int, int]]:
    for index in np.ndindex(*shape[:-1]):
        yield address + sum(i * s for i, s in zip(index, strides, strict=False)), shape[-1] * strides[-1]


def budget_finding(space: str, used: int, bytes: int, reserved: int, name: str) -> Finding:
    """On-chip variables take more than the space has."""
    limit = f"{bytes - reserved} bytes"
    if reserved:
        limit += f" ({bytes} minus {reserved} that the vendor's compiler keeps)"
    return Finding(
        "budget",
        f"{space} variables take {used} bytes with {name!r}, {used - (bytes - reserved)} too many",
        operand=name,
        limit=limit,
        suggestion=f"make the {space} variables smaller, or work in smaller tiles",
    )
