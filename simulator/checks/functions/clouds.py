"""Points of clouds that are gathered in the voxels that they lie in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from .problem import Formula, Input, Problem, function, of_all_results, spelled


@function("point to voxel")
def _gathered(problem: Problem) -> Iterator[Formula]:
    """The rows of points in each voxel: the largest, the sum or the mean, of what the voxels held, or of nothing.

    Where the first voxel is that of points outside, it is left out: lists are moved by one, and so are indices.
    """
    for x, index, first in product(problem.floats, problem.integers, (0, 1)):
        if x.size % index.size == 0 and problem.size % (x.size // index.size) == 0 and index.size > 1:
            yield from _reduced(problem, x, index, first)
    yield from _moved(problem)


def _reduced(problem: Problem, x: Input, index: Input, first: int) -> Iterator[Formula]:
    rows, at = x.flat.reshape(index.size, -1), index.index - first
    count = problem.size // rows.shape[1]
    inside = (at >= 0) & (at < count)
    if not inside.any():
        return
    text = f"{x.name} in {index.name}" + " less 1" * first
    number = np.bincount(at[inside], minlength=count)[:, None]
    for before in (*problem.held, None):
        held = before.flat.reshape(count, -1) if before else np.zeros((count, rows.shape[1]))
        largest, total = held.copy() if before else np.where(number, -np.inf, held), held.copy()
        np.add.at(total, at[inside], rows[inside])
        np.maximum.at(largest, at[inside], rows[inside])
        said = f"{text} with {before.name}" if before else text
        yield Formula(f"mean of {said}", np.where(number, total / np.maximum(number, 1), held).reshape(-1))
        yield Formula(f"largest of {said}", largest.reshape(-1))
        yield Formula(f"sum of {said}", total.reshape(-1))


def _moved(problem: Problem) -> Iterator[Formula]:
    """Indices and counts less 1, and lists without their first row."""
    for one in (one for one in problem.held if one.values.dtype.kind in "iu"):
        yield Formula(f"{one.name} less 1", one.flat - 1)
        yield Formula(one.name, one.flat)
        for width, rows in product(dict.fromkeys((1, *one.values.shape[1:])), dict.fromkeys(problem.counts)):
            table = one.flat.reshape(-1, width)
            for end in (rows, rows + 1):
                made = table.copy()
                made[: len(table[1:end])] = table[1:end]
                yield Formula(f"{rows} rows of {one.name} without the first", made.reshape(-1))


of_all_results("point to voxel")
spelled("point to voxel", "dynamic scatter, feats reduce")
