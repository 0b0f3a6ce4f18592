"""Functions of images and grids, one pixel after the other in plain Python, and what they are asked of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import RANDOM

_Grid = Sequence[Sequence[float]]
Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]

_IMAGE, _OTHER = RANDOM.normal(size=(6, 7)), RANDOM.normal(size=(6, 7))
_PIXELS = RANDOM.integers(0, 256, (6, 7)).astype(np.uint8)
_COLORS = RANDOM.integers(0, 256, (4, 5, 3)).astype(np.uint8)
_LAYERS = RANDOM.integers(0, 256, (4, 5, 4)).astype(np.uint8)
_SHAPE = np.array([[0, 1, 0], [1, 1, 1]], np.uint8)
_WEIGHTS = RANDOM.uniform(0.1, 1, (3, 3))
_MATRIX, _SIDE, _LAST = RANDOM.normal(size=(5, 5)) + 5 * np.eye(5), RANDOM.normal(size=5), RANDOM.normal(size=5)
_BODIES = RANDOM.normal(size=(5, 4))


def around(x: _Grid, i: int, j: int, down: int = 3, across: int = 3) -> Iterator[tuple[int, int, float]]:
    """The places of a window around a pixel that are in the image, and what they hold."""
    for p in range(down):
        for q in range(across):
            y, z = i + p - (down - 1) // 2, j + q - (across - 1) // 2
            if 0 <= y < len(x) and 0 <= z < len(x[0]):
                yield p, q, x[y][z]


def each(form: Callable[[int, int], float], x: np.ndarray, inner: bool = False) -> np.ndarray:
    """A function of each place; ``inner``: 0 at the border."""
    last = [n - 1 for n in x.shape]
    return np.array(
        [
            [0 if inner and (i in (0, last[0]) or j in (0, last[1])) else form(i, j) for j in range(x.shape[1])]
            for i in range(x.shape[0])
        ]
    )


def weighed(x: np.ndarray, weights: _Grid) -> Callable[[int, int], float]:
    rows = x.tolist()
    return lambda i, j: sum(weights[p][q] * value for p, q, value in around(rows, i, j))


def slope(weights: Sequence[float]) -> _Grid:
    return [[-w, 0, w] for w in weights]


def turned(weights: _Grid) -> _Grid:
    return [*zip(*weights, strict=True)]


def edges(weights: Sequence[float], form: Callable[[float, float], float]) -> np.ndarray:
    down, across = weighed(_IMAGE, turned(slope(weights))), weighed(_IMAGE, slope(weights))
    return each(lambda i, j: form(across(i, j), down(i, j)), _IMAGE, inner=True)


def corner(i: int, j: int) -> float:
    xs, ys = ([value for _, _, value in around(one.tolist(), i, j)] for one in (_IMAGE, _OTHER))
    xx, xy, yy = (sum(a * b for a, b in zip(*pair, strict=True)) for pair in ((xs, xs), (xs, ys), (ys, ys)))
    return xx * yy - xy**2 - 0.05 * (xx + yy) ** 2


def four(x: np.ndarray, i: int, j: int) -> float:
    """The sum of the four neighbours of a place inside."""
    return float(x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


def kept(form: Callable[[int, int], float], x: np.ndarray) -> np.ndarray:
    """A function of each place inside; the border is kept."""
    found = x.copy()
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            found[i, j] = form(i, j)
    return found


def pulled(at: int) -> list[float]:
    total = [0.0, 0.0, 0.0]
    for x, y, z, mass in _BODIES.tolist():
        off = [a - b for a, b in zip((x, y, z), _BODIES[at, :3].tolist(), strict=True)]
        far = math.sqrt(sum(d * d for d in off) + 0.01)
        total = [t + mass * d / far**3 for t, d in zip(total, off, strict=True)]
    return total


_SOLVED = [(_SIDE[i] - sum(_MATRIX[i, j] * _LAST[j] for j in range(5) if j != i)) / _MATRIX[i, i] for i in range(5)]

_MEAN = each(lambda i, j: int(statistics.fmean(v for _, _, v in around(_PIXELS.tolist(), i, j, 5, 5))), _PIXELS)
GRIDS: Mapping[str, Case] = {
    "grayscale": (
        np.array([[round(0.299 * r + 0.587 * g + 0.114 * b) for r, g, b in row] for row in _COLORS.tolist()], np.uint8),
        [_COLORS],
        {},
    ),
    "invert": (
        np.array([[[255 - r, 255 - g, 255 - b, a] for r, g, b, a in row] for row in _LAYERS.tolist()]),
        [_LAYERS],
        {},
    ),
    **{name: (_MEAN.astype(np.uint8), [_PIXELS], {"radius": 2}) for name in ("box filter", "mean filter")},
    "gaussian filter": (each(weighed(_IMAGE, _WEIGHTS.tolist()), _IMAGE), [_IMAGE, _WEIGHTS], {}),
    "erode": (
        each(lambda i, j: min(v for p, q, v in around(_IMAGE.tolist(), i, j, 2, 3) if _SHAPE[p][q]), _IMAGE),
        [_IMAGE, _SHAPE],
        {},
    ),
    "dilate": (each(lambda i, j: max(v for _, _, v in around(_IMAGE.tolist(), i, j)), _IMAGE), [_IMAGE], {"n": 3}),
    "median filter": (
        each(lambda i, j: statistics.median(v for _, _, v in around(_IMAGE.tolist(), i, j)), _IMAGE, inner=True),
        [_IMAGE],
        {},
    ),
    "sobel": (edges((1, 2, 1), math.hypot), [_IMAGE], {}),
    "prewitt": (edges((1, 1, 1), lambda x, y: abs(x) + abs(y)), [_IMAGE], {}),
    "scharr": (edges((3, 10, 3), lambda x, y: x), [_IMAGE], {}),
    "harris": (each(corner, _IMAGE), [_IMAGE, _OTHER], {"block": 3, "k": 0.05}),
    "laplace": (kept(lambda i, j: four(_IMAGE, i, j) / 4, _IMAGE), [_IMAGE], {}),
    "jacobi stencil": (kept(lambda i, j: (four(_IMAGE, i, j) + _IMAGE[i, j]) / 5, _IMAGE), [_IMAGE], {}),
    "jacobi": (np.array(_SOLVED), [_MATRIX, _SIDE, _LAST], {}),
    "laplacian": (each(lambda i, j: four(_IMAGE, i, j) - 4 * _IMAGE[i, j], _IMAGE, inner=True), [_IMAGE], {}),
    "heat": (
        kept(lambda i, j: _IMAGE[i, j] + 0.1 * (four(_IMAGE, i, j) - 4 * _IMAGE[i, j]), _IMAGE),
        [_IMAGE],
        {"alpha": 0.1},
    ),
    "diffusion": (
        kept(lambda i, j: _IMAGE[i, j] + 0.1 / 0.25 * (four(_IMAGE, i, j) - 4 * _IMAGE[i, j]), _IMAGE),
        [_IMAGE],
        {"dt": 0.1, "dx": 0.5},
    ),
    "nbody": (np.array([pulled(at) for at in range(5)]), [_BODIES], {"softening": 0.01}),
}
