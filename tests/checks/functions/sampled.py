"""Samples of images at any points and windows that are deformed, in plain Python, and what they are asked of."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import RANDOM

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
_IMAGE = RANDOM.normal(size=(2, 4, 5, 6))
_GRID = RANDOM.uniform(-1.2, 1.2, (2, 3, 2, 2))
_THETA = RANDOM.normal(size=(2, 2, 3))
_OFFSETS, _MASKS = RANDOM.normal(size=(2, 2, 18, 5, 6)), RANDOM.uniform(0, 1, (2, 2, 9, 5, 6))
_COLUMNS = RANDOM.normal(size=(36, 2, 30))
_PLACED = {"kernel_h": 3, "kernel_w": 3, "pad": 1, "stride": 1, "dilation": 1, "groups": 2, "batch": 2}
_LEVELS = np.array([[3, 2], [2, 2]])
_VALUES = RANDOM.normal(size=(2, 10, 2, 3))
_POINTS, _WEIGHTS = RANDOM.uniform(0, 1, (2, 4, 2, 2, 3, 2)), RANDOM.uniform(0, 1, (2, 4, 2, 2, 3))


def around(y: float, x: float, h: int, w: int) -> Iterator[tuple[int, int, float]]:
    """The pixels around a point and their weights."""
    for i, j in itertools.product((math.floor(y), math.floor(y) + 1), (math.floor(x), math.floor(x) + 1)):
        if 0 <= i < h and 0 <= j < w:
            yield i, j, (1 - abs(y - i)) * (1 - abs(x - j))


def sampled() -> np.ndarray:
    made = np.zeros((2, 4, 3, 2))
    for n, c, p, q in np.ndindex(*made.shape):
        x, y = ((float(one) + 1) * (length - 1) / 2 for one, length in zip(_GRID[n, p, q], (6, 5), strict=True))
        made[n, c, p, q] = sum(weight * _IMAGE[n, c, i, j] for i, j, weight in around(y, x, 5, 6))
    return made


def affine() -> np.ndarray:
    made = np.zeros((2, 3, 4, 2))
    for n, i, j, k in np.ndindex(*made.shape):
        x, y = (2 * j + 1) / 4 - 1, (2 * i + 1) / 3 - 1
        made[n, i, j, k] = _THETA[n, k, 0] * x + _THETA[n, k, 1] * y + _THETA[n, k, 2]
    return made


def deformed(
    masked: bool,
) -> Iterator[tuple[tuple[int, int, int, int, int], tuple[int, int, int], float, float, float]]:
    """Image, channel, place in the window, row and column; where it lies in the columns; its point and its mask."""
    for n, c, k, p, q in np.ndindex(2, 4, 9, 5, 6):
        group = c // 2
        y, x = (float(_OFFSETS[n, group, 2 * k + at, p, q]) for at in (0, 1))
        mask = float(_MASKS[n, group, k, p, q]) if masked else 1.0
        yield (n, c, k, p, q), (c * 9 + k, n, p * 6 + q), p + k // 3 - 1 + y, q + k % 3 - 1 + x, mask


def columns(masked: bool) -> np.ndarray:
    made = np.zeros(_COLUMNS.shape)
    for (n, c, *_), to, y, x, mask in deformed(masked):
        made[to] = mask * sum(weight * _IMAGE[n, c, i, j] for i, j, weight in around(y, x, 5, 6))
    return made


def images(masked: bool) -> np.ndarray:
    made = np.zeros(_IMAGE.shape)
    for (n, c, *_), of, y, x, mask in deformed(masked):
        for i, j, weight in around(y, x, 5, 6):
            made[n, c, i, j] += mask * weight * _COLUMNS[of]
    return made


def offsets(masked: bool) -> np.ndarray:
    made = np.zeros(_OFFSETS.shape)
    for (n, c, k, p, q), of, y, x, mask in deformed(masked):
        if -1 < y < 5 and -1 < x < 6:
            for i, j, _ in around(y, x, 5, 6):
                part = mask * _IMAGE[n, c, i, j] * _COLUMNS[of]
                made[n, c // 2, 2 * k, p, q] += part * (1 - abs(x - j)) * (1 if i > y else -1)
                made[n, c // 2, 2 * k + 1, p, q] += part * (1 - abs(y - i)) * (1 if j > x else -1)
    return made


def attended() -> np.ndarray:
    made = np.zeros((2, 4, 2, 3))
    for n, query, head, depth, level, point in np.ndindex(2, 4, 2, 3, 2, 3):
        h, w = _LEVELS[level].tolist()
        x, y = _POINTS[n, query, head, level, point].tolist()
        held = sum(
            weight * _VALUES[n, level * 6 + i * w + j, head, depth]
            for i, j, weight in around(y * h - 0.5, x * w - 0.5, h, w)
        )
        made[n, query, head, depth] += _WEIGHTS[n, query, head, level, point] * held
    return made


SAMPLED: Mapping[str, Case] = {
    "grid sample": (sampled(), [_IMAGE, _GRID], {}),
    "affine grid": (affine(), [_THETA], {}),
    "deformable im2col": (columns(False), [_IMAGE, _OFFSETS], _PLACED),
    "deformable col2im": (images(False), [_COLUMNS, _OFFSETS], _PLACED),
    "deformable col2im coord": (offsets(False), [_COLUMNS, _IMAGE, _OFFSETS], _PLACED),
    "modulated deformable im2col": (columns(True), [_IMAGE, _OFFSETS, _MASKS], _PLACED),
    "modulated deformable col2im": (images(True), [_COLUMNS, _OFFSETS, _MASKS], _PLACED),
    "modulated deformable col2im coord": (offsets(True), [_COLUMNS, _IMAGE, _OFFSETS, _MASKS], _PLACED),
    "ms deform attn": (attended(), [_VALUES, _LEVELS, _POINTS, _WEIGHTS], {"batch": 2, "heads": 2}),
}
