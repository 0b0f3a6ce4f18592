"""The scalar unit's cache of device memory, on devices where the engines do not see it.

Data is always the newest; what is tracked is which bytes a real cache could hold otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..isa import Dialect
from .finding import Finding
from .intervals import Intervals


class Coherence:
    """Bytes that engines wrote since the cache was invalidated, and bytes that scalar stores left in it unflushed."""

    def __init__(self, dialect: Dialect, report: Callable[[Finding, int], None]) -> None:
        self._report = report
        self._names = {entry.cache: entry.name for entry in dialect.instructions if entry.cache}
        self.reset()

    def reset(self) -> None:
        """A launch begins: the cache holds nothing."""
        self._stale, self._dirty = Intervals(), Intervals()

    def write(self, start: int, end: int) -> None:
        """An engine writes: cached copies are stale."""
        self._stale.add(start, end)

    def read(self, pc: int, overload: Any, parameter: Any, start: int, end: int) -> None:
        """An engine reads: scalar stores must have been flushed."""
        if self._dirty.first(start, end):
            self._report(
                Finding(
                    "cache",
                    "the engine reads memory whose scalar stores may still be in the cache",
                    instruction=overload.name,
                    operand=parameter.name,
                    suggestion=f"flush the cache after the stores ({self._names['flush']})",
                    provenance="inferred",
                ),
                pc,
            )
            self._dirty.remove(start, end)

    def load(self, start: int, end: int, pc: int) -> None:
        """The scalar unit loads: an engine's write must have been followed by an invalidation."""
        if self._stale.first(start, end):
            self._report(
                Finding(
                    "cache",
                    "scalar load of memory that an engine has written; the cache may hold the old value",
                    instruction="scalar.load",
                    suggestion=f"invalidate the cache before the load ({self._names['invalidate']})",
                    provenance="inferred",
                ),
                pc,
            )
            self._stale.remove(start, end)

    def store(self, start: int, end: int) -> None:
        """The scalar unit stores."""
        self._dirty.add(start, end)

    def flush(self, start: int, end: int) -> None:
        """Stores in the range reach memory."""
        self._dirty.remove(start, end)

    def invalidate(self, start: int, end: int) -> None:
        """Loads in the range come from memory."""
        self._stale.remove(start, end)
