"""What the HAU operators share: their device, their arrays and their programs."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import Device, DeviceArray, Program, Run, load

from ..quoting import quoted

#: Lengths are `int` in TPU-KERNEL.
MAX_LENGTH = 2**31 - 1


@functools.lru_cache(maxsize=8)
def program(device: Device, source: str) -> Program:
    """The program of one of the C sources beside this file."""
    return load([Path(__file__).with_name(source)], device=device)


def check_device(operator: str, device: Device) -> None:
    """ValueError unless the device runs TPU-KERNEL sources, TypeError for what is no device."""
    if not isinstance(device, Device):
        raise TypeError(f"device is of type {type(device).__name__}; pass a Device, such as Device.load('bm1690')")
    if device.isa != "tpu":
        listed = ", ".join(Device.names("tpu"))
        raise ValueError(f"device is {device.name}, which has no HAU; {operator} runs on {listed}")


def checked_array(name: str, value: Any, dtypes: tuple[np.dtype[Any], ...]) -> np.ndarray | DeviceArray:
    """The array itself, or an array made of a list; TypeError unless its element type is one of ``dtypes``."""
    array = value if isinstance(value, (np.ndarray, DeviceArray)) else np.asarray(value)
    if array.dtype not in dtypes:
        listed = ", ".join(str(dtype) for dtype in dtypes)
        raise TypeError(f"{name} has dtype {array.dtype}, which HAU does not take; pass an array of {listed}")
    if any(count > MAX_LENGTH for count in array.shape):
        raise ValueError(f"{name} has shape {list(array.shape)}; every length must be at most {MAX_LENGTH}")
    return array


def checked_whole(name: str, value: Any, low: int, high: int, why: str) -> int:
    """A whole number of [low, high]; TypeError for another type, ValueError with the reason for another value."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {quoted(value)}; pass a whole number")
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}; pass a number from {low} to {high} ({why})")
    return int(value)


def on_device(device: Device, array: np.ndarray | DeviceArray) -> DeviceArray:
    """The array in device memory."""
    return array if isinstance(array, DeviceArray) else device.array(array)


def with_output(run: Run, output: Any) -> Run:
    """The run with its result."""
    return dataclasses.replace(run, output=output)
