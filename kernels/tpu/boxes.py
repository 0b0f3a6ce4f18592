"""Operators on boxes."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from mlusim.simulator import Device, Run

from .launching import check_axes, check_device, checked_number, checked_source, float_array, launched

#: Boxes at a time: their pairs take as many bytes as the square of that.
_MOST = 16384


def nms(
    device: Device, boxes: Any, scores: Any, threshold: float, *, source: str = "c", on_finding: str = "raise"
) -> Run:
    """The boxes that stay when those are suppressed which overlap a box of a higher score.

    ``boxes`` has shape [n, 4], x1, y1, x2 and y2 of each, with x1 <= x2 and y1 <= y2, and ``scores`` [n]; both are
    float32, float16 or bfloat16, and there are at most 16384 boxes. Two boxes overlap where what they share is more
    than ``threshold`` times what they cover together, in 32 bits. ``run.output`` has the indices of those that stay,
    int32, in the order of their scores; of equal scores the first box is the better one. ``source`` is as in
    `softmax`. The pairs are shared out over the cores. Raises ValueError or TypeError for wrong arguments, before
    anything runs; KernelError as `Program.launch` does.
    """
    check_device("nms", device)
    where = checked_source(source, "nms.c", device)
    corners, rated = float_array("boxes", boxes, device), float_array("scores", scores, device)
    check_axes("boxes", corners, 2, 2)
    if corners.shape[1] != 4:
        raise ValueError(f"boxes has shape {list(corners.shape)}; pass one of [n, 4]: x1, y1, x2, y2 of each box")
    n = len(corners)
    if rated.shape != (n,):
        raise ValueError(f"scores has shape {list(rated.shape)} and boxes {list(corners.shape)}; pass one for each box")
    if n > _MOST:
        raise ValueError(f"boxes has {n} boxes; pass at most {_MOST} at a time")
    limit = checked_number("threshold", threshold, -math.inf)
    if not n:
        return Run.empty(device, np.empty(0, np.int32))
    stride = -(-n // 8) * 8
    kept, count = np.zeros(n, np.int32), np.zeros(1, np.int32)
    scratch = {
        "sorted": np.empty(n, np.float32), "order": np.empty(n, np.int32), "ordered": np.zeros((stride, 4), np.float32),
        "overlaps": np.empty((n, stride), np.uint8), "suppressed": np.empty(stride, np.uint8),
    }  # fmt: skip
    run = launched(
        device, where, "nms", kept, on_finding, count=count, n=n, stride=stride, threshold=limit,
        boxes=corners.astype(np.float32), scores=rated.astype(np.float32), **scratch,
    )  # fmt: skip
    return dataclasses.replace(run, output=kept[: count[0]].copy())
