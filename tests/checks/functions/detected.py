"""Boxes of detectors and points of clouds in plain Python, and what they are asked of."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elements import RANDOM, sigmoid

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
_LEAST, _MOST, _RATIOS = np.array([4.0, 8.0]), np.array([6.0, 12.0]), np.array([1.0, 2.0, 0.5])
_OUT, _SIZES, _ANCHORS = RANDOM.normal(size=(2, 16, 3, 2)), np.array([[60, 40], [50, 70]]), np.array([10, 13, 16, 30])
_CORNERS = RANDOM.uniform(0, 9, (12, 2))
_BOXES = np.concatenate([_CORNERS, _CORNERS + RANDOM.uniform(2, 6, (12, 2))], axis=1)
_DELTAS = RANDOM.normal(size=(12, 4)) / 4
_CLOUD, _OTHER = RANDOM.normal(size=(2, 9, 3)), RANDOM.normal(size=(2, 4, 3))


def priors() -> np.ndarray:
    """Those of all ratios first, then one between both sizes."""
    made = []
    for i, j in itertools.product(range(2), range(3)):
        x, y = (j + 0.5) * 8.0, (i + 0.5) * 8.0
        for least, most in zip(_LEAST.tolist(), _MOST.tolist(), strict=True):
            sizes = [(least * math.sqrt(r), least / math.sqrt(r)) for r in _RATIOS.tolist()] + [
                (math.sqrt(least * most),) * 2
            ]
            for w, h in sizes:
                corners = ((x - w / 2) / 30, (y - h / 2) / 20, (x + w / 2) / 30, (y + h / 2) / 20)
                made.append([min(max(one, 0), 1) for one in corners])
    return np.array(made)


def yolo() -> np.ndarray:
    """Two anchors with three classes at each of 3 x 2 places."""
    made = np.zeros((2, 2, 4, 3, 2))
    for n, anchor, i, j in np.ndindex(2, 2, 3, 2):
        x, y, w, h, sure, *_ = _OUT[n, anchor * 8 : anchor * 8 + 8, i, j].tolist()
        if sigmoid(sure) < 0.4:
            continue
        high, wide = _SIZES[n].tolist()
        x, y = (j + sigmoid(x)) * wide / 2, (i + sigmoid(y)) * high / 3
        w, h = (
            math.exp(one) * of
            for one, of in ((w, _ANCHORS[2 * anchor] * wide / 64), (h, _ANCHORS[2 * anchor + 1] * high / 96))
        )
        made[n, anchor, :, i, j] = (
            max(x - w / 2, 0), max(y - h / 2, 0), min(x + w / 2, wide - 1), min(y + h / 2, high - 1),
        )  # fmt: skip
    return made


def overlap(a: Sequence[float], b: Sequence[float]) -> float:
    wide, high = (max(0.0, min(a[at + 2], b[at + 2]) - max(a[at], b[at])) for at in (0, 1))
    whole = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return wide * high / (whole - wide * high)


def masks() -> np.ndarray:
    boxes = _BOXES.tolist()
    bits = [sum(1 << j for j in range(i + 1, 12) if overlap(boxes[i], boxes[j]) > 0.1) for i in range(12)]
    return np.array(bits, np.uint64)


def decoded(box: Sequence[float], delta: Sequence[float]) -> list[float]:
    w, h = box[2] - box[0], box[3] - box[1]
    x, y = box[0] + w / 2 + delta[0] * w, box[1] + h / 2 + delta[1] * h
    w, h = w * math.exp(delta[2]), h * math.exp(delta[3])
    return [x - w / 2, y - h / 2, x + w / 2, y + h / 2]


def furthest() -> np.ndarray:
    made = []
    for points in _CLOUD.tolist():
        chosen = [0]
        while len(chosen) < 4:
            apart = [min(math.dist(p, points[at]) for at in chosen) for p in points]
            chosen.append(apart.index(max(apart)))
        made.append(chosen)
    return np.array(made)


def rotated(box: Sequence[float], angle: float) -> list[float]:
    """A box (left, top, right, bottom) that is turned around the origin, as (x, y, w, h, angle)."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    sine, cosine = math.sin(angle), math.cos(angle)
    return [x * cosine - y * sine, x * sine + y * cosine, box[2] - box[0], box[3] - box[1], angle]


_TURN = 0.4
_TURNED = np.array([rotated(box, _TURN) for box in _BOXES[:3].tolist()])
#: The same angle, but for a right angle by which their sides are exchanged.
_ALSO_TURNED = np.array([rotated(box, _TURN) for box in _BOXES[3:].tolist()])[:, [0, 1, 3, 2, 4]] + [
    0,
    0,
    0,
    0,
    math.pi / 2,
]


DETECTED: Mapping[str, Case] = {
    "prior box": (
        priors(), [_LEAST, _RATIOS, _MOST],
        {"h": 2, "w": 3, "im_h": 20, "im_w": 30, "step_h": 8.0, "step_w": 8.0, "offset": 0.5},
    ),
    "yolo box": (
        yolo(), [_OUT, _SIZES, _ANCHORS],
        {"class_num": 3, "conf_thresh": 0.4, "downsample": 32, "clip": 1, "scale": 1.0},
    ),
    "nms": (masks(), [_BOXES], {"threshold": 0.1}),
    "box decode": (
        np.array([decoded(*both) for both in zip(_BOXES.tolist(), _DELTAS.tolist(), strict=True)]),
        [_BOXES, _DELTAS], {},
    ),
    "clip boxes": (
        np.array([[min(one, 7 - 3 * (at % 2)) for at, one in enumerate(row)] for row in _BOXES.tolist()]),
        [_BOXES], {"h": 4, "w": 7},
    ),
    "furthest point sampling": (furthest(), [_CLOUD], {"b": 2, "n": 9, "m": 4}),
    "chamfer distance": (
        np.array([
            [min(math.dist(p, q) ** 2 for q in b) for p in a]
            for a, b in zip(_CLOUD.tolist(), _OTHER.tolist(), strict=True)
        ]),
        [_CLOUD, _OTHER], {"b": 2},
    ),
    "box iou rotated": (
        np.array([[overlap(a, b) for b in _BOXES[3:].tolist()] for a in _BOXES[:3].tolist()]),
        [_TURNED, _ALSO_TURNED], {},
    ),
}  # fmt: skip
