"""What the kernels of these tests have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlusim.simulator import Run, launch

from tests.support.devices import device

N = 64
BYTES = 4 * N


def run(kernel: Callable[..., object], *arrays: np.ndarray, tasks: int = 1, kind: str = "block", **more: Any) -> Run:
    return launch(kernel, (tasks, 1, 1), kind, list(arrays), device=device(), on_finding="collect", **more)


def rules(found: Run) -> list[str]:
    return sorted(finding.rule for finding in found.findings)


def zeros(count: int) -> np.ndarray:
    return np.zeros(count, np.float32)


def store(m: Any, target: Any, value: float, count: int = N) -> None:
    """Write a value to elements of device memory."""
    piece = m.nram("float", N)
    m.__bang_write_value(piece, N, value)
    m.__memcpy(target, piece, 4 * count, m.NRAM2GDRAM)
