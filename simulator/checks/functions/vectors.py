"""Products of matrices and vectors with updates: BLAS, levels 2 and 3, and the kernels of PolyBench made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, of_all_results, vague

#: Elements of an array whose products are made, at most.
_MOST = 1 << 22


def square_of(x: Input) -> np.ndarray | None:
    """An array as a square matrix of two rows or more, if it has as many elements."""
    n = math.isqrt(x.size)
    return x.flat.reshape(n, n) if n > 1 and n * n == x.size else None


def _turned(a: Input, rows: int, columns: int) -> Iterator[tuple[str, np.ndarray]]:
    """A matrix of so many rows and columns, and one that lies turned."""
    if a.size == rows * columns and len(a.axes) < 3:
        if len(a.axes) < 2 or a.axes == (rows, columns):
            yield a.name, a.flat.reshape(rows, columns)
        if len(a.axes) < 2 or a.axes == (columns, rows):
            yield f"{a.name}.T", a.flat.reshape(columns, rows).T


def _products(problem: Problem) -> Iterator[tuple[str, np.ndarray, Input]]:
    """Of matrices and vectors, as long as the output."""
    for a, x in permutations(problem.floats, 2):
        if x.size > 1 and a.size <= _MOST:
            for name, matrix in _turned(a, problem.size, x.size):
                yield f"{name} @ {x.name}", matrix @ x.flat, x


@function("atax", "bicg", "mvt")
def _of_vector(problem: Problem) -> Iterator[Formula]:
    """A matrix or its transpose times a vector, added to what was there; or one after the other."""
    for text, made, x in _products(problem):
        for factor in (1.0, *problem.factors):
            yield Formula(f"{factor:g} * {text}", factor * made)
            for y in (one for one in problem.like if one is not x):
                yield Formula(f"{y.name} + {factor:g} * {text}", y.flat + factor * made)
    for a, x in permutations(problem.floats, 2):
        if x.size == problem.size > 1 and a.size % x.size == 0 and a.size <= _MOST:
            for name, matrix in _turned(a, a.size // x.size, x.size):
                made = matrix.T @ (matrix @ x.flat)
                yield Formula(f"({name}).T @ {name} @ {x.name}", made)
                for y in (one for one in problem.like if one is not x):
                    yield Formula(f"{y.name} + ({name}).T @ {name} @ {x.name}", y.flat + made)


of_all_results("gesummv")


@function("gesummv")
def _sum_of_two(problem: Problem) -> Iterator[Formula]:
    """a * A @ x + b * B @ x by two factors that are passed, added to what was there; or one of both products."""
    matrices = [(one, square) for one in problem.inputs if (square := square_of(one)) is not None]
    for ((a, left), (b, right)), x in product(combinations(matrices, 2), problem.like):
        if len(problem.factors) != 2 or not len(left) == len(right) == problem.size:
            continue
        alpha, beta = problem.factors
        others = [("", np.zeros(x.size)), *((f"{one.name} + ", one.flat) for one in problem.like if one is not x)]
        for (name, before), (other, last) in product(others, repeat=2):
            text = f"{alpha:g} * ({name}{a.name} @ {x.name}) + {beta:g} * ({other}{b.name} @ {x.name})"
            yield Formula(text, alpha * (before + left @ x.flat) + beta * (last + right @ x.flat))
        for name, before in others:
            yield Formula(f"{name}{a.name} @ {x.name}", before + left @ x.flat)


def _number(name: str) -> str:
    """The digit at the end of a name."""
    found = re.search(r"[0-9]$", name)
    return found[0] if found else ""


def _match(one: Input, other: Input) -> bool:
    """Whether two vectors may be of one product: their names have the same number, or none."""
    return _number(one.name) == _number(other.name) or "" in (_number(one.name), _number(other.name))


@function("ger", "rank one update", "rank 1 update", "rank1 update")
def _outer_added(problem: Problem) -> Iterator[Formula]:
    """A + a * outer(x, y)."""
    for a, x, y in permutations(problem.inputs, 3):
        if a.size == problem.size == x.size * y.size:
            made = np.outer(x.flat, y.flat).reshape(-1)
            for alpha in problem.factors or (1.0,):
                yield Formula(f"{a.name} + {alpha:g} * outer({x.name}, {y.name})", a.flat + alpha * made)


@function("gemver")
def _two_outer(problem: Problem) -> Iterator[Formula]:
    """A + outer(u1, v1) + outer(u2, v2); or what products with the factors that are passed make of a vector."""
    for a in (one for one in problem.like if square_of(one) is not None):
        vectors = [one for one in problem.inputs if one.size**2 == a.size]
        for u, v, p, q in permutations(vectors, 4):
            if _match(u, v) and _match(p, q) and problem.inputs.index(u) < problem.inputs.index(p):
                made = a.flat + (np.outer(u.flat, v.flat) + np.outer(p.flat, q.flat)).reshape(-1)
                yield Formula(f"{a.name} + outer({u.name}, {v.name}) + outer({p.name}, {q.name})", made)
    for (text, made, x), factor in product(_products(problem), problem.factors):
        yield Formula(f"{factor:g} * {text}", factor * made)
        others = [one for one in problem.like if one is not x]
        for y in others:
            yield Formula(f"{y.name} + {factor:g} * {text}", y.flat + factor * made)
        for y, z in permutations(others, 2):
            yield Formula(f"{y.name} + {factor:g} * {text} + {z.name}", y.flat + factor * made + z.flat)


def _halves(made: np.ndarray, before: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """All of a square matrix; or a triangle, while the other one stays."""
    yield "", made.reshape(-1)
    yield ", lower", (np.tril(made) + np.triu(before, 1)).reshape(-1)
    yield ", upper", (np.triu(made) + np.tril(before, -1)).reshape(-1)


def _updated(problem: Problem, text: str, made: np.ndarray) -> Iterator[Formula]:
    """a * made + b * C by the factors that are passed, in their order."""
    alpha, beta = (*problem.factors, 0.0)[:2]
    for c in (one for one in problem.like if square_of(one) is not None):
        before = c.flat.reshape(made.shape)
        for how, values in _halves(alpha * made + beta * before, before):
            yield Formula(f"{alpha:g} * {text} + {beta:g} * {c.name}{how}", values)
        if len(problem.factors) == 1:
            yield Formula(f"{alpha:g} * {text} + {c.name}", (alpha * made + before).reshape(-1))
    for how, values in _halves(alpha * made, np.zeros_like(made)):
        yield Formula(f"{alpha:g} * {text}{how}", values)


@function("syrk")
def _with_itself(problem: Problem) -> Iterator[Formula]:
    """a * A @ A.T + b * C, of factors that are passed."""
    n = math.isqrt(problem.size)
    for a in problem.floats if n * n == problem.size and problem.factors else ():
        for name, matrix in _turned(a, n, a.size // n) if a.size % n == 0 else ():
            yield from _updated(problem, f"{name} @ {name}.T", matrix @ matrix.T)


@function("syr2k")
def _with_each_other(problem: Problem) -> Iterator[Formula]:
    """a * (A @ B.T + B @ A.T) + b * C, of factors that are passed."""
    n = math.isqrt(problem.size)
    for a, b in permutations(problem.floats, 2) if n * n == problem.size and problem.factors else ():
        if a.size == b.size and a.size % n == 0:
            pairs = zip(_turned(a, n, a.size // n), _turned(b, n, b.size // n), strict=False)
            for (name, left), (other, right) in pairs:
                made = left @ right.T
                yield from _updated(problem, f"({name} @ {other}.T + {other} @ {name}.T)", made + made.T)


def _scaled(problem: Problem, text: str, made: np.ndarray, x: Input) -> Iterator[Formula]:
    """A vector times a factor, added to another one times another factor, in the order of both."""
    if len(problem.factors) < 2:
        for alpha in problem.factors or (1.0,):
            yield Formula(f"{alpha:g} * {text}", alpha * made)
    alpha, beta = problem.factors if len(problem.factors) == 2 else (*problem.factors, 1.0, 1.0)[:2]
    for y in (one for one in problem.like if one is not x):
        yield Formula(f"{alpha:g} * {text} + {beta:g} * {y.name}", alpha * made + beta * y.flat)


@function("symv")
def _symmetric(problem: Problem) -> Iterator[Formula]:
    """A symmetric matrix, of which one triangle or all is taken, times a vector."""
    for a, x in permutations(problem.floats, 2):
        matrix = square_of(a)
        if matrix is not None and len(matrix) == x.size == problem.size:
            for how, low in (("lower", np.tril(matrix)), ("upper", np.triu(matrix).T)):
                whole = low + np.tril(low, -1).T
                yield from _scaled(problem, f"{how} {a.name} @ {x.name}", whole @ x.flat, x)
            yield from _scaled(problem, f"{a.name} @ {x.name}", matrix @ x.flat, x)


def _triangles(a: Input) -> Iterator[tuple[str, np.ndarray]]:
    """The triangles of a square matrix and of its transpose, with their diagonal or with ones."""
    matrix = square_of(a)
    for name, whole in (("", matrix), (".T", matrix.T)) if matrix is not None else ():
        for how, part in (("lower", np.tril(whole)), ("upper", np.triu(whole))):
            yield f"{how} {a.name}{name}", part
            unit = part.copy()
            np.fill_diagonal(unit, 1)
            yield f"{how} {a.name}{name} with a diagonal of 1", unit


@function("trmv")
def _triangular(problem: Problem) -> Iterator[Formula]:
    for a, x in permutations(problem.floats, 2):
        for text, part in _triangles(a) if x.size == problem.size and a.size == x.size**2 else ():
            yield Formula(f"{text} @ {x.name}", part @ x.flat)


def solved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What a matrix makes the columns of another; NaN if numbers do not allow it."""
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return np.full(b.shape, np.nan)


def _solutions(problem: Problem, which: Sequence[str]) -> Iterator[Formula]:
    """What a triangle makes one or several right sides of, in columns or in rows; which, as its name begins."""
    for a, b in permutations(problem.floats, 2):
        n = math.isqrt(a.size)
        if n * n != a.size or b.size != problem.size or b.size % n or n < 2 or n > 512:
            continue
        for text, part in _triangles(a):
            if text.split()[0] in which and np.diag(part).all():
                yield Formula(f"{text} \\ {b.name}", solved(part, b.flat.reshape(n, -1)).reshape(-1))
                if b.size > n:
                    rows = solved(part, b.flat.reshape(-1, n).T).T
                    yield Formula(f"{text} \\ rows of {b.name}", rows.reshape(-1))


def _is_whole(problem: Problem) -> bool:
    """Whether a matrix, a right side and a length are all that is passed, so that no step is meant."""
    return len(problem.floats) == 2 and len(problem.whole) < 2


@vague("forward substitution", "lower triangular solve", "solve lower", "forward solve", unless=_is_whole)
def _forward(problem: Problem) -> Iterator[Formula]:
    yield from _solutions(problem, ("lower",))


@vague(
    "backward substitution", "back substitution", "upper triangular solve", "solve upper", "back solve",
    unless=_is_whole,
)  # fmt: skip
def _backward(problem: Problem) -> Iterator[Formula]:
    yield from _solutions(problem, ("upper",))


@vague("trsv", "trsm", "triangular solve", unless=_is_whole)
def _either(problem: Problem) -> Iterator[Formula]:
    yield from _solutions(problem, ("lower", "upper"))


@function("triad", "stream triad", "nstream")
def _triad(problem: Problem) -> Iterator[Formula]:
    """b + s * c, by the only factor that is passed; or that added to what was there."""
    for s in problem.factors if len(problem.factors) == 1 else ():
        for b, c in combinations(problem.like, 2):
            yield Formula(f"{b.name} + {s:g} * {c.name}", b.flat + s * c.flat)
        for a, b, c in combinations(problem.like, 3):
            yield Formula(f"{a.name} + {b.name} + {s:g} * {c.name}", a.flat + b.flat + s * c.flat)
