"""nms against a loop over pairs in NumPy's 32-bit floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.kernels import nms

from tests.support.devices import device

from .common import CHIPS, TYPES, of_types, same_on_one_core


def some_boxes(n: int, dtype: np.dtype, spread: float = 20) -> tuple[np.ndarray, np.ndarray]:
    """Boxes of which some overlap, and scores of which some are equal."""
    rng = np.random.default_rng(n)
    corners, sizes = rng.uniform(0, spread, (n, 2)), rng.uniform(0, 6, (n, 2))
    return np.hstack([corners, corners + sizes]).astype(dtype), rng.integers(0, 2 * n, n).astype(dtype)


def kept(boxes: np.ndarray, scores: np.ndarray, threshold: float) -> list[int]:
    corners = boxes.astype(np.float32)
    sizes = corners[:, 2:] - corners[:, :2]
    areas = sizes[:, 0] * sizes[:, 1]
    found: list[int] = []
    for box in np.argsort(-scores.astype(np.float32), kind="stable").tolist():
        low, high = np.maximum(corners[found, :2], corners[box, :2]), np.minimum(corners[found, 2:], corners[box, 2:])
        shared = np.prod(np.maximum(high - low, np.float32(0)), axis=1, dtype=np.float32)
        if not (shared > (areas[found] + areas[box] - shared) * np.float32(threshold)).any():
            found.append(box)
    return found


@pytest.mark.parametrize("chip", CHIPS)
def test_nms(chip: str) -> None:
    for dtype, n in of_types((70, 1, 2, 65, 1100, 0)):
        boxes, scores = some_boxes(n, dtype)
        for threshold in (0.3,) if n > 100 else (0.0, 0.3, 2.0):
            run = nms(device(chip), boxes, scores, threshold)
            assert [str(finding) for finding in run.findings] == []
            assert run.output.tolist() == kept(boxes, scores, threshold)
            assert run.output.dtype == np.int32


def test_cores_do_not_change_a_bit_of_nms() -> None:
    same_on_one_core(nms, *some_boxes(600, TYPES[0]), 0.2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((3, 5), "f"), np.zeros(3, "f"), 0.5), r"boxes has shape \[3, 5\]; pass one of \[n, 4\]: x1, y1, x2"),
        (
            (np.zeros((3, 4), "f"), np.zeros(4, "f"), 0.5),
            r"scores has shape \[4\] and boxes \[3, 4\]; pass one for each",
        ),
        ((np.zeros((3, 4), "i"), np.zeros(3, "f"), 0.5), "boxes has dtype int32; bm1690 computes with float32"),
        ((np.zeros((3, 4), "f"), np.zeros(3, "f"), "0.5"), "threshold is '0.5'; pass a finite number"),
        ((np.zeros((16385, 4), "f"), np.zeros(16385, "f"), 0.5), "boxes has 16385 boxes; pass at most 16384 at a time"),
    ],
)
def test_wrong_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nms(device("bm1690"), *arguments)
