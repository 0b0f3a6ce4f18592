"""Functions of points, boxes, losses of rows and experts in plain Python, and what they are asked of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elements import PART, RANDOM, SIGNED

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]

_POINTS, _KNOWN = RANDOM.normal(size=(1, 4, 3)), RANDOM.normal(size=(1, 6, 3))
_APART = [[math.dist(p, q) for q in _KNOWN[0].tolist()] for p in _POINTS[0].tolist()]
_CORNERS = RANDOM.uniform(0, 5, (3, 2))
_BOXES = np.concatenate([_CORNERS, _CORNERS + RANDOM.uniform(2, 6, (3, 2))], axis=1)
_OTHERS = _BOXES[:2] + 0.5
_QUADS = np.array([[0, 0, 2, 0, 2, 3, 0, 3, 0.9], [1, 1, 1, 4, 3, 4, 3, 1, 0.5]], float)
_GATES, _ROWS = np.array([0.5, 1.5, 2.0]), RANDOM.normal(size=(3, 4))
_EXPERTS, _PLACES, _SENT = np.array([1, 0, 1]), np.array([0, 2, -1]), RANDOM.normal(size=(2, 3, 4))


def nearest(row: Sequence[float], count: int) -> list[int]:
    return sorted(range(len(row)), key=row.__getitem__)[:count]


def inside(row: Sequence[float], radius: float, count: int) -> list[int]:
    found = [at for at, apart in enumerate(row) if apart < radius][:count]
    return (found + found[:1] * count)[:count] if found else [0] * count


def overlap(a: Sequence[float], b: Sequence[float]) -> float:
    wide, high = (max(0.0, min(a[at + 2], b[at + 2]) - max(a[at], b[at])) for at in (0, 1))
    whole = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return wide * high / (whole - wide * high)


def dispatched() -> np.ndarray:
    made = np.zeros((2, 3, 4))
    for gate, row, expert, place in zip(_GATES, _ROWS, _EXPERTS, _PLACES, strict=True):
        if place >= 0:
            made[expert, place] += gate * row
    return made


_TO = zip(_GATES.tolist(), _EXPERTS.tolist(), _PLACES.tolist(), strict=True)
_BACK = np.array([[gate * x if at >= 0 else 0.0 for x in _SENT[to, at].tolist()] for gate, to, at in _TO])
_TRIPLES = zip(SIGNED.tolist(), PART.tolist(), (SIGNED + PART).tolist(), strict=True)
_SUMS = [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(SIGNED.tolist(), PART.tolist(), strict=True)]
_UNITS = [[x / math.sqrt(statistics.fmean(y * y for y in row) + 1e-5) for x in row] for row in _SUMS]
_EVEN = [
    [(x - statistics.fmean(row)) / math.sqrt(statistics.pvariance(row) + 1e-5) for x in row] for row in _SUMS
]  # fmt: skip
_QUERIES, _PAGES = RANDOM.normal(size=(2, 4, 3)), RANDOM.normal(size=(5, 2, 3, 2))  # [page, place, element, head]
_PAGES = np.ascontiguousarray(_PAGES.transpose(0, 3, 1, 2))
_TABLE, _LENGTHS = np.array([[4, 1, 0], [2, 0, 0]]), np.array([5, 2])
_SIZES = {"heads": 4, "kv_heads": 2, "depth": 3, "page": 2}


def attended(sequence: int, head: int) -> list[float]:
    """The attention of one head of four to keys and values of two, by the table of pages."""
    at = [(_TABLE[sequence, n // 2], head // 2, n % 2) for n in range(_LENGTHS[sequence])]
    query = _QUERIES[sequence, head].tolist()
    scores = [sum(a * b for a, b in zip(query, _PAGES[one].tolist(), strict=True)) / math.sqrt(3) for one in at]
    total = sum(map(math.exp, scores))
    return [
        sum(math.exp(score) / total * _PAGES[::-1][one][n] for score, one in zip(scores, at, strict=True))
        for n in range(3)
    ]


_ATTENDED = np.array([[attended(sequence, head) for head in range(4)] for sequence in range(2)])
ROUTED: Mapping[str, Case] = {
    "three nn": (
        np.array([[row[at] ** 2 for at in nearest(row, 3)] for row in _APART]),
        [_POINTS, _KNOWN.transpose(0, 2, 1)],
        {"n": 4, "m": 6},
    ),
    "knn": (np.array([nearest(row, 2) for row in _APART]), [_POINTS, _KNOWN], {"k": 2}),
    "ball query": (
        np.array([inside(row, 1.5, 3) for row in _APART]),
        [_POINTS, _KNOWN],
        {"min_radius": 0.0, "max_radius": 1.5},
    ),
    "box overlaps": (
        np.array([[overlap(a, b) for b in _OTHERS.tolist()] for a in _BOXES.tolist()]),
        [_BOXES, _OTHERS],
        {},
    ),
    "polygon area": (np.array([6.0, 6.0]), [_QUADS], {}),
    "top k": (np.array([sorted(row)[:-4:-1] for row in SIGNED.tolist()]), [SIGNED], {"k": 3}),
    "moe dispatch": (dispatched(), [_GATES, _EXPERTS, _PLACES, _ROWS], {"capacity": 3, "experts": 2}),
    "moe dispatch backward": (_BACK, [_GATES, _EXPERTS, _PLACES, _SENT], {"capacity": 3, "experts": 2}),
    "paged attention": (_ATTENDED, [_QUERIES, _PAGES, _PAGES[::-1], _TABLE, _LENGTHS], _SIZES),
    "rmse": (
        np.array([math.sqrt(statistics.fmean((x - y) ** 2 for x, y in zip(SIGNED.flat, PART.flat, strict=True)))]),
        [SIGNED, PART],
        {},
    ),
    "triplet margin loss": (
        np.array([max(0.0, math.dist(a, p) - math.dist(a, n) + 0.5) for a, p, n in _TRIPLES]),
        [SIGNED, PART, SIGNED + PART],
        {"margin": 0.5},
    ),
    "add rms norm": (np.array(_UNITS), [SIGNED, PART], {"eps": 1e-5}),
    "add layer norm": (np.array(_EVEN), [SIGNED, PART], {"eps": 1e-5}),
}
