"""Effects that wait: an asynchronous instruction takes effect as late as the kernel's own syncs allow.

So a missing wait is a wrong result, and a use of the memory in the meantime is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..isa import Dialect, Overload
from .finding import Finding
from .ledger import Current, Ledger


@dataclass(frozen=True)
class Deferred:
    """An effect that waits for the sync that asks for it, and the memory it touches: (start, end, written)."""

    pipe: str
    effect: Callable[[], None]
    pc: int
    name: str
    spans: tuple[tuple[int, int, bool], ...]


class Deferrals:
    """The deferred effects of the running task."""

    def __init__(self, dialect: Dialect, current: Current, ledger: Ledger) -> None:
        self._dialect, self._current, self._ledger = dialect, current, ledger

    def defer(
        self, pipe: str, effect: Callable[[], None], pc: int, overload: Overload,
        spans: tuple[tuple[int, int, bool], ...],
    ) -> None:  # fmt: skip
        """Keep an effect for the wait that asks for it."""
        self._current.pending.append(Deferred(pipe, effect, pc, overload.name, spans))

    def drain(self, pipes: Iterable[str] | None = None) -> None:
        """Let the deferred effects on ``pipes`` (all by default) happen, in order."""
        wanted = None if pipes is None else set(pipes)
        kept = []
        for entry in self._current.pending:
            if wanted is None or entry.pipe in wanted:
                entry.effect()
            else:
                kept.append(entry)
        self._current.pending[:] = kept

    def order(
        self, pc: int, overload: Overload | str, pipe: str, blocking: bool, spans: Iterable[tuple[int, int, bool]]
    ) -> None:
        """Report an access to memory that a deferred effect of another pipe still uses; a blocking one waits for it."""
        for entry in list(self._current.pending):
            if entry.pipe == pipe or not any(
                start < other_end and other_start < end and (written or other_written)
                for start, end, written in spans
                for other_start, other_end, other_written in entry.spans
            ):
                continue
            if blocking:
                self.drain((entry.pipe,))
                continue
            name = overload if isinstance(overload, str) else overload.name
            wait = self._wait_for(entry.pipe)
            self._ledger.report(
                Finding(
                    "order",
                    f"{name} uses memory that {entry.name} is still working on;"
                    f" nothing waits for the {entry.pipe} pipe",
                    instruction=name,
                    suggestion=f"call {wait}() between them" if wait else "",
                ),
                pc,
                entry.pc,
            )

    def _wait_for(self, pipe: str) -> str:
        """The narrowest instruction that waits for a pipe."""
        waits = [entry for entry in self._dialect.instructions if pipe in entry.waits and not entry.barrier]
        return min(waits, key=lambda entry: len(entry.waits)).name if waits else ""
