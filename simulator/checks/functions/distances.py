"""Distances and likeness of vectors and points, samples of integrals, powers of matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, vague
from .vectors import square_of

#: Differences of all pairs, at most; the largest power of a matrix.
_MOST, _MOST_POWER = 1 << 23, 64

#: What two arrays [..., depth] make of each pair.
_Measure = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _rows_of(problem: Problem, x: Input) -> Iterator[np.ndarray]:
    """An array as rows, of the depths that it may have; as one row, too."""
    yield x.flat.reshape(1, -1)
    depths = [x.values.shape[-1]] if len(x.axes) > 1 else [n for n in problem.whole if 1 < n < x.size]
    yield from (x.flat.reshape(-1, n) for n in dict.fromkeys(depths) if x.size % n == 0 and n < x.size)


def _measured(problem: Problem, measure: _Measure) -> Iterator[tuple[str, np.ndarray]]:
    """Of rows of two arrays in pairs, of each with each, or of the rows of one array with each other."""
    for x, y in [*combinations(problem.inputs, 2), *((one, one) for one in problem.inputs)]:
        for a, b in product(_rows_of(problem, x), _rows_of(problem, y)):
            if a.shape[1] != b.shape[1]:
                continue
            if len(a) == len(b) == problem.size and x is not y:
                yield f"{x.name} and {y.name}", measure(a, b)
            if len(a) * len(b) == problem.size > 1 and len(a) * b.size <= _MOST:
                made = measure(a[:, None], b[None])
                yield f"each of {x.name} and {y.name}", made.reshape(-1)
                yield f"each of {y.name} and {x.name}", made.T.reshape(-1)


def _likeness(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The coefficient of correlation by Pearson."""
    left, right = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
    norms = np.sqrt((left**2).sum(axis=-1) * (right**2).sum(axis=-1))
    found: np.ndarray = (left * right).sum(axis=-1) / norms
    return found


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """A part of a whole; 0 of none."""
    found: np.ndarray = part / np.where(whole, whole, 1)
    return found


_MEASURES: Mapping[str, tuple[_Measure, tuple[str, ...]]] = {
    "manhattan distance": (lambda a, b: np.abs(a - b).sum(axis=-1), ("l1 distance",)),
    "chebyshev distance": (lambda a, b: np.abs(a - b).max(axis=-1), ()),
    "canberra distance": (lambda a, b: _share(np.abs(a - b), np.abs(a) + np.abs(b)).sum(axis=-1), ()),
    "pearson": (_likeness, ("pearson correlation", "correlation coefficient")),
}  # fmt: skip


def _of_vectors(name: str, measure: _Measure, others: tuple[str, ...]) -> None:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for text, made in _measured(problem, measure):
            yield Formula(f"{name} of {text}", made)

    function(name, *others)(formulas)


for _name, (_measure, _others) in _MEASURES.items():
    _of_vectors(_name, _measure, _others)


@function("hamming distance", "hamming")
def _hamming(problem: Problem) -> Iterator[Formula]:
    """How many elements differ, of two arrays or their rows; or how many bits of each pair of whole numbers."""
    for text, made in _measured(problem, lambda a, b: (a != b).sum(axis=-1)):
        yield Formula(f"elements that differ of {text}", made)
    for x, y in combinations(problem.integers, 2):
        if x.size == y.size:
            other = x.index ^ y.index
            bits = np.array([int(n).bit_count() for n in other.view(np.uint64)])
            if x.size == problem.size:
                yield Formula(f"bits that differ of {x.name} and {y.name}", bits)
            if problem.size == 1:
                yield Formula(f"bits that differ of all {x.name} and {y.name}", bits.sum(keepdims=True))


@function("euclid")
def _from_point(problem: Problem) -> Iterator[Formula]:
    """Distances of points of two coordinates, in pairs or in two arrays, from a point that is passed."""
    pairs = [(one.name, one.flat[::2], one.flat[1::2]) for one in problem.inputs if one.size == 2 * problem.size]
    pairs += [(f"{a.name}, {b.name}", a.flat, b.flat) for a, b in combinations(problem.like, 2)]
    for (name, x, y), (p, q) in product(pairs, combinations(problem.factors, 2)):
        yield Formula(f"distances of {name} from {p:g}, {q:g}", np.hypot(x - p, y - q))


def _has_points(problem: Problem) -> bool:
    """Whether the points that are passed are all that there is, with two coordinates or three."""
    return len(problem.floats) == 1 and problem.floats[0].size in (2 * problem.size, 3 * problem.size)


@vague(
    "nearest neighbor",
    "nearest neighbour",
    "nearest neighbors",
    "nearest neighbours",
    "closest point",
    unless=_has_points,
)
def _nearest(problem: Problem) -> Iterator[Formula]:
    """The number of the nearest other point of the same array, or of the nearest of another one; or how far it is."""
    for x, y, depth in product(problem.inputs, problem.inputs, (1, 2, 3, *problem.whole)):
        if depth < 1 or x.size != depth * problem.size or y.size % depth or x.size * y.size // depth > _MOST:
            continue
        apart = ((x.flat.reshape(-1, 1, depth) - y.flat.reshape(1, -1, depth)) ** 2).sum(axis=2)
        if x is y:
            np.fill_diagonal(apart, np.inf)
        text = f"nearest of {y.name} to {x.name}, of {depth} coordinates"
        yield Formula(f"numbers of the {text}", apart.argmin(axis=1))
        yield Formula(f"squared distances of the {text}", apart.min(axis=1))
        yield Formula(f"distances of the {text}", np.sqrt(apart.min(axis=1)))


@function("monte carlo integration")
def _sampled(problem: Problem) -> Iterator[Formula]:
    """The mean or the sum of samples, times the length of an interval that is passed or as it is."""
    for y in problem.floats if problem.size == 1 else ():
        intervals = [(f"({b:g} - {a:g})", b - a) for a, b in combinations(problem.factors, 2)]
        for (text, length), (how, total) in product(intervals, (("mean", y.flat.mean()), ("sum", y.flat.sum()))):
            yield Formula(f"{text} * {how}({y.name})", np.array([length * total]))
            yield Formula(f"{how}({y.name})", np.array([total]))


@function("matrix power")
def _power(problem: Problem) -> Iterator[Formula]:
    """A square matrix to a power that is passed."""
    for a, power in product(problem.like, problem.whole):
        matrix = square_of(a)
        if matrix is not None and 0 < power <= _MOST_POWER:
            yield Formula(f"{a.name}^{power}", np.linalg.matrix_power(matrix, power).reshape(-1))


@function("phi mag")
def _squares(problem: Problem) -> Iterator[Formula]:
    """Squares of magnitudes of two parts."""
    for a, b in permutations(problem.like, 2):
        yield Formula(f"{a.name}^2 + {b.name}^2", a.flat**2 + b.flat**2)
