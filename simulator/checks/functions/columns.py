"""Images whose windows are the columns or the rows of a matrix."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from .axes_by_name import pairs_said
from .problem import Formula, Problem, function, vague
from .shapes import shapes_of_images
from .windows import Window, placed

NAMES = frozenset({"im2col", "col2im"})
#: The axes of windows [n, c, out rows, out columns, rows, columns] in the order in which they lie in a matrix.
_ORDERS: Mapping[str, Sequence[int]] = {
    "columns": (0, 1, 4, 5, 2, 3), "rows": (0, 2, 3, 1, 4, 5), "rows, channels last": (0, 2, 3, 4, 5, 1),
    "columns of all images": (1, 4, 5, 0, 2, 3),
}  # fmt: skip
#: Lengths of windows, at most; strides and paddings where none is passed.
_LONGEST, _STRIDES, _PADS = 16, (1, 2), (0, 1, 2)


@vague("im2col backward")
@function("im2col", "col2im")
def _columns(problem: Problem) -> Iterator[Formula]:
    """Windows of images as a matrix, and the sums of what such a matrix holds for each element of the images."""
    for x in problem.inputs:
        size, of_matrix = min(x.size, problem.size), max(x.size, problem.size)
        for shape, windows, counts in _placings(problem, size, of_matrix):
            number = placed(np.arange(1, size + 1).reshape(shape), windows, counts, 0)  # 0 where padding is
            for text, order in _ORDERS.items():
                at = number.transpose(order).reshape(-1)
                how = f"{x.name}, {text}, strides {[w.stride for w in windows]}, paddings {[w.before for w in windows]}"
                if x.size == size:
                    yield Formula(f"im2col({how})", np.append(0.0, x.flat)[at])
                else:
                    made = np.bincount(at, x.flat, size + 1)[1:]
                    yield Formula(f"col2im({how})", made)
                    yield from (Formula(f"{one.name} + col2im({how})", one.flat + made) for one in problem.like)


def _placings(
    problem: Problem, size: int, of_matrix: int
) -> Iterator[tuple[tuple[int, ...], Sequence[Window], tuple[int, int]]]:
    """Shapes [n, c, h, w] of so many elements, with windows that fill a matrix of so many, and how many these are."""
    passed = problem.windows or problem.whole
    sizes = dict.fromkeys(n for n in passed if 0 < n < _LONGEST)
    strides = dict.fromkeys(n for n in problem.named("stride") or _STRIDES if 0 < n < _LONGEST)
    pads = dict.fromkeys(n for n in problem.named("pad") or _PADS if 0 <= n < _LONGEST)
    each = [
        tuple(Window(*one, one[2], 1) for one in zip(*two, strict=True))
        for two in product(
            pairs_said(problem, "size", sizes), pairs_said(problem, "stride", strides), pairs_said(problem, "pad", pads)
        )
    ]
    for axes in (axes for axes in shapes_of_images(problem, size) if len(axes) <= 4):
        shape = (*[1] * (4 - len(axes)), *axes)
        for windows in each:
            of_columns, of_rows = (
                (length + 2 * w.before - w.size) // w.stride + 1 for length, w in zip(shape[2:], windows, strict=True)
            )
            taken = math.prod(shape[:2]) * windows[0].size * windows[1].size * of_columns * of_rows
            if min(of_columns, of_rows) > 0 and taken == of_matrix:
                yield shape, windows, (of_columns, of_rows)


def _points(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The rows and the columns of points of an image, which two arrays of whole numbers say, in their order."""
    for rows, columns in combinations(problem.integers, 2):
        if rows.size == columns.size:
            down, across = (one.index for one in (rows, columns))
            yield f"{rows.name}, {columns.name}", down, across


def _layouts(problem: Problem, shape: tuple[int, ...], size: int) -> Iterator[tuple[tuple[int, int, int], bool]]:
    """Rows, columns and channels of an image, whose channels are its last axis or its first one."""
    of_one = [axes[-3:] for axes in (shape, *shapes_of_images(problem, size)) if len(axes) > 2]
    for a, b, c in dict.fromkeys(axes for axes in of_one if math.prod(axes) == size):
        yield (a, b, c), True
        yield (b, c, a), False


@function("masked im2col")
def _masked_columns(problem: Problem) -> Iterator[Formula]:
    """The windows at some points of an image; outside of it 0, or what is there."""
    passed = problem.windows or problem.whole
    sizes = [n for n in dict.fromkeys(passed) if 0 < n < _LONGEST]
    pads = [n for n in dict.fromkeys(problem.named("pad") or _PADS) if 0 <= n < _LONGEST]
    for x, (name, rows, columns) in product(problem.inputs, _points(problem)):
        for (h, w, c), last in _layouts(problem, x.values.shape, x.size):
            image = x.flat.reshape(h, w, c) if last else x.flat.reshape(c, h, w).transpose(1, 2, 0)
            for down, across in pairs_said(problem, "size", sizes):
                if problem.size != len(rows) * down * across * c:
                    continue
                for top, left in pairs_said(problem, "pad", pads):
                    y = rows[:, None, None] + np.arange(down)[:, None] - top
                    z = columns[:, None, None] + np.arange(across) - left
                    inside = (y >= 0) & (y < h) & (z >= 0) & (z < w)
                    made = image[np.clip(y, 0, h - 1), np.clip(z, 0, w - 1)] * inside[..., None]
                    there = np.broadcast_to(inside[..., None], made.shape)
                    made, there = (one if last else one.transpose(3, 1, 2, 0) for one in (made, there))
                    text = f"im2col({x.name} at {name}), {down}x{across}, paddings {top}, {left}"
                    yield Formula(text, made.reshape(-1))
                    for before in problem.held:
                        kept = np.where(there, made, before.flat.reshape(made.shape))
                        yield Formula(f"{text}, {before.name} outside", kept.reshape(-1))


@vague("masked col2im")
def _masked_image(problem: Problem) -> Iterator[Formula]:
    """Numbers of each channel at some points of an image, 0 elsewhere or what is there."""
    for x, (name, rows, columns) in product(problem.inputs, _points(problem)):
        for (h, w, c), last in _layouts(problem, problem.shape, problem.size):
            if x.size == len(rows) * c and rows.max() < h and columns.max() < w and min(rows.min(), columns.min()) >= 0:
                places = np.zeros((h, w, c))
                for text, before in (("", places), *((f"{one.name} with ", one.flat) for one in problem.like)):
                    held = before.reshape(h, w, c) if last else before.reshape(c, h, w).transpose(1, 2, 0)
                    image = held.copy()
                    image[rows, columns] = x.flat.reshape(-1, c) if last else x.flat.reshape(c, -1).T
                    made = image if last else image.transpose(2, 0, 1)
                    yield Formula(f"{text}col2im({x.name} at {name})", made.reshape(-1))
