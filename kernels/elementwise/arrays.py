"""Arrays of the host and of the device as operands: what the planner sees of them, and how they come to the device."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlusim.simulator import Device, DeviceArray

from .metadata import Shape, dense_strides
from .planner import OperandView
from .types import LISTED, TYPES

#: An array of the host keeps its address modulo this on the device: what every allocator aligns to.
_KEPT = 16
#: What a new array is made of, again and again.
_ZERO = bytes(1)
#: How long NumPy may search for an element that two views share.
_MOST_WORK = 100_000

Array = np.ndarray | DeviceArray


def is_number(value: Any) -> bool:
    """Whether a value is a number of Python's."""
    return isinstance(value, (bool, int, float)) and not isinstance(value, np.generic)


def checked_array(name: str, value: Any) -> Array:
    """The array itself, or an array made of a list or a NumPy scalar; TypeError unless its elements are computed."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost; pass {name}.filled(...)")
    array = value if isinstance(value, (np.ndarray, DeviceArray)) else np.asarray(value)
    if array.dtype not in TYPES:
        raise TypeError(f"{name} has dtype {array.dtype}, which is not computed; pass an array of {LISTED}")
    return array


def view_of(array: Array) -> OperandView:
    """What the planner sees of an array."""
    if isinstance(array, DeviceArray):
        strides = dense_strides(array.shape, array.dtype.itemsize)
        return OperandView(array.shape, strides, array.dtype, array.address % 64)
    return OperandView(array.shape, array.strides, array.dtype, array.ctypes.data % _KEPT)


def check_output(out: Any, inputs: Sequence[tuple[str, Array]]) -> None:
    """TypeError or ValueError for an output that cannot be written, or whose memory an input shares in part."""
    if not isinstance(out, (np.ndarray, DeviceArray)):
        raise TypeError(f"out is of type {type(out).__name__}; pass an ndarray, a DeviceArray or None")
    if isinstance(out, np.ndarray) and not out.flags.writeable:
        raise ValueError("out cannot be written; pass a writeable array")
    for name, array in inputs:
        if _overlap(out, array):
            raise ValueError(
                f"out overlaps {name} in part, so that results would overwrite elements still to be read; "
                f"pass out={name} itself, or an array of its own"
            )


def _overlap(out: Array, array: Array) -> bool:
    """Whether two arrays share memory without being the same."""
    # A device array is no view: it is the same as another one, or apart from it.
    if not isinstance(out, np.ndarray) or not isinstance(array, np.ndarray) or not np.may_share_memory(out, array):
        return False
    if out.__array_interface__["data"] == array.__array_interface__["data"] and (
        (out.shape, out.strides, out.dtype) == (array.shape, array.strides, array.dtype)
    ):
        return False
    try:
        return np.shares_memory(out, array, max_work=_MOST_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


class Placed:
    """An array in device memory: that of the caller, or a copy of all bytes between its first and its last element.

    A copy keeps the array's strides, and its address modulo 16.
    """

    def __init__(self, device: Device, array: Array) -> None:
        self._array = array
        if isinstance(array, DeviceArray):
            self._copy = array
            self.address = array.address
            return
        begin, end = _span(array)
        self._offset = array.ctypes.data - (begin - begin % _KEPT)
        begin -= begin % _KEPT
        bytes = memoryview((ctypes.c_ubyte * (end - begin)).from_address(begin))
        self._copy = device.array(np.frombuffer(bytes, np.uint8))
        self.address = self._copy.address + self._offset

    def copy_back(self) -> None:
        """Copy the elements of a copy to the array of the host that it was made of."""
        if isinstance(self._array, np.ndarray):
            found = np.ndarray(
                self._array.shape, self._array.dtype, self._copy.numpy().data, self._offset, self._array.strides
            )
            np.copyto(self._array, found)


def _span(array: np.ndarray) -> tuple[int, int]:
    """Addresses of the first byte of an array's elements and of that after the last; it has elements."""
    begin = array.ctypes.data
    end = begin + array.itemsize
    for length, step in zip(array.shape, array.strides, strict=True):
        if step < 0:
            begin += step * (length - 1)
        else:
            end += step * (length - 1)
    return begin, end


class Fresh:
    """Device memory for a new array of some layout, whose contents come back as an ndarray."""

    def __init__(self, device: Device, shape: Shape, strides: Shape, dtype: np.dtype, bytes: int) -> None:
        self._shape, self._strides, self._dtype = shape, strides, dtype
        self._copy = device.array(np.ndarray((bytes,), np.uint8, _ZERO, 0, (0,)))
        self.address = self._copy.address

    def numpy(self) -> np.ndarray:
        """The contents as they are now."""
        return np.ndarray(self._shape, self._dtype, self._copy.numpy().data, 0, self._strides)
