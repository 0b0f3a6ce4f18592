"""Effects that wait: an asynchronous instruction takes effect as late as the kernel's own syncs allow.

So a missing wait is a wrong result; that it is missing, the log of the launch says afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from .current import Current
from .extents import Deferred, Extent, meet
from .messages import Messages

#: The pipe of what stands between commands of several queues: those behind it wait for those before it.
_TURN = ""


class Deferrals:
    """The deferred effects of the running task; ``queues`` are the pipes that take turns."""

    def __init__(self, current: Current, messages: Messages, queues: Sequence[str]) -> None:
        self._current, self._messages, self._queues = current, messages, frozenset(queues)
        self.early: Callable[[], bool] = lambda: False  # whether the effect that comes is over at once
        self.on_change: Callable[[int], None] = lambda count: None  # is told how many wait

    def defer(self, pipe: str, effect: Callable[[], object], extents: tuple[Extent, ...]) -> None:
        """Keep an effect for the wait that asks for it."""
        self._current.pending.append(Deferred(pipe, effect, extents))
        self.on_change(len(self._current.pending))
        if self.early():
            self.drain((pipe,))

    def drain(self, pipes: Collection[str] | None = None) -> None:
        """Let the deferred effects on ``pipes`` (all by default) happen, in order.

        Where messages hold queues, all that is not held happens.
        """
        if not self._current.pending:
            return
        if self._messages.used:
            while self._advance():
                pass
            return
        kept = []
        for entry in self._current.pending:
            if pipes is None or entry.pipe in pipes:
                entry.effect()
            else:
                kept.append(entry)
        self._current.pending[:] = kept
        self.on_change(len(kept))

    def finish(self, pipes: Collection[str] | None = None) -> None:
        """Wait: as `drain`, and other tasks run until no message holds what is waited for."""
        self.drain(pipes)
        while self._messages.used and any(pipes is None or e.pipe in pipes for e in self._current.pending):
            self._messages.give_way()
            self.drain()

    def turn(self) -> None:
        """What comes next comes after all that is in the queues."""
        self.drain(self._queues)
        if self._messages.used and any(entry.pipe in self._queues for entry in self._current.pending):
            self._current.pending.append(Deferred(_TURN, lambda: None, ()))

    def settle(self, pipe: str, extents: Iterable[Extent]) -> None:
        """Wait for what a blocking instruction depends on: its own pipe, and those that still use its memory."""
        used = list(extents)
        using = {
            e.pipe for e in self._current.pending if any(meet(mine, other) for mine in used for other in e.extents)
        }
        self.drain({pipe, *using})

    def _advance(self) -> bool:
        """Go through what is deferred once; whether something has happened."""
        held: set[str] = set()
        kept = []
        for entry in self._current.pending:
            if entry.pipe == _TURN:
                if held & self._queues:
                    held |= self._queues
                    kept.append(entry)
            elif entry.pipe in held or entry.effect() is False:
                held.add(entry.pipe)
                kept.append(entry)
        moved = len(kept) < len(self._current.pending)
        self._current.pending[:] = kept
        self.on_change(len(kept))
        return moved
