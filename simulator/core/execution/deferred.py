"""Effects that wait: an asynchronous instruction takes effect as late as the kernel's own syncs allow.

So a missing wait is a wrong result; that it is missing, the log of the launch says afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from .current import Current
from .extents import Deferred, Extent, meet


class Deferrals:
    """The deferred effects of the running task."""

    def __init__(self, current: Current) -> None:
        self._current = current
        self.early: Callable[[], bool] = lambda: False  # whether the effect that comes is over at once
        self.on_change: Callable[[int], None] = lambda count: None  # is told how many wait

    def defer(self, pipe: str, effect: Callable[[], object], extents: tuple[Extent, ...]) -> None:
        """Keep an effect for the wait that asks for it."""
        self._current.pending.append(Deferred(pipe, effect, extents))
        self.on_change(len(self._current.pending))
        if self.early():
            self.drain((pipe,))

    def drain(self, pipes: Collection[str] | None = None) -> None:
        """Wait: let the deferred effects on ``pipes`` (all by default) happen, in order."""
        if not self._current.pending:
            return
        kept = []
        for entry in self._current.pending:
            if pipes is None or entry.pipe in pipes:
                entry.effect()
            else:
                kept.append(entry)
        self._current.pending[:] = kept
        self.on_change(len(kept))

    def settle(self, pipe: str, extents: Iterable[Extent]) -> None:
        """Wait for what a blocking instruction depends on: its own pipe, and those that still use its memory."""
        used = list(extents)
        using = {
            e.pipe for e in self._current.pending if any(meet(mine, other) for mine in used for other in e.extents)
        }
        self.drain({pipe, *using})
