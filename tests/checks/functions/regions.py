"""Pools and samples of regions of images in plain Python, and what they are asked of."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import RANDOM

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
Weights = Mapping[tuple[int, int], float]
_HIGH, _WIDE, _CHANNELS = 6, 7, 2
SCALE = 0.5
IMAGES = RANDOM.normal(size=(2, _HIGH, _WIDE, _CHANNELS))
ROIS = np.array([[1, 1.0, 2.5, 11.0, 9.0], [0, 3.0, 0.5, 9.5, 7.0], [1, 0.0, 1.0, 6.0, 10.5]])
_TURNED = np.array([[1, 6.0, 5.0, 7.0, 5.0, 0.4], [0, 5.5, 4.0, 6.0, 8.0, -0.7]])


def around(y: float, x: float, inner: bool = False) -> Weights:
    """The pixels around a point and their weights."""
    if not inner:
        if not (-1 <= y <= _HIGH and -1 <= x <= _WIDE):
            return {}
        y, x = min(max(y, 0), _HIGH - 1), min(max(x, 0), _WIDE - 1)
    found: dict[tuple[int, int], float] = {}
    for i, j in itertools.product((math.floor(y), math.floor(y) + 1), (math.floor(x), math.floor(x) + 1)):
        if 0 <= i < _HIGH and 0 <= j < _WIDE:
            found[i, j] = (1 - abs(y - i)) * (1 - abs(x - j))
    return found


def points(
    left: float, top: float, wide: float, high: float, bins: tuple[int, int], ratio: int
) -> Iterator[list[tuple[float, float]]]:
    """The points (y, x) of each bin."""
    for p, q in itertools.product(range(bins[0]), range(bins[1])):
        yield [
            (top + (p + (i + 0.5) / ratio) * high / bins[0], left + (q + (j + 0.5) / ratio) * wide / bins[1])
            for i, j in itertools.product(range(ratio), repeat=2)
        ]


def taps_of(boxes: np.ndarray, aligned: bool = True) -> list[tuple[int, list[Weights]]]:
    """The images and the samples of all bins."""
    found = []
    for image, left, top, right, low in boxes.tolist():
        x, y = left * SCALE - 0.5 * aligned, top * SCALE - 0.5 * aligned
        wide, high = (right - left) * SCALE, (low - top) * SCALE
        for one in points(x, y, *((wide, high) if aligned else (max(wide, 1), max(high, 1))), (3, 2), 2):
            found.append((int(image), [around(*at) for at in one]))
    return found


def turned_taps(boxes: np.ndarray, clockwise: bool = False) -> list[tuple[int, list[Weights]]]:
    found = []
    for image, x, y, wide, high, angle in boxes.tolist():
        turn = -angle if clockwise else angle
        for one in points(-wide * SCALE / 2, -high * SCALE / 2, wide * SCALE, high * SCALE, (3, 2), 2):
            turned = [
                (
                    b * math.cos(turn) - a * math.sin(turn) + y * SCALE - 0.5,
                    b * math.sin(turn) + a * math.cos(turn) + x * SCALE - 0.5,
                )
                for b, a in one
            ]
            found.append((int(image), [around(*at) for at in turned]))
    return found


_MOVES = RANDOM.normal(size=(3, 2, 3, 2))


def moved_taps() -> list[tuple[int, list[Weights]]]:
    found = []
    for roi, (image, left, top, right, low) in enumerate(ROIS.tolist()):
        wide, high = (right - left) * SCALE, (low - top) * SCALE
        each = points(left * SCALE - 0.5, top * SCALE - 0.5, wide, high, (3, 2), 2)
        for at, one in enumerate(each):
            across, down = (float(_MOVES[roi, axis].flat[at]) * 0.1 for axis in (0, 1))
            found.append((int(image), [around(y + down * high, x + across * wide) for y, x in one]))
    return found


def mean_of(taps: Sequence[tuple[int, list[Weights]]]) -> np.ndarray:
    """[bin, channel]: the mean of the samples."""
    return np.array(
        [
            sum(sum(w * IMAGES[image][at] for at, w in one.items()) for one in samples) / len(samples)
            for image, samples in taps
        ]
    )


def largest_of(taps: Sequence[tuple[int, list[Weights]]]) -> np.ndarray:
    return np.array(
        [
            np.max([sum(w * IMAGES[image][at] for at, w in one.items()) + np.zeros(2) for one in samples], axis=0)
            for image, samples in taps
        ]
    )


def back_of(taps: Sequence[tuple[int, list[Weights]]], coming: np.ndarray) -> np.ndarray:
    made = np.zeros(IMAGES.shape)
    for (image, samples), grad in zip(taps, coming.reshape(-1, _CHANNELS), strict=True):
        for one in samples:
            for at, w in one.items():
                made[image][at] += w * grad / len(samples)
    return made


def pixels_of(box: Sequence[float], bins: tuple[int, int], own: bool) -> Iterator[tuple[range, range]]:
    """The rows and columns of bins of whole pixels."""
    _, *corners = box
    if own:
        left, top = (math.floor(one + 0.5) * SCALE for one in corners[:2])
        right, low = ((math.floor(one + 0.5) + 1) * SCALE for one in corners[2:])
        wide, high = max(right - left, 0.1), max(low - top, 0.1)
    else:
        left, top, right, low = (math.floor(one * SCALE + 0.5) for one in corners)
        wide, high = max(right - left + 1, 1), max(low - top + 1, 1)
    for p, q in itertools.product(range(bins[0]), range(bins[1])):
        first, end = math.floor(p * high / bins[0] + top), math.ceil((p + 1) * high / bins[0] + top)
        start, stop = math.floor(q * wide / bins[1] + left), math.ceil((q + 1) * wide / bins[1] + left)
        yield range(max(first, 0), min(end, _HIGH)), range(max(start, 0), min(stop, _WIDE))


def pooled() -> tuple[np.ndarray, np.ndarray]:
    """The largest pixels of bins, and their numbers."""
    most, places = np.zeros((3, 3, 2, _CHANNELS)), np.full((3, 3, 2, _CHANNELS), -1)
    for roi, box in enumerate(ROIS.tolist()):
        for at, (rows, columns) in enumerate(pixels_of(box, (3, 2), own=False)):
            for channel in range(_CHANNELS):
                held = {(i, j): float(IMAGES[int(box[0]), i, j, channel]) for i in rows for j in columns}
                if held:
                    best = max(held, key=held.__getitem__)
                    most[roi, at // 2, at % 2, channel] = held[best]
                    places[roi, at // 2, at % 2, channel] = best[0] * _WIDE + best[1]
    return most, places


POOLED, PLACES = pooled()
COMING = RANDOM.normal(size=(3, 3, 2, _CHANNELS))


def pooled_back() -> np.ndarray:
    made = np.zeros(IMAGES.shape)
    for roi, p, q, channel in np.ndindex(COMING.shape):
        row, column = divmod(int(PLACES[roi, p, q, channel]), _WIDE)
        made[int(ROIS[roi, 0]), row, column, channel] += COMING[roi, p, q, channel]
    return made


_DEEP = RANDOM.normal(size=(2, _HIGH, _WIDE, 8))
_OWN = RANDOM.normal(size=(3, 2, 2, 2))


def own() -> tuple[np.ndarray, np.ndarray]:
    """The means of bins in channels of their own, and what comes back."""
    made, back = np.zeros((3, 2, 2, 2)), np.zeros(_DEEP.shape)
    for roi, box in enumerate(ROIS.tolist()):
        for at, (rows, columns) in enumerate(pixels_of(box, (2, 2), own=True)):
            for result in range(2):
                inside = [(int(box[0]), i, j, result * 4 + at) for i in rows for j in columns]
                made[roi, at // 2, at % 2, result] = sum(_DEEP[one] for one in inside) / max(len(inside), 1)
                for one in inside:
                    back[one] += _OWN[roi, at // 2, at % 2, result] / len(inside)
    return made, back


_BOXES = np.array([[[0.5, 1.0, 5.0, 4.5], [1.0, 0.0, 6.5, 3.0]], [[2.0, 2.0, 4.0, 5.5], [0.0, 0.5, 3.5, 5.0]]])
_BORDERED = RANDOM.normal(size=(2, _HIGH, _WIDE, 4, _CHANNELS))


def along(box: Sequence[float], border: int, step: int) -> tuple[float, float]:
    left, top, right, low = box
    share = step / 3
    return [
        (top, left + share * (right - left)), (top + share * (low - top), left),
        (low, right - share * (right - left)), (low - share * (low - top), right),
    ][border]  # fmt: skip


def bordered() -> tuple[np.ndarray, np.ndarray]:
    """The largest samples along borders, and which they are."""
    most, which = np.zeros((2, 2, 4, _CHANNELS)), np.zeros((2, 2, 4, _CHANNELS), int)
    for n, box, border, channel in np.ndindex(most.shape):
        samples = []
        for step in range(4):
            taps = around(*along(_BOXES[n, box].tolist(), border, step))
            samples.append(sum(w * float(_BORDERED[n][at][border, channel]) for at, w in taps.items()))
        most[n, box, border, channel], which[n, box, border, channel] = max(samples), samples.index(max(samples))
    return most, which


BORDERS, STEPS = bordered()
_TO_BORDERS = RANDOM.normal(size=BORDERS.shape)


def bordered_back() -> np.ndarray:
    made = np.zeros(_BORDERED.shape)
    for n, box, border, channel in np.ndindex(BORDERS.shape):
        point = along(_BOXES[n, box].tolist(), border, int(STEPS[n, box, border, channel]))
        for at, w in around(*point).items():
            made[n][at][border, channel] += w * _TO_BORDERS[n, box, border, channel]
    return made


_PER_PIXEL = RANDOM.uniform(0, 5, (2, _HIGH, _WIDE, 5))
_LIKE = RANDOM.normal(size=IMAGES.shape)


def featured() -> tuple[np.ndarray, np.ndarray]:
    """Each pixel with what lies at five points of its box, and what comes back."""
    made, back = IMAGES.copy(), _LIKE.copy()
    for n, i, j in np.ndindex(2, _HIGH, _WIDE):
        y, x, wide, high, angle = (
            one * scale for one, scale in zip(_PER_PIXEL[n, i, j].tolist(), [SCALE] * 4 + [1], strict=True)
        )
        sides = [(0, 0), (1, 1), (-1, 1), (-1, -1), (1, -1)]
        for across, down in sides:
            p = y + math.sin(angle) * wide / 2 * across + math.cos(angle) * high / 2 * down
            q = x + math.cos(angle) * wide / 2 * across - math.sin(angle) * high / 2 * down
            for at, w in around(p, q).items():
                made[n, i, j] += w * IMAGES[n][at]
                back[n][at] += w * _LIKE[n, i, j]
    return made, back


_GRID = RANDOM.uniform(-1.2, 1.2, (4, 3, 2, 2))
_TO_GRID = RANDOM.normal(size=(4, 3, 2, _CHANNELS))


def cropped() -> tuple[np.ndarray, np.ndarray]:
    made, back = np.zeros(_TO_GRID.shape), np.zeros(IMAGES.shape)
    for g, p, q in np.ndindex(4, 3, 2):
        y, x = ((float(one) + 1) * (length - 1) / 2 for one, length in zip(_GRID[g, p, q], (_HIGH, _WIDE), strict=True))
        for at, w in around(y, x, inner=True).items():
            made[g, p, q] += w * IMAGES[g // 2][at]
            back[g // 2][at] += w * _TO_GRID[g, p, q]
    return made, back


_ALIGNED = {"spatial_scale": SCALE, "sampling_ratio": 2}
_BACK = RANDOM.normal(size=(2, 3, 2, _CHANNELS))
REGIONS: Mapping[str, Case] = {
    "roi align": (mean_of(taps_of(ROIS)).reshape(3, 3, 2, 2), [IMAGES, ROIS], _ALIGNED),
    "roi align backward": (back_of(taps_of(ROIS), COMING), [COMING, ROIS], _ALIGNED),
    "roi align rotated": (mean_of(turned_taps(_TURNED)).reshape(2, 3, 2, 2), [IMAGES, _TURNED], _ALIGNED),
    "roi align rotated backward": (back_of(turned_taps(_TURNED), _BACK), [_BACK, _TURNED], _ALIGNED),
    "deform roi pool": (
        mean_of(moved_taps()).reshape(3, 3, 2, 2),
        [IMAGES, ROIS, _MOVES],
        {**_ALIGNED, "gamma": 0.1},
    ),
    "deform roi pool backward": (back_of(moved_taps(), COMING), [COMING, ROIS, _MOVES], {**_ALIGNED, "gamma": 0.1}),
    "roi pool": (POOLED, [IMAGES, ROIS], {"scale": SCALE}),
    "roi pool backward": (pooled_back(), [COMING, ROIS, PLACES], {"scale": SCALE}),
    "ps roi pool": (own()[0], [_DEEP, ROIS], {"scale": SCALE}),
    "ps roi pool backward": (own()[1], [_OWN, ROIS], {"scale": SCALE}),
    "border align": (BORDERS, [_BORDERED, _BOXES], {"pool_size": 3}),
    "border align backward": (bordered_back(), [_TO_BORDERS, _BOXES, STEPS], {"pool_size": 3}),
    "rotated feature align": (featured()[0], [IMAGES, _PER_PIXEL], {"scale": SCALE}),
    "rotated feature align backward": (featured()[1], [_LIKE, _PER_PIXEL], {"scale": SCALE}),
    "roi crop": (cropped()[0], [IMAGES, _GRID], {}),
    "roi crop backward": (cropped()[1], [_TO_GRID, _GRID], {}),
}
