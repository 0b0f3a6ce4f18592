"""Matrix products, and attention, which is two of them with a softmax in between."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlusim.simulator import Device, Run

from .launching import check_device, check_like, checked_flag, float_array, launched, type_code

_SOURCES = {"tpu": "matmul.c", "okk": "okk_matmul.c"}


def matmul(device: Device, a: Any, b: Any, transpose_b: bool = False, *, on_finding: str = "raise") -> Run:
    """The product of matrices, a x b, or a x b transposed.

    ``a`` has shape [..., m, k] and ``b`` [k, n] or [..., k, n] with the same leading axes; with ``transpose_b``
    [n, k] or [..., n, k]. Both are arrays of one type: float32, float16 or bfloat16 (bm1684: float32).
    ``run.output`` has shape [..., m, n] and their type. Sums are of 32 bits; tiles of the result are shared out over
    the cores. Raises ValueError or TypeError for wrong arguments, before anything runs; KernelError as
    `Program.launch` does.
    """
    check_device("matmul", device, ("tpu", "okk"))
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
        device, _SOURCES[device.isa], "matmul", output, on_finding, left=left, right=right, batch=batch, m=m, k=k, n=n,
        transposed=transposed, **type_code(device, left.dtype),
    )  # fmt: skip
