"""Functions of colours and of pixels that move, and encodings, in plain Python, and what they are asked of."""

from __future__ import annotations

import cmath
import colorsys
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .algebra import named

RANDOM = np.random.default_rng(17)
Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]

_COLOURS, _PLACES = RANDOM.uniform(0, 200, (6, 3)), RANDOM.uniform(size=(5, 3))
_GRAY, _LEVELS = RANDOM.uniform(0, 150, (6, 7)), RANDOM.integers(0, 256, (6, 7))
_TABLE = RANDOM.integers(0, 256, 256)
_SEPIA = [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]]
_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
_RGB = [[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]]
_CHANNELS = [np.ascontiguousarray(row) for row in _COLOURS.T]


def each_colour(form: Callable[[list[float]], Sequence[float]]) -> np.ndarray:
    return np.array([form(colour) for colour in _COLOURS.tolist()])


def by(table: Sequence[Sequence[float]], colour: Sequence[float]) -> list[float]:
    return [sum(w * part for w, part in zip(row, colour, strict=True)) for row in table]


def xyy(colour: Sequence[float]) -> float:
    return math.log10(0.01 + by(_XYZ, colour)[1])


_X, _Y, _BRIGHT = RANDOM.uniform(0.1, 0.5, 9), RANDOM.uniform(0.1, 0.5, 9), RANDOM.uniform(-2, 0, 9)
_SHARES = np.sort(RANDOM.uniform(size=5))


def toned(x: float, y: float, bright: float) -> float:
    new = float(_SHARES[min(4, int(5 * (bright + 2) / 2))])
    return by(_RGB, [x * new / y, new, (1 - x - y) * new / y])[0]


def equal_levels() -> np.ndarray:
    counts = [0] * 256
    for level in _LEVELS.reshape(-1).tolist():
        counts[level] += 1
    sums = np.cumsum(counts)
    least = min(n for n in sums if n)
    return np.array([round(255 * float(sums[x] - least) / float(42 - least)) for x in _LEVELS.reshape(-1)])


def waves(place: Sequence[float]) -> list[float]:
    found = list(place)
    for k in range(3):
        found += [math.sin(2**k * x) for x in place] + [math.cos(2**k * x) for x in place]
    return found


_COME, _LEFT = RANDOM.normal(size=(5, 21)), np.array([waves(place) for place in _PLACES.tolist()])


def waves_back(row: int, axis: int) -> float:
    total = float(_COME[row, axis])
    for k in range(3):
        x = 2**k * float(_PLACES[row, axis])
        total += 2**k * (_COME[row, 3 + 6 * k + axis] * math.cos(x) - _COME[row, 6 + 6 * k + axis] * math.sin(x))
    return total


def harmonics(x: float, y: float, z: float) -> list[float]:
    """The first nine."""
    a, b, c = math.sqrt(3 / (4 * math.pi)), math.sqrt(15 / (4 * math.pi)), math.sqrt(5 / (16 * math.pi))
    first = [0.5 / math.sqrt(math.pi), -a * y, a * z, -a * x]
    return [*first, b * x * y, -b * y * z, c * (3 * z * z - 1), -b * x * z, b / 2 * (x * x - y * y)]


_WHERE = [RANDOM.uniform(0, 5, (4, 3)), RANDOM.uniform(0, 4, (4, 3))]


def at(y: float, x: float, image: np.ndarray = _GRAY) -> float:
    """Between four pixels; nothing beyond the border."""
    total = 0.0
    for i, j in ((math.floor(y) + p, math.floor(x) + q) for p in (0, 1) for q in (0, 1)):
        if 0 <= i < image.shape[0] and 0 <= j < image.shape[1]:
            total += float(image[i, j]) * (1 - abs(y - i)) * (1 - abs(x - j))
    return total


_AFFINE = np.array([[0.9, 0.2, -0.4], [-0.1, 1.1, 0.3]])
_HOMOGRAPHY = np.vstack([_AFFINE, [[0.01, 0.02, 1.0]]])


def moved(table: np.ndarray) -> np.ndarray:
    made = np.zeros(_GRAY.shape)
    for i, j in np.ndindex(6, 7):
        place = table @ [j, i, 1]
        made[i, j] = at(place[1] / (place[2] if len(place) > 2 else 1), place[0] / (place[2] if len(place) > 2 else 1))
    return made


def rotated(angle: float) -> np.ndarray:
    made = np.zeros(_GRAY.shape)
    for i, j in np.ndindex(6, 7):
        place = complex(j - 3, i - 2.5) * cmath.exp(1j * angle)
        made[i, j] = at(place.imag + 2.5, place.real + 3)
    return made


def halved() -> np.ndarray:
    made, weights = np.zeros((3, 4)), (1, 4, 6, 4, 1)
    for i, j, p, q in np.ndindex(3, 4, 5, 5):
        y, x = abs(2 * i + p - 2), abs(2 * j + q - 2)
        made[i, j] += weights[p] * weights[q] / 256 * _GRAY[min(y, 10 - y), min(x, 12 - x)]
    return made


def doubled() -> np.ndarray:
    made, weights = np.zeros((12, 14)), (1, 4, 6, 4, 1)
    for i, j, p, q in np.ndindex(12, 14, 5, 5):
        y, x = abs(i + p - 2), abs(j + q - 2)
        y, x = min(y, 22 - y), min(x, 26 - x)
        if y % 2 == 0 and x % 2 == 0:
            made[i, j] += weights[p] * weights[q] / 64 * _GRAY[y // 2, x // 2]
    return made


_SMALL = RANDOM.uniform(0, 150, (2, 3))


def correlated() -> np.ndarray:
    made = np.zeros((5, 5))
    for i, j in np.ndindex(5, 5):
        part = _GRAY[i : i + 2, j : j + 3]
        made[i, j] = sum((a - b) ** 2 for a, b in zip(part.reshape(-1), _SMALL.reshape(-1), strict=True))
    return made


def smoothed(space: float, level: float) -> np.ndarray:
    made = np.zeros(_GRAY.shape)
    for i, j in np.ndindex(6, 7):
        total = weights = 0.0
        for y, x in ((i + p, j + q) for p in (-1, 0, 1) for q in (-1, 0, 1)):
            if 0 <= y < 6 and 0 <= x < 7:
                off = (_GRAY[y, x] - _GRAY[i, j]) ** 2 / (2 * level**2)
                w = math.exp(-((y - i) ** 2 + (x - j) ** 2) / (2 * space**2) - off)
                total, weights = total + w * _GRAY[y, x], weights + w
        made[i, j] = total / weights
    return made


def yuv(colour: Sequence[float]) -> list[float]:
    r, g, b = colour
    return by([[0.299, 0.587, 0.114], [-0.14713, -0.28886, 0.436], [0.615, -0.51499, -0.10001]], [r, g, b])


_ENDS, _CELLS = np.array([0, 30, 50]), RANDOM.normal(size=(50, 2))


def in_grids(level: int, place: Sequence[float]) -> np.ndarray:
    """Of the first level all cells have a row; those of the second are hashed."""
    first, count = int(_ENDS[level]), int(_ENDS[level + 1] - _ENDS[level])
    scale, made = 2 ** (level * 1.5) * 2 - 1, np.zeros(2)
    wide = math.ceil(scale) + 2
    for corner in np.ndindex(2, 2, 2):
        cell = [math.floor(x * scale + 0.5) + c for x, c in zip(place, corner, strict=True)]
        share = [(x * scale + 0.5) % 1 if c else 1 - (x * scale + 0.5) % 1 for x, c in zip(place, corner, strict=True)]
        index = cell[0] + wide * (cell[1] + wide * cell[2])
        if wide**3 > count:
            index = cell[0] ^ cell[1] * 2654435761 % 2**32 ^ cell[2] * 805459861 % 2**32
        made += math.prod(share) * _CELLS[first + index % count]
    return made


def sharper() -> np.ndarray:
    made = np.zeros(_GRAY.shape)
    for i, j in np.ndindex(6, 7):
        near = [(max(i - 1, 0), j), (min(i + 1, 5), j), (i, max(j - 1, 0)), (i, min(j + 1, 6))]
        made[i, j] = 5 * _GRAY[i, j] - sum(_GRAY[place] for place in near)
    return made


PICTURES: Mapping[str, Case] = {
    "sharpen": (sharper(), [_GRAY], {}),
    "rotate 90": (np.array([[_GRAY[5 - j, i] for j in range(6)] for i in range(7)]), [_GRAY], {}),
    "abs diff": (np.array([abs(x - y) for x, y in zip(_X, _Y, strict=True)]), [_X, _Y], {}),
    "min max normalize": (
        np.array([[(x - 3) / 97 for x in row] for row in _GRAY]),
        [_GRAY],
        {"least": 3.0, "most": 100.0},
    ),
    "fft shift": (np.array([[_GRAY[(i + 3) % 6, (j + 4) % 7] for j in range(7)] for i in range(6)]), [_GRAY], {}),
    "grid encoding": (
        np.array([[in_grids(level, place) for place in _PLACES.tolist()] for level in (0, 1)]),
        [_PLACES, _CELLS, _ENDS],
        {"s": 1.5, "h": 2},
    ),
    "sepia": (each_colour(lambda c: [min(255.0, x) for x in by(_SEPIA, c)]), [_COLOURS], {}),
    "rgb to xyz": (each_colour(lambda c: by(_XYZ, c)), [_COLOURS], {}),
    "xyz to rgb": (each_colour(lambda c: by(_RGB, c)), [_COLOURS], {}),
    "rgb to yuv": (each_colour(yuv), [_COLOURS], {}),
    "yuv to rgb": (_COLOURS, [each_colour(yuv)], {}),
    "rgb to xyy": (np.array([xyy(c) for c in _COLOURS.tolist()]), _CHANNELS, {"delta": 0.01}),
    "tonemap": (
        np.array([toned(*three) for three in zip(_X.tolist(), _Y.tolist(), _BRIGHT.tolist(), strict=True)]),
        [_X, _Y, _BRIGHT, _SHARES],
        {"low": -2.0, "high": 0.0, "range": 2.0, "bins": 5},
    ),
    "normalize cdf": (np.array([n / 31 for n in (3, 5, 30, 31)]), [np.array([3, 5, 30, 31])], {}),
    "apply lut": (np.array([_TABLE[x] for x in _LEVELS.reshape(-1)]), [_LEVELS.reshape(-1), _TABLE], {}),
    "equalize": (equal_levels(), [_LEVELS.reshape(-1), np.bincount(_LEVELS.reshape(-1), minlength=256)], {}),
    "separate channels": (_CHANNELS[1], [_COLOURS], {}),
    "recombine channels": (each_colour(lambda c: [*c, 255.0]), _CHANNELS, {}),
    "rgb to bgr": (each_colour(lambda c: c[::-1]), [_COLOURS], {}),
    "rgb to hsv": (
        each_colour(lambda c: [f * x for f, x in zip((360, 1, 1), colorsys.rgb_to_hsv(*c), strict=True)]),
        [_COLOURS],
        {},
    ),
    **named(
        (np.array([[min(255.0, 1.5 * x + 20) for x in row] for row in _GRAY]), [_GRAY], {"a": 1.5, "b": 20.0}),
        "brightness",
        "contrast",
        "brightness contrast",
    ),
    "add weighted": (0.3 * _GRAY + 0.7 * _LEVELS, [_GRAY, _LEVELS], {"a": 0.3, "b": 0.7}),
    "gamma correction": (
        np.array([255 * (x / 255) ** (1 / 2.2) for x in _GRAY.reshape(-1)]),
        [_GRAY.reshape(-1)],
        {"gamma": 2.2},
    ),
    "frequency encoding": (_LEFT, [_PLACES], {"d": 3}),
    "frequency encoding backward": (
        np.array([[waves_back(row, axis) for axis in range(3)] for row in range(5)]),
        [_COME, _LEFT],
        {"d": 3},
    ),
    "spherical harmonics": (np.array([harmonics(*row) for row in _PLACES.tolist()]), [_PLACES], {"degree": 3}),
    "remap": (
        np.array([[at(float(_WHERE[1][i, j]), float(_WHERE[0][i, j])) for j in range(3)] for i in range(4)]),
        [_GRAY, *_WHERE],
        {},
    ),
    "warp affine": (moved(_AFFINE), [_GRAY, _AFFINE], {}),
    "warp perspective": (moved(_HOMOGRAPHY), [_GRAY, _HOMOGRAPHY], {}),
    "rotate image": (rotated(0.3), [_GRAY], {"angle": 0.3}),
    "integral image": (
        np.array([[float(_GRAY[: i + 1, : j + 1].sum()) for j in range(7)] for i in range(6)]),
        [_GRAY],
        {},
    ),
    "pyr down": (halved(), [_GRAY], {}),
    "pyr up": (doubled(), [_GRAY], {}),
    "match template": (correlated(), [_GRAY, _SMALL], {}),
    "bilateral filter": (smoothed(1.5, 40.0), [_GRAY], {"radius": 1, "space": 1.5, "level": 40.0}),
    "polar to cartesian": (np.array([r * math.cos(a) for r, a in zip(_X, _Y, strict=True)]), [_X, _Y], {}),
    "cartesian to polar": (
        np.array([math.degrees(math.atan2(y, x)) for x, y in zip(_X, _Y, strict=True)]),
        [_X, _Y],
        {},
    ),
}
