"""The memory that a cluster's cores share, in launches that give out cores one by one."""

from __future__ import annotations

from collections.abc import Set

from ...chip.launch_kinds import Role
from ...core.execution import Execution
from ...core.issue import AccessRun, Check, PortSource
from ...core.issue.operands import Operand
from ...core.memory import Memory
from ...findings import rules


class ClusterMemory(Check):
    """Block tasks have no cluster: neither its memory nor the memory core that copies to it are theirs.

    A kernel in Python that is tried out, launched without a type, may ask for any memory of the core's.
    """

    def __init__(self, execution: Execution) -> None:
        super().__init__(execution)
        self._shared = {name for name, space in execution.shape.spaces.items() if space.scope == "cluster"}

    def looks_at(self, port: PortSource, spaces: set[str]) -> Set[Role]:
        return {Role.ALONE} if spaces & self._shared else set()

    def before_effect(self, port: PortSource, operands: list[Operand]) -> None:
        select = port.entry.select
        if select is not None:
            cases = {v: s for v, case in select.cases.items() for s in case.spaces.values() if s in self._shared}
            if cases:
                with port.block(f"if {select.argument} in {port.bind('_CLUSTER_CASES', cases)}:"):
                    self._call(port, f"_CLUSTER_CASES[{select.argument}]")
        elif space := next((s for o in operands if (s := port.entry.space_of(o.parameter)) in self._shared), ""):
            self._call(port, repr(space))

    def _call(self, port: PortSource, space: str) -> None:
        port.line(f"{port.bind('_in_cluster', self._check)}(_pc, _OVERLOAD.name, {space})")

    def looks_at_runs(self) -> bool:
        task, memories = self.execution.current.running, self.execution.map.memories
        return task.role == Role.ALONE and any(
            next(memories[name].allocations(task.cluster), None) for name in self._shared
        )

    def scalar_run(self, run: AccessRun, memory: Memory) -> None:
        if memory.name in self._shared:
            self._check(run.pc, run.name, memory.name)

    def _check(self, pc: int, instruction: str, space: str) -> None:
        current = self.execution.current
        if current.role == Role.ALONE and current.kind_given:
            self.execution.collector.report(rules.space.without_cluster(space, instruction), pc)
