"""What masks choose: elements that they fill, scale, keep or place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .along import above_diagonals
from .pointwise import spread
from .problem import Formula, Input, Problem, function, spelled, vague

#: Numbers that stand for the least one where scores are masked.
LEAST = -np.inf, -1e4, -1e9, float(np.finfo(np.float32).min)


def _masks(problem: Problem, x: Input, either: bool = False) -> Iterator[tuple[str, np.ndarray]]:
    """Where masks are set, or hold a number that is passed, beside each element of an array; ``either``: or not set."""
    for mask in (one for one in problem.inputs if one is not x and x.size % max(one.size, 1) == 0):
        for _, wide in spread(problem, x, mask) if mask.size < x.size else [(x.flat, mask.flat)]:
            if len(wide) == x.size:
                yield f"{mask.name} is set", wide != 0
                if either:
                    yield f"{mask.name} is not set", wide == 0
                for number in problem.factors:
                    yield f"{mask.name} is {number:g}", wide == number


@function("masked fill")
def _filled(problem: Problem) -> Iterator[Formula]:
    """A number where a mask is set, or is not."""
    for x in problem.like:
        passed = *problem.factors, *map(float, problem.whole)
        values = [(f"{n:g}", n) for n in dict.fromkeys((*passed, 0.0, *LEAST, -1e10))]
        values += [(one.name, float(one.flat[0])) for one in problem.inputs if one.size == 1]
        for (text, inside), (name, number) in product(_masks(problem, x), values):
            yield Formula(f"{x.name}, {name} where {text}", np.where(inside, number, x.flat))


@function("scale mask")
def _scaled(problem: Problem) -> Iterator[Formula]:
    """Elements times a number where a mask is set, or holds another one."""
    for x in problem.like:
        for (text, inside), factor in product(_masks(problem, x), problem.factors):
            yield Formula(f"{x.name}, times {factor:g} where {text}", np.where(inside, factor * x.flat, x.flat))


@vague("apply mask")
def _multiplied(problem: Problem) -> Iterator[Formula]:
    """Elements where a mask is set; 0, or the least number, elsewhere; or the sum with it."""
    for x in problem.like:
        for text, inside in _masks(problem, x, either=True):
            for other in (0.0, *LEAST, *problem.factors):
                yield Formula(f"{x.name} where {text}, else {other:g}", np.where(inside, x.flat, other))
        for mask in (one for one in problem.floats if one is not x):
            for left, right in spread(problem, x, mask):
                yield Formula(f"{x.name} + {mask.name}", left + right)
                yield Formula(f"{x.name} * {mask.name}", left * right)


@function("masked select")
def _selected(problem: Problem) -> Iterator[Formula]:
    """The elements where a mask is set, one after the other; what lies behind them stays as it is, or is 0."""
    for x, mask in permutations(problem.inputs, 2):
        if x.size == mask.size:
            kept = x.flat[mask.flat != 0]
            for held in (np.zeros(problem.size), *(one.flat for one in problem.like)):
                if len(kept) <= problem.size:
                    made = np.append(kept, held[len(kept) :])
                    yield Formula(f"{x.name} where {mask.name} is set, in a row", made)
            if problem.size == 1:
                yield Formula(f"how many of {mask.name} are set", np.array([float(len(kept))]))


@function("masked scatter")
def _scattered(problem: Problem) -> Iterator[Formula]:
    """The first elements of an array, one after the other, where a mask is set."""
    for x, mask, source in permutations(problem.inputs, 3):
        inside = mask.flat != 0
        if x.size == mask.size == problem.size and inside.sum() <= source.size:
            made = x.flat.copy()
            made[inside] = source.flat[: int(inside.sum())]
            yield Formula(f"{x.name}, {source.name} where {mask.name} is set", made)


spelled("masked fill", "mask fill, masked fill value, fill masked, mask fill value")
spelled("scale mask", "mask scale, masked scale")
spelled("apply mask", "mask apply, add mask, apply attention mask, attention mask")
spelled("masked scatter", "masked copy")


@function("causal mask")
def _causal(problem: Problem) -> Iterator[Formula]:
    """Scores above the diagonal of squares as small as can be, or a number; those below times a scale."""
    for x in problem.like:
        for (text, scores, later), scale in product(above_diagonals(problem, x), (1.0, *problem.factors)):
            for least in (*LEAST, -1e10, *problem.factors, 0.0):
                made = np.where(later, least, scale * scores)
                yield Formula(f"{scale:g} * {x.name}, {least:g} above the diagonal {text}", made.reshape(-1))


spelled("causal mask", "apply causal mask, mask causal, mask upper triangle, causal mask scale, scale causal mask")
