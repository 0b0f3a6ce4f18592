"""Functions of vectors, gates, optimizers and quantized numbers in plain Python, and what they are asked of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elements import PART, RANDOM, SIGNED, sigmoid

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]

_X, _Y = SIGNED.reshape(-1).tolist(), PART.reshape(-1).tolist()
_TURN = np.array([-1.0, 0.5, -0.7, 1.2, 0.9])  # flag, h11, h21, h12, h22
_HALVES = RANDOM.normal(size=(3, 8))
_SQUARES, _FIRST, _GRADIENT = RANDOM.uniform(0.1, 1, 15), RANDOM.normal(size=15), RANDOM.normal(size=15)
_CODES, _SCALES = RANDOM.integers(-128, 128, (4, 6)).astype(np.int8), RANDOM.uniform(0.01, 0.1, 4)
_LEFT, _RIGHT = (RANDOM.integers(-128, 128, size).astype(np.int8) for size in ((4, 5), (5, 3)))
_SCORES = RANDOM.normal(size=(2, 3, 5))


def gated(gate: Any) -> np.ndarray:
    """A function of the first half of each row times the second."""
    return np.array([[gate(a) * b for a, b in zip(row[:4], row[4:], strict=True)] for row in _HALVES.tolist()])


def gelu(x: float) -> float:
    return x * statistics.NormalDist().cdf(x)


def masked(row: Sequence[float], count: int) -> list[float]:
    powers = [math.exp(x) for x in row[:count]]
    return [*(p / sum(powers) for p in powers), *[0.0] * (len(row) - count)]


def adam(x: float, g: float, m: float, v: float, decay: float) -> float:
    first, second = (0.9 * m + 0.1 * g) / (1 - 0.9**3), (0.99 * v + 0.01 * g * g) / (1 - 0.99**3)
    return x - 0.02 * decay * x - 0.02 * first / (math.sqrt(second) + 1e-6)


def coded(row: Sequence[int], column: Sequence[int]) -> int:
    total = sum((a - 3) * (b + 2) for a, b in zip(row, column, strict=True)) * 0.02 * 0.03 / 0.5
    return min(max(round(total) + 5, -128), 127)


_UPDATED = [_X, _GRADIENT.tolist(), _FIRST.tolist(), _SQUARES.tolist()]
_ADAM = {"lr": 0.02, "beta1": 0.9, "beta2": 0.99, "eps": 1e-6, "step": 3}
_STATE = [np.array(_X), _GRADIENT, _FIRST, _SQUARES]
STEPS: Mapping[str, Case] = {
    "rot": (
        np.array([0.6 * y - 0.8 * x for x, y in zip(_X, _Y, strict=True)]),
        [np.array(_X), np.array(_Y)],
        {"c": 0.6, "s": 0.8},
    ),
    "rotm": (
        np.array([0.5 * x + 1.2 * y for x, y in zip(_X, _Y, strict=True)]),
        [np.array(_X), np.array(_Y), _TURN],
        {},
    ),
    "swap": (SIGNED, [SIGNED, PART], {}),
    "axpby": (
        np.array([2.5 * x - 0.5 * y for x, y in zip(_X, _Y, strict=True)]),
        [np.array(_X), np.array(_Y)],
        {"a": 2.5, "b": -0.5},
    ),
    "power difference": (
        np.array([(x - y) * (x - y) * (x - y) for x, y in zip(_X, _Y, strict=True)]),
        [np.array(_X), np.array(_Y)],
        {"pow": 3},
    ),
    "threshold": (np.array([x if x > 0.5 else 0 for x in _X]), [np.array(_X)], {"limit": 0.5}),
    "binarize": (np.array([int(y >= 0.5) for y in _Y]), [np.array(_Y)], {"limit": 0.5}),
    "silu and mul": (gated(lambda x: x * sigmoid(x)), [_HALVES], {}),
    "gelu and mul": (gated(gelu), [_HALVES], {}),
    "geglu": (gated(gelu), [_HALVES], {}),
    "reglu": (gated(lambda x: max(x, 0)), [_HALVES], {}),
    "glu": (gated(sigmoid), [_HALVES], {}),
    "causal softmax": (
        np.array([[masked(row, at + 3) for at, row in enumerate(one)] for one in _SCORES.tolist()]),
        [_SCORES],
        {},
    ),
    "momentum": (
        np.array([x - 0.1 * (0.9 * v + g) for x, g, v in zip(*_UPDATED[:3], strict=True)]),
        _STATE[:3],
        {"lr": 0.1, "momentum": 0.9},
    ),
    "adam": (np.array([adam(*one, 0) for one in zip(*_UPDATED, strict=True)]), _STATE, _ADAM),
    "adamw": (
        np.array([adam(*one, 0.3) for one in zip(*_UPDATED, strict=True)]),
        _STATE,
        {**_ADAM, "decay": 0.3},
    ),
    "dequantize": (
        np.array([[(code - 4) * scale for code in row] for row, scale in zip(_CODES.tolist(), _SCALES, strict=True)]),
        [_CODES, _SCALES],
        {"zero_point": 4},
    ),
    "quantize": (
        np.array([min(max(round(x / 0.015) + 2, -128), 127) for x in _X], np.int8),
        [np.array(_X)],
        {"scale": 0.015, "zero_point": 2},
    ),
    "quantized matmul": (
        np.array([[coded(row, column) for column in _RIGHT.T.tolist()] for row in _LEFT.tolist()], np.int8),
        [_LEFT, _RIGHT],
        {"sa": 0.02, "sb": 0.03, "sc": 0.5, "zero_a": 3, "zero_b": -2, "zero_c": 5},
    ),
}
