"""What an operator has to know of its arrays: shapes, strides, contiguity, broadcasting, in one flat tuple."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Shape = tuple[int, ...]
#: Offsets of elements that are compared one by one at most.
_MOST_OFFSETS = 1_000_000


def broadcast_shape(shapes: Sequence[Shape]) -> Shape:
    """The common shape of arrays by NumPy's rules; ValueError if there is none."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    found = []
    for lengths in zip(*padded, strict=True):
        wide = {length for length in lengths if length != 1}
        if len(wide) > 1:
            listed = " and ".join(str(list(shape)) for shape in shapes)
            raise ValueError(
                f"shapes {listed} do not broadcast; pass lengths that are equal or 1, from the last axis on"
            )
        found.append(wide.pop() if wide else 1)
    return tuple(found)


def broadcasts_to(shape: Shape, wide: Shape) -> bool:
    """Whether an array of a shape can be broadcast to another."""
    own = (1,) * (len(wide) - len(shape)) + shape
    return len(own) == len(wide) and all(a in (1, b) for a, b in zip(own, wide, strict=True))


def dense_strides(shape: Shape, itemsize: int) -> Shape:
    """Strides in bytes of an array without gaps in C order."""
    strides, step = [0] * len(shape), itemsize
    for axis in range(len(shape) - 1, -1, -1):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def elements_coincide(shape: Shape, strides: Shape, itemsize: int) -> bool:
    """Whether two elements of an array share a byte; True as well where there are too many to tell."""
    if 0 in shape:
        return False
    axes = sorted((abs(step), length) for step, length in zip(strides, shape, strict=True) if length > 1)
    reach = itemsize
    for step, length in axes:
        if step < reach:
            break
        reach += step * (length - 1)
    else:
        return False
    if not axes[0][0] or math.prod(shape) > _MOST_OFFSETS:
        return True
    offsets = np.zeros(1, np.int64)
    for step, length in zip(strides, shape, strict=True):
        offsets = np.add.outer(offsets, np.arange(length) * step).ravel()
    return bool((np.diff(np.sort(offsets)) < itemsize).any())


@dataclass(frozen=True)
class Metadata:
    """Shapes and strides (bytes) of an output and its inputs, padded with axes of length 1 to equal ranks.

    ``flat`` holds, one after the other: the output's shape, its strides, the shapes of the inputs, their strides (0 on
    axes along which they are broadcast), for each input whether it is contiguous and whether it is broadcast.
    """

    flat: tuple[int, ...]
    ndim: int
    input_size: int
    output_size: int
    output_contiguous: bool

    @classmethod
    def create(
        cls, shape: Shape, strides: Shape, itemsize: int, inputs: Sequence[tuple[Shape, Shape, int]]
    ) -> Metadata:
        """Of an output and inputs of (shape, strides, item size); the inputs' shapes broadcast to the output's."""
        rank = len(shape)
        shapes: list[int] = []
        steps: list[int] = []
        contiguous, broadcast = [], []
        for own, own_strides, size in inputs:
            missing = rank - len(own)
            padded = (1,) * missing + own
            shapes += padded
            steps += [0] * missing
            steps += [0 if length == 1 else stride for length, stride in zip(own, own_strides, strict=True)]
            contiguous.append(_is_dense(own, own_strides, size))
            broadcast.append(padded != shape)
        dense = _is_dense(shape, strides, itemsize)
        flat = (*shape, *strides, *shapes, *steps, *contiguous, *broadcast)
        return cls(flat, rank, len(inputs), math.prod(shape), dense)

    @property
    def output_shape(self) -> Shape:
        """The shape of the output."""
        return self.flat[: self.ndim]

    @property
    def output_strides(self) -> Shape:
        """Its strides in bytes."""
        return self.flat[self.ndim : 2 * self.ndim]

    def input_shape(self, number: int) -> Shape:
        """The padded shape of an input."""
        begin = (2 + number) * self.ndim
        return self.flat[begin : begin + self.ndim]

    def input_strides(self, number: int) -> Shape:
        """The strides of an input in bytes, 0 where it is broadcast."""
        begin = (2 + self.input_size + number) * self.ndim
        return self.flat[begin : begin + self.ndim]

    def input_contiguous(self, number: int) -> bool:
        """Whether an input has no gaps and is in C order."""
        return bool(self.flat[(2 + 2 * self.input_size) * self.ndim + number])

    def input_broadcast(self, number: int) -> bool:
        """Whether an input has another shape than the output."""
        return bool(self.flat[(2 + 2 * self.input_size) * self.ndim + self.input_size + number])


def _is_dense(shape: Shape, strides: Shape, itemsize: int) -> bool:
    """Whether elements lie in C order without gaps; the strides of axes of one element do not matter."""
    step = itemsize
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        if length != 1 and stride != step:
            return 0 in shape
        step *= length
    return True
