"""Sums of rows and of their squares, norms of columns that lie apart, and the sums that softmax divides by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import numpy as np

from . import along  # noqa: F401  (whose functions have more forms here)
from .problem import FUNCTIONS, Formula, Problem, function, of_all_results, spelled, vague

#: How the distance of the columns of a matrix is called.
_APART = re.compile(r"(^|[._])ld?d?[a-z]$|stride|pitch")


@vague("moments")
def _moments(problem: Problem) -> Iterator[Formula]:
    """Of numbers along an axis and of their squares: sums or means; or what squares are off the square of the mean."""
    for x in problem.floats:
        for text, rows in problem.along_axes(x):
            if rows.shape[0] * rows.shape[2] == problem.size:
                forms = {
                    "sum": rows.sum(axis=1), "sum of squares": (rows**2).sum(axis=1), "mean": rows.mean(axis=1),
                    "mean of squares": (rows**2).mean(axis=1), "variance": rows.var(axis=1),
                }  # fmt: skip
                for name, made in forms.items():
                    yield Formula(f"{name}({x.name}) {text}", made.reshape(-1))


of_all_results("moments")
spelled("moments", "layer norm moments, norm moments, batch norm moments, partial moments")


_PLAIN = FUNCTIONS["nrm2"]


@function("nrm2")
def _norms(problem: Problem) -> Iterator[Formula]:
    columns = [*_of_columns(problem)]
    yield from columns or _PLAIN(problem)


def _of_columns(problem: Problem) -> Iterator[Formula]:
    """Of columns that lie further apart than they are long, also of complex numbers."""
    apart = [n for name, n in problem.numbers.items() if isinstance(n, int) and _APART.search(name.lower())]
    for x, step, parts in product(problem.inputs, dict.fromkeys(apart), (1, 2)):
        if step < 1 or x.size != problem.size * step * parts or (parts == 2 and x.values.dtype.kind == "c"):
            continue
        columns = x.flat.reshape(problem.size, step, parts)
        for n in (n for n in dict.fromkeys(problem.counts) if n < step):
            made = np.sqrt((np.abs(columns[:, :n]) ** 2).sum(axis=(1, 2)))
            yield Formula(f"norm({x.name}) of {n} elements of each column{' in pairs' * (parts == 2)}", made)


spelled("nrm2", "dnrm2, dznrm2, scnrm2, nrm2 cols, column norms")


@vague("exp sum", unless=lambda problem: len(problem.floats) == 2 and not problem.factors)
def _powers(problem: Problem) -> Iterator[Formula]:
    """exp(x - the largest of its row) and its sums; rows may be filled up with 0 behind so many elements."""
    for x in problem.floats:
        for most in (one for one in problem.floats if one is not x and 0 < one.size < x.size):
            if x.size % most.size:
                continue
            rows = x.flat.reshape(most.size, -1)
            wide = rows.shape[1]
            for n in dict.fromkeys((wide, *(n for n in problem.counts if n < wide))):
                powers = np.where(np.arange(wide) < n, np.exp(rows - most.flat[:, None]), 0)
                text = f"exp({x.name} - {most.name}){f' of {n} elements' * (n < wide)}"
                if x.size == problem.size:
                    yield Formula(text, powers.reshape(-1))
                if most.size == problem.size:
                    yield Formula(f"sum({text}) along {wide} elements", powers.sum(axis=1))


of_all_results("exp sum")
spelled("exp sum", "softmax exp sum, exp and sum, exp minus max sum, softmax exp")
