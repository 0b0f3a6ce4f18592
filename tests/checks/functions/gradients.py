"""Gradients in plain Python, and functions that came with them: the result, the arrays, the numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import PART, RANDOM, SIGNED, sigmoid

_BACK = RANDOM.normal(size=PART.shape)
_CLASSES = np.array([2, 0, 4])


def _normal(x: float) -> float:
    return statistics.NormalDist().pdf(x)


#: Derivatives by hand, for numbers between 0.1 and 0.9.
_SLOPES: Mapping[str, Callable[[float], float]] = {
    "relu": lambda x: 1.0,
    "relu6": lambda x: 1.0,
    "sigmoid": lambda x: sigmoid(x) * sigmoid(-x),
    "tanh": lambda x: 1 / math.cosh(x) ** 2,
    "gelu": lambda x: statistics.NormalDist().cdf(x) + x * _normal(x),
    "silu": lambda x: sigmoid(x) + x * sigmoid(x) * sigmoid(-x),
    "exp": math.exp,
    "log": lambda x: 1 / x,
    "sqrt": lambda x: 0.5 * x**-0.5,
    "rsqrt": lambda x: -0.5 * x**-1.5,
    "abs": lambda x: 1.0,
    "square": lambda x: 2 * x,
    "sin": math.cos,
    "cos": lambda x: -math.sin(x),
    "mish": lambda x: math.tanh(math.log1p(math.exp(x))) + x * sigmoid(x) / math.cosh(math.log1p(math.exp(x))) ** 2,
    "reciprocal": lambda x: -1 / x**2,
    "hardswish": lambda x: (2 * x + 3) / 6,
    "hardsigmoid": lambda x: 1 / 6,
    "selu": lambda x: 1.0507009873554805,
    "log sigmoid": lambda x: sigmoid(-x),
    "softsign": lambda x: (1 + x) ** -2,
    "erf": lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x),
}


def _each(form: Callable[..., float], *arrays: np.ndarray) -> np.ndarray:
    values = [form(*numbers) for numbers in zip(*(array.reshape(-1).tolist() for array in arrays), strict=True)]
    return np.array(values).reshape(arrays[0].shape)


def _softmax(row: Sequence[float]) -> list[float]:
    return [math.exp(x) / math.fsum(map(math.exp, row)) for x in row]


def _rows(form: Callable[[Sequence[float], Sequence[float]], list[float]]) -> np.ndarray:
    return np.array([form(row, back) for row, back in zip(SIGNED.tolist(), _BACK.tolist(), strict=True)])


def _softmax_back(row: Sequence[float], back: Sequence[float]) -> list[float]:
    """By all partial derivatives."""
    y = _softmax(row)
    return [sum(back[j] * y[j] * ((i == j) - y[i]) for j in range(len(y))) for i in range(len(y))]


def _log_softmax_back(row: Sequence[float], back: Sequence[float]) -> list[float]:
    y = _softmax(row)
    return [sum(back[j] * ((i == j) - y[i]) for j in range(len(y))) for i in range(len(y))]


_IMAGE = RANDOM.normal(size=(2, 4, 5))  # channels, rows, columns
_SIZES = {"c": 2, "h": 4, "w": 5, "kernel": 3, "stride": 1, "pad": 1}


def _window(c: int, p: int, q: int, i: int, j: int) -> tuple[int, int, int]:
    """The element of the image that a window of 3 x 3 at a place has at a place of its own."""
    return c, i + p - 1, j + q - 1


def _columns() -> np.ndarray:
    made = np.zeros((2, 3, 3, 4, 5))
    for at in np.ndindex(*made.shape):
        c, y, x = _window(*at)
        made[at] = _IMAGE[c, y, x] if 0 <= y < 4 and 0 <= x < 5 else 0
    return made.reshape(18, 20)


def _summed(columns: np.ndarray) -> np.ndarray:
    made = np.zeros((2, 4, 5))
    for at in np.ndindex(2, 3, 3, 4, 5):
        c, y, x = _window(*at)
        if 0 <= y < 4 and 0 <= x < 5:
            made[c, y, x] += columns.reshape(2, 3, 3, 4, 5)[at]
    return made


_MATRIX = RANDOM.normal(size=(18, 20))

GRADIENTS: Mapping[str, tuple[Any, Sequence[np.ndarray], Mapping[str, float]]] = {
    **{
        f"{name} backward": (_each(lambda x, d, slope=slope: slope(x) * d, PART, _BACK), [PART, _BACK], {})
        for name, slope in _SLOPES.items()
    },
    "softmax backward": (_rows(_softmax_back), [SIGNED, _BACK], {}),
    "log softmax backward": (_rows(_log_softmax_back), [SIGNED, _BACK], {}),
    "mse backward": (_each(lambda x, y: 2 * (x - y) / 15, SIGNED, PART), [SIGNED, PART], {}),
    "cross entropy backward": (
        np.array(
            [
                [(p - (at == hit)) / 3 for at, p in enumerate(_softmax(row))]
                for row, hit in zip(SIGNED.tolist(), _CLASSES, strict=True)
            ]
        ),
        [SIGNED, _CLASSES],
        {},
    ),
    "merge": (
        np.array(sorted([*SIGNED.flat, *PART.flat])), [np.sort(SIGNED.reshape(-1)), np.sort(PART.reshape(-1))], {}
    ),
    "fill": (np.full((3, 5), 1.75), [], {"value": 1.75}),
    "zeros": (np.zeros((3, 5)), [], {}),
    "ones": (np.ones((3, 5)), [], {}),
    "one hot": (np.array([[float(at == hit) for at in range(5)] for hit in _CLASSES]), [_CLASSES], {}),
    "distance": (np.array([[math.dist(a, b) for b in PART] for a in SIGNED]), [SIGNED, PART], {}),
    "im2col": (_columns().reshape(-1), [_IMAGE.reshape(-1)], _SIZES),
    "col2im": (_summed(_MATRIX).reshape(-1), [_MATRIX.reshape(-1)], _SIZES),
}  # fmt: skip
