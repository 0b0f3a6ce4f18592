"""Which bytes an operand touches, wherever it lies: what its counts and strides say before its address is known."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .arena import Allocation
from .view import View


class Footprint(ABC):
    """``count`` elements of ``dtype`` in [below, above), distances in bytes from the address of an operand.

    ``gaps`` counts the places where segments do not touch; ``crossed``: these lie in memory in another order than that
    in which they are taken.
    """

    __slots__ = ("above", "below", "bytes", "count", "crossed", "dtype", "gaps")

    def __init__(self, dtype: np.dtype, count: int, below: int, above: int, gaps: int = 0) -> None:
        self.dtype, self.count, self.bytes = dtype, count, count * dtype.itemsize
        self.below, self.above, self.gaps, self.crossed = below, above, gaps, False

    @abstractmethod
    def at(self, entry: Allocation, address: int) -> View:
        """The operand at an address of an allocation, in which it lies."""
