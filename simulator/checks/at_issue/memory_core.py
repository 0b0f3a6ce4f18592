"""What a cluster's memory core does with scalars, while it runs the kernel of the other cores beside them."""

from __future__ import annotations

from ...chip.launch_kinds import Role
from ...core.issue import AccessRun, Check
from ...core.memory import Memory
from ...findings import Finding, rules

_GUARD = "let it return at once (if (__is_mpu()) return;), or only the cores do this (if (__is_ipu()), or coreId == 0)"


class MemoryCore(Check):
    """Warns of scalar accesses of the memory core to memory that it does not have, and of its stores for the host.

    Those that it cannot make have one cause, a guard that is missing before the first of them.
    """

    def begin(self) -> None:
        self._lacking: tuple[Finding, int] | None = None

    def looks_at_runs(self) -> bool:
        return self.execution.current.role == Role.MEMORY

    def scalar_run(self, run: AccessRun, memory: Memory) -> None:
        execution = self.execution
        if execution.current.role != Role.MEMORY:
            return
        lacks = not execution.dialect.spaces[memory.name].memory_core
        if lacks:
            verb = "stores to" if run.store else "loads from"
            message = f"the memory core {verb} {memory.name}, which it does not have"
        elif run.store and memory.space.scope == "device":
            effect = "repeats a store of the other cores" if execution.shape.memory_core_stores else "has no effect"
            message = f"a scalar store of the memory core to {memory.name} {effect}"
        else:
            return
        region = execution.map.region(run.low, run.high - run.low)
        finding = Finding(
            rules.MEMORY_CORE, message, instruction=run.name, region=region, suggestion=_GUARD, provenance="inferred"
        )
        found = finding, run.pc
        if lacks:
            found = self._lacking = self._lacking or found
        execution.collector.report(*found)
