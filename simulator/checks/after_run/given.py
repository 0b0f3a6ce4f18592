"""The arrays that a kernel was given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Given:
    """An array of a launch: its parameter's name, its place among the arguments ("0", "2.data"), and where it lies.

    ``key`` is the number of its first byte in the log, from which on its elements lie in C order; ``contents`` gives
    them as they are now. ``output``: the kernel may write it; ``declared``: it takes it as a pointer to what it may
    change, so that not to touch it at all is odd; ``counts`` are the whole numbers that the launch passes, and
    products of two or three that follow each other. ``optional``: it passes a 0, or false to a template, which may
    say that an array has no part.
    """

    name: str
    title: str
    key: int
    shape: tuple[int, ...]
    dtype: np.dtype
    output: bool
    declared: bool
    contents: Callable[[], np.ndarray]
    counts: frozenset[int] = frozenset()
    optional: bool = False

    @property
    def told(self) -> bool:
        """Whether the launch is told how many elements it has, or how many along each axis.

        Of offsets, such as those of the rows of a sparse matrix, there is one more than of what they tell apart.
        """
        axes = [length for length in self.shape if length > 1]
        offsets = self.dtype.kind in "iu" and math.prod(axes) - 1 in self.counts
        return math.prod(axes) in self.counts or offsets or (len(axes) > 1 and self.counts.issuperset(axes))

    @property
    def count(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """Bytes of all elements."""
        return self.count * self.dtype.itemsize

    def element(self, number: int) -> str:
        """An element, by its number in C order, as NumPy writes it."""
        return f"{self.name}[{', '.join(str(at) for at in np.unravel_index(number, self.shape or (1,)))}]"
