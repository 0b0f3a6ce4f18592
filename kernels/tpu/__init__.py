"""Operators on Sophgo's TPUs, computed by kernels in TPU-KERNEL C and OKK C; see docs/tpu.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mlusim.simulator import Run

from .boxes import nms
from .movement import gather, transpose
from .products import attention, matmul
from .rows import layer_norm, rms_norm, softmax
from .windows import avg_pool2d, conv2d, max_pool2d

__all__ = [
    "OPERATORS", "attention", "avg_pool2d", "conv2d", "gather", "layer_norm", "matmul", "max_pool2d", "nms",
    "rms_norm", "softmax", "transpose",
]  # fmt: skip

_FUNCTIONS = (
    softmax, rms_norm, layer_norm, matmul, transpose, gather, attention, conv2d, max_pool2d, avg_pool2d, nms,
)  # fmt: skip

#: The operators by name.
OPERATORS: Mapping[str, Callable[..., Run]] = MappingProxyType({one.__name__: one for one in _FUNCTIONS})
