"""Functions of points and boxes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, of_all_results

#: Pairs of points or boxes, at most.
_MOST_PAIRS = 1 << 23

_Points = np.ndarray  # [batch, points, 3]


def _points_of(problem: Problem, x: Input) -> Iterator[_Points]:
    """Points of three coordinates, or three rows of coordinates, of each batch that may be passed."""
    for batch in dict.fromkeys((1, *x.axes[:1], *problem.whole)):
        if batch > 0 and x.size % (3 * batch) == 0 and x.size:
            yield x.flat.reshape(batch, -1, 3)
            if batch * 3 < x.size:
                yield x.flat.reshape(batch, 3, -1).transpose(0, 2, 1)


def _pairs_of_points(problem: Problem) -> Iterator[tuple[Input, Input, np.ndarray]]:
    """Two arrays of points, and the squared distances [batch, points, others] of theirs."""
    for x, y in permutations(problem.floats, 2):
        for a, b in product(_points_of(problem, x), _points_of(problem, y)):
            fits = len(a) == len(b) and problem.size % (a.shape[0] * a.shape[1]) == 0
            if fits and a.shape[0] * a.shape[1] * b.shape[1] <= _MOST_PAIRS:
                yield x, y, ((a[:, :, None] - b[:, None]) ** 2).sum(axis=3)


of_all_results("three nn", "ball query")


@function("three nn", "knn")
def _nearest(problem: Problem) -> Iterator[Formula]:
    """The nearest points of another array: their numbers, their distances or the squares of these."""
    for x, y, squares in _pairs_of_points(problem):
        count = problem.size // (squares.shape[0] * squares.shape[1])
        if 0 < count <= squares.shape[2]:
            nearest = np.argsort(squares, axis=2, kind="stable")[:, :, :count]
            apart = np.take_along_axis(squares, nearest, 2)
            text = f"{count} nearest of {y.name} to {x.name}"
            for how, made in (("squared distances", apart), ("distances", np.sqrt(apart)), ("numbers", nearest)):
                yield Formula(f"{how} of the {text}", made.reshape(-1))
                yield Formula(f"{how} of the {text}, by rank", made.transpose(0, 2, 1).reshape(-1))


@function("ball query")
def _inside_balls(problem: Problem) -> Iterator[Formula]:
    """The numbers of the first points within a radius, filled up with the first of them; or how many are within it."""
    bounds = [*permutations(problem.factors, 2), *((0.0, radius) for radius in problem.factors)]
    for x, y, squares in _pairs_of_points(problem):
        count = problem.size // (squares.shape[0] * squares.shape[1])
        for low, high in bounds if 0 < count <= squares.shape[2] else ():
            inside = (squares == 0) | ((squares >= low * low) & (squares < high * high))
            first = np.argsort(~inside, axis=2, kind="stable")[:, :, :count]
            found = np.take_along_axis(inside, first, 2)
            made = np.where(found, first, first[:, :, :1]) * inside.any(axis=2, keepdims=True)
            text = f"numbers of {y.name} within {low:g}..{high:g} of {x.name}"
            yield Formula(text, made.reshape(-1))
            for before in problem.held:
                left = np.where(inside.any(axis=2, keepdims=True), made, before.flat.reshape(made.shape))
                yield Formula(f"{before.name} with {text}", left.reshape(-1))
            for most in problem.counts if count == 1 else ():
                made = np.minimum(inside.sum(axis=2), most).reshape(-1)
                yield Formula(f"how many of {y.name} are within {low:g}..{high:g} of {x.name}, at most {most}", made)


def overlaps(a: np.ndarray, b: np.ndarray, more: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What boxes [..., (left, top, right, bottom)] have in common, and the areas of both; sides are ``more`` longer."""
    sides = np.minimum(a[..., 2:4], b[..., 2:4]) - np.maximum(a[..., :2], b[..., :2]) + more
    of_a, of_b = ((one[..., 2:4] - one[..., :2] + more).prod(axis=-1) for one in (a, b))
    return np.maximum(sides, 0).prod(axis=-1), of_a, of_b


@function("box overlaps")
def _overlaps(problem: Problem) -> Iterator[Formula]:
    """Of boxes (left, top, right, bottom): of each with each or in pairs, by the union or by the first of both."""
    boxes = [one for one in problem.inputs if one.size % 4 == 0 and one.size]
    for x, y in permutations(boxes, 2):
        a, b = x.flat.reshape(-1, 1, 4), y.flat.reshape(1, -1, 4)
        if problem.size == len(a) == b.shape[1]:
            b = b.reshape(-1, 1, 4)
        if max(a.shape[0], b.shape[0]) * b.shape[1] == problem.size:
            for more in (0, 1):
                common, of_a, of_b = overlaps(a, b, more)
                for how, whole in (("union", of_a + of_b - common), ("first", of_a + 0 * common)):
                    made = common / np.maximum(whole, more)
                    text = f"overlaps({x.name}, {y.name}) by the {how}" + ", ends included" * more
                    yield Formula(text, made.reshape(-1))


@function("polygon area")
def _areas(problem: Problem) -> Iterator[Formula]:
    """Of polygons of four corners (x, y), with a number behind them or without."""
    for x, wide in product(problem.inputs, (8, 9)):
        if x.size == wide * problem.size:
            corners = x.flat.reshape(-1, wide)[:, :8].reshape(-1, 4, 2)
            after = np.roll(corners, -1, axis=1)
            twice = (corners[..., 0] * after[..., 1] - corners[..., 1] * after[..., 0]).sum(axis=1)
            for how, made in (("areas", twice / 2), ("areas without sign", np.abs(twice) / 2)):
                yield Formula(f"{how} of {x.name}", made)
