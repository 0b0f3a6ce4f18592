"""Matrix products, and attention, which is two of them with a softmax in between."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlusim.simulator import Device, Run

from .launching import (
    check_device,
    check_like,
    checked_flag,
    checked_number,
    checked_source,
    float_array,
    launched,
    type_code,
)

_SOURCES = {"tpu": "matmul.c", "okk": "okk_matmul.c"}
#: Columns of queries and of values that attention.c has room for.
_DEEPEST = 1024


def matmul(
    device: Device, a: Any, b: Any, transpose_b: bool = False, *, source: str = "c", on_finding: str = "raise"
) -> Run:
    """The product of matrices, a x b, or a x b transposed.

    ``a`` has shape [..., m, k] and ``b`` [k, n] or [..., k, n] with the same leading axes; with ``transpose_b``
    [n, k] or [..., n, k]. Both are arrays of one type: float32, float16 or bfloat16 (bm1684: float32).
    ``run.output`` has shape [..., m, n] and their type; ``source`` is as in `softmax`. Sums are of 32 bits;
    tiles of the result are shared out over the cores. Raises ValueError or TypeError for wrong arguments, before
    anything runs; KernelError as
    `Program.launch` does.
    """
    check_device("matmul", device, ("tpu", "okk"))
    where = checked_source(source, _SOURCES[device.isa], device)
    left, right = float_array("a", a, device, 2), float_array("b", b, device, 2)
    check_like("b", right, "a", left)
    transposed = checked_flag("transpose_b", transpose_b)
    (m, k), (first, second) = left.shape[-2:], right.shape[-2:]
    inner, n = (second, first) if transposed else (first, second)
    what = "b transposed" if transposed else "b"
    if inner != k:
        raise ValueError(
            f"a has shape {list(left.shape)} and b {list(right.shape)}; a x {what} needs {k} "
            f"{'columns' if transposed else 'rows'} of b, as many as a has columns"
        )
    if right.ndim > 2 and right.shape[:-2] != left.shape[:-2]:
        raise ValueError(
            f"a has shape {list(left.shape)} and b {list(right.shape)}; pass one b for all, of two axes, or the same "
            "leading axes"
        )
    output = np.zeros((*left.shape[:-1], n), left.dtype)
    if not output.size or not k:
        return Run.empty(device, output)
    batch = math.prod(left.shape[:-2])
    if right.ndim == 2:
        batch, m = 1, batch * m
    return launched(
        device, where, "matmul", output, on_finding, left=left, right=right, batch=batch, m=m, k=k, n=n,
        transposed=transposed, **type_code(device, left.dtype),
    )  # fmt: skip


def attention(
    device: Device, q: Any, k: Any, v: Any, scale: float | None = None, causal: bool = False, *,
    source: str = "c", on_finding: str = "raise",
) -> Run:  # fmt: skip
    """softmax(q x k transposed * scale) x v, for each of the leading axes.

    ``q`` has shape [..., queries, depth], ``k`` [..., keys, depth] and ``v`` [..., keys, values], with the same leading
    axes and one type: float32, float16 or bfloat16; depth and values are at most 1024. ``scale`` is 1 / sqrt(depth)
    where it is not given. With ``causal`` query i sees the keys 0 to i. ``run.output`` has shape [..., queries,
    values]; without keys it is zeros. Scores and sums are of 32 bits. The rest is as in `matmul`.
    """
    check_device("attention", device)
    where = checked_source(source, "attention.c", device)
    arrays = [float_array(name, value, device, 2) for name, value in (("q", q), ("k", k), ("v", v))]
    query, key, value = arrays
    for name, array in (("k", key), ("v", value)):
        check_like(name, array, "q", query)
        if array.shape[:-2] != query.shape[:-2]:
            raise ValueError(f"{name} has shape {list(array.shape)} and q {list(query.shape)}; pass one leading shape")
    if key.shape[-1] != query.shape[-1]:
        raise ValueError(f"k has shape {list(key.shape)} and q {list(query.shape)}; pass as many columns in both")
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(f"v has shape {list(value.shape)} and k {list(key.shape)}; pass as many rows in both")
    for name, array in (("q", query), ("v", value)):
        if array.shape[-1] > _DEEPEST or not array.shape[-1]:
            raise ValueError(f"{name} has {array.shape[-1]} columns; pass 1 to {_DEEPEST}")
    (queries, depth), (keys, values) = query.shape[-2:], value.shape[-2:]
    factor = depth**-0.5 if scale is None else checked_number("scale", scale, -math.inf)
    seen = checked_flag("causal", causal)
    output = np.zeros((*query.shape[:-1], values), query.dtype)
    if not output.size or not keys:
        return Run.empty(device, output)
    if seen and keys > queries:  # which no query sees
        keys = queries
        key, value = (np.ascontiguousarray(array[..., :keys, :]) for array in (key, value))
    return launched(
        device, where, "attention", output, on_finding, q=query, k=key, v=value,
        batch=math.prod(query.shape[:-2]), queries=queries, keys=keys, depth=depth, values=values, causal=seen,
        scale=factor, dtype=device.data_type(query.dtype),
    )  # fmt: skip
