"""logspace: base to the power of evenly spaced exponents, computed by a BANG C kernel; see docs/logspace.md."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from mlusim.simulator import Device, DeviceArray, Program, Run, load

from ..quoting import quoted

__all__ = ["logspace"]

_SOURCE = Path(__file__).with_name("logspace.mlu")
#: Result type -> what the kernel's template argument is called.
_KERNEL_TYPES = MappingProxyType({"float32": "float", "float16": "half", "int32": "int32_t"})
#: Names of the operator's document that NumPy does not have, or has for another type.
_ALIASES = MappingProxyType({"float": "float32", "half": "float16"})


def logspace(
    device: Device,
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    dtype: Any = "float32",
    *,
    out: np.ndarray | DeviceArray | None = None,
    on_finding: str = "raise",
) -> Run:
    """Compute ``base ** (start + i * (end - start) / (steps - 1))`` for i in 0..steps-1 on all cores of a device.

    ``run.output`` has shape [steps] and ``dtype``: "float32" ("float"), "float16" ("half") or "int32". ``start``,
    ``end`` and ``base`` are taken as float32 and may be infinite or NaN. ``out`` receives the result as well: an array
    of that dtype with at least ``steps`` elements, written from its first one on. A device array stays where it is:
    ``run.output`` is then that array, and nothing is copied to the host. With 0 steps nothing is launched.

    Raises ValueError or TypeError for wrong arguments, KernelError as `Program.launch` does.
    """
    if not isinstance(device, Device):
        raise TypeError(f"device is of type {type(device).__name__}; pass a Device, such as Device.load('mlu370-x4')")
    count = _checked_steps(steps)
    result_type = _checked_dtype(dtype)
    _check_out(out, count, result_type)
    scalars = [_checked_scalar(name, value) for name, value in (("start", start), ("end", end), ("base", base))]
    if count == 0:
        return Run.empty(device, np.zeros(0, result_type))
    target = out if isinstance(out, DeviceArray) else np.zeros(count, result_type)
    kernel = f"MLUKernelLogspace<{_KERNEL_TYPES[result_type.name]}>"
    run = _program(device, kernel).launch(
        kernel,
        dim=(device.shape.cores_per_cluster, device.shape.clusters, 1),
        type="union1",
        args=[scalars[0], scalars[1], count, scalars[2], target],
        on_finding=on_finding,
    )
    if isinstance(out, np.ndarray):
        out.flat[:count] = target
    return dataclasses.replace(run, output=target)


@functools.lru_cache(maxsize=12)
def _program(device: Device, kernel: str) -> Program:
    return load([_SOURCE], device=device, instances=[kernel])


def _checked_steps(steps: int) -> int:
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or not 0 <= steps < 2**63:
        raise ValueError(f"steps is {quoted(steps)}; pass an int that is at least 0 and fits in int64")
    return int(steps)


def _checked_dtype(dtype: Any) -> np.dtype[Any]:
    listed = "float32 (float), float16 (half), int32"
    try:
        found = np.dtype(_ALIASES.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    except Exception:  # also whatever the repr of a stranger's class raises
        raise TypeError(f"dtype is {quoted(dtype)}, which names no element type; pass one of {listed}") from None
    if dtype is None or found.name not in _KERNEL_TYPES:
        raise ValueError(f"dtype is {quoted(dtype)}, which logspace does not write; pass one of {listed}")
    return found


def _checked_scalar(name: str, value: float) -> float:
    if not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {quoted(value)}; pass a real number")
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _check_out(out: Any, steps: int, dtype: np.dtype[Any]) -> None:
    if out is None:
        return
    address = out.address if isinstance(out, DeviceArray) else out
    if not isinstance(address, np.ndarray) and isinstance(address, (int, np.integer)) and address == 0:
        raise ValueError("out is a null pointer; pass an array, or None to have one made")
    if not isinstance(out, (np.ndarray, DeviceArray)):
        raise TypeError(f"out is of type {type(out).__name__}; pass an ndarray, a DeviceArray or None")
    if out.dtype != dtype:
        raise ValueError(f"out has dtype {out.dtype} and dtype is {dtype}; pass an array of {dtype}")
    size = int(np.prod(out.shape, dtype=np.int64))
    if size < steps:
        raise ValueError(f"out has {size} elements and steps is {steps}; pass an array of at least {steps} elements")
    if isinstance(out, np.ndarray) and not out.flags.writeable:
        raise ValueError("out cannot be written; pass a writeable array")
