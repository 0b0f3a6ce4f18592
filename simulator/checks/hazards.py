"""Memory is not used while an unfinished asynchronous instruction works on it."""

from __future__ import annotations

from collections.abc import Sequence

from ...isa import Cache, Completion
from ..execution import Extent, meet
from ..findings import Finding, rules
from ..issue import AccessRun, Check, PortSource
from ..issue.operands import Operand
from ..memory import Memory


class Hazards(Check):
    """Compares every access with the deferred effects of the other pipes of the core."""

    def before_effect(self, port: PortSource, operands: list[Operand]) -> None:
        effect = port.entry.effect
        if not operands or isinstance(effect, Cache):
            return
        order = port.bind("_order", self._order)
        blocking = getattr(effect, "completion", None) is Completion.BLOCKING
        extents = ", ".join(operand.extent() for operand in operands)
        queues = self.execution.dialect.queues
        working = "_cur.pending or _cur.unwaited" if queues and port.entry.pipe not in queues else "_cur.pending"
        port.line(f"if {working}: {order}(_pc, _OVERLOAD.name, {port.pipe}, {blocking}, ({extents},))")

    def watches_runs(self) -> bool:
        return bool(self.execution.current.pending or self.execution.current.unwaited)

    def scalar_run(self, run: AccessRun, memory: Memory) -> None:
        if self.watches_runs():
            extents: list[Extent] = [(start, end, run.store, -1, None) for start, end in run.pieces()]
            self._order(run.pc, run.name, "scalar", False, extents)

    def _order(self, pc: int, name: str, pipe: str, blocking: bool, extents: Sequence[Extent]) -> None:
        """Report an access to memory that a deferred effect of another pipe still uses; a blocking one waits for it."""
        execution = self.execution
        for entry in list(execution.current.pending):
            if entry.pipe == pipe or not any(meet(mine, other) for mine in extents for other in entry.extents):
                continue
            if blocking:
                execution.deferrals.drain((entry.pipe,))
                continue
            self._report(pc, name, entry.pipe, entry.name, entry.pc)
        if pipe not in execution.dialect.queues:  # a queue comes after the others by itself
            for other, user, its_pc in list(execution.current.unwaited.users(extents)):
                self._report(pc, name, other, user, its_pc)

    def _report(self, pc: int, name: str, pipe: str, user: str, its_pc: int) -> None:
        wait = self.execution.dialect.wait_for(pipe)
        self.execution.collector.report(
            Finding(
                rules.ORDER,
                f"{name} uses memory that {user} is still working on; nothing waits for the {pipe} pipe",
                instruction=name,
                suggestion=f"call {wait}() between them" if wait else "",
            ),
            pc,
            its_pc,
        )
