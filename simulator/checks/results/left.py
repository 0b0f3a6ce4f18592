"""What a launch has left in its arrays, and which of it is its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...flow import Accesses, Ranges
from ...log import Log
from ...log.region import offset_numbers
from ..after_run import Given


class Left(NamedTuple):
    """What a launch has left."""

    accesses: Accesses
    contents: Sequence[np.ndarray | None]  # of its arrays; None for those that it cannot write
    said: str  # how it was run
    #: Runs it again to see which bytes of the device's memory, by offsets, the byte with a key is made of.
    made_of: Callable[[int], Ranges] | None = None
    #: Gives the elements of an array before the launch.
    begun: Callable[[Given], np.ndarray] | None = None

    @property
    def log(self) -> Log:
        """The log of the launch."""
        return self.accesses.log

    def written(self, array: Given) -> Ranges:
        """What it has written of an array, by offsets in it."""
        return self._of(array, 1)

    def read(self, array: Given) -> Ranges:
        """What it has read of an array, likewise."""
        return self._of(array, 0)

    def _of(self, array: Given, manner: int) -> Ranges:
        start = offset_of(array)
        return within(self.accesses.touched[manner], start, start + array.bytes) - start


def offset_of(array: Given) -> int:
    """The first byte of an array in the device's memory."""
    return int(offset_numbers(np.array([array.key], np.uint64))[0])


def within(ranges: Ranges, low: int, high: int) -> Ranges:
    """What lies between two offsets of ranges in order."""
    cut = np.clip(ranges, low, high)
    inside: Ranges = cut[cut[:, 0] < cut[:, 1]]
    return inside
