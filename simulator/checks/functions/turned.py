"""Overlaps of boxes that are turned."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, spelled

#: Pairs of boxes, at most.
_MOST_PAIRS = 1 << 12


def _corners(box: np.ndarray) -> np.ndarray:
    """Four corners of (x, y, w, h, angle), in their order around it."""
    x, y, w, h, angle = box
    sine, cosine = np.sin(angle), np.cos(angle)
    at = np.array([[w, h], [-w, h], [-w, -h], [w, -h]]) / 2
    found: np.ndarray = at @ np.array([[cosine, sine], [-sine, cosine]]) + [x, y]
    return found


def _cut(polygon: list[np.ndarray], a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """What lies to the left of a line."""
    kept = []
    for at, point in enumerate(polygon):
        before = polygon[at - 1]
        here, there = (float((b - a)[0] * (one - a)[1] - (b - a)[1] * (one - a)[0]) for one in (point, before))
        if (here >= 0) != (there >= 0):
            kept.append(before + (point - before) * (there / (there - here)))
        if here >= 0:
            kept.append(point)
    return kept


def _common(one: np.ndarray, other: np.ndarray) -> float:
    """The area of both boxes together."""
    polygon, sides = [*_corners(one)], _corners(other)
    for at in range(4):
        polygon = _cut(polygon, sides[at - 1], sides[at]) if polygon else []
    points = np.array(polygon).reshape(-1, 2)
    after = np.roll(points, -1, axis=0)
    return abs(float((points[:, 0] * after[:, 1] - points[:, 1] * after[:, 0]).sum())) / 2


def _boxes(x: Input) -> Iterator[tuple[str, np.ndarray]]:
    """Boxes (x, y, w, h, angle), or (x, y, z, dx, dy, dz, angle) from above."""
    if x.size and x.size % 5 == 0 and x.values.shape[-1] in (5, x.size):
        yield "", x.flat.reshape(-1, 5)
    if x.size and x.size % 7 == 0 and x.values.shape[-1] in (7, x.size):
        yield " from above", x.flat.reshape(-1, 7)[:, [0, 1, 3, 4, 6]]


@function("box iou rotated")
def _overlaps(problem: Problem) -> Iterator[Formula]:
    """Of each with each or in pairs; by the union, by the first of both, or as areas."""
    for x, y in permutations(problem.floats, 2):
        for (how, a), (other, b) in product(_boxes(x), _boxes(y)):
            in_pairs = len(a) == len(b) == problem.size
            if how != other or not (in_pairs or len(a) * len(b) == problem.size) or problem.size > _MOST_PAIRS:
                continue
            both = [*zip(a, b, strict=True)] if in_pairs else [*product(a, b)]
            common = np.array([_common(*pair) for pair in both])
            of_a, of_b = (np.array([pair[at][2] * pair[at][3] for pair in both]) for at in (0, 1))
            text = f"overlaps({x.name}, {y.name}){how}"
            yield Formula(f"{text} by the union", common / np.maximum(of_a + of_b - common, 1e-14))
            yield Formula(f"{text} by the first", common / np.maximum(of_a, 1e-14))
            yield Formula(f"areas of {text}", common)


spelled(
    "box iou rotated",
    """boxes iou bev, boxes overlap bev, rotated iou, rotated box iou, iou rotated, iou3d boxes overlap bev, iou3d
    boxes iou bev, boxes aligned overlap bev, box overlaps rotated, boxes aligned iou bev, paired boxes overlap
    bev""",
)
