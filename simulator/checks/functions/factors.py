"""Factorizations of square matrices, whole ones and their steps, and what systems of three diagonals are solved by."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, of_all_results, vague
from .vectors import square_of

#: Rows of matrices and systems, at most.
_MOST_ROWS = 512
#: Multiplications of all columns of data with each other, at most.
_MOST_PRODUCTS = 1 << 26


def _matrices(problem: Problem) -> Iterator[tuple[Input, np.ndarray]]:
    """The square matrices that are as large as the output."""
    for one in problem.like:
        matrix = square_of(one)
        if matrix is not None and len(matrix) <= _MOST_ROWS:
            yield one, matrix


def _steps(problem: Problem, n: int) -> Sequence[int]:
    """The numbers of the step that may be passed."""
    return [k for k in problem.whole if 0 <= k < n]


def _without(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """What an output may have held where nothing is written: zeros, or an array as large."""
    yield "0", np.zeros(problem.size)
    yield from ((one.name, one.flat) for one in problem.like)


def packed(a: np.ndarray) -> np.ndarray:
    """The factors L, but for its diagonal of 1, and U of a matrix, in one."""
    made = a.copy()
    for k in range(len(made) - 1):
        made[k + 1 :, k] /= made[k, k]
        made[k + 1 :, k + 1 :] -= np.outer(made[k + 1 :, k], made[k, k + 1 :])
    return made


def _eliminated(a: np.ndarray, k: int) -> Iterator[tuple[str, np.ndarray]]:
    """What one step leaves: a row or a column is divided, the rest updated, or both."""
    row, column, rest, below = (a.copy() for _ in range(4))
    row[k, k + 1 :] /= a[k, k]
    column[k + 1 :, k] /= a[k, k]
    rest[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    below[k + 1 :, k:] -= np.outer(column[k + 1 :, k], a[k, k:])
    yield "row divided", row
    yield "column divided", column
    yield "rest updated", rest
    yield "eliminated", below
    for how, divided in (("column divided", column), ("row divided", row)):
        both = divided.copy()
        both[k + 1 :, k + 1 :] -= np.outer(divided[k + 1 :, k], divided[k, k + 1 :])
        yield f"{how}, rest updated", both


def _is_alone(problem: Problem) -> bool:
    """Whether a matrix is all that is passed, so that nothing else is factorized."""
    return len(problem.floats) == 1 and not problem.factors


@vague("gaussian elimination", "gauss elimination", "forward elimination")
@vague("lu", "lu decomposition", "lu factorization", "lu decompose", "lu factorize", unless=_is_alone)
def _lu(problem: Problem) -> Iterator[Formula]:
    """A step of a number that is passed, in place or as a column of another matrix; without one the whole factors."""
    for a, matrix in _matrices(problem):
        steps = _steps(problem, len(matrix))
        for k in steps:
            for how, made in _eliminated(matrix, k):
                yield Formula(f"{a.name}, step {k}: {how}", made.reshape(-1))
            for (name, before), one in product(_without(problem), (0.0, 1.0)):
                low = before.reshape(matrix.shape).copy()
                low[k + 1 :, k] = matrix[k + 1 :, k] / matrix[k, k]
                low[k, k] = low[k, k] if one == 0 else one
                yield Formula(f"multipliers of {a.name}, step {k}, in {name}", low.reshape(-1))
        both = packed(matrix)
        yield Formula(f"L and U of {a.name}", both.reshape(-1))
        yield Formula(f"L of {a.name}", (np.tril(both, -1) + np.eye(len(both))).reshape(-1))
        yield Formula(f"U of {a.name}", np.triu(both).reshape(-1))
        turned = packed(matrix.T).T
        yield Formula(f"L and U of {a.name}, U with a diagonal of 1", turned.reshape(-1))


of_all_results("fan")


@function("fan")
def _fan(problem: Problem) -> Iterator[Formula]:
    """Steps of an elimination: the multipliers, the rest of the matrix or of the right side."""
    for a, matrix in _matrices(problem):
        for k in _steps(problem, len(matrix)):
            for name, before in _without(problem):
                made = before.reshape(matrix.shape).copy()
                made[k + 1 :, k] = matrix[k + 1 :, k] / matrix[k, k]
                yield Formula(f"multipliers of {a.name}, step {k}, in {name}", made.reshape(-1))
            for m, by in _matrices(problem):
                rest = matrix.copy()
                rest[k + 1 :, k:] -= np.outer(by[k + 1 :, k], matrix[k, k:])
                if m is not a:
                    yield Formula(f"{a.name} less rows times {m.name}, step {k}", rest.reshape(-1))
    for b, m in product(problem.like, problem.inputs):
        for k in _steps(problem, b.size) if m.size == b.size**2 else ():
            right = b.flat.copy()
            right[k + 1 :] -= m.flat.reshape(b.size, -1)[k + 1 :, k] * b.flat[k]
            yield Formula(f"{b.name} less {m.name} times its element {k}", right)


def _is_whole(problem: Problem) -> bool:
    """Whether a matrix and its length are all that is passed, so that no step is meant."""
    return _is_alone(problem) and len(problem.whole) < 2


@vague(
    "cholesky", "cholesky decomposition", "cholesky factorization", "cholesky decomp", "cholesky factorize",
    unless=_is_whole,
)  # fmt: skip
def _cholesky(problem: Problem) -> Iterator[Formula]:
    """The lower factor or the upper one, with zeros or what was there elsewhere; or a step that is passed."""
    for a, matrix in _matrices(problem):
        n = len(matrix)
        for k in _steps(problem, n):
            yield from _cholesky_step(a.name, matrix, k)
        try:
            low = np.linalg.cholesky(np.tril(matrix) + np.tril(matrix, -1).T)
        except np.linalg.LinAlgError:
            continue
        for name, before in _without(problem):
            rest = before.reshape(n, n)
            yield Formula(f"L of {a.name}, in {name}", (low + np.triu(rest, 1)).reshape(-1))
            yield Formula(f"L.T of {a.name}, in {name}", (low.T + np.tril(rest, -1)).reshape(-1))


def _cholesky_step(name: str, a: np.ndarray, k: int) -> Iterator[Formula]:
    root = math.sqrt(max(a[k, k], 0))
    first, column = a.copy(), a.copy()
    first[k, k] = root
    column[k + 1 :, k] /= a[k, k]
    both = first.copy()
    both[k + 1 :, k] = a[k + 1 :, k] / root if root else a[k + 1 :, k]
    yield Formula(f"{name}, step {k}: root of the diagonal", first.reshape(-1))
    yield Formula(f"{name}, step {k}: column divided", column.reshape(-1))
    yield Formula(f"{name}, step {k}: root of the diagonal, column divided", both.reshape(-1))
    for how, before in (("", a), ("root of the diagonal, column divided, ", both)):
        rest = np.outer(before[k + 1 :, k], before[k + 1 :, k])
        for part, less in (("rest", rest), ("lower rest", np.tril(rest))):
            made = before.copy()
            made[k + 1 :, k + 1 :] -= less
            yield Formula(f"{name}, step {k}: {how}{part} updated", made.reshape(-1))


@function("gramschmidt", "gram schmidt")
def _orthogonal(problem: Problem) -> Iterator[Formula]:
    """Steps of a number that is passed: a norm, a column divided by it, products with the rest, and the rest."""
    for r, a in permutations(problem.inputs, 2):
        square = square_of(r)
        if square is None or a.size % len(square):
            continue
        columns = a.flat.reshape(-1, len(square))
        for k in _steps(problem, len(square)):
            for name, before in _without(problem):
                if problem.size == a.size:
                    divided = before.copy()
                    divided.reshape(columns.shape)[:, k] = columns[:, k] / square[k, k]
                    yield Formula(f"{name}, column {k} of {a.name} by {r.name}", divided)
    n = math.isqrt(problem.size)
    for a in problem.inputs if n > 1 and n * n == problem.size else ():
        for k, (name, before) in product(_steps(problem, n) if a.size % n == 0 else (), _without(problem)):
            norm = before.copy()
            norm[k * n + k] = math.sqrt((a.flat.reshape(-1, n)[:, k] ** 2).sum())
            yield Formula(f"{name}, norm of column {k} of {a.name}", norm)
    for a, q in permutations(problem.inputs, 2):
        for n in range(2, math.isqrt(a.size) + 1) if a.size == q.size else ():
            if a.size % n == 0 and problem.size in (a.size, n * n):
                yield from _projected(problem, a, q, n)


def _projected(problem: Problem, a: Input, q: Input, n: int) -> Iterator[Formula]:
    columns, unit = a.flat.reshape(-1, n), q.flat.reshape(-1, n)
    for k in _steps(problem, n):
        products = unit[:, k] @ columns[:, k + 1 :]
        if problem.size == n * n:
            for name, before in _without(problem):
                made = before.reshape(n, n).copy()
                made[k, k + 1 :] = products
                yield Formula(f"{name}, products of column {k} of {q.name} with {a.name}", made.reshape(-1))
        if problem.size == a.size:
            rest = columns.copy()
            rest[:, k + 1 :] -= np.outer(unit[:, k], products)
            yield Formula(f"{a.name} less its parts along column {k} of {q.name}", rest.reshape(-1))


@function("thomas", "tridiagonal solve", "thomas solve", "solve tridiagonal", "thomas algorithm")
def _three_diagonals(problem: Problem) -> Iterator[Formula]:
    """Solutions of systems of a lower, a middle and an upper diagonal, in this order, and a right side.

    Several systems lie one after the other, or interleaved.
    """
    for low, middle, high, right in permutations(problem.like, 4):
        names = [problem.inputs.index(one) for one in (low, middle, high)]
        if names != sorted(names):
            continue
        for n in dict.fromkeys((problem.size, *problem.whole)):
            if not 1 < n <= _MOST_ROWS * 8 or problem.size % n:
                continue
            for how in ("C", "F"):
                shape = (-1, n) if how == "C" else (n, -1)
                parts = [one.flat.reshape(shape) for one in (low, middle, high, right)]
                made = _solved(*(part if how == "C" else part.T for part in parts))
                text = f"solutions of {low.name}, {middle.name}, {high.name} and {right.name}, {n} each"
                yield Formula(text, (made if how == "C" else made.T).reshape(-1))


def _solved(low: np.ndarray, middle: np.ndarray, high: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Of systems in rows."""
    n = right.shape[1]
    upper, made = np.zeros_like(right), np.zeros_like(right)
    for i in range(n):
        by = middle[:, i] - (low[:, i] * upper[:, i - 1] if i else 0)
        upper[:, i] = high[:, i] / by
        made[:, i] = (right[:, i] - (low[:, i] * made[:, i - 1] if i else 0)) / by
    for i in range(n - 2, -1, -1):
        made[:, i] -= upper[:, i] * made[:, i + 1]
    return made


@vague("covar", "covariance", "covariance matrix", unless=_is_alone)
def _covariance(problem: Problem) -> Iterator[Formula]:
    """Products of the columns, or rows, of centred data, by their number, one less or a factor; or not centred.

    Rows and columns may begin with one that is left alone.
    """
    n = math.isqrt(problem.size)
    for data in problem.floats if n > 1 and n * n == problem.size else ():
        fits = data.size % n == 0 and data.size * n <= _MOST_PRODUCTS
        shapes = [data.flat.reshape(-1, n), data.flat.reshape(n, -1).T] if fits else []
        for rows, first in product(shapes, (0, 1)):
            part = rows[first:, first:]
            for how, off in (("", part), (" centred", part - part.mean(axis=0))):
                count, whole = len(part), off.T @ off
                factors = dict.fromkeys((1.0, count, count - 1.0, *problem.factors)) if how else (1.0,)
                for by, (name, before) in product(factors, _without(problem)):
                    made = before.reshape(n, n).copy()
                    made[first:, first:] = whole / by if by else 0
                    text = f"products of {data.name}{how} / {by:g} from {first}, in {name}"
                    yield Formula(text, made.reshape(-1))
