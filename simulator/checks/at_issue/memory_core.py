"""What a cluster's memory core does with scalars, while it runs the kernel of the other cores beside them."""

from __future__ import annotations

from ...chip.launch_kinds import Role
from ...core.issue import AccessRun, Check
from ...core.memory import Memory
from ...findings import Finding, rules


class MemoryCore(Check):
    """Warns of scalar accesses of the memory core to memory that it does not have, and of its stores for the host.

    All of them have one cause, a guard that is missing before the first.
    """

    def begin(self) -> None:
        self._first: tuple[Finding, int] | None = None

    def looks_at_runs(self) -> bool:
        return self.execution.current.role == Role.MEMORY

    def scalar_run(self, run: AccessRun, memory: Memory) -> None:
        execution = self.execution
        if execution.current.role != Role.MEMORY:
            return
        lacks = not execution.dialect.spaces[memory.name].memory_core
        if not lacks and not (run.store and memory.space.scope == "device"):
            return
        if self._first is None:
            region = execution.map.region(run.low, run.high - run.low)
            repeats = bool(execution.shape.memory_core_stores)
            found = (
                rules.memory_core.lacking(run.store, run.name, memory.name, region)
                if lacks
                else rules.memory_core.stored(repeats, run.name, memory.name, region)
            )
            self._first = found, run.pc
        execution.collector.report(*self._first)
