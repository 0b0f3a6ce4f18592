"""Convolutions, correlations and sums of sequences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from .problem import Formula, Problem, function, vague


@vague("conv same", "conv full", "conv valid")
def _convolved(problem: Problem) -> Iterator[Formula]:
    """All, or some in the middle, at the beginning or where both overlap, of what two sequences make."""
    for x, w in permutations(problem.floats, 2):
        if x.size >= w.size:
            whole = np.convolve(x.flat, w.flat)
            for first in dict.fromkeys((0, (len(whole) - problem.size) // 2, w.size // 2, w.size - 1)):
                if first >= 0 and first + problem.size <= len(whole):
                    text = f"convolve({x.name}, {w.name})[{first}:{first + problem.size}]"
                    yield Formula(text, whole[first : first + problem.size])


@vague("correlation")
def _correlated(problem: Problem) -> Iterator[Formula]:
    """For each shift of one sequence, from the largest one, from the half of all, or from 0."""
    for x, y in permutations(problem.floats, 2):
        whole = np.correlate(x.flat, y.flat, "full")  # from a shift of 1 - the length of y
        for shift in dict.fromkeys((1 - y.size, -(problem.size // 2), 0)):
            first = shift + y.size - 1
            if first >= 0 and first + problem.size <= len(whole):
                text = f"correlate({x.name}, {y.name}) from a shift of {shift}"
                yield Formula(text, whole[first : first + problem.size])


@function("reverse cumsum")
def _from_behind(problem: Problem) -> Iterator[Formula]:
    for x in problem.like:
        for text, rows in problem.along_axes(x):
            made = np.flip(np.cumsum(np.flip(rows, 1), axis=1), 1)
            yield Formula(f"cumsum({x.name}) from behind {text}", made.reshape(-1))


@function("masked cumsum")
def _masked(problem: Problem) -> Iterator[Formula]:
    """The sums of all up to each element that a mask has."""
    for x, mask in permutations(problem.like, 2):
        for text, rows in problem.along_axes(x):
            made = np.cumsum(rows * (mask.flat.reshape(rows.shape) != 0), axis=1)
            yield Formula(f"cumsum({x.name} where {mask.name}) {text}", made.reshape(-1))


@function("exclusive cumsum")
def _before(problem: Problem) -> Iterator[Formula]:
    """The sums of all before each element; of as many, or of all and one more."""
    for x in problem.inputs:
        for text, rows in problem.along_axes(x):
            sums = np.concatenate([0 * rows[:, :1], np.cumsum(rows, axis=1)], axis=1)
            for made in (sums[:, :-1], sums, sums[:, :-2]):
                if made.size == problem.size:
                    yield Formula(f"exclusive cumsum({x.name}) {text}", made.reshape(-1))
