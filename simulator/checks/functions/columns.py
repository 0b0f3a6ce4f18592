"""Images whose windows are the columns or the rows of a matrix."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from .problem import Formula, Problem, function
from .shapes import shapes_of_images
from .windows import Window, placed

NAMES = frozenset({"im2col", "col2im"})
#: The axes of windows [n, c, out rows, out columns, rows, columns] in the order in which they lie in a matrix.
_ORDERS: Mapping[str, Sequence[int]] = {
    "columns": (0, 1, 4, 5, 2, 3), "rows": (0, 2, 3, 1, 4, 5), "rows, channels last": (0, 2, 3, 4, 5, 1),
}  # fmt: skip
#: Lengths of windows, at most; strides and paddings where none is passed.
_LONGEST, _STRIDES, _PADS = 16, (1, 2), (0, 1, 2)


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
                    yield Formula(f"col2im({how})", np.bincount(at, x.flat, size + 1)[1:])


def _placings(
    problem: Problem, size: int, of_matrix: int
) -> Iterator[tuple[tuple[int, ...], Sequence[Window], tuple[int, int]]]:
    """Shapes [n, c, h, w] of so many elements, with windows that fill a matrix of so many, and how many these are."""
    passed = problem.windows or problem.whole
    sizes = dict.fromkeys(n for n in passed if 0 < n < _LONGEST)
    strides = dict.fromkeys(n for n in problem.named("stride") or _STRIDES if 0 < n < _LONGEST)
    pads = dict.fromkeys(n for n in problem.named("pad") or _PADS if 0 <= n < _LONGEST)
    each = [Window(*one, one[2], 1) for one in product(sizes, strides, pads)]
    for axes in (axes for axes in shapes_of_images(problem, size) if len(axes) <= 4):
        shape = (*[1] * (4 - len(axes)), *axes)
        for windows in product(each, repeat=2):
            of_columns, of_rows = (
                (length + 2 * w.before - w.size) // w.stride + 1 for length, w in zip(shape[2:], windows, strict=True)
            )
            taken = math.prod(shape[:2]) * windows[0].size * windows[1].size * of_columns * of_rows
            if min(of_columns, of_rows) > 0 and taken == of_matrix:
                yield shape, windows, (of_columns, of_rows)
