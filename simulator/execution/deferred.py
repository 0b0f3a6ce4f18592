"""Effects that wait: an asynchronous instruction takes effect as late as the kernel's own syncs allow.

So a missing wait is a wrong result, and a use of the memory in the meantime is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .current import Current, Deferred
from .extents import Extent


class Deferrals:
    """The deferred effects of the running task."""

    def __init__(self, current: Current) -> None:
        self._current = current
        #: Called when there may be effects on their way where there were none, or the other way round.
        self.on_change: Callable[[], None] = lambda: None

    def defer(self, pipe: str, effect: Callable[[], None], pc: int, name: str, extents: tuple[Extent, ...]) -> None:
        """Keep an effect for the wait that asks for it."""
        self._current.pending.append(Deferred(pipe, effect, pc, name, extents))
        self.on_change()

    def drain(self, pipes: Iterable[str] | None = None) -> None:
        """Wait: let the deferred effects on ``pipes`` (all by default) happen, in order."""
        wanted = None if pipes is None else set(pipes)
        self._happen(wanted)
        self._current.unwaited.forget(wanted)
        self.on_change()

    def advance(self, pipes: Iterable[str]) -> None:
        """The queues ``pipes`` empty themselves: their effects happen, and the core has waited for none of them."""
        for entry in self._happen(set(pipes)):
            self._current.unwaited.add(entry)
        self.on_change()

    def _happen(self, wanted: set[str] | None) -> list[Deferred]:
        """Let the effects on some pipes (all: None) happen; which they were."""
        kept, done = [], []
        for entry in self._current.pending:
            if wanted is None or entry.pipe in wanted:
                entry.effect()
                done.append(entry)
            else:
                kept.append(entry)
        self._current.pending[:] = kept
        return done
