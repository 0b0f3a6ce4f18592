"""Linear algebra, steps of factorizations, distances and sparse rows in plain Python, and what they are asked of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elements import RANDOM

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
_Rows = Sequence[Sequence[float]]

_N = 5
_A, _B = RANDOM.normal(size=(_N, _N)) + 4 * np.eye(_N), RANDOM.normal(size=(_N, _N))
_X, _Y, _U, _V = (RANDOM.normal(size=_N) for _ in range(4))
_WIDE = RANDOM.normal(size=(4, _N))
_SOUND = _B @ _B.T + 5 * np.eye(_N)
_POINTS, _OTHERS = RANDOM.normal(size=(6, 3)), RANDOM.normal(size=(6, 3))
_LETTERS = RANDOM.integers(0, 3, (4, 6))


def times(a: _Rows, x: Sequence[float]) -> list[float]:
    return [sum(p * q for p, q in zip(row, x, strict=True)) for row in a]


def solved(a: np.ndarray, b: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """A triangular system, row by row."""
    x = np.zeros(len(b))
    for i in order:
        x[i] = (b[i] - sum(a[i, j] * x[j] for j in range(len(b)) if j != i)) / a[i, i]
    return x


def eliminated(a: np.ndarray, k: int) -> np.ndarray:
    """The rest of a matrix less a product of its column and its row."""
    made = a.copy()
    for i in range(k + 1, len(a)):
        for j in range(k + 1, len(a)):
            made[i, j] -= a[i, k] * a[k, j]
    return made


def rooted(a: np.ndarray) -> np.ndarray:
    """The lower factor of Cholesky."""
    low = np.zeros_like(a)
    for i in range(len(a)):
        for j in range(i + 1):
            rest = a[i, j] - sum(low[i, k] * low[j, k] for k in range(j))
            low[i, j] = math.sqrt(rest) if i == j else rest / low[j, j]
    return low


def multipliers(a: np.ndarray, k: int) -> np.ndarray:
    made = np.zeros_like(a)
    for i in range(k + 1, len(a)):
        made[i, k] = a[i, k] / a[k, k]
    return made


def product(x: Sequence[float], y: Sequence[float]) -> np.ndarray:
    return np.array([[a * b for b in y] for a in x])


def centred(data: np.ndarray) -> np.ndarray:
    means = [sum(column) / len(data) for column in data.T]
    return np.array([[x - m for x, m in zip(row, means, strict=True)] for row in data])


def likeness(x: Sequence[float], y: Sequence[float]) -> float:
    p, q = ([a - sum(one) / len(one) for a in one] for one in (x, y))
    return sum(a * b for a, b in zip(p, q, strict=True)) / math.hypot(*p) / math.hypot(*q)


def nearest(at: int) -> int:
    rest = [i for i in range(len(_POINTS)) if i != at]
    return min(rest, key=lambda i: math.dist(_POINTS[i], _POINTS[at]))


_CENTRED = centred(_WIDE)
_SYMMETRIC = np.array([[_A[max(i, j), min(i, j)] for j in range(_N)] for i in range(_N)])
_LOW, _HIGH = np.tril(_A), np.triu(_A)
_DIAGONALS = [RANDOM.normal(size=_N), RANDOM.uniform(4, 5, _N), RANDOM.normal(size=_N)]
_BAND = np.diag(_DIAGONALS[1]) + np.diag(_DIAGONALS[0][1:], -1) + np.diag(_DIAGONALS[2][:-1], 1)
_NORMS = np.diag(RANDOM.uniform(1, 2, _N))
_SOLVED = solved(_LOW, _X, range(_N)), solved(_HIGH, _X, range(_N - 1, -1, -1))
_COLUMNS, _VALUES = np.array([[0, 2], [4, -1], [1, 3]]), RANDOM.normal(size=(3, 2))
_ELL = [sum(v * _X[c] for c, v in zip(*row, strict=True) if c >= 0) for row in zip(_COLUMNS, _VALUES, strict=True)]
_STARTS, _ENDS, _LEVELS = np.array([0, 2, 3, 3, 5]), np.array([1, 2, 3, 0, 1]), np.array([0, -1, -1, -1])


def each_pair(measure: Any) -> np.ndarray:
    return np.array([measure(x, y) for x, y in zip(_POINTS.tolist(), _OTHERS.tolist(), strict=True)])


def named(case: Case, *names: str) -> Mapping[str, Case]:
    return dict.fromkeys(names, case)


ALGEBRA: Mapping[str, Case] = {
    "cosine similarity": (
        each_pair(lambda x, y: sum(p * q for p, q in zip(x, y, strict=True)) / math.hypot(*x) / math.hypot(*y)),
        [_POINTS, _OTHERS],
        {},
    ),
    "atax": (np.array(times(_WIDE.T, times(_WIDE, _X))), [_WIDE, _X], {}),
    "bicg": (np.array(times(_WIDE.T, _X[:4])), [_WIDE, _X[:4].copy()], {}),
    "mvt": (_Y + times(_A, _X), [_Y, _X, _A], {}),
    "gesummv": (
        np.array([1.5 * p + 0.5 * q for p, q in zip(times(_A, _X), times(_B, _X), strict=True)]),
        [_A, _B, _X],
        {"alpha": 1.5, "beta": 0.5},
    ),
    "gemver": (_A + product(_X, _Y) + product(_U, _V), [_A, _X, _Y, _U, _V], {}),
    **named((_A + 0.5 * product(_X, _Y), [_A, _X, _Y], {"alpha": 0.5}), "ger", "rank one update", "rank 1 update"),
    **named((_A + product(_X, _Y), [_A, _X, _Y], {}), "rank1 update"),
    "syrk": (
        np.array([[1.5 * sum(p * q for p, q in zip(a, b, strict=True)) for b in _WIDE] for a in _WIDE])
        + 0.5 * _B[:4, :4],
        [_WIDE, _B[:4, :4].copy()],
        {"alpha": 1.5, "beta": 0.5},
    ),
    "syr2k": (
        np.array([[1.5 * sum(_A[i] * _B[j] + _B[i] * _A[j]) for j in range(_N)] for i in range(_N)]),
        [_A, _B],
        {"alpha": 1.5},
    ),
    "symv": (np.array(times(_SYMMETRIC, _X)), [_A, _X], {}),
    "trmv": (np.array(times(_LOW, _X)), [_A, _X], {}),
    **named((_SOLVED[0], [_A, _X], {}), "forward substitution", "lower triangular solve", "solve lower"),
    **named((_SOLVED[0], [_A, _X], {"n": _N}), "forward solve", "trsv", "triangular solve"),
    **named((_SOLVED[1], [_A, _X], {}), "backward substitution", "back substitution", "upper triangular solve"),
    **named((_SOLVED[1], [_A, _X], {"n": _N}), "solve upper", "back solve"),
    "trsm": (
        np.stack([solved(_LOW, column, range(_N)) for column in _B.T], axis=1),
        [_A, _B],
        {},
    ),
    **named((_X + 1.5 * _Y, [_X, _Y], {"s": 1.5}), "triad", "stream triad"),
    "nstream": (_U + _X + 1.5 * _Y, [_U, _X, _Y], {"s": 1.5}),
    **named((eliminated(_A, 2), [_A], {"k": 2}), "lu", "lu decomposition", "lu factorization", "lu decompose"),
    **named((eliminated(_A, 0), [_A], {"k": 0}), "lu factorize", "gaussian elimination", "gauss elimination"),
    "forward elimination": (multipliers(_A, 1), [_A], {"k": 1}),
    "fan": (multipliers(_A, 1), [_A], {"t": 1}),
    **named((rooted(_SOUND), [_SOUND], {}), "cholesky", "cholesky decomposition", "cholesky factorization"),
    **named((rooted(_SOUND), [_SOUND], {"n": _N}), "cholesky decomp", "cholesky factorize"),
    **named(
        (
            np.array([[math.hypot(*_A[:, 2]) if i == j == 2 else 0 for j in range(_N)] for i in range(_N)]),
            [_A],
            {"k": 2},
        ),
        "gramschmidt",
        "gram schmidt",
    ),
    **named(
        (np.linalg.solve(_BAND, _X), [*_DIAGONALS, _X], {}),
        "thomas", "tridiagonal solve", "thomas solve", "solve tridiagonal", "thomas algorithm",
    ),
    **named(
        (np.array([[sum(p * q) / 3 for q in _CENTRED.T] for p in _CENTRED.T]), [_WIDE], {}),
        "covar", "covariance", "covariance matrix",
    ),
    **named(
        (each_pair(lambda x, y: sum(abs(a - b) for a, b in zip(x, y, strict=True))), [_POINTS, _OTHERS], {}),
        "manhattan distance", "l1 distance",
    ),
    "chebyshev distance": (
        each_pair(lambda x, y: max(abs(a - b) for a, b in zip(x, y, strict=True))),
        [_POINTS, _OTHERS],
        {},
    ),
    "canberra distance": (
        each_pair(lambda x, y: sum(abs(a - b) / (abs(a) + abs(b)) for a, b in zip(x, y, strict=True))),
        [_POINTS, _OTHERS],
        {},
    ),
    **named(
        (each_pair(likeness), [_POINTS, _OTHERS], {}), "pearson", "pearson correlation", "correlation coefficient"
    ),
    **named(
        (
            np.array([sum(_LETTERS[row, at] != _LETTERS[row + 2, at] for at in range(6)) for row in (0, 1)]),
            [_LETTERS[:2].copy(), _LETTERS[2:].copy()],
            {},
        ),
        "hamming distance", "hamming",
    ),
    "euclid": (np.hypot(_POINTS[:, 0] - 0.5, _POINTS[:, 1] - 2), [_POINTS[:, :2].copy()], {"lat": 0.5, "lng": 2.0}),
    **named(
        (np.array([nearest(at) for at in range(6)]), [_POINTS], {"n": 6}),
        "nearest neighbor", "nearest neighbour", "nearest neighbors", "nearest neighbours", "closest point",
    ),
    "monte carlo integration": (np.array([2 * sum(_X) / _N]), [_X], {"a": 0.5, "b": 2.5}),
    "matrix power": (_A @ _A @ _A, [_A], {"p": 3}),
    "phi mag": (np.array([abs(complex(x, y)) ** 2 for x, y in zip(_X, _Y, strict=True)]), [_X, _Y], {}),
    **named(
        (np.array([0, 1, 1, -1]), [_STARTS, _ENDS, _LEVELS], {"level": 0}),
        "bfs", "breadth first search", "bfs level", "bfs step", "csr bfs", "bfs csr", "bfs push", "bfs pull",
    ),
    **named(
        (np.array(_ELL), [_COLUMNS, _VALUES, _X], {}),
        "spmv ell", "ell spmv", "ell", "ellpack", "spmv ellpack",
    ),
}  # fmt: skip
