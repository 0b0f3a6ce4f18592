"""Functions of models, and of rows at indices, in plain Python, and what they are asked of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elements import ABOVE, PART, RANDOM, SIGNED

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]

_CELLS = RANDOM.integers(0, 2, (7, 8))
_PATHS = RANDOM.uniform(0, 5, (5, 5))
_SPOTS, _CENTRES = RANDOM.normal(size=(6, 2)), RANDOM.normal(size=(3, 2))
_COEFFICIENTS = np.array([0.5, -1.0, 0.25])
_ROWS, _AT, _HELD = RANDOM.normal(size=(4, 3)), np.array([2, 0, 2, 4]), RANDOM.normal(size=(5, 3))
_CHANNELS, _CHOSEN = RANDOM.normal(size=(2, 3, 5)), np.array([[4, 0, 2, 2, 1, 3], [1, 1, 3, 0, 4, 2]])
_WEIGHTS = RANDOM.uniform(size=(2, 6))
_TIMES, _SHIFTS = RANDOM.normal(size=(2, 4, 6, 3)), np.array([[1, -2], [0, 3]])
_LABELS = np.array([2, 0, 4])


def grown(i: int, j: int) -> int:
    """A cell of the next generation, where none lives beyond the border."""
    rows, columns = _CELLS.shape
    near = [(p, q) for p in (i - 1, i, i + 1) for q in (j - 1, j, j + 1) if (p, q) != (i, j)]
    alive = sum(int(_CELLS[p, q]) for p, q in near if 0 <= p < rows and 0 <= q < columns)
    return int(alive == 3 or (alive == 2 and _CELLS[i, j] == 1))


def call(s: float, x: float, t: float) -> float:
    rate, spread, normal = 0.02, 0.3, statistics.NormalDist()
    first = (math.log(s / x) + (rate + spread**2 / 2) * t) / (spread * math.sqrt(t))
    return s * normal.cdf(first) - x * math.exp(-rate * t) * normal.cdf(first - spread * math.sqrt(t))


def placed(added: bool) -> np.ndarray:
    made = _HELD.tolist()
    for row, at in zip(_ROWS.tolist(), _AT.tolist(), strict=True):
        made[at] = [x + y for x, y in zip(made[at], row, strict=True)] if added else row
    return np.array(made)


def chosen(batch: int, channel: int) -> list[float]:
    return [float(_CHANNELS[batch, channel, at]) for at in _CHOSEN[batch]]


def in_threes(batch: int, channel: int) -> list[float]:
    parts = [x * w for x, w in zip(chosen(batch, channel), _WEIGHTS[batch].tolist(), strict=True)]
    return [sum(parts[:3]), sum(parts[3:])]


def moved(batch: int, time: int, channel: int) -> list[float]:
    before = time - int(_SHIFTS[batch, channel // 3])
    return _TIMES[batch, before, channel].tolist() if 0 <= before < 4 else [0.0, 0.0, 0.0]


def focal(x: float, right: bool) -> float:
    p = 1 / (1 + math.exp(-x))
    return -0.25 * (1 - p) ** 2 * math.log(p) if right else -0.75 * p**2 * math.log(1 - p)


_PRICES = [one.reshape(-1) for one in (ABOVE, ABOVE[::-1], PART)]
MODELLED: Mapping[str, Case] = {
    "black scholes": (
        np.array([call(s, x, t) for s, x, t in zip(*(one.tolist() for one in _PRICES), strict=True)]),
        _PRICES,
        {"riskfree": 0.02, "volatility": 0.3},
    ),
    "game of life": (np.array([[grown(i, j) for j in range(8)] for i in range(7)]), [_CELLS], {}),
    "floyd warshall": (
        np.array([[min(_PATHS[i, j], _PATHS[i, 3] + _PATHS[3, j]) for j in range(5)] for i in range(5)]),
        [_PATHS],
        {"n": 5, "k": 3},
    ),
    "assign clusters": (
        np.array([min(range(3), key=lambda c: math.dist(p, _CENTRES[c].tolist())) for p in _SPOTS.tolist()]),
        [_SPOTS, _CENTRES],
        {},
    ),
    "polynomial": (0.5 - SIGNED + 0.25 * SIGNED * SIGNED, [SIGNED, _COEFFICIENTS], {}),
    **{name: (SIGNED + 0.3 * (PART - SIGNED), [SIGNED, PART], {"t": 0.3}) for name in ("lerp", "blend")},
    **{name: (placed(added=False), [_ROWS, _AT, _HELD], {}) for name in ("scatter", "index copy")},
    **{
        name: (placed(added=True), [_ROWS, _AT, _HELD], {})
        for name in ("scatter add", "index add", "embedding backward")
    },
    **{
        name: (np.array([[chosen(b, c) for c in range(3)] for b in range(2)]), [_CHANNELS, _CHOSEN], {})
        for name in ("gather points", "group points")
    },
    "three interpolate": (
        np.array([[in_threes(b, c) for c in range(3)] for b in range(2)]),
        [_CHANNELS, _CHOSEN, _WEIGHTS],
        {},
    ),
    "tin shift": (
        np.array([[[moved(b, t, c) for c in range(6)] for t in range(4)] for b in range(2)]),
        [_TIMES, _SHIFTS],
        {},
    ),
    "sigmoid focal loss": (
        np.array([[focal(x, at == to) for at, x in enumerate(row)] for row, to in zip(SIGNED, _LABELS, strict=True)]),
        [SIGNED, _LABELS],
        {"gamma": 2.0, "alpha": 0.25},
    ),
    "count equal": (np.array([int((_CELLS == 1).sum())]), [_CELLS], {"k": 1}),
    "subarray sum": (
        np.array([sum(float(SIGNED[i, j]) for i in (1, 2) for j in (0, 1, 2))]),
        [SIGNED],
        {"top": 1, "bottom": 2, "left": 0, "right": 2},
    ),
    "bias backward": (np.array([sum(column) for column in zip(*SIGNED.tolist(), strict=True)]), [SIGNED], {}),
}
