"""Places: a byte range of a simulated memory, and a line of the user's source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..structures import header

_KEY = header("log_rows.h").enumeration("mlusim_key", "MLUSIM_")
_OFFSET_BITS, _OWNER_BITS = int(_KEY.OFFSET_BITS), int(_KEY.OWNER_BITS)


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
        across = f" {self.lanes} lanes from {self.lane}," if self.lanes else ""
        return f"{self.space}[{self.owner}]{across} {self.offset:#x}"

    def __str__(self) -> str:
        return f"{self.begin}..{self.offset + self.bytes:#x}"


def region_key(space: int, owner: int, offset: int) -> int:
    """The number that stands for a byte of a memory in a row."""
    return (space << (_OFFSET_BITS + _OWNER_BITS)) | (owner << _OFFSET_BITS) | offset


def space_numbers(keys: np.ndarray) -> np.ndarray:
    """The number of the space of every key, int64 in the shape of ``keys``."""
    return (keys >> np.uint64(_OFFSET_BITS + _OWNER_BITS)).astype(np.int64)


def owner_numbers(keys: np.ndarray) -> np.ndarray:
    """The number of the owner of every key, int64 in the shape of ``keys``."""
    return ((keys >> np.uint64(_OFFSET_BITS)) & np.uint64((1 << _OWNER_BITS) - 1)).astype(np.int64)


def offset_numbers(keys: np.ndarray) -> np.ndarray:
    """The offset of every key from the first byte of its owner, int64 in the shape of ``keys``."""
    return (keys & np.uint64((1 << _OFFSET_BITS) - 1)).astype(np.int64)


def region_of(key: int, bytes: int, spaces: tuple[str, ...], lane: int = 0, lanes: int = 0) -> Region:
    """The region that begins at a key; ``spaces`` are those of the shape, in order."""
    owner = (key >> _OFFSET_BITS) & ((1 << _OWNER_BITS) - 1)
    space = spaces[key >> (_OFFSET_BITS + _OWNER_BITS)]
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
