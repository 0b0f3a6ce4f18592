"""The operators' kernels in Python: the same commands in the same order as the C sources beside this folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .attention import attention
from .boxes import nms
from .movement import gather, transpose
from .products import matmul
from .rows import layer_norm, rms_norm, softmax
from .windows import conv2d

__all__ = ["KERNELS"]

#: A kernel takes its core and its arguments: pointers and numbers by the names of the C structure's members.
KERNELS: Mapping[str, Callable[..., None]] = MappingProxyType(
    {one.__name__: one for one in (softmax, rms_norm, layer_norm, matmul, attention, transpose, gather, conv2d, nms)}
)
