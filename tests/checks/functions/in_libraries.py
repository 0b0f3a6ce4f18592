"""Functions in the forms of libraries in plain Python, and what they are asked of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elements import RANDOM, SIGNED

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]

_MOST = SIGNED.max(axis=1)
_WORDS = RANDOM.integers(-(1 << 31), 1 << 31, (3, 2), dtype=np.int64).astype(np.int32)
_SCORES = RANDOM.normal(size=(3, 40))
_PAIRS, _ENDS = RANDOM.permutation(20).astype(np.int32).reshape(10, 2), np.array([3, 7, 10])
_IMAGE, _WARP = RANDOM.normal(size=(2, 4, 5, 3)), RANDOM.uniform(-1.5, 5.5, (2, 6, 2))
_COMING = RANDOM.normal(size=(2, 6, 3))
_ROIS = np.array([[0, 1.0, 2.0, 9.0, 8.0], [1, 0.0, 1.0, 6.0, 7.5]])
_MAPS, _BACK = RANDOM.normal(size=(2, 8, 6, 7)), RANDOM.normal(size=(2, 2, 2, 2))
_ROWS, _FREQS = RANDOM.normal(size=(2, 3, 2, 6)), RANDOM.uniform(-3, 3, (3, 4))


def allowed() -> np.ndarray:
    """Scores of the tokens whose bits are set, in the first 37 of 40 places."""
    made = _SCORES.copy()
    for row in range(3):
        for at in range(37):
            if not int(_WORDS[row, at // 32]) & 0xFFFFFFFF & (1 << at % 32):
                made[row, at] = -math.inf
    return made


def sorted_by_second() -> np.ndarray:
    parts = [_PAIRS[begin:end].tolist() for begin, end in ((0, 3), (3, 7), (7, 10))]
    return np.array([row for part in parts for row in sorted(part, key=lambda row: row[1])])


def around(y: float, x: float) -> list[tuple[int, int, float]]:
    """The pixels around a point, with their weights."""
    top, left = math.floor(y), math.floor(x)
    return [(i, j, (1 - abs(y - i)) * (1 - abs(x - j))) for i in (top, top + 1) for j in (left, left + 1)]


def resampled() -> np.ndarray:
    made = np.zeros((2, 6, 3))
    for n in range(2):
        for at, (x, y) in enumerate(_WARP[n].tolist()):
            for i, j, weight in around(y, x):
                if 0 <= i < 4 and 0 <= j < 5:
                    made[n, at] += weight * _IMAGE[n, i, j]
    return made


def sent_back() -> np.ndarray:
    made = np.zeros(_IMAGE.shape)
    for n in range(2):
        for at, (x, y) in enumerate(_WARP[n].tolist()):
            for i, j, weight in around(y, x):
                if 0 <= i < 4 and 0 <= j < 5:
                    made[n, i, j] += weight * _COMING[n, at]
    return made


def bins() -> list[tuple[int, int, int, int, float, float]]:
    """The region, channel, row and column of bins, and their one sample (y, x), at half the scale."""
    found = []
    for region, (_, left, top, right, low) in enumerate(_ROIS.tolist()):
        for channel in range(2):
            for i in range(2):
                for j in range(2):
                    y = top / 2 - 0.5 + (i + 0.5) * (low - top) / 4
                    x = left / 2 - 0.5 + (j + 0.5) * (right - left) / 4
                    found.append((region, channel, i, j, max(y, 0), max(x, 0)))
    return found


def own_channels() -> np.ndarray:
    made = np.zeros((2, 2, 2, 2))
    for region, channel, i, j, y, x in bins():
        own = _MAPS[region, (channel * 2 + i) * 2 + j]
        made[region, channel, i, j] = sum(weight * own[p, q] for p, q, weight in around(y, x))
    return made


def own_channels_back() -> np.ndarray:
    made = np.zeros(_MAPS.shape)
    for region, channel, i, j, y, x in bins():
        for p, q, weight in around(y, x):
            made[region, (channel * 2 + i) * 2 + j, p, q] += weight * _BACK[region, channel, i, j]
    return made


def turned_back() -> np.ndarray:
    """Halves of the first four of six elements."""
    made = _ROWS.copy()
    for b, s, h in np.ndindex(2, 3, 2):
        row, angles = _ROWS[b, s, h], _FREQS[s]
        for at in range(2):
            one, other = row[at], row[at + 2]
            made[b, s, h, at] = one * math.cos(angles[at]) + other * math.sin(angles[at + 2])
            made[b, s, h, at + 2] = other * math.cos(angles[at + 2]) - one * math.sin(angles[at])
    return made


IN_LIBRARIES: dict[str, Case] = {
    "moments": (np.array([math.fsum(x * x for x in row) for row in SIGNED.tolist()]), [SIGNED], {}),
    "exp sum": (
        np.array([math.fsum(math.exp(x - most) for x in row[:4]) for row, most in zip(SIGNED, _MOST, strict=True)]),
        [SIGNED, _MOST],
        {"n": 4},
    ),
    "token bitmask": (allowed(), [_SCORES, _WORDS], {"vocabulary": 37}),
    "segmented sort": (sorted_by_second(), [_PAIRS, _ENDS], {}),
    "resampler": (resampled(), [_IMAGE, _WARP], {}),
    "resampler backward": (sent_back(), [_WARP, _COMING], {}),
    "ps roi align": (own_channels(), [_MAPS, _ROIS], {"scale": 0.5, "sampling": 1}),
    "ps roi align backward": (own_channels_back(), [_BACK, _ROIS], {"scale": 0.5, "sampling": 1}),
    "rope backward": (turned_back(), [_ROWS, _FREQS], {}),
}
