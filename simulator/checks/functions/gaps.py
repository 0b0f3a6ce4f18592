"""Arrays whose rows lie further apart than they are long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .problem import Input, Problem


@dataclass(frozen=True)
class Dense:
    """A problem without gaps behind its rows, and the places of the elements that its output has left."""

    problem: Problem
    kept: np.ndarray


def without_gaps(problem: Problem) -> Dense | None:
    """A problem whose rows have the length that is passed, if strides that are passed are those of longer ones."""
    passed = replace(problem, numbers=problem.lengths)
    strides = [n for n in problem.named("stride") if n > 1 and not passed.shapes_of_size(n)]
    for rows, columns in _sizes(passed, strides):
        kept = np.arange(problem.size).reshape(rows, -1)[:, :columns]
        inputs = [_cut(one, rows, columns, strides) for one in problem.inputs]
        return Dense(replace(passed, inputs=tuple(inputs), shape=kept.shape), kept.reshape(-1))
    return None


def _sizes(problem: Problem, strides: list[int]) -> Iterator[tuple[int, int]]:
    """Rows and columns that are passed, if one of the arrays has rows of a stride that is a bit longer than these."""
    sizes = [problem.size, *(one.size for one in problem.inputs)]
    for rows in (n for n in problem.whole if n > 1 and problem.size % n == 0):
        each = problem.size // rows
        for columns in (
            n for n in sorted(problem.whole, reverse=True) if n <= each < 2 * n and (n == each or each in strides)
        ):
            if any(size == rows * stride and columns < stride for size in sizes for stride in strides):
                yield rows, columns


def _cut(one: Input, rows: int, columns: int, strides: list[int]) -> Input:
    """An array of as many rows, without what lies behind their columns."""
    length = one.size // rows
    if one.size != rows * length or length not in strides or not columns < length < 2 * columns:
        return one
    return Input(one.name, np.ascontiguousarray(one.values.reshape(rows, length)[:, :columns]))
