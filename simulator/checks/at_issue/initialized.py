"""What is read has been written before."""

from __future__ import annotations

from dataclasses import replace

from ...chip.launch_kinds import Role
from ...core.issue import Check
from ...core.memory import Allocation, View
from ...findings import rules


class Initialized(Check):
    """Warns of reads of uninitialized bytes, once for each byte."""

    def unwritten_read(self, view: View, name: str, operand: str, pc: int) -> None:
        piece = view.hole()
        if piece:
            view.entry.uninitialized.remove(*piece)
            more = view.hole() is not None
            view.forgive()
            self._report(pc, name, operand, view.entry, piece, more)

    def unwritten_load(self, piece: tuple[int, int], entry: Allocation, name: str, pc: int) -> None:
        spaces, role = self.execution.dialect.spaces, self.execution.current.role
        if role == Role.MEMORY and not spaces[entry.space].memory_core:
            return  # it has no such memory: that is another rule's
        self._report(pc, name, "", entry, piece)

    def _report(
        self, pc: int, instruction: str, operand: str, entry: Allocation, piece: tuple[int, int], more: bool = False
    ) -> None:
        start, end = piece
        region, lanes = self.execution.map.region(start, end - start), self.execution.map.lanes
        within, size, lane = (start - entry.start, end - entry.start), entry.end - entry.start, None
        if region and self.execution.dialect.spaces[entry.space].lanes:
            lane, first = divmod(region.offset, lanes.size)
            region = replace(region, offset=first, lane=lane, lanes=1)
            within, size = (first, first + end - start), lanes.size
        elsewhere = self._written_on(entry, start, end)
        found = rules.uninitialized.read(instruction, operand, entry.name, within, size, lane, more, elsewhere)
        origin = entry.origin if entry.origin.line else None
        self.execution.collector.report(replace(found, region=region, origin=origin), pc)

    def _written_on(self, entry: Allocation, start: int, end: int) -> int | None:
        """The core of the running group that has written its own copy of what this core has not."""
        memory, current = self.execution.map.memories[entry.space], self.execution.current
        if memory.space.scope != "core" or current.role != Role.MEMBER:
            return None
        for task in self.execution.barriers.group:
            away = (task.core - current.core) * memory.stride
            other = memory.before(task.core, start + away) if away and task.role == Role.MEMBER else None
            if other and other.end >= end + away and other.uninitialized.first(start + away, end + away) is None:
                return task.core
        return None
