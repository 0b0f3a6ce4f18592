"""Operators: kernels with their launch, called like NumPy functions with a device in front."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mlusim.simulator import Run

from . import elementwise, tpu
from .hau import argsort, embedding, sort_by_key, topk
from .logspace import logspace
from .tpu import (
    attention,
    avg_pool2d,
    conv2d,
    gather,
    layer_norm,
    matmul,
    max_pool2d,
    nms,
    rms_norm,
    softmax,
    transpose,
)

__all__ = [
    "DEFAULT_DEVICES", "OPERATORS", "PLANNED", "argsort", "attention", "avg_pool2d", "conv2d", "elementwise",
    "embedding", "gather", "layer_norm", "logspace", "matmul", "max_pool2d", "nms", "rms_norm", "softmax",
    "sort_by_key", "topk", "transpose",
]  # fmt: skip

#: Every operator by its name: ``operator(device, ..., on_finding="raise") -> Run``, the result in ``run.output``.
OPERATORS: Mapping[str, Callable[..., Run]] = MappingProxyType(
    {
        "logspace": logspace,
        "topk": topk,
        "argsort": argsort,
        "sort_by_key": sort_by_key,
        "embedding": embedding,
        **tpu.OPERATORS,
        **elementwise.FUNCTIONS,
    }
)

#: The device that an operator runs on when none is named.
DEFAULT_DEVICES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("logspace", *elementwise.FUNCTIONS), "mlu370-x4"),
        **dict.fromkeys(("topk", "argsort", "sort_by_key", "embedding"), "bm1684x"),
        **dict.fromkeys(tpu.OPERATORS, "bm1690"),
    }
)

#: The operators whose runs have a ``plan``.
PLANNED = frozenset(elementwise.FUNCTIONS)
