"""Operators along an axis: softmax and norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlusim.simulator import Device, Run

from .launching import (
    KernelSource,
    check_device,
    check_like,
    checked_axis,
    checked_number,
    checked_source,
    float_array,
    launched,
    type_code,
)

_SOURCES = {"tpu": "softmax.c", "okk": "okk_softmax.c"}


def softmax(device: Device, x: Any, axis: int = -1, *, source: str = "c", on_finding: str = "raise") -> Run:
    """e^x over the sum of e^x along an axis, with the largest element subtracted first.

    ``x`` is an array or a `DeviceArray` of float32, float16 or bfloat16 (bm1684: float32), of any shape with at least
    one axis; ``run.output`` has its shape and type. It is computed in 32 bits, and rows are shared out over the cores.
    On the bm1684 a NaN counts as -infinity. ``source`` is "c" or "python", the language of the kernel: both make
    the same commands, and give the same bits (bm1684: C alone).
    Raises ValueError or TypeError for wrong arguments, before anything runs; KernelError as `Program.launch` does.
    """
    check_device("softmax", device, ("tpu", "okk"))
    array = float_array("x", x, device)
    at = checked_axis("axis", axis, array)
    return _along(device, checked_source(source, _SOURCES[device.isa], device), "softmax", array, at, on_finding)


def rms_norm(
    device: Device, x: Any, gamma: Any, eps: float = 1e-5, *, source: str = "c", on_finding: str = "raise"
) -> Run:
    """x / sqrt(mean(x^2) + eps) * gamma along the last axis.

    ``gamma`` has the element type of ``x`` and the length of its last axis; the rest is as in `softmax`.
    """
    return _norm("rms_norm", device, x, eps, source, on_finding, gamma=gamma)


def layer_norm(
    device: Device, x: Any, gamma: Any, beta: Any, eps: float = 1e-5, *, source: str = "c", on_finding: str = "raise"
) -> Run:
    """(x - mean) / sqrt(mean((x - mean)^2) + eps) * gamma + beta along the last axis.

    ``gamma`` and ``beta`` have the element type of ``x`` and the length of its last axis; the rest is as in `softmax`.
    """
    return _norm("layer_norm", device, x, eps, source, on_finding, gamma=gamma, beta=beta)


def _norm(kernel: str, device: Device, x: Any, eps: Any, source: str, on_finding: str, **rows: Any) -> Run:
    """A norm along the last axis, with one row for each of ``rows``."""
    check_device(kernel, device)
    array = float_array("x", x, device)
    members = {name: _row(name, row, array, device) for name, row in rows.items()}
    written = checked_source(source, "norms.c", device)
    number = checked_number("eps", eps, 0)
    return _along(device, written, kernel, array, array.ndim - 1, on_finding, **members, eps=number)


def _row(name: str, value: Any, x: np.ndarray, device: Device) -> np.ndarray:
    row = float_array(name, value, device)
    check_like(name, row, "x", x)
    if row.shape != x.shape[-1:]:
        raise ValueError(
            f"{name} has shape {list(row.shape)} and x {list(x.shape)}; pass one element for each of the last axis of x"
        )
    return row


def _along(
    device: Device, source: KernelSource, kernel: str, x: np.ndarray, axis: int, on_finding: str, **members: Any
) -> Run:  # fmt: skip
    """Launch a kernel of rows.h along an axis."""
    output = np.empty_like(x)
    if not x.size:
        return Run.empty(device, output)
    outer, length, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    groups, rows = (1, outer) if inner == 1 else (outer, inner)
    return launched(
        device, source, kernel, output, on_finding, input=x, groups=groups, rows=rows, length=length, inner=inner,
        **type_code(device, x.dtype), **members,
    )  # fmt: skip
