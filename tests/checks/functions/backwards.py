"""Gradients of norms, pools, convolutions and losses, and sums of sequences, in plain Python."""

from __future__ import annotations

import cmath
import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elements import PART, RANDOM, SIGNED

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
_ROWS, _GRADS, _GAIN = RANDOM.normal(size=(4, 6)), RANDOM.normal(size=(4, 6)), RANDOM.uniform(1, 2, 6)
MEANS = np.array([statistics.fmean(row) for row in _ROWS.tolist()])
RECIPROCALS = np.array([1 / math.sqrt(statistics.pvariance(row) + 1e-5) for row in _ROWS.tolist()])


def norm_back(centred: bool) -> np.ndarray:
    """By the derivative of each result by each operand."""
    made = np.zeros(_ROWS.shape)
    for row in range(4):
        x = [value - float(MEANS[row]) * centred for value in _ROWS[row].tolist()]
        reciprocal = 1 / math.sqrt(statistics.fmean(value * value for value in x) + 1e-5)
        for i, j in itertools.product(range(6), repeat=2):
            slope = (i == j) - centred / 6 - x[i] * x[j] * reciprocal**2 / 6
            made[row, i] += float(_GRADS[row, j]) * float(_GAIN[j]) * slope * reciprocal
    return made


def of_weights() -> np.ndarray:
    normed = [[(x - m) * r for x in row] for row, m, r in zip(_ROWS.tolist(), MEANS, RECIPROCALS, strict=True)]
    return np.array([sum(normed[row][j] * float(_GRADS[row, j]) for row in range(4)) for j in range(6)])


_LOWER = [[math.exp(x) if j <= i else 0.0 for j, x in enumerate(row)] for i, row in enumerate(_ROWS[:, :4].tolist())]
_CAUSAL = np.array([[x / sum(row) for x in row] for row in _LOWER])


def causal_back() -> np.ndarray:
    made = np.zeros((4, 4))
    for row, i, j in np.ndindex(4, 4, 4):
        made[row, i] += _GRADS[row, j] * _CAUSAL[row, j] * ((i == j) - _CAUSAL[row, i]) / math.sqrt(2)
    return made


_CLASSES = np.array([2, 0, 4])


def focal_slope(x: float, right: bool) -> float:
    """By a complex step."""
    p = 1 / (1 + cmath.exp(-(x + 1e-30j)))
    loss = -0.25 * (1 - p) ** 2 * cmath.log(p) if right else -0.75 * p**2 * cmath.log(1 - p)
    return loss.imag / 1e-30


FOCAL = np.array(
    [
        [focal_slope(x, at == right) for at, x in enumerate(row)]
        for row, right in zip(SIGNED.tolist(), _CLASSES, strict=True)
    ]
)
IMAGE, WEIGHTS = RANDOM.normal(size=(2, 2, 6, 5)), RANDOM.normal(size=(3, 2, 3, 2))
CONV_GRADS, POOL_GRADS = RANDOM.normal(size=(2, 3, 3, 3)), RANDOM.normal(size=(2, 2, 3, 3))


def conv_back() -> tuple[np.ndarray, np.ndarray]:
    """Strides 2, paddings 1: to images and to weights."""
    of_image, of_weights = np.zeros(IMAGE.shape), np.zeros(WEIGHTS.shape)
    for n, o, p, q, c, i, j in np.ndindex(*CONV_GRADS.shape, *WEIGHTS.shape[1:]):
        y, x = 2 * p + i - 1, 2 * q + j - 1
        if 0 <= y < 6 and 0 <= x < 5:
            of_image[n, c, y, x] += CONV_GRADS[n, o, p, q] * WEIGHTS[o, c, i, j]
            of_weights[o, c, i, j] += CONV_GRADS[n, o, p, q] * IMAGE[n, c, y, x]
    return of_image, of_weights


def pool_back() -> tuple[np.ndarray, np.ndarray]:
    """Windows of 3, strides 2, paddings 1; and the numbers of the largest in each image."""
    made, numbers = np.zeros(IMAGE.shape), np.zeros(POOL_GRADS.shape, int)
    for n, c, p, q in np.ndindex(POOL_GRADS.shape):
        places = [(y, x) for y in range(2 * p - 1, 2 * p + 2) for x in range(2 * q - 1, 2 * q + 2)]
        inside = [(y, x) for y, x in places if 0 <= y < 6 and 0 <= x < 5]
        y, x = max(inside, key=lambda at: float(IMAGE[n, c][at]))
        made[n, c, y, x] += POOL_GRADS[n, c, p, q]
        numbers[n, c, p, q] = y * 5 + x
    return made, numbers


SIGNAL, _TAPS, _OTHER = RANDOM.normal(size=9), RANDOM.normal(size=4), RANDOM.normal(size=6)


def convolved() -> np.ndarray:
    made = np.zeros(12)
    for i, j in np.ndindex(9, 4):
        made[i + j] += SIGNAL[i] * _TAPS[j]
    return made


_POINTS, _CLUSTERS = RANDOM.normal(size=(7, 2)), np.array([0, 2, 1, 0, 1, 1, 2])
_MATRIX, _TABLE = RANDOM.normal(size=(5, 6)), RANDOM.normal(size=(9, 4))
_TOKENS, _TIMES = np.array([[3, 0, 8], [1, 1, 5]]), RANDOM.normal(size=(3, 4))
_AT, _OF, _HELD, _VECTOR = (
    np.array([2, 0, 1, 2]), np.array([1, 3, 0, 4]), RANDOM.normal(size=4), RANDOM.normal(size=5),
)  # fmt: skip
_EMBEDDED = [[(_TABLE[at] + when).tolist() for at, when in zip(row, _TIMES, strict=True)] for row in _TOKENS.tolist()]
_COO = np.zeros(3)
for _n in range(4):
    _COO[_AT[_n]] += _HELD[_n] * _VECTOR[_OF[_n]]
_PRODUCT = np.array(
    [[sum(a * b for a, b in zip(x, y, strict=True)) for y in _MATRIX.tolist()] for x in _GRADS.tolist()]
)
_POWER = np.array([[1.5 * x**0.5 * y for x, y in zip(a, b, strict=True)] for a, b in zip(PART, SIGNED, strict=True)])
_SLOPED = [[y if x > 0 else 0.2 * y for x, y in zip(a, b, strict=True)] for a, b in zip(SIGNED, PART, strict=True)]
_CURVED = [
    [y if x > 0 else math.exp(x) * y for x, y in zip(a, b, strict=True)] for a, b in zip(SIGNED, PART, strict=True)
]
_MASK = (RANDOM.uniform(size=(4, 6)) > 0.4).astype(np.int32)
_MASKED = [
    [sum(x for x, there in zip(row[: at + 1], mask, strict=False) if there) for at in range(6)]
    for row, mask in zip(_ROWS.tolist(), _MASK.tolist(), strict=True)
]
_TIMES_ROWS = [[x * y for y in row] for x, row in zip(MEANS.tolist(), _ROWS.tolist(), strict=True)]
_CHANNELS, _INDEX = RANDOM.normal(size=(2, 2, 5)), np.array([[3, 0, 3, 1, 2], [1, 1, 0, 2, 3]])
_OUT, _THREE, _SHARES = RANDOM.normal(size=(2, 2, 3)), RANDOM.integers(0, 4, (2, 3, 3)), RANDOM.normal(size=(2, 3, 3))


def _scattered() -> tuple[np.ndarray, np.ndarray]:
    """What comes back to four points of each channel, from five of them and from three sums of three."""
    picked, summed = np.zeros((2, 2, 4)), np.zeros((2, 2, 4))
    for b, c, at in np.ndindex(_CHANNELS.shape):
        picked[b, c, _INDEX[b, at]] += _CHANNELS[b, c, at]
    for b, c, at, k in np.ndindex(*_OUT.shape, 3):
        summed[b, c, _THREE[b, at, k]] += _OUT[b, c, at] * _SHARES[b, at, k]
    return picked, summed


def _triangles(upper: bool) -> np.ndarray:
    made = np.zeros((4, 4))
    for i, j, k in np.ndindex(4, 4, 4):
        if (i <= k <= j) if upper else (i >= k >= j):
            made[i, j] += _GRADS[i, k] * _ROWS[k, j]
    return made


_NORM = {"eps": 1e-5}
_CONV = {"stride": 2, "pad": 1}
BACKWARDS: Mapping[str, Case] = {
    "layer norm backward": (norm_back(True), [_GRADS, _ROWS, _GAIN], _NORM),
    "rms norm backward": (norm_back(False), [_GRADS, _ROWS, _GAIN], _NORM),
    "autoregressive softmax backward": (causal_back(), [_CAUSAL, _GRADS[:, :4].copy()], {"C": 8, "NH": 4}),
    "sigmoid focal loss backward": (FOCAL, [SIGNED, _CLASSES], {"gamma": 2.0, "alpha": 0.25}),
    "conv backward": (conv_back()[0], [CONV_GRADS, WEIGHTS], _CONV),
    "max pool backward": (pool_back()[0], [POOL_GRADS, IMAGE], {**_CONV, "kernel": 3}),
    "im2col backward": (
        np.array([[1.0, 5.0, 4.0]]),
        [np.array([[1.0, 2.0], [3.0, 4.0]])],
        {"h": 1, "w": 3, "kh": 1, "kw": 2},
    ),
    "matmul backward": (_PRODUCT, [_GRADS, _MATRIX], {}),
    "linear backward": (_PRODUCT, [_GRADS, _MATRIX], {}),
    "pow backward": (_POWER, [PART, SIGNED], {"power": 1.5}),
    "leaky relu backward": (np.array(_SLOPED), [SIGNED, PART], {"slope": 0.2}),
    "elu backward": (np.array(_CURVED), [SIGNED, PART], {}),
    "conv same": (convolved()[1:10], [SIGNAL, _TAPS], {}),
    "conv full": (convolved(), [SIGNAL, _TAPS], {}),
    "conv valid": (convolved()[3:9], [SIGNAL, _TAPS], {}),
    "correlation": (
        np.array([sum(SIGNAL[k] * _OTHER[k - s] for k in range(9) if 0 <= k - s < 6) for s in range(-5, 9)]),
        [SIGNAL, _OTHER],
        {},
    ),
    "reverse cumsum": (np.array([[sum(row[at:]) for at in range(6)] for row in _ROWS.tolist()]), [_ROWS], {}),
    "exclusive cumsum": (np.array([[sum(row[:at]) for at in range(6)] for row in _ROWS.tolist()]), [_ROWS], {}),
    "new centroids": (
        np.array([[statistics.fmean(_POINTS[k == _CLUSTERS, axis].tolist()) for axis in (0, 1)] for k in range(3)]),
        [_POINTS, _CLUSTERS],
        {},
    ),
    "encoder": (np.array(_EMBEDDED), [_TOKENS, _TABLE, _TIMES], {}),
    "masked cumsum": (np.array(_MASKED), [_ROWS, _MASK], {}),
    "gather points backward": (_scattered()[0], [_CHANNELS, _INDEX], {"c": 2}),
    "group points backward": (_scattered()[0], [_CHANNELS, _INDEX], {"c": 2}),
    "three interpolate backward": (_scattered()[1], [_OUT, _THREE, _SHARES], {"c": 2}),
    "diag matmul": (np.array(_TIMES_ROWS), [MEANS, _ROWS], {}),
    "lower triangular matmul": (_triangles(False), [_GRADS[:, :4].copy(), _ROWS[:, :4].copy()], {}),
    "upper triangular matmul": (_triangles(True), [_GRADS[:, :4].copy(), _ROWS[:, :4].copy()], {}),
    "spmv coo": (_COO, [_AT, _OF, _HELD, _VECTOR], {}),
    "cast": (np.array([math.trunc(9 * x) for x in SIGNED.flat]), [9 * SIGNED], {}),
}  # fmt: skip
#: Other results of the same functions.
OTHERS: Sequence[tuple[str, Any, Sequence[np.ndarray], Mapping[str, float]]] = [
    ("layernorm_backward", of_weights(), [_GRADS, _ROWS, MEANS, RECIPROCALS], {}),
    ("layernorm_backward", norm_back(True), [_GRADS, _ROWS, _GAIN, MEANS, RECIPROCALS], {}),
    (
        "layernorm_backward",
        np.array([sum(column) for column in zip(*_GRADS.tolist(), strict=True)]),
        [_GRADS, _ROWS],
        {},
    ),
    ("conv2d_backward_weights", conv_back()[1], [CONV_GRADS, IMAGE], _CONV),
    ("maxpool_backward", pool_back()[0], [POOL_GRADS, pool_back()[1]], {}),
    (
        "conv2d_backward_input",
        conv_back()[0].reshape(-1),
        [CONV_GRADS.reshape(-1), WEIGHTS.reshape(-1)],
        {
            "n": 2,
            "c": 2,
            "h": 6,
            "w": 5,
            "out": 3,
            "c2": 2,
            "kh": 3,
            "kw": 2,
            "n2": 2,
            "o2": 3,
            "oh": 3,
            "ow": 3,
            **_CONV,
        },
    ),
]
