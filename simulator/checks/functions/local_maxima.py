"""Boxes that are kept if none that overlaps them has a larger score, of several images."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from . import detected  # noqa: F401  (whose function has more forms here)
from .problem import VAGUE, Formula, Input, Problem, also

#: Pairs of boxes, at most.
_MOST_PAIRS = 1 << 22


@also("nms")
def _kept(problem: Problem) -> Iterator[Formula]:
    """All are compared with all: which are kept, of those that have a score that is passed or more."""
    for boxes, scores in permutations(problem.inputs, 2):
        n = scores.values.shape[-1] if scores.axes else 0
        if n == 0 or scores.size != problem.size or boxes.size != 4 * scores.size or n * scores.size > _MOST_PAIRS:
            continue
        score = scores.values.reshape(-1, n)
        for how, (over, areas) in _overlaps(boxes, n).items():
            larger = score[:, None] > score[:, :, None]
            tied = (score[:, None] == score[:, :, None]) & (areas[:, None] > areas[:, :, None])
            for limit in problem.factors:
                above = (over > np.float32(limit)) & ~np.eye(n, dtype=bool)
                for least in (-np.inf, *(other for other in problem.factors if other != limit)):
                    text = f"boxes of {boxes.name} ({how}) by {scores.name} over {limit:g}, from {least:g} on"
                    counts = score >= np.float32(least)
                    for ties, better in (("", larger), (", ties by areas", larger | tied)):
                        made = counts & ~(above & better).any(axis=2)
                        yield Formula(f"{text}, all with all{ties}", made.reshape(-1).astype(np.float64))
                    yield Formula(f"{text}, in their order", _in_order(score, above & counts[:, None]) * counts.flat)


def _in_order(score: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Those that no box which is kept itself drops, from the largest score on."""
    kept = np.ones(score.shape, dtype=bool)
    for image, each in enumerate(np.argsort(-score, axis=1, kind="stable")):
        for at, box in enumerate(each):
            kept[image, box] = not (above[image, box, each[:at]] & kept[image, each[:at]]).any()
    return kept.reshape(-1).astype(np.float64)


def _of_images(problem: Problem) -> bool:
    """Whether there are the boxes and the scores of several images, and as many results."""
    shapes = [one.values.shape for one in problem.inputs if one.name != problem.output]
    return len(shapes) == 2 and problem.shape in shapes and len(problem.shape) == 2 and len(problem.factors) == 2


VAGUE["nms"] = _of_images


def _overlaps(boxes: Input, n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The overlaps [image, n, n] by their union and the areas of boxes, whose second pair is a size or a corner."""
    rows = boxes.values.reshape(-1, n, 4)
    rows = rows.astype(np.float32 if rows.dtype.kind == "f" else np.float64)
    first, found = rows[..., :2], {}
    for how, last in (("sizes", rows[..., :2] + rows[..., 2:]), ("corners", rows[..., 2:])):
        size = np.minimum(last[:, :, None], last[:, None]) - np.maximum(first[:, :, None], first[:, None])
        common = np.where((size > 0).all(axis=-1), size.prod(axis=-1), 0)
        area = (last - first).prod(axis=-1)
        union = area[:, :, None] + area[:, None] - common
        found[how] = (common / np.where(union > 0, union, np.inf)).astype(np.float32), area
    return found
