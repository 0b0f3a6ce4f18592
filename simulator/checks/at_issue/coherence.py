"""The scalar unit's cache of device memory, on devices where the engines do not see it.

Data is always the newest; what is tracked is which bytes a real cache could hold otherwise, for every core by itself.
"""

from __future__ import annotations

from collections.abc import Set

from ....isa import Cache
from ...chip.launch_kinds import Role
from ...core.execution import Execution
from ...core.issue import AccessRun, Check, PortSource
from ...core.issue.operands import Operand
from ...core.memory import Intervals, Memory
from ...findings import rules


class _CoreCache:
    """Bytes that engines wrote since the core's cache dropped them, and bytes of scalar stores that are still in it."""

    def __init__(self) -> None:
        self.stale, self.dirty = Intervals(), Intervals()


class Coherence(Check):
    """Engines do not see the scalar unit's cache, nor it their writes."""

    def __init__(self, execution: Execution) -> None:
        super().__init__(execution)
        self._space = execution.dialect.cached_space
        self._flush, self._invalidate = map(execution.dialect.cache_instruction, ("flush", "invalidate"))
        self.begin()

    def begin(self) -> None:
        self._caches = [_CoreCache() for _ in range(self.execution.shape.cores if self._space else 0)]

    def looks_at(self, port: PortSource, spaces: set[str]) -> Set[Role]:
        return set(Role) if any(map(self._holds, spaces)) else set()

    def _holds(self, space: str) -> bool:
        """Whether the cache has bytes of a space."""
        return bool(self._space) and (
            space == self._space or self._space in self.execution.dialect.spaces[space].members
        )

    def passes_over(self) -> bool:
        """Until scalar code stores."""
        return not any(cache.dirty.hi for cache in self._caches)

    def before_effect(self, port: PortSource, operands: list[Operand]) -> None:
        effect = port.entry.effect
        for operand in operands:
            if not self._holds(port.entry.space_of(operand.parameter)):
                continue
            at = f"{operand.low}, {operand.end}"
            if isinstance(effect, Cache):
                port.line(f"{port.bind('_' + effect.action, getattr(self, effect.action))}({at})")
                continue
            if operand.reads:
                port.line(f"{port.bind('_engine_reads', self._read)}(_pc, _OVERLOAD.name, {operand.name!r}, {at})")
            if operand.writes:
                port.line(f"{port.bind('_engine_writes', self._write)}({at})")

    def watches_runs(self) -> bool:
        return bool(self._space)

    def scalar_run(self, run: AccessRun, memory: Memory) -> None:
        if memory.name != self._space:
            return
        cache = self._caches[self.execution.current.core]
        if run.store:
            cache.dirty.add(run.low, run.high)
            self.execution.repeats.forget()
        elif cache.stale.first(run.low, run.high):
            cache.stale.remove(run.low, run.high)
            self.execution.collector.report(rules.cache.stale(run.name, self._invalidate), run.pc)

    def flush(self, start: int, end: int) -> None:
        """Stores of the running core in the range reach memory."""
        self._caches[self.execution.current.core].dirty.remove(start, end)

    def invalidate(self, start: int, end: int) -> None:
        """Loads of the running core in the range come from memory."""
        self._caches[self.execution.current.core].stale.remove(start, end)

    def _write(self, start: int, end: int) -> None:
        """An engine writes: copies in every core's cache are stale."""
        for cache in self._caches:
            cache.stale.add(start, end)

    def _read(self, pc: int, instruction: str, operand: str, start: int, end: int) -> None:
        """An engine reads: the stores of every core must have been flushed."""
        for cache in self._caches:
            if cache.dirty.first(start, end):
                cache.dirty.remove(start, end)
                self.execution.collector.report(rules.cache.unflushed(instruction, operand, self._flush), pc)
