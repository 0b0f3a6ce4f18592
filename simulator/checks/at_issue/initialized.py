"""What is read has been written before."""

from __future__ import annotations

from ...chip.launch_kinds import Role
from ...core.issue import Check, PortSource
from ...core.issue.operands import Operand
from ...core.memory import Allocation
from ...findings import Finding, rules

_ADVICE = "write the memory before it is read"


class Initialized(Check):
    """Warns of reads of uninitialized bytes, once for each byte."""

    def before_read(self, port: PortSource, operand: Operand) -> None:
        name = operand.name
        report = port.bind("_uninitialized", self._report)
        entry = f"_t_{name}.entry" if operand.parameter.is_tensor else f"_a_{name}"
        port.line(f"_piece = {operand.uninitialized()}")
        with port.block("if _piece:"):
            port.line(operand.forgive())
            port.line(f"{report}(_pc, _OVERLOAD.name, {name!r}, {entry}, _piece)")

    def unwritten_load(self, piece: tuple[int, int], entry: Allocation, name: str, pc: int) -> None:
        spaces, role = self.execution.dialect.spaces, self.execution.current.role
        if role == Role.MEMORY and not spaces[entry.space].memory_core:
            return  # it has no such memory: that is another rule's
        self._found(pc, name, "", f"scalar load of {_stale(entry, piece)}", entry, piece)

    def _report(self, pc: int, instruction: str, operand: str, entry: Allocation, piece: tuple[int, int]) -> None:
        self._found(pc, instruction, operand, f"reads {_stale(entry, piece)}", entry, piece)

    def _found(
        self, pc: int, instruction: str, operand: str, message: str, entry: Allocation, piece: tuple[int, int]
    ) -> None:
        start, end = piece
        self.execution.collector.report(
            Finding(
                rules.UNINITIALIZED,
                message,
                instruction=instruction,
                operand=operand,
                region=self.execution.map.region(start, end - start),
                suggestion=_ADVICE + self._elsewhere(entry, start, end),
                origin=entry.origin if entry.origin.line else None,
            ),
            pc,
        )

    def _elsewhere(self, entry: Allocation, start: int, end: int) -> str:
        """The core of the running group that has written its own copy of what this core has not."""
        memory, current = self.execution.map.memories[entry.space], self.execution.current
        if memory.space.scope != "core" or current.role != Role.MEMBER:
            return ""
        for task in self.execution.barriers.group:
            away = (task.core - current.core) * memory.stride
            other = memory.before(task.core, start + away) if away and task.role == Role.MEMBER else None
            if other and other.end >= end + away and other.uninitialized.first(start + away, end + away) is None:
                return f"; core {task.core} has written its own {entry.name!r}, and every core has one"
        return ""


def _stale(entry: Allocation, piece: tuple[int, int]) -> str:
    """Which bytes of an allocation nobody has written; of a part of it, where that begins."""
    start, count, size = piece[0] - entry.start, piece[1] - piece[0], entry.end - entry.start
    part = "" if count == size else f", from byte {start} of {size}"
    return f"{count} uninitialized bytes of {entry.name!r}{part}"
