"""What is read has been written before."""

from __future__ import annotations

from ...core.execution import MEMBER, MEMORY
from ...core.issue import Check
from ...core.memory import Allocation, View
from ...findings import Finding, rules

_ADVICE = "write the memory before it is read"


class Initialized(Check):
    """Warns of reads of uninitialized bytes, once for each byte."""

    def unwritten_read(self, view: View, name: str, operand: str, pc: int) -> None:
        piece = view.hole()
        if piece:
            view.forgive()
            self._found(pc, name, operand, f"reads {_stale(view.entry, piece)}", view.entry, piece)

    def unwritten_load(self, piece: tuple[int, int], entry: Allocation, name: str, pc: int) -> None:
        spaces, kind = self.execution.dialect.spaces, self.execution.current.kind
        if kind == MEMORY and not spaces[entry.space].memory_core:
            return  # it has no such memory: that is another rule's
        self._found(pc, name, "", f"scalar load of {_stale(entry, piece)}", entry, piece)

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
        if memory.space.scope != "core" or current.kind != MEMBER:
            return ""
        for task in self.execution.barriers.group:
            away = (task.core - current.core) * memory.stride
            other = memory.before(task.core, start + away) if away and task.kind == MEMBER else None
            if other and other.end >= end + away and other.uninitialized.first(start + away, end + away) is None:
                return f"; core {task.core} has written its own {entry.name!r}, and every core has one"
        return ""


def _stale(entry: Allocation, piece: tuple[int, int]) -> str:
    """Which bytes of an allocation nobody has written; of a part of it, where that begins."""
    start, count, size = piece[0] - entry.start, piece[1] - piece[0], entry.end - entry.start
    part = "" if count == size else f", from byte {start} of {size}"
    return f"{count} uninitialized bytes of {entry.name!r}{part}"
