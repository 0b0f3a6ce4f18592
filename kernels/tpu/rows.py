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
    check_device("rms_norm", device)
    array = float_array("x", x, device)
    rows = {"gamma": _row("gamma", gamma, array, device)}
    return _along(
        device,
        checked_source(source, "norms.c", device),
        "rms_norm",
        array,
        array.ndim - 1,
        on_finding,
        **rows,
        eps=_checked(eps),
    )


def layer_norm(
    device: Device, x: Any, gamma: Any, beta: Any, eps: float = 1e-5, *, source: str = "c", on_finding: str = "raise"
) -> Run:
    """(x - mean) / sqrt(mean((x - mean)^2) + eps) * gamma + beta along the last axis.

    ``gamma`` and ``beta`` have the element type of ``x`` and the length of its last axis; the rest is as in `softmax`.
    """
    check_device("layer_norm", device)
    array = float_array("x", x, device)
    rows = {"gamma": _row("gamma", gamma, array, device), "beta": _row("beta", beta, array, device)}
    return _along(
        device,
        checked_source(source, "norms.c", device),
        "layer_norm",
        array,
        array.ndim - 1,
        on_finding,
        **rows,
        eps=_checked(eps),
    )


def _checked(eps: Any) -> float:
    return checked_number("eps", eps, 0)


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
