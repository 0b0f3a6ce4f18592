"""Places: a byte range of a simulated memory, and a line of the user's source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..structures import header

if TYPE_CHECKING:  # who names places needs no arrays of them
    import numpy as np

_KEY = header("log_rows.h").enumeration("mlusim_key", "MLUSIM_")
_OFFSET_BITS, _OWNER_BITS = int(_KEY.OFFSET_BITS), int(_KEY.OWNER_BITS)
_SPACE_BIT = _OFFSET_BITS + _OWNER_BITS


@dataclass(frozen=True)
class Region:
    """A byte range of one memory: space, owner (core, cluster or 0) and offset from the owner's first byte.

    Of a tensor across lanes it is the range in each of ``lanes`` lanes, ``lane`` being the first, counted round.
    """

    space: str
    owner: int
    offset: int
    bytes: int
    lane: int = 0
    lanes: int = 0

    @property
    def begin(self) -> str:
        """The first byte as text, the same from run to run."""
        return _text(self.space, self.owner, self.offset, 0, self.lane, min(self.lanes, 1)).rpartition("..")[0]

    def __str__(self) -> str:
        return _text(self.space, self.owner, self.offset, self.bytes, self.lane, self.lanes)


def _text(space: str, owner: int, offset: int, size: int, lane: int, lanes: int) -> str:
    return f"{space}[{owner}]{lanes_text(lane, lanes)} {offset:#x}..{offset + size:#x}"


def lanes_text(lane: int, lanes: int) -> str:
    """Across which lanes a region goes, as it stands in its text."""
    return f" lane {lane}," if lanes == 1 else f" {lanes} lanes from {lane}," if lanes else ""


def region_text(key: int, size: int, spaces: Sequence[str], lane: int = 0, lanes: int = 0) -> str:
    """What `region_of` gives, as text, for those who write many."""
    owner = (key >> _OFFSET_BITS) & ((1 << _OWNER_BITS) - 1)
    return _text(spaces[key >> _SPACE_BIT], owner, key & ((1 << _OFFSET_BITS) - 1), size, lane, lanes)


def region_key(space: int, owner: int, offset: int) -> int:
    """The number that stands for a byte of a memory in a row."""
    return (space << _SPACE_BIT) | (owner << _OFFSET_BITS) | offset


def space_numbers(keys: np.ndarray) -> np.ndarray:
    """The number of the space of every key, int64 in the shape of ``keys``."""
    return (keys >> _SPACE_BIT).view("int64")  # all are small


def owner_numbers(keys: np.ndarray) -> np.ndarray:
    """The number of the owner of every key, int64 in the shape of ``keys``."""
    return ((keys >> _OFFSET_BITS) & ((1 << _OWNER_BITS) - 1)).astype("int64")


def offset_numbers(keys: np.ndarray) -> np.ndarray:
    """The offset of every key from the first byte of its owner, int64 in the shape of ``keys``."""
    return (keys & ((1 << _OFFSET_BITS) - 1)).astype("int64")


def region_of(key: int, bytes: int, spaces: tuple[str, ...], lane: int = 0, lanes: int = 0) -> Region:
    """The region that begins at a key; ``spaces`` are those of the shape, in order."""
    owner = (key >> _OFFSET_BITS) & ((1 << _OWNER_BITS) - 1)
    space = spaces[key >> _SPACE_BIT]
    return Region(space, owner, key & ((1 << _OFFSET_BITS) - 1), bytes, lane, lanes)


@dataclass(frozen=True)
class Location:
    """A line of the user's source."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else "?"


#: No known line.
NOWHERE = Location("", 0)
