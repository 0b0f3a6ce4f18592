"""Windows of images whose tokens are attended to together, and patches that are merged."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, of_few, spelled, vague


def _images(problem: Problem, one: Input) -> Iterator[tuple[int, ...]]:
    """[batch, rows, columns, channels] of images whose channels lie last."""
    shape = one.values.shape
    if len(shape) == 4:
        yield shape
    sides = [n for n in dict.fromkeys(problem.whole) if 1 < n <= one.size]
    squares = [(n, n) for n in sides]
    for rows, columns in dict.fromkeys((*squares, *permutations(sides, 2))) if len(shape) < 4 else ():
        for channels in dict.fromkeys((shape[-1], *problem.whole)):
            if channels > 0 and one.size % (rows * columns * channels) == 0:
                yield one.size // (rows * columns * channels), rows, columns, channels


def _sides(problem: Problem, shape: tuple[int, ...]) -> list[int]:
    """How many rows and columns a window may have."""
    named = problem.named("window") or problem.whole
    return [n for n in dict.fromkeys(named) if n > 0 and shape[1] % n == 0 == shape[2] % n]


def _shifts(problem: Problem, shape: tuple[int, ...]) -> list[int]:
    named = problem.named("shift") or problem.whole
    return [*dict.fromkeys((0, *(n for n in named if abs(n) < min(shape[1:3]))))]


def _apart(image: np.ndarray, side: int) -> np.ndarray:
    """Windows [batch, rows of windows, columns of windows, rows, columns, channels]."""
    n, rows, columns, channels = image.shape
    return image.reshape(n, rows // side, side, columns // side, side, channels).swapaxes(2, 3)


@vague("window partition", unless=of_few(1))
def _partition(problem: Problem) -> Iterator[Formula]:
    """Windows one after the other, of an image that is moved by so many rows and columns or not."""
    for x in problem.like:
        for shape in dict.fromkeys(_images(problem, x)):
            image = x.flat.reshape(shape)
            for side, shift in product(_sides(problem, shape), _shifts(problem, shape)):
                for by in dict.fromkeys((-shift, shift)):
                    made = _apart(np.roll(image, (by, by), (1, 2)), side)
                    yield Formula(f"windows of {side}x{side} of {x.name} moved by {by}", made.reshape(-1))
            for by in _shifts(problem, shape)[1:]:
                yield Formula(f"{x.name} moved by {-by}", np.roll(image, (-by, -by), (1, 2)).reshape(-1))


@vague("window reverse", unless=of_few(1))
def _reverse(problem: Problem) -> Iterator[Formula]:
    """The image that windows are of, moved back by so many rows and columns or not."""
    for x in problem.like:
        whole = Input("", x.values.reshape(problem.shape))
        for shape in dict.fromkeys(_images(problem, whole)):
            for side, shift in product(_sides(problem, shape), _shifts(problem, shape)):
                n, rows, columns, channels = shape
                windows = x.flat.reshape(n, rows // side, columns // side, side, side, channels)
                image = windows.swapaxes(2, 3).reshape(shape)
                for by in dict.fromkeys((shift, -shift)):
                    made = np.roll(image, (by, by), (1, 2)).reshape(-1)
                    yield Formula(f"image of the windows of {side}x{side} of {x.name} moved by {by}", made)


@vague("patch merge", unless=of_few(1))
def _merged(problem: Problem) -> Iterator[Formula]:
    """The four pixels of each square one after the other, down first or across."""
    for x in problem.like:
        shapes = [*_images(problem, x)]
        shapes += [(n, 2 * rows, 2 * columns, depth // 4) for n, rows, columns, depth in shapes if depth % 4 == 0]
        for shape in dict.fromkeys(one for one in shapes if math.prod(one) == x.size):
            if shape[1] % 2 == 0 == shape[2] % 2:
                whole = _apart(x.flat.reshape(shape), 2)
                yield Formula(f"squares of {x.name}, down first", whole.swapaxes(3, 4).reshape(-1))
                yield Formula(f"squares of {x.name}, across first", whole.reshape(-1))


spelled("window partition", "shift partition, shift window partition, shift windows, partition windows, swin partition")
spelled(
    "window reverse",
    "reverse roll, window merge, reverse windows, merge windows, window unpartition, reverse partition",
)
spelled("patch merge", "image merge, patch merging, merge patches")
