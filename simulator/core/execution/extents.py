"""The memory that an instruction touches, and effects that wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

#: Memory that an instruction touches: first and past-the-end address, whether it is written, and a bit for each lane
#: (all of them, -1, outside the memories that have lanes, where addresses are those of the first lane).
Extent = tuple[int, int, bool, int]


def meet(one: Extent, other: Extent) -> bool:
    """Whether two extents share a byte that one of them writes."""
    return one[0] < other[1] and other[0] < one[1] and (one[2] or other[2]) and bool(one[3] & other[3])


class Deferred(NamedTuple):
    """An effect that waits for the sync that asks for it, and the memory it touches."""

    pipe: str
    effect: Callable[[], object]  # one that gives False cannot happen yet
    extents: tuple[Extent, ...]
