"""What the operators of Sophgo's TPUs share: their devices, their arrays, their programs."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from mlusim.simulator import Device, DeviceArray, Program, Run, launch, load

from ..quoting import quoted
from .python import KERNELS
from .python.core import Core

#: Element types that the operators compute with.
FLOATS = tuple(map(np.dtype, (np.float32, np.float16, ml_dtypes.bfloat16)))
#: Element types that they move.
ELEMENTS = (*FLOATS, *map(np.dtype, (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32)))
#: Counts and sizes are `int` in both dialects.
MAX_LENGTH = 2**31 - 1
_TITLES = {"tpu": "TPU-KERNEL", "okk": "OKK"}


@functools.lru_cache(maxsize=32)
def program(device: Device, source: str) -> Program:
    """The program of one of the C sources beside this file."""
    return load([Path(__file__).with_name(source)], device=device)


def check_device(operator: str, device: Any, dialects: Collection[str] = ("tpu",)) -> None:
    """ValueError unless the device runs sources of one of these dialects, TypeError for what is no device."""
    if not isinstance(device, Device):
        raise TypeError(f"device is of type {type(device).__name__}; pass a Device, such as Device.load('bm1690')")
    if device.isa not in dialects:
        listed = ", ".join(name for dialect in dialects for name in Device.names(dialect))
        kinds = " or ".join(_TITLES[dialect] for dialect in dialects)
        raise ValueError(f"device is {device.name}, which runs no {kinds}; {operator} runs on {listed}")


def float_array(name: str, value: Any, device: Device, least_axes: int = 1) -> np.ndarray:
    """The array in one piece; ValueError unless it has an element type that the device computes with, and axes."""
    types = FLOATS if device.isa == "tpu" else FLOATS[:1]
    return _array(name, value, types, f"{device.name} computes with", least_axes)


def moved_array(name: str, value: Any, device: Device, least_axes: int = 0) -> np.ndarray:
    """The array in one piece; ValueError unless it has an element type that the device moves, and axes."""
    return _array(name, value, ELEMENTS, f"{device.name} moves", least_axes)


def _array(name: str, value: Any, types: Collection[np.dtype[Any]], what: str, least_axes: int) -> np.ndarray:
    array = value.numpy() if isinstance(value, DeviceArray) else np.asarray(value)
    if array.dtype not in types:
        listed = ", ".join(str(dtype) for dtype in types)
        raise ValueError(f"{name} has dtype {array.dtype}; {what} {listed}")
    check_axes(name, array, least_axes)
    return np.require(array, requirements="C")


def check_axes(name: str, array: np.ndarray, least: int, most: int = 32) -> None:
    """ValueError unless an array has so many axes, none of them too long."""
    if not least <= array.ndim <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        raise ValueError(f"{name} has shape {list(array.shape)}; pass an array of {wanted} axes")
    if array.size > MAX_LENGTH:
        raise ValueError(f"{name} has {array.size} elements; pass at most {MAX_LENGTH} at a time")


def check_like(name: str, array: np.ndarray, other: str, like: np.ndarray) -> None:
    """ValueError unless two arrays have one element type."""
    if array.dtype != like.dtype:
        raise ValueError(f"{name} has dtype {array.dtype} and {other} {like.dtype}; pass {name}.astype({other}.dtype)")


def checked_axis(name: str, axis: Any, array: np.ndarray) -> int:
    """An axis of an array, counted from 0; ValueError for none."""
    least, most = -array.ndim, array.ndim - 1
    return checked_whole(name, axis, least, most, f"x has {array.ndim} axes") % array.ndim


def checked_whole(name: str, value: Any, low: int, high: int, why: str) -> int:
    """A whole number of [low, high]; ValueError with the reason for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise ValueError(f"{name} is {quoted(value)}; pass a whole number from {low} to {high} ({why})")
    return int(value)


def checked_number(name: str, value: Any, least: float) -> float:
    """A finite number of at least ``least``; ValueError for anything else."""
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not least <= value < float("inf"):
        raise ValueError(f"{name} is {quoted(value)}; pass a finite number of at least {least:g}")
    return float(value)


def checked_flag(name: str, value: Any) -> bool:
    """True or False; ValueError for anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {quoted(value)}; pass True or False")
    return bool(value)


class KernelSource(NamedTuple):
    """Where an operator's kernel stands: the file of its C, and whether it is asked for in Python."""

    file: str
    python: bool = False


def checked_source(source: Any, file: str, device: Device) -> KernelSource:
    """What ``source`` asks for, "c" or "python"; ValueError for anything else, and for Python where there is none."""
    if source not in ("c", "python"):
        raise ValueError(f"source is {quoted(source)}; pass 'c' or 'python'")
    if source == "python" and device.isa != "tpu":
        raise ValueError(f"source is 'python', and {device.name} runs kernels of {_TITLES[device.isa]} C; pass 'c'")
    return KernelSource(file, source == "python")


def launched(
    device: Device, source: str | KernelSource, kernel: str, output: np.ndarray, on_finding: str, **members: Any
) -> Run:  # fmt: skip
    """Launch a kernel on all cores, its arguments by name and its result in ``output``."""
    args: Mapping[str, Any] = {"output": output, **members}
    file, python = source if isinstance(source, KernelSource) else KernelSource(source)
    if python:
        run = _launched_in_python(device, kernel, args, on_finding)
    else:
        run = program(device, file).launch(kernel, args=args, on_finding=on_finding)
    return dataclasses.replace(run, output=output)


def _launched_in_python(device: Device, kernel: str, args: Mapping[str, Any], on_finding: str) -> Run:
    arrays = {name: value for name, value in args.items() if isinstance(value, np.ndarray)}
    numbers = {name: value for name, value in args.items() if name not in arrays}

    def body(tpu: Any, *pointers: Any) -> None:
        given = SimpleNamespace(**numbers, **dict(zip(arrays, pointers, strict=True)))
        KERNELS[kernel](Core(tpu, device), given)

    body.__name__ = kernel
    return launch(body, args=list(arrays.values()), device=device, on_finding=on_finding)


def type_code(device: Device, dtype: np.dtype[Any]) -> dict[str, int]:
    """The member that names an element type, of kernels that ask for it."""
    return {"dtype": device.data_type(dtype)} if device.isa == "tpu" else {}
