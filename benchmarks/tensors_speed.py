"""Instructions on matrices, images and masks beside the NumPy expression for the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from mlusim.simulator import launch

from .measure import Figure, best, device

_ROWS, _COLUMNS = 128, 256
_COUNT = _ROWS * _COLUMNS
_IMAGE = (16, 32, 64)  # height, width, channel


def tensors() -> Iterator[Figure]:
    """Calls of a Python kernel, so that their time is that of the issue port and of the semantics."""
    measured: dict[str, tuple[float, float]] = {}
    x = np.random.default_rng(1).random(2 * _COUNT).astype(np.float32)

    def kernel(mlu: Any, source: Any) -> None:
        a, mask, out = (mlu.nram("float", _COUNT) for _ in range(3))
        weights = mlu.wram("float", _COLUMNS * _COLUMNS)
        mlu.__memcpy(a, source, 4 * _COUNT, mlu.GDRAM2NRAM)
        mlu.__memcpy(weights, source, 8 * _COUNT, mlu.GDRAM2WRAM)
        mlu.__bang_gt_scalar(mask, a, 0.5, _COUNT)
        for name, (call, numpy) in _pairs(mlu, a, mask, out, weights, x).items():
            mine, theirs = best(call, numpy, rounds=30)
            measured[name] = mine, theirs

    launch(kernel, args=[x], device=device())
    for name, (mine, theirs) in measured.items():
        limit = 1.5 if name in ("matmul", "conv") else 3
        yield Figure(f"{name} of {_ROWS} x {_COLUMNS} floats", mine / theirs, "x NumPy", limit)


def _pairs(
    mlu: Any, a: Any, mask: Any, out: Any, weights: Any, x: np.ndarray
) -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """Calls, each with the NumPy expression for the same operands."""
    matrix, right = x[:_COUNT].reshape(_ROWS, _COLUMNS), x.reshape(_COLUMNS, _COLUMNS)
    image, vector = matrix.reshape(_IMAGE), x[:_COUNT]
    height, width, channel = _IMAGE
    product, kept = np.empty((_ROWS, _COLUMNS), np.float32), vector > 0.5

    def multiply() -> object:
        return np.matmul(matrix, right.T, out=product)

    return {
        "matmul": (lambda: mlu.__bang_matmul(out, a, weights, _ROWS, _COLUMNS, _COLUMNS), multiply),
        "conv": (lambda: mlu.__bang_conv(out, a, weights, _COLUMNS, _ROWS, 1, 1, 1, 1, 1, _COLUMNS), multiply),
        "transpose": (
            lambda: mlu.__bang_transpose(out, a, _ROWS, _COLUMNS),
            lambda: np.ascontiguousarray(matrix.T),
        ),
        "maxpool": (
            lambda: mlu.__bang_maxpool(out, a, channel, height, width, 2, 2, 2, 2),
            lambda: image.reshape(height // 2, 2, width // 2, 2, channel).max(axis=(1, 3)),
        ),
        "sumpool": (
            lambda: mlu.__bang_sumpool(out, a, channel, 1, height * width, 1, height * width, 1, 1),
            lambda: image.sum(axis=(0, 1)),
        ),
        "filter": (lambda: mlu.__bang_filter(out, a, mask, _COUNT), lambda: vector[kept]),
    }
