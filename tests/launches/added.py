"""A kernel that adds to an array in parts, right and wrong, and its launch."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlusim.simulator import Device, Run, launch

from tests.support.devices import device

N = 1000


def add(m: Any, target: Any, source: Any, begin: int, count: int, what: float = 1.0) -> None:
    """target[begin:] = source[begin:] + what, ``count`` elements."""
    if count <= 0:
        return
    tile = m.nram("float", N)
    m.__memcpy(tile, source + begin, count * 4, m.GDRAM2NRAM)
    m.__bang_add_scalar(tile, tile, what, count)
    m.__memcpy(target + begin, tile, count * 4, m.NRAM2GDRAM)


def even(m: Any, out: Any, source: Any, n: int) -> None:
    each = -(-n // m.taskDim)
    add(m, out, source, m.taskId * each, min(each, n - m.taskId * each))


def rest_twice(m: Any, out: Any, source: Any, n: int) -> None:
    """What the division leaves over is added to in another way, which is wrong."""
    each = n // m.taskDim
    add(m, out, source, m.taskId * each, each)
    if m.taskId == m.taskDim - 1:
        add(m, out, source, m.taskDim * each, n % m.taskDim, 2.0)


def launched(kernel: Any, tasks: int = 4, n: int = N, on: Device | None = None, **how: Any) -> tuple[Run, np.ndarray]:
    out, source = np.zeros(N, np.float32), np.arange(N, dtype=np.float32)
    how.setdefault("on_finding", "collect")
    return launch(kernel, (tasks, 1, 1), args=[out, source, n], device=on or device(), **how), out
