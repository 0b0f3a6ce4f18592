"""Kernels of benchmark suites in plain Python, and what they are asked of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .algebra import named
from .elements import RANDOM

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]

_X, _SUMS = RANDOM.normal(size=20), RANDOM.normal(size=4)
_MATRIX = RANDOM.normal(size=(12, 12)) + 6 * np.eye(12)
_IMAGE = RANDOM.uniform(1, 2, (5, 6))
_TABLE, _SCORES = RANDOM.integers(-9, 9, (17, 17)), RANDOM.integers(-5, 6, (17, 17))
_STATE = np.concatenate([RANDOM.uniform(1, 2, 4), RANDOM.normal(size=12), RANDOM.uniform(20, 30, 4)])
_AREAS, _FLUX = RANDOM.uniform(1, 2, 4), RANDOM.normal(size=20)
_DELTA, _INPUTS, _WEIGHTS, _OLD = (RANDOM.normal(size=size) for size in (3, 4, (4, 3), (4, 3)))
_BODIES = RANDOM.normal(size=(5, 6))
_PLACES, _NEAR = RANDOM.normal(size=(4, 4)), np.array([[1, 2, 3, 0], [2, 3, 1, 2]])


def factored() -> np.ndarray:
    """The first block of four by four as L and U."""
    made = _MATRIX.copy()
    for k in range(4):
        for i in range(k + 1, 4):
            made[i, k] /= made[k, k]
            for j in range(k + 1, 4):
                made[i, j] -= made[i, k] * made[k, j]
    return made


def beside() -> np.ndarray:
    made = _MATRIX.copy()
    for at in range(4, 12):
        for i in range(4):
            made[i, at] -= sum(made[i, j] * made[j, at] for j in range(i))
            made[at, i] = (made[at, i] - sum(made[at, j] * made[j, i] for j in range(i))) / made[i, i]
    return made


def behind() -> np.ndarray:
    made = _MATRIX.copy()
    for i in range(4, 12):
        for j in range(4, 12):
            made[i, j] -= sum(_MATRIX[i, k] * _MATRIX[k, j] for k in range(4))
    return made


def spread(i: int, j: int) -> float:
    at = _IMAGE[i, j]
    near = ((max(i - 1, 0), j), (min(i + 1, 4), j), (i, max(j - 1, 0)), (i, min(j + 1, 5)))
    off = [_IMAGE[place] - at for place in near]
    size = (0.5 * sum(d * d for d in off) / at**2 - (sum(off) / at) ** 2 / 16) / (1 + 0.25 * sum(off) / at) ** 2
    return min(max(1 / (1 + (size - 0.05) / (0.05 * 1.05)), 0), 1)


def aligned() -> np.ndarray:
    made = _TABLE.copy()
    for row, column in ((1, 0), (0, 1)):
        for i in range(8 * row + 1, 8 * row + 9):
            for j in range(8 * column + 1, 8 * column + 9):
                made[i, j] = max(made[i - 1, j - 1] + _SCORES[i, j], made[i, j - 1] - 3, made[i - 1, j] - 3)
    return made


def step(at: int) -> float:
    density, x, y, z, energy = _STATE[at::4]
    speed = math.hypot(x, y, z) / density
    return 0.5 / math.sqrt(_AREAS[at]) / (speed + math.sqrt(0.56 * (energy / density - 0.5 * speed**2)))


def force(at: int) -> list[float]:
    total = [0.0, 0.0, 0.0, 0.0]
    for other in _NEAR[:, at]:
        off = _PLACES[at, :3] - _PLACES[other, :3]
        far = math.hypot(*off)
        if 0 < far**2 < 8:
            total = [t + d * (1.5 / far**14 - 2 / far**8) for t, d in zip(total, [*off, 0], strict=True)]
    return total


def learned() -> np.ndarray:
    made = _WEIGHTS.copy()
    for i in range(4):
        for j in (1, 2):
            made[i, j] += 0.3 * _DELTA[j] * (_INPUTS[i] if i else 1) + 0.3 * _OLD[i, j]
    return made


def pushed(at: int) -> list[float]:
    total = [0.0, 0.0, 0.0]
    for other in _BODIES:
        off = other[:3] - _BODIES[at, :3]
        far = math.sqrt(sum(off * off) + 1e-9)
        total = [t + d / far**3 for t, d in zip(total, off, strict=True)]
    return [*_BODIES[at, :3], *(v + 0.01 * t for v, t in zip(_BODIES[at, 3:], total, strict=True))]


SUITED: Mapping[str, Case] = {
    **named(
        (np.array([x + _SUMS[at // 6] for at, x in enumerate(_X)]), [_X, _SUMS], {"block": 6}),
        "add block sums", "add block sum", "uniform add", "uniform update",
    ),
    **named(
        (np.array([x + (_SUMS[at // 5 - 1] if at > 4 else 0) for at, x in enumerate(_X)]), [_X, _SUMS], {}),
        "expand partial sums", "add partial sums", "add block offsets", "add offsets",
    ),
    **named((np.array([pushed(at) for at in range(5)]), [_BODIES], {"dt": 0.01}), "body force", "bodyforce"),
    "lud diagonal": (factored(), [_MATRIX], {"side": 4, "offset": 0}),
    "lud perimeter": (beside(), [_MATRIX], {"side": 4, "offset": 0}),
    "lud internal": (behind(), [_MATRIX], {"side": 4, "offset": 0}),
    "srad": (np.array([[spread(i, j) for j in range(6)] for i in range(5)]), [_IMAGE], {"q0sqr": 0.05}),
    "needle": (aligned(), [_TABLE, _SCORES], {"penalty": 3, "i": 2}),
    "compute step factor": (np.array([step(at) for at in range(4)]), [_STATE, _AREAS], {}),
    "time step": (
        np.array([_X[at] + _AREAS[at % 4] / 3 * _FLUX[at] for at in range(20)]),
        [_X, _FLUX, _AREAS],
        {"j": 1},
    ),
    **named((learned(), [_DELTA, _INPUTS, _WEIGHTS, _OLD], {}), "adjust weights", "bpnn adjust weights"),
    **named(
        (np.array([force(at) for at in range(4)]), [_PLACES, _NEAR], {"lj1": 1.5, "lj2": 2.0, "cutsq": 8.0}),
        "md", "compute lj force", "lj force",
    ),
    **named(
        (
            np.array([0.25 * (_X[k] + 1j * _FLUX[k]) * complex(_FLUX[k], 1) for k in range(20)]),
            [_X + 1j * _FLUX, _FLUX + 1j],
            {"scale": 0.25},
        ),
        "complex pointwise mul and scale", "complex mul and scale", "pointwise mul and scale",
    ),
}  # fmt: skip
