"""Small matrices of fixed form, what lies on diagonals, products of vectors in space, and indices of triangles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, of_few, spelled, vague


def _sides(problem: Problem, size: int) -> list[tuple[int, int, int]]:
    """How many matrices of how many rows and columns have so many elements."""
    whole = [n for n in dict.fromkeys(problem.whole) if 0 < n <= size]
    found = [(size // (n * n), n, n) for n in (*whole, math.isqrt(size)) if n and size % (n * n) == 0]
    found += [(size // (r * c), r, c) for r, c in permutations(whole, 2) if size % (r * c) == 0]
    return [*dict.fromkeys(found)]


def _of_shape(problem: Problem) -> list[tuple[int, int, int]]:
    shape = problem.shape
    return [(math.prod(shape[:-2]), shape[-2], shape[-1])] if len(shape) > 1 else _sides(problem, problem.size)


@function("eye")
def _eye(problem: Problem) -> Iterator[Formula]:
    """1 on the diagonal or on one beside it, or another number; 0 elsewhere."""
    for count, rows, columns in _of_shape(problem):
        for k, number in product(dict.fromkeys((0, *problem.named("k", "diag"))), (1.0, *problem.factors)):
            if abs(k) < max(rows, columns):
                made = np.broadcast_to(number * np.eye(rows, columns, k), (count, rows, columns))
                yield Formula(f"{number:g} on the diagonal {k} of {rows}x{columns}", made.reshape(-1))


spelled(
    "eye", "set identity, identity matrix, init identity, make identity, create identity, fill identity, eye matrix"
)


def _matrices(problem: Problem, x: Input) -> Iterator[np.ndarray]:
    """[n, rows, columns] of an array."""
    if len(x.axes) > 1:
        yield x.real.reshape(-1, *x.axes[-2:])
        return
    yield from (x.flat.reshape(one) for one in _sides(problem, x.size))


def _offsets(problem: Problem) -> list[int]:
    return [*dict.fromkeys((0, *(n for n in (*problem.whole, *problem.named("k", "off", "diag")) if abs(n) < 64)))]


@function("diagonal")
def _diagonal(problem: Problem) -> Iterator[Formula]:
    """The diagonal of matrices, or one beside it."""
    for x in problem.inputs:
        for whole, k in product(_matrices(problem, x), _offsets(problem)):
            for off in dict.fromkeys((k, -k)):
                made = np.diagonal(whole, off, 1, 2)
                if made.size == problem.size:
                    yield Formula(f"diagonal {off} of {x.name}", made.reshape(-1))


@vague("diag")
def _diag(problem: Problem) -> Iterator[Formula]:
    """Matrices with rows on their diagonals, or on ones beside these; 0 elsewhere; or the diagonal of a matrix."""
    yield from _diagonal(problem)
    for x in problem.inputs:
        for _, side, columns in _of_shape(problem):
            for k in _offsets(problem) if side == columns else ():
                for off in dict.fromkeys((k, -k)):
                    length = side - abs(off)
                    if length > 0 and x.size % length == 0 and x.size // length * side * side == problem.size:
                        made = np.zeros((x.size // length, side, side))
                        at = np.arange(length)
                        made[:, at + max(-off, 0), at + max(off, 0)] = x.flat.reshape(-1, length)
                        yield Formula(f"{x.name} on the diagonal {off}", made.reshape(-1))


spelled("diag", "diag embed, diagflat, fill diagonal matrix, matrix diag, diagonal matrix")
spelled("diagonal", "extract diagonal, get diagonal, diag part, diag extract, extract diag, get diag")


@function("trace")
def _trace(problem: Problem) -> Iterator[Formula]:
    for x in problem.inputs:
        for whole in _matrices(problem, x):
            made = np.trace(whole, axis1=1, axis2=2)
            yield Formula(f"trace({x.name})", made.reshape(-1))


spelled("trace", "matrix trace, mat trace")


@vague("symmetrize")
def _symmetrized(problem: Problem) -> Iterator[Formula]:
    """The mean of a matrix and of its transpose, or one triangle in both places."""
    for x in problem.like:
        for whole in _matrices(problem, x):
            if whole.shape[1] == whole.shape[2]:
                turned = whole.swapaxes(1, 2)
                yield Formula(f"({x.name} + {x.name}.T) / 2", ((whole + turned) / 2).reshape(-1))
                yield Formula(f"{x.name} + {x.name}.T", (whole + turned).reshape(-1))
                yield Formula(
                    f"upper triangle of {x.name}", (np.triu(whole) + np.triu(whole, 1).swapaxes(1, 2)).reshape(-1)
                )
                yield Formula(
                    f"lower triangle of {x.name}", (np.tril(whole) + np.tril(whole, -1).swapaxes(1, 2)).reshape(-1)
                )


spelled("symmetrize", "symmetrise, make symmetric, symmetrize batched")


@function("tril indices", "triu indices")
def _indices(problem: Problem) -> Iterator[Formula]:
    """Rows, then columns, of the places in a triangle."""
    whole = [n for n in problem.whole if 0 < n <= problem.size]
    for rows, columns in dict.fromkeys((n, n) for n in whole) | dict.fromkeys(permutations(whole, 2)):
        for k, sign in product(_offsets(problem), (1, -1)):
            for name, form in (("lower", np.tril_indices), ("upper", np.triu_indices)):
                made = np.array(form(rows, sign * k, columns))
                yield Formula(f"places of the {name} triangle of {rows}x{columns} from {sign * k}", made.reshape(-1))


@vague("renorm", unless=of_few(1))
def _renorm(problem: Problem) -> Iterator[Formula]:
    """Rows times what makes their norms as large as allowed, where they are larger."""
    for x in problem.like:
        for text, rows in problem.along_axes(x):
            powers = dict.fromkeys((2.0, 1.0, *(f for f in problem.factors if f > 0)))
            for power, most, little in product(powers, problem.factors, (1e-7, 0.0)):
                size = (np.abs(rows) ** power).sum(axis=1, keepdims=True) ** (1 / power)
                share = np.where(size > most, most / (size + little), 1)
                yield Formula(f"{x.name}, norms of power {power:g} to {most:g} {text}", (rows * share).reshape(-1))


spelled("renorm", "renorm rows, clip rows norm, max norm")
