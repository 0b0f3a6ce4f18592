"""What the issue port asks of the running task, and the effects that wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .operand_cache import OperandSlot

#: Memory that an instruction touches: first and past-the-end address, whether it is written, and a bit for each lane
#: (all of them, -1, outside the memories that have lanes, where addresses are those of the first lane).
Extent = tuple[int, int, bool, int]


def meet(one: Extent, other: Extent) -> bool:
    """Whether two extents share a byte that one of them writes."""
    return one[0] < other[1] and other[0] < one[1] and (one[2] or other[2]) and bool(one[3] & other[3])


class Deferred(NamedTuple):
    """An effect that waits for the sync that asks for it, and the memory it touches."""

    pipe: str
    effect: Callable[[], None]
    pc: int
    name: str
    extents: tuple[Extent, ...]


@dataclass
class Current:
    """The running task, filled in at every switch."""

    core: int = 0
    task: int = 0
    kind: int = 0
    cluster: int = 0
    pending: list[Deferred] = field(default_factory=list)
    found: list[OperandSlot] = field(default_factory=list)  # where the operands of ports were found last on this core
    running: Any = None  # the `Task` itself
