"""Functions of sections, sequences and particles in plain Python, and what they are asked of."""

from __future__ import annotations

import bisect
import cmath
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .algebra import named

RANDOM = np.random.default_rng(18)
Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]

_STARTS, _OF = np.array([0, 3, 3, 7, 9]), np.array([0, 0, 0, 2, 2, 2, 2, 3, 3])
_ROWS, _EACH = RANDOM.normal(size=(9, 2)), RANDOM.normal(size=(4, 2))
_ENDS, _WEIGHTS = np.array([1, 3, 0, 2, 0, 1, 3, 2, 0]), RANDOM.normal(size=9)
_SORTED, _ASKED = np.array([0.0, 1.0, 1.0, 2.5, 4.0]), np.array([1.0, 3.0, -1.0, 4.0, 2.5, 9.0])
_X, _A = RANDOM.normal(size=(3, 8)), RANDOM.normal(size=(3, 8))
_LINE, _FLAGS = RANDOM.normal(size=12), np.array([1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0])


def reduced(form: Callable[[Sequence[float]], float]) -> np.ndarray:
    """Of each column of each section; 0 without rows."""
    parts = [[_ROWS[a:b, k].tolist() for k in (0, 1)] for a, b in itertools.pairwise(_STARTS)]
    return np.array([[form(column) if column else 0.0 for column in part] for part in parts])


def soft() -> np.ndarray:
    totals = [[sum(math.exp(_ROWS[j, k]) for j in range(9) if _OF[j] == part) for k in (0, 1)] for part in range(4)]
    return np.array([[math.exp(_ROWS[j, k]) / totals[_OF[j]][k] for k in (0, 1)] for j in range(9)])


def ranked() -> np.ndarray:
    made = np.full(4, 0.2 / 4)
    for edge, end in enumerate(_ENDS.tolist()):
        made[end] += 0.8 * _EACH[_OF[edge], 0] / int((_OF[edge] == _OF).sum())
    return made


def recurrent() -> np.ndarray:
    made = np.zeros(_X.shape)
    for i, j in np.ndindex(3, 8):
        made[i, j] = _A[i, j] * (made[i, j - 1] if j else 0) + _X[i, j]
    return made


def filtered(b: Sequence[float], a: Sequence[float]) -> np.ndarray:
    made: list[float] = []
    for n in range(12):
        come = sum(b[k] * _LINE[n - k] for k in range(len(b)) if n >= k)
        made.append((come - sum(a[k] * made[n - k] for k in range(1, len(a)) if n >= k)) / a[0])
    return np.array(made)


def windows(form: Callable[[Sequence[float]], float]) -> np.ndarray:
    return np.array([form(_LINE[at : at + 4].tolist()) for at in range(9)])


def restarted() -> np.ndarray:
    made: list[float] = []
    for x, flag in zip(_LINE.tolist(), _FLAGS.tolist(), strict=True):
        made.append(x if flag or not made else made[-1] + x)
    return np.array(made)


def kept() -> np.ndarray:
    found = [x for x in _LINE.tolist() if x > 0]
    return np.array(found + [0.0] * (12 - len(found)))


def framed(a: float, b: float, c: float) -> np.ndarray:
    turns = [2 * math.pi * n / 11 for n in range(12)]
    return np.array(
        [x * (a - b * math.cos(t) + c * math.cos(2 * t)) for x, t in zip(_LINE.tolist(), turns, strict=True)]
    )


_SAMPLES, _POINTS = [RANDOM.normal(size=4) for _ in range(5)], [RANDOM.normal(size=6) for _ in range(3)]


def summed(weights: Sequence[complex]) -> list[complex]:
    waves = [
        [2j * math.pi * sum(_SAMPLES[2 + d][k] * _POINTS[d][n] for d in range(3)) for k in range(4)] for n in range(6)
    ]
    return [sum(w * cmath.exp(one) for w, one in zip(weights, row, strict=True)) for row in waves]


_ATOMS, _FLOCK = RANDOM.uniform(0.2, 2, (5, 4)), RANDOM.uniform(0, 12, (7, 4))


def potential(i: int, j: int) -> float:
    return sum(q / math.dist((0.5 * j, 0.5 * i, 0.7), (x, y, z)) for x, y, z, q in _ATOMS.tolist())


def flocked(agent: int) -> list[float]:
    x, y, u, v = _FLOCK[agent].tolist()
    near = [one for one in _FLOCK.tolist() if one[:2] != [x, y] and math.dist(one[:2], (x, y)) < 5]
    if near:
        u += 0.05 * (sum(one[2] for one in near) / len(near) - u)
        v += 0.05 * (sum(one[3] for one in near) / len(near) - v)
    return [x + u, y + v, u, v]


def escaped(c: complex | None, i: int, j: int) -> int:
    place = complex(-2 + 3 * j / 9, -1.2 + 2.4 * i / 8)
    z, by = (0j, place) if c is None else (place, c)
    for step in range(30):
        if abs(z) > 2:
            return step
        z = z * z + by
    return 30


_PLOT = {"w": 9, "h": 8, "left": -2.0, "right": 1.0, "low": -1.2, "high": 1.2, "most": 30}


_MASSES = RANDOM.uniform(1, 2, 3)
_COLUMNS, _VALUES = np.array([1, 0, 2, 2, 3, 1, 0]), RANDOM.normal(size=7)
_ORDER, _DIAGONALS, _VECTOR = np.array([2, 0, 3, 1]), np.array([0, 4, 6, 7]), RANDOM.normal(size=4)


def jagged() -> np.ndarray:
    made = np.zeros(4)
    for first, end in itertools.pairwise(_DIAGONALS):
        for at in range(first, end):
            made[_ORDER[at - first]] += _VALUES[at] * _VECTOR[_COLUMNS[at]]
    return made


def mu_law(x: float) -> float:
    return math.copysign(math.log(1 + 255 * abs(x)) / math.log(256), x)


_TURNED = summed([complex(a, b) for a, b in zip(*_SAMPLES[:2], strict=True)])
_SHORT = _LINE / 4


def attracted(at: int) -> np.ndarray:
    made = np.zeros(3)
    for other in range(5):
        d = _ATOMS[at, :3] - _ATOMS[other, :3]
        r = math.hypot(*d)
        if 0 < r < 1.2:
            made += 24 * 0.5 * (2 * (0.9 / r) ** 12 - (0.9 / r) ** 6) / r**2 * d
    return made


_CUBE, _SEVEN = RANDOM.normal(size=(4, 5, 6)), [0.5, 1.0, -2.0, 3.0, 4.0, -5.0, 0.25]


def weighted() -> np.ndarray:
    made = _CUBE.copy()
    for i, j, k in itertools.product(range(1, 3), range(1, 4), range(1, 5)):
        around = [(0, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0), (-1, 0, 0), (1, 0, 0)]
        made[i, j, k] = sum(w * _CUBE[i + a, j + b, k + c] for w, (a, b, c) in zip(_SEVEN, around, strict=True))
    return made


COURSES: Mapping[str, Case] = {
    "lennard jones": (
        np.array([attracted(at) for at in range(5)]),
        [_ATOMS[:, :3].copy()],
        {"e": 0.5, "s": 0.9, "range": 1.2},
    ),
    "stencil": (weighted(), [_CUBE], {f"c{at}": weight for at, weight in enumerate(_SEVEN)}),
    "segment sum": (reduced(math.fsum), [_ROWS, _STARTS], {}),
    **named(
        (reduced(lambda c: math.fsum(c) / len(c)), [_ROWS, _OF], {}), "segment mean", "scatter mean", "segment reduce"
    ),
    **named((reduced(max), [_ROWS, _STARTS], {}), "segment max", "scatter max"),
    **named((reduced(min), [_ROWS, _OF], {}), "segment min", "scatter min"),
    **named(
        (np.where(reduced(math.prod) == 0, 1, reduced(math.prod)), [_ROWS, _OF], {}), "segment prod", "scatter mul"
    ),
    "gather csr": (np.array([_EACH[part] for part in _OF]), [_EACH, _STARTS], {}),
    "csr to coo": (_OF, [_STARTS], {}),
    "coo to csr": (_STARTS, [_OF], {}),
    "degree": (np.array([3, 0, 4, 2]), [_STARTS], {}),
    **named(
        (np.array([bisect.bisect_left(_SORTED.tolist(), x) for x in _ASKED]), [_SORTED, _ASKED], {}),
        "searchsorted",
        "lower bound",
    ),
    "upper bound": (np.array([bisect.bisect_right(_SORTED.tolist(), x) for x in _ASKED]), [_SORTED, _ASKED], {}),
    "sddmm": (
        np.array([sum(_EACH[a] * _ROWS[b]) for a, b in zip(_OF, _ENDS, strict=True)]),
        [_EACH, _ROWS, _OF, _ENDS],
        {"k": 2},
    ),
    "segment softmax": (soft(), [_ROWS, _STARTS], {}),
    "pagerank": (ranked(), [_EACH[:, 0].copy(), _STARTS, _ENDS], {"d": 0.8}),
    "linear recurrence": (recurrent(), [_A, _X], {}),
    "iir filter": (filtered([0.2, 0.3, 0.1], [1, -0.5, 0.25]), [_LINE, np.array([0.2, 0.3, 0.1, -0.5, 0.25])], {}),
    "fir filter": (filtered([0.2, 0.3, 0.1], [1]), [_LINE, np.array([0.2, 0.3, 0.1])], {}),
    "pre emphasis": (filtered([1, -0.97], [1]), [_LINE], {"c": 0.97}),
    "moving average": (windows(lambda part: sum(part) / 4), [_LINE], {"k": 4}),
    "sliding window sum": (windows(sum), [_LINE], {"k": 4}),
    "sliding window max": (windows(max), [_LINE], {"k": 4}),
    "sliding window min": (windows(min), [_LINE], {"k": 4}),
    "max subarray sum": (np.array([max(_LINE[a:b].sum() for a in range(12) for b in range(a + 1, 13))]), [_LINE], {}),
    "segmented scan": (restarted(), [_LINE, _FLAGS], {}),
    "stream compaction": (kept(), [_LINE], {}),
    **named((framed(0.5, 0.5, 0), [_LINE], {}), "window function", "hann window"),
    "hamming window": (framed(0.54, 0.46, 0), [_LINE], {}),
    "blackman window": (framed(0.42, 0.5, 0.08), [_LINE], {}),
    "power spectrum": (np.array([abs(complex(*row)) ** 2 for row in _ROWS]), [_ROWS], {}),
    "mu law encode": (np.array([mu_law(x) for x in _SHORT]), [_SHORT], {}),
    "mu law decode": (_SHORT, [np.array([mu_law(x) for x in _SHORT])], {}),
    "amplitude to db": (np.array([20 * math.log10(max(abs(x), 0.3)) for x in _LINE]), [np.abs(_LINE)], {"least": 0.3}),
    **named((np.array([one.real for one in _TURNED]), [*_SAMPLES, *_POINTS], {}), "fhd", "compute q"),
    "compute mu": (_X[0] * _X[2] + _X[1] * _A[0], [_X[0], _X[1], _X[2], _A[0]], {}),
    "coulomb potential": (
        np.array([[potential(i, j) for j in range(4)] for i in range(3)]),
        [_ATOMS],
        {"w": 4, "h": 3, "space": 0.5, "z": 0.7},
    ),
    "update agents": (np.array([flocked(agent) for agent in range(7)]), [_FLOCK], {}),
    "allen cahn": (_X + 0.1 * (0.04 * _A + _X - _X**3), [_X, _A], {"dt": 0.1, "eps": 0.2}),
    **named(
        (_X + 0.1 * _A, [_X, _A], {"dt": 0.1}),
        "update positions",
        "update velocities",
        "velocity verlet",
        "leapfrog",
        "euler step",
    ),
    "kinetic energy": (
        np.array([m / 2 * sum(x * x for x in row[:3]) for m, row in zip(_MASSES, _X, strict=True)]),
        [_X[:, :3].copy(), _MASSES],
        {},
    ),
    "mandelbrot": (np.array([[escaped(None, i, j) for j in range(9)] for i in range(8)]), [], _PLOT),
    "julia": (
        np.array([[escaped(complex(-0.7, 0.3), i, j) for j in range(9)] for i in range(8)]),
        [],
        {**_PLOT, "re": -0.7, "im": 0.3},
    ),
    "spmv jds": (jagged(), [_COLUMNS, _VALUES, _ORDER, _DIAGONALS, _VECTOR], {}),
    "ols gram": (np.array([[sum(a * b) for b in _ROWS.T] for a in _ROWS.T]), [_ROWS], {"n": 9, "k": 2}),
    "ols moment": (np.array([sum(a * _WEIGHTS) for a in _ROWS.T]), [_ROWS, _WEIGHTS], {"n": 9, "k": 2}),
}
