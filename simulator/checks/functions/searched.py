"""Places in sorted arrays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from .problem import Formula, Problem, function, spelled, vague


def _places(problem: Problem, sides: tuple[str, ...]) -> Iterator[Formula]:
    """How many of a sorted array, or of the row with the same number, are below each value, or not above it."""
    for edges, values in permutations(problem.inputs, 2):
        if values.size != problem.size or edges.size < 2:
            continue
        widths = dict.fromkeys((edges.size, *edges.axes[-1:], *problem.whole))
        for width in (n for n in widths if 1 < n <= edges.size and edges.size % n == 0):
            rows = edges.flat.reshape(-1, width)
            if problem.size % len(rows) or (np.diff(rows) < 0).any():
                continue
            of = values.flat.reshape(len(rows), -1)
            for side in sides:
                at = np.array([np.searchsorted(row, one, side) for row, one in zip(rows, of, strict=True)]).reshape(-1)  # type: ignore[call-overload]
                text = f"places of {values.name} in {edges.name} of {width}, {side}"
                yield Formula(text, at)
                yield Formula(f"{text}, less 1", at - 1)
                yield Formula(f"{text}, the last one at most", np.minimum(at, width - 1))


@function("searchsorted", "bucketize")
def _either(problem: Problem) -> Iterator[Formula]:
    yield from _places(problem, ("left", "right"))


@function("lower bound")
def _lower(problem: Problem) -> Iterator[Formula]:
    yield from _places(problem, ("left",))


@function("upper bound")
def _upper(problem: Problem) -> Iterator[Formula]:
    yield from _places(problem, ("right",))


@vague("binary search")
def _found(problem: Problem) -> Iterator[Formula]:
    """Where each value is in a sorted array; -1, 0 or the place where it would be if it is not there."""
    for edges, values in permutations(problem.inputs, 2):
        if values.size == problem.size and edges.size > 1 and not (np.diff(edges.flat) < 0).any():
            at = np.searchsorted(edges.flat, values.flat)
            there = edges.flat[np.minimum(at, edges.size - 1)] == values.flat
            yield Formula(f"{values.name} in {edges.name}, else -1", np.where(there, at, -1))
            yield Formula(f"whether {values.name} is in {edges.name}", there.astype(np.float64))
    yield from _either(problem)


spelled("searchsorted", "search sorted, sorted search")
spelled("bucketize", "bucketization, digitize")
spelled(
    "lower bound",
    "lowerbound, vectorized lower bound, lower bound search, sorted search lower bound, searchsorted left",
)
spelled(
    "upper bound",
    "upperbound, vectorized upper bound, upper bound search, sorted search upper bound, searchsorted right",
)
