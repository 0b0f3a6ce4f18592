"""The arrays that a kernel was given."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

#: Elements that are looked at together: few enough that the processor has them at hand.
_AT_HAND = 1 << 14


@dataclass(frozen=True)
class Given:
    """An array of a launch, and what the launch passes that may speak of it."""

    #: The name of its parameter.
    name: str
    #: Its place among the arguments: "0", "2.data".
    title: str
    #: The number of its first byte in the log. Its elements lie from there on in C order.
    key: int
    shape: tuple[int, ...]
    dtype: np.dtype
    #: Whether the kernel may write it.
    output: bool
    #: Whether the kernel takes it as a pointer to what it may change, so that it is odd not to touch it at all.
    declared: bool
    #: Gives its elements as they are now.
    contents: Callable[[], np.ndarray]
    #: The whole numbers that the launch passes, and products of two or three that follow each other.
    counts: frozenset[int] = frozenset()
    #: Whether the launch passes a 0, or false to a template, which may say that an array has no part.
    optional: bool = False
    #: The whole numbers that the launch passes, in their order.
    passed: tuple[int, ...] = ()
    #: Whether it was given without the axes of its ``shape``, see `in_rows`.
    flat: bool = False
    #: Whether it is a member of a structure that other kernels take, too, and that may be of use to those alone.
    shared: bool = False

    @property
    def in_rows(self) -> Given:
        """A flat array as the axes that the launch passes, if their lengths follow each other among its numbers.

        Its elements are still those of the flat one by name.
        """
        whole = self.shape if len(self.shape) == 1 else ()
        axes = next((axes for axes in _runs(self.passed) if math.prod(axes) in whole), None)
        if axes is None:
            return self
        return replace(self, shape=axes, flat=True, contents=lambda: self.contents().reshape(axes))

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

    @property
    def end(self) -> int:
        """The number of the byte after its last one."""
        return self.key + self.bytes

    def passes_begin(self, place: int) -> bool:
        """Whether the launch passes the first place of a part along an axis, or the last one before it."""
        return any(number > 1 and number in (place - 1, place) for number in self.passed)

    def element(self, number: int) -> str:
        """An element, by its number in C order, as NumPy writes it."""
        if self.flat:
            return f"{self.name}[{number}]"
        return f"{self.name}[{', '.join(str(at) for at in np.unravel_index(number, self.shape or (1,)))}]"


def _runs(passed: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Two to four numbers of two or more, in their order: first those that follow each other, then any two."""
    for length in (2, 3, 4):
        for at in range(len(passed) - length + 1):
            if min(passed[at : at + length]) > 1:
                yield tuple(passed[at : at + length])
    yield from (pair for pair in combinations(passed, 2) if min(pair) > 1)


def holds_numbers(values: np.ndarray) -> bool:
    """Whether an array holds anything but one number, or uninitialized memory."""
    flat, differ = values.reshape(-1), False
    for begin in range(0, len(flat), _AT_HAND):
        part = flat[begin : begin + _AT_HAND]
        if not (part == part).all():
            return False
        differ = differ or bool((part != flat[0]).any())
    return differ
