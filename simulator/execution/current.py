"""What the issue port asks of the running task, and the effects that wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..memory import Intervals
from .extents import Extent
from .operand_cache import OperandSlot


@dataclass(frozen=True)
class Deferred:
    """An effect that waits for the sync that asks for it, and the memory it touches."""

    pipe: str
    effect: Callable[[], None]
    pc: int
    name: str
    extents: tuple[Extent, ...]


class Unwaited:
    """What queues have carried out since the core waited for them: here it has happened, on hardware it may go on.

    Kept by source line, so that a loop of commands does not make it grow.
    """

    def __init__(self) -> None:
        self._used: dict[tuple[str, str, int], tuple[Intervals, Intervals]] = {}  # what is read, and written

    def __len__(self) -> int:
        return len(self._used)

    def add(self, entry: Deferred) -> None:
        """Keep the memory of an effect that others than its queues can reach: all but that in lanes."""
        for low, end, writes, lanes, _ in entry.extents:
            if lanes == -1:
                key = entry.pipe, entry.name, entry.pc
                self._used.setdefault(key, (Intervals(), Intervals()))[writes].add(low, end)

    def forget(self, pipes: set[str] | None) -> None:
        """The core has waited for some pipes (all: None)."""
        for key in [key for key in self._used if pipes is None or key[0] in pipes]:
            del self._used[key]

    def users(self, extents: Iterable[Extent]) -> Iterator[tuple[str, str, int]]:
        """Pipe, name and program counter of what may still be working on memory that an access needs."""
        for key, (read, written) in self._used.items():
            if any(written.first(low, end) or (writes and read.first(low, end)) for low, end, writes, *_ in extents):
                yield key


@dataclass
class Current:
    """The running task, filled in at every switch."""

    core: int = 0
    task: int = 0
    kind: int = 0
    cluster: int = 0
    pending: list[Deferred] = field(default_factory=list)
    unwaited: Unwaited = field(default_factory=Unwaited)
    found: list[OperandSlot] = field(default_factory=list)  # where the operands of ports were found last on this core
    running: Any = None  # the `Task` itself
