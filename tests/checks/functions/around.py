"""Lattices, masks around pixels, points in boxes and columns of some pixels in plain Python."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import RANDOM

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
DOWN, ACROSS, _LAST = RANDOM.normal(size=(2, 2, 4)), RANDOM.normal(size=(2, 3, 3)), RANDOM.normal(size=2)

Step = tuple[str, int, int]


def paths(s: int, t: int) -> Iterator[list[Step]]:
    """All ways to a point of a lattice."""
    for downs in itertools.combinations(range(s + t), s):
        i, j, steps = 0, 0, []
        for at in range(s + t):
            steps.append(("down", i, j) if at in downs else ("across", i, j))
            i, j = (i + 1, j) if at in downs else (i, j + 1)
        yield steps


def weight(batch: int, steps: Sequence[Step]) -> float:
    return sum(float((DOWN if kind == "down" else ACROSS)[batch, i, j]) for kind, i, j in steps)


def informed(batch: int, s: int, t: int) -> float:
    return math.log(sum(math.exp(weight(batch, one)) for one in paths(s, t)))


POINTS = np.array([[[informed(b, s, t) for t in range(4)] for s in range(3)] for b in range(2)])


def used(kind: str) -> np.ndarray:
    """How much of all paths takes each step, times what comes back."""
    made = np.zeros((DOWN if kind == "down" else ACROSS).shape)
    for b, steps in itertools.product(range(2), paths(2, 3)):
        for one, i, j in steps:
            if one == kind:
                made[b, i, j] += math.exp(weight(b, steps) - informed(b, 2, 3)) * _LAST[b]
    return made


IMAGES, MASKS = RANDOM.normal(size=(2, 3, 4, 4)), RANDOM.normal(size=(2, 6, 8, 18))  # of two groups
_COMING = RANDOM.normal(size=(2, 6, 8, 4))


def reassembled() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums around pixels, and what comes back to images and masks."""
    made, back, of_masks = np.zeros(_COMING.shape), np.zeros(IMAGES.shape), np.zeros(MASKS.shape)
    for n, y, x, c, i, j in np.ndindex(*_COMING.shape, 3, 3):
        p, q, at = y // 2 + i - 1, x // 2 + j - 1, c // 2 * 9 + i * 3 + j
        if 0 <= p < 3 and 0 <= q < 4:
            made[n, y, x, c] += IMAGES[n, p, q, c] * MASKS[n, y, x, at]
            back[n, p, q, c] += _COMING[n, y, x, c] * MASKS[n, y, x, at]
            of_masks[n, y, x, at] += _COMING[n, y, x, c] * IMAGES[n, p, q, c]
    return made, back, of_masks


SPREAD = RANDOM.normal(size=(2, 3, 4, 15))
_FROM = RANDOM.normal(size=(2, 3, 4, 12))


def spread(collect: bool) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of masks of 3x5 among all pixels, and what comes back."""
    made, back = np.zeros((2, 3, 4, 12)), np.zeros(SPREAD.shape)
    for n, h, w, i, j in np.ndindex(2, 3, 4, 3, 5):
        y, x = h + i - 1, w + j - 2
        if 0 <= y < 3 and 0 <= x < 4:
            at = (n, h, w, y * 4 + x) if collect else (n, y, x, h * 4 + w)
            made[at] = SPREAD[n, h, w, i * 5 + j]
            back[n, h, w, i * 5 + j] = _FROM[at]
    return made, back


_PLACES = RANDOM.uniform(0, 6, (2, 20, 3))
_BOXES = np.concatenate(
    [RANDOM.uniform(1, 5, (2, 3, 3)), RANDOM.uniform(2, 5, (2, 3, 3)), RANDOM.uniform(-1, 1, (2, 3, 1))], axis=2
)


def is_inside(point: Sequence[float], box: Sequence[float]) -> bool:
    (x, y, z), (left, front, low, long, wide, high, angle) = point, box
    across, along = x - left, y - front
    turned = across * math.cos(angle) + along * math.sin(angle), along * math.cos(angle) - across * math.sin(angle)
    return abs(z - low) <= high / 2 and abs(turned[0]) < long / 2 and abs(turned[1]) < wide / 2


INSIDE = np.array(
    [[[is_inside(p, b) for b in _BOXES[n].tolist()] for p in _PLACES[n].tolist()] for n in range(2)]
)  # fmt: skip
_FIRST = np.array([[one.index(True) if True in one else -1 for one in points] for points in INSIDE.tolist()])
_VOXELS = RANDOM.integers(-1, 5, (2, 6, 3))
_FEATURES = RANDOM.normal(size=(2, 6, 3))


def added_up() -> np.ndarray:
    made = np.zeros((2, 3, 4, 3))
    for n, at in np.ndindex(2, 6):
        x, y, z = _VOXELS[n, at].tolist()
        if 0 <= x < 4 and 0 <= y < 3 and 0 <= z < 2:
            made[n, y, x] += _FEATURES[n, at]
    return made


_LISTS = np.array([[2, 4, 1, 0], [0, 0, 0, 0], [3, 1, 0, 2]])
_MOST = np.array([[4, -1], [2, 0], [1, 2]])
_TO_POINTS = RANDOM.normal(size=(3, 2))


def back_to_points(means: bool) -> np.ndarray:
    made = np.zeros((5, 2))
    for voxel, channel in np.ndindex(3, 2):
        count, *listed = _LISTS[voxel].tolist()
        places = listed[:count] if means else [int(_MOST[voxel, channel])]
        for at in places:
            if at >= 0:
                made[at, channel] += _TO_POINTS[voxel, channel] / (count if means else 1)
    return made


_CLOUD = RANDOM.uniform(-1, 9, (10, 4)).astype(np.float32)
_SIZES = {"x": 2.0, "y": 2.5, "z": 4.0, "x0": 0.0, "y0": 0.0, "z0": 0.0, "x1": 8.0, "y1": 7.5, "z1": 8.0}


def voxels() -> np.ndarray:
    found = []
    for x, y, z, _ in _CLOUD.tolist():
        at = math.floor(z / 4), math.floor(y / 2.5), math.floor(x / 2)
        found.append(at if all(0 <= one < n for one, n in zip(at, (2, 3, 4), strict=True)) else (-1, -1, -1))
    return np.array(found)


_ONE, _DOWN, _ACROSS = RANDOM.normal(size=(4, 5, 2)), np.array([0, 3, 2]), np.array([4, 1, 2])
_COLUMNS = np.zeros((3, 3, 3, 2))
for _n, _i, _j in np.ndindex(3, 3, 3):
    _y, _x = _DOWN[_n] + _i - 1, _ACROSS[_n] + _j - 1
    if 0 <= _y < 4 and 0 <= _x < 5:
        _COLUMNS[_n, _i, _j] = _ONE[_y, _x]
_SET, _NUMBERS = np.zeros((4, 5, 2)), RANDOM.normal(size=(3, 2))
for _n in range(3):
    _SET[_DOWN[_n], _ACROSS[_n]] = _NUMBERS[_n]

_MASKED = {"h_mask": 3, "w_mask": 5}
AROUND: Mapping[str, Case] = {
    "mutual information": (POINTS, [DOWN, ACROSS], {}),
    "mutual information backward": (used("down"), [DOWN, ACROSS, POINTS, _LAST], {}),
    "carafe": (reassembled()[0], [IMAGES, MASKS], {"kernel": 3}),
    "carafe backward": (reassembled()[1], [_COMING, MASKS], {"kernel": 3}),
    "psamask": (spread(True)[0], [SPREAD], _MASKED),
    "psamask backward": (spread(False)[1], [_FROM], _MASKED),
    "points in boxes": (_FIRST, [_PLACES, _BOXES], {}),
    "voxel pooling": (added_up(), [_VOXELS, _FEATURES], {"batch": 2, "x": 4, "y": 3, "z": 2}),
    "roiaware avg pool backward": (back_to_points(True), [_LISTS, _TO_POINTS], {}),
    "roiaware max pool backward": (back_to_points(False), [_MOST, _TO_POINTS], {}),
    "dynamic voxelize": (voxels(), [_CLOUD], _SIZES),
    "masked im2col": (_COLUMNS, [_ONE, _DOWN, _ACROSS], {"kernel": 3, "pad": 1}),
    "masked col2im": (_SET, [_NUMBERS, _DOWN, _ACROSS], {}),
}
#: Other results of the same functions.
OTHERS: Sequence[tuple[str, Any, Sequence[np.ndarray], Mapping[str, float]]] = [
    ("mutual_information", POINTS[:, 2, 3], [DOWN, ACROSS], {}),
    ("mutual_information_backward", used("across"), [DOWN, ACROSS, POINTS, _LAST], {}),
    ("carafe_backward", reassembled()[2], [_COMING, IMAGES], {"kernel": 3}),
    ("psamask", spread(False)[0], [SPREAD], _MASKED),
    ("psamask_backward", spread(True)[1], [_FROM], _MASKED),
    ("points_in_boxes_all", INSIDE, [_PLACES, _BOXES], {}),
    ("dynamic_voxelize", voxels().T.copy(), [_CLOUD], _SIZES),
    ("psamask", np.moveaxis(spread(True)[0], -1, 1).copy(), [np.moveaxis(SPREAD, -1, 1).copy()], _MASKED),
    (
        "carafe",
        np.moveaxis(reassembled()[0], -1, 1).copy(),
        [np.moveaxis(one, -1, 1).copy() for one in (IMAGES, MASKS)],
        {"kernel": 3},
    ),
]
