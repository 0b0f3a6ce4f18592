"""Elements that lie elsewhere, masks and images of another size in plain Python, and what they are asked of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import RANDOM, SIGNED

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
Taps = Mapping[int, float]
_SMALL, _DEEP = RANDOM.normal(size=(2, 2, 4, 6)), RANDOM.normal(size=(2, 8, 2, 3))
_IMAGE = RANDOM.normal(size=(2, 3, 4, 5))
_OTHER, _BACK = RANDOM.normal(size=(2, 3, 5))
_MASK = np.array([[0, 1, 1, 0, 1], [1, 0, 0, 1, 1], [0, 0, 1, 1, 0]], bool)
_SQUARES = RANDOM.normal(size=(2, 4, 4))
_TIMES, _AT = np.array([2, 0, 3]), np.array([2, 0])
_ROW = RANDOM.normal(size=(2, 5))


def filled(shape: Sequence[int], form: Callable[..., float]) -> np.ndarray:
    """An array by its indices."""
    made = np.zeros(shape)
    for at in np.ndindex(*made.shape):
        made[at] = form(*at)
    return made


def chosen(form: Callable[[float, bool, int, int], float]) -> np.ndarray:
    """By each element of the rows, whether its mask is set, and where it lies."""
    return filled((3, 5), lambda i, j: form(float(SIGNED[i, j]), bool(_MASK[i, j]), i, j))


def deep(n: int, c: int, i: int, j: int, blocks_first: bool) -> float:
    """The element of [n, c * 4, h, w] that lies at (i, j) of images that are twice as large."""
    block = i % 2 * 2 + j % 2
    return float(_DEEP[n, block * 2 + c if blocks_first else c * 4 + block, i // 2, j // 2])


def shallow(n: int, c: int, i: int, j: int, blocks_first: bool) -> float:
    """The element of images that lies in channel c of those that are half as large."""
    channel, block = (c % 2, c // 2) if blocks_first else (c // 4, c % 4)
    return float(_SMALL[n, channel, 2 * i + block // 2, 2 * j + block % 2])


def padded(form: Callable[[int, int], int | None]) -> np.ndarray:
    """Images with a border of two, from what lies at a place beyond it along each axis."""

    def at(n: int, c: int, i: int, j: int) -> float:
        y, x = form(i - 2, 4), form(j - 2, 5)
        return 0.0 if y is None or x is None else float(_IMAGE[n, c, y, x])

    return filled((2, 3, 8, 9), at)


def nearest(at: int, count: int, length: int) -> Taps:
    return {at * length // count: 1.0}


def linear(at: int, count: int, length: int) -> Taps:
    place = min(max((at + 0.5) * length / count - 0.5, 0), length - 1)
    low = math.floor(place)
    return {low: low + 1 - place} | ({low + 1: place - low} if place > low else {})


def cubic(at: int, count: int, length: int) -> Taps:
    place, found = (at + 0.5) * length / count - 0.5, dict.fromkeys(range(length), 0.0)
    for tap in range(math.floor(place) - 1, math.floor(place) + 3):
        x = abs(place - tap)
        near, far = 1.25 * x**3 - 2.25 * x**2 + 1, -0.75 * (x**3 - 5 * x**2 + 8 * x - 4)
        found[min(max(tap, 0), length - 1)] += near if x <= 1 else far
    return found


def mean(at: int, count: int, length: int) -> Taps:
    inside = range(at * length // count, -(-(at + 1) * length // count))
    return dict.fromkeys(inside, 1 / len(inside))


def resized(taps: Callable[[int, int, int], Taps], h: int, w: int) -> np.ndarray:
    """Images of h * w from the sums of what lies at taps along each axis."""

    def at(n: int, c: int, i: int, j: int) -> float:
        return sum(
            a * b * float(_IMAGE[n, c, y, x]) for y, a in taps(i, h, 4).items() for x, b in taps(j, w, 5).items()
        )

    return filled((2, 3, h, w), at)


def returned(taps: Callable[[int, int, int], Taps], h: int, w: int) -> np.ndarray:
    """What comes back to images of h * w by the same taps."""
    made = np.zeros((2, 3, h, w))
    for n, c, i, j in np.ndindex(*_IMAGE.shape):
        for y, a in taps(i, 4, h).items():
            for x, b in taps(j, 5, w).items():
                made[n, c, y, x] += a * b * _IMAGE[n, c, i, j]
    return made


def largest(n: int, c: int, i: int, j: int) -> float:
    rows, columns = ([*mean(at, 2, length)] for at, length in ((i, 4), (j, 5)))
    return max(float(_IMAGE[n, c, y, x]) for y in rows for x in columns)


def windows_back() -> np.ndarray:
    """What comes back to 7 * 9 from means of windows of 3 that lie 2 apart."""
    made = np.zeros((2, 3, 9, 11))
    for n, c, i, j, y, x in np.ndindex(2, 3, 4, 5, 3, 3):
        made[n, c, 2 * i + y, 2 * j + x] += _IMAGE[n, c, i, j] / 9
    return made


_HELD = SIGNED.reshape(-1)[_MASK.reshape(-1)]
_SCATTERED, _SOURCE = SIGNED.copy().reshape(-1), RANDOM.normal(size=9)
for _n, _place in enumerate(np.flatnonzero(_MASK)):
    _SCATTERED[_place] = _SOURCE[_n]
_TWICE = {"h": 4, "w": 5, "out_h": 8, "out_w": 10}
PLACED: Mapping[str, Case] = {
    "depth to space": (filled((2, 2, 4, 6), lambda *at: deep(*at, True)), [_DEEP], {"block": 2}),
    "space to depth": (filled((2, 8, 2, 3), lambda *at: shallow(*at, True)), [_SMALL], {"block": 2}),
    "pixel unshuffle": (filled((2, 8, 2, 3), lambda *at: shallow(*at, False)), [_SMALL], {"factor": 2}),
    "reorg": (filled((2, 2, 4, 6), lambda *at: deep(*at, True)), [_DEEP], {"stride": 2}),
    "channel shuffle": (
        filled((2, 8, 2, 3), lambda n, c, i, j: _DEEP[n, c % 2 * 4 + c // 2, i, j]), [_DEEP], {"groups": 2},
    ),
    "flatten": (filled((5, 3), lambda j, i: SIGNED[i, j]), [SIGNED], {}),
    "roll": (filled((3, 5), lambda i, j: SIGNED[i, (j - 2) % 5]), [SIGNED], {"shift": 2}),
    "pad": (padded(lambda at, n: at if 0 <= at < n else None), [_IMAGE], {"pad": 2}),
    "pad reflect": (padded(lambda at, n: min(abs(at), 2 * n - 2 - abs(at))), [_IMAGE], {"pad": 2}),
    "pad replicate": (padded(lambda at, n: min(max(at, 0), n - 1)), [_IMAGE], {"pad": 2}),
    "crop": (filled((2, 3, 2, 3), lambda n, c, i, j: _IMAGE[n, c, i + 1, j + 2]), [_IMAGE],
             {"top": 1, "left": 2, "h": 2, "w": 3}),
    "slice": (filled((2, 3, 2, 5), lambda n, c, i, j: _IMAGE[n, c, i + 1, j]), [_IMAGE], {"start": 1, "end": 3}),
    "split": (filled((2, 3, 2, 5), lambda n, c, i, j: _IMAGE[n, c, i + 2, j]), [_IMAGE], {"at": 2}),
    "masked fill": (chosen(lambda x, m, *_: 0.5 if m else x), [SIGNED, _MASK], {"value": 0.5}),
    "scale mask": (chosen(lambda x, m, *_: 0.5 * x if m else x), [SIGNED, _MASK], {"scale": 0.5}),
    "apply mask": (chosen(lambda x, m, *_: x if m else -1e4), [SIGNED, _MASK], {}),
    "masked select": (_HELD.copy(), [SIGNED, _MASK], {}),
    "masked scatter": (_SCATTERED, [SIGNED.reshape(-1), _MASK.reshape(-1), _SOURCE], {}),
    "causal mask": (
        filled((2, 4, 4), lambda n, i, j: 0.5 * _SQUARES[n, i, j] if j <= i else -1e4), [_SQUARES], {"scale": 0.5},
    ),
    "repeat interleave": (np.array([SIGNED[i] for i, times in enumerate((2, 0, 3)) for _ in range(times)]),
                          [SIGNED, _TIMES], {}),
    "tile backward": (filled((3, 5), lambda i, j: _OTHER[i, j] + _BACK[i, j]),
                      [np.concatenate([_OTHER[:, None], _BACK[:, None]], axis=1)], {"inner": 5}),
    "select scatter": (filled((3, 5), lambda i, j: _ROW[0, j] if i == 1 else SIGNED[i, j]), [SIGNED, _ROW[0].copy()],
                       {"index": 1}),
    "slice scatter": (filled((3, 5), lambda i, j: _ROW[i - 1, j] if i else SIGNED[i, j]), [SIGNED, _ROW],
                      {"start": 1, "end": 3}),
    "index put": (filled((3, 5), lambda i, j: {2: _ROW[0], 0: _ROW[1]}.get(i, SIGNED[i])[j]), [SIGNED, _AT, _ROW], {}),
    "index fill": (filled((3, 5), lambda i, j: SIGNED[i, j] if i == 1 else 0.25), [SIGNED, _AT], {"value": 0.25}),
    "upsample": (resized(nearest, 8, 10), [_IMAGE], _TWICE),
    "interpolate cubic": (resized(cubic, 7, 9), [_IMAGE], {}),
    "adaptive avg pool": (resized(mean, 3, 2), [_IMAGE], {}),
    "adaptive max pool": (filled((2, 3, 2, 2), largest), [_IMAGE], {}),
    "upsample backward": (returned(nearest, 2, 3), [_IMAGE], {}),
    "interpolate nearest backward": (returned(nearest, 2, 3), [_IMAGE], {}),
    "interpolate linear backward": (returned(linear, 3, 7), [_IMAGE], {}),
    "interpolate cubic backward": (returned(cubic, 3, 7), [_IMAGE], {}),
    "adaptive avg pool backward": (returned(mean, 6, 7), [_IMAGE], {}),
    "global avg pool": (filled((2, 3), lambda n, c: math.fsum(_IMAGE[n, c].flat) / 20), [_IMAGE], {}),
    "global max pool": (filled((2, 3), lambda n, c: max(_IMAGE[n, c].flat)), [_IMAGE], {}),
    "rearrange": (filled((5, 3), lambda j, i: SIGNED[i, j]), [SIGNED], {}),
    "point to voxel": (filled((2, 5), lambda i, j: SIGNED[2, j] if i else max(SIGNED[0, j], SIGNED[1, j])),
                       [SIGNED, np.array([0, 0, 1])], {}),
    "avg pool backward": (windows_back(), [_IMAGE], {"kernel": 3, "stride": 2, "pad": 0}),
}  # fmt: skip
