"""Operators on Sophgo's TPUs, computed by kernels in TPU-KERNEL C and OKK C; see docs/tpu.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mlusim.simulator import Run

from .movement import gather, transpose
from .products import attention, matmul
from .rows import layer_norm, rms_norm, softmax

__all__ = ["OPERATORS", "attention", "gather", "layer_norm", "matmul", "rms_norm", "softmax", "transpose"]

#: The operators by name.
OPERATORS: Mapping[str, Callable[..., Run]] = MappingProxyType(
    {function.__name__: function for function in (softmax, rms_norm, layer_norm, matmul, transpose, gather, attention)}
)
