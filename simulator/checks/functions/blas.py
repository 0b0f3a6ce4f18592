"""Functions of two vectors that change both, or one with factors: BLAS, level 1."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np

from .problem import Formula, Input, Problem, function, vague

_Matrix = tuple[float, float, float, float]  # x' = a x + b y, y' = c x + d y


def _turned(problem: Problem, x: Input, y: Input, text: str, by: _Matrix) -> Iterator[Formula]:
    """Both vectors, without gaps, or with elements that lie so many apart as increments say."""
    a, b, c, d = by
    steps = [number for number in problem.named("inc") if number > 0] or [1, 1]
    for first, second in ((steps[0], steps[-1]), (1, 1)):
        count = min(-(-x.size // first), -(-y.size // second))
        at, other = slice(0, count * first, first), slice(0, count * second, second)
        u, v = x.flat[at], y.flat[other]
        for whole, place, p, q in ((x, at, a, b), (y, other, c, d)):
            left = whole.flat.copy()
            left[place] = p * u + q * v
            yield Formula(f"{text}: {p:g} * {x.name} + {q:g} * {y.name}", left)


@function("rot")
def _rot(problem: Problem) -> Iterator[Formula]:
    """c * x + s * y, and c * y - s * x."""
    for x, y in combinations([one for one in problem.inputs if one.size > 1], 2):
        for c, s in permutations(problem.factors, 2):
            yield from _turned(problem, x, y, "rot", (c, s, -s, c))


@function("rotm")
def _rotm(problem: Problem) -> Iterator[Formula]:
    """By a matrix of which the first of five numbers says which of its elements are passed."""
    for h in (one for one in problem.inputs if one.size == 5):
        flag, a, c, b, d = h.flat.tolist()
        by = {-1.0: (a, b, c, d), 0.0: (1.0, b, c, 1.0), 1.0: (a, 1.0, -1.0, d), -2.0: (1.0, 0.0, 0.0, 1.0)}.get(flag)
        for x, y in combinations([one for one in problem.inputs if one is not h], 2):
            if by:
                yield from _turned(problem, x, y, "rotm", by)


@function("swap")
def _swap(problem: Problem) -> Iterator[Formula]:
    for x, y in permutations(problem.like, 2):
        yield Formula(f"{y.name}, of {x.name}", y.flat)


@function("axpby")
def _axpby(problem: Problem) -> Iterator[Formula]:
    for x, y in combinations(problem.like, 2):
        for a, b in permutations(problem.factors, 2):
            yield Formula(f"{a:g} * {x.name} + {b:g} * {y.name}", a * x.flat + b * y.flat)


@function("power difference")
def _power_difference(problem: Problem) -> Iterator[Formula]:
    """(x - y)^n."""
    for x, y in combinations(problem.like, 2):
        for n in dict.fromkeys((*problem.numbers.values(), *problem.factors, 2)):
            if abs(n) < 64:
                yield Formula(f"({x.name} - {y.name})^{n:g}", np.power(x.flat - y.flat, n))


@vague("threshold", "binarize")
def _threshold(problem: Problem) -> Iterator[Formula]:
    """Where elements are above a number: another number or the element; elsewhere yet another, or 0."""
    numbers = tuple(dict.fromkeys(map(float, problem.numbers.values())))
    for x in problem.like:
        for limit in numbers or (0.0, 0.5, 127.0, 128.0):
            for how, above in ((">", x.flat > limit), (">=", x.flat >= limit)):
                for name, high, low in (
                    *((f"{n:g} else 0", np.full(x.size, n), 0.0) for n in dict.fromkeys((*numbers, 1.0, 255.0))),
                    *((f"0 else {n:g}", np.zeros(x.size), n) for n in dict.fromkeys((*numbers, 1.0, 255.0))),
                    *((f"{x.name} else {n:g}", x.flat, n) for n in dict.fromkeys((*numbers, 0.0))),
                ):
                    yield Formula(f"{x.name} {how} {limit:g}: {name}", np.where(above, high, low))
