"""Which policy an elementwise operator takes, and in which slices it is launched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

#: Element types: name in CUDA and number in ``enum Type`` of policies.cuh.
TYPES = {
    np.dtype(np.float32): ("float", 0), np.dtype(np.float64): ("double", 1), np.dtype(np.float16): ("half", 2),
    np.dtype(ml_dtypes.bfloat16): ("__nv_bfloat16", 3), np.dtype(np.int8): ("signed char", 4),
    np.dtype(np.uint8): ("unsigned char", 5), np.dtype(np.int32): ("int", 6), np.dtype(np.int64): ("long long", 7),
    np.dtype(np.bool_): ("bool", 8),
}  # fmt: skip
POLICIES = ("vectorized", "contiguous_cast", "strided", "strided_cast")
#: Elements of a launch at most, dimensions of a tensor at most.
SLICE, MAX_DIMS = 65535, 7


@dataclass(frozen=True)
class GridPlan:
    """How an operator is carried out; strides in bytes, one for each dimension of ``shape``."""

    operator: str
    policy: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]  # of the result
    computed: np.dtype[Any]  # that the operator works in
    strides: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # of both inputs and the result
    slices: tuple[tuple[int, int], ...]  # first element and count of each launch

    @property
    def elements(self) -> int:
        """Elements of the result."""
        return int(np.prod(self.shape, dtype=np.int64))


def make_plan(operator: str, a: np.ndarray, b: np.ndarray, dtype: Any = None, policy: str | None = None) -> GridPlan:
    """The plan for two arrays; ValueError for shapes, TypeError for element types that do not go together."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    if len(shape) > MAX_DIMS:
        raise ValueError(f"the result has {len(shape)} dimensions; {MAX_DIMS} are the most")
    computed = np.result_type(a.dtype, b.dtype)
    if operator == "div" and computed.kind in "iub":
        computed = np.dtype(np.float32 if computed.itemsize < 4 else np.float64)
    result = computed if dtype is None else np.dtype(dtype)
    for kind in (a.dtype, b.dtype, computed, result):
        if kind not in TYPES:
            raise TypeError(f"{kind} is no element type here; pass one of {', '.join(map(str, TYPES))}")
    if not np.can_cast(computed, result, "same_kind"):
        raise TypeError(f"{operator} gives {computed}, which does not become {result}; pass another dtype")
    own = np.empty(shape, result).strides if 0 not in shape else (0,) * len(shape)
    strides = np.broadcast_to(a, shape).strides, np.broadcast_to(b, shape).strides, own
    plain = all(np.broadcast_to(x, shape).flags.c_contiguous for x in (a, b))
    same = a.dtype == b.dtype == computed == result
    fitting = [name for name in POLICIES if (plain or "strided" in name) and (same or "cast" in name)]
    if policy is not None and policy not in fitting:
        raise ValueError(f"policy is {policy!r}; for these arrays it can be {', '.join(fitting)}")
    count = int(np.prod(shape, dtype=np.int64))
    slices = tuple((first, min(SLICE, count - first)) for first in range(0, count, SLICE))
    return GridPlan(operator, policy or fitting[0], shape, result, computed, strides, slices)


def vector_width(addresses: Sequence[int], itemsize: int) -> int:
    """Elements that a thread can move at a time: 4, 2 or 1, as the alignment of every address allows."""
    return next(n for n in (4, 2, 1) if all(address % (n * itemsize) == 0 for address in addresses))
