"""Gathering operators: lines of a table by index."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import ml_dtypes
import numpy as np
from mlusim.simulator import Device, DeviceArray, Run

from ..quoting import quoted
from .launching import (
    MAX_LENGTH,
    check_device,
    checked_array,
    checked_whole,
    on_device,
    program,
    with_output,
)

#: Element types of a table.
LINE_TYPES = tuple(
    map(
        np.dtype,
        (
            np.int8, np.uint8, np.float16, ml_dtypes.bfloat16, np.float32, np.int16, np.uint16, np.int32, np.uint32,
        ),
    )
)  # fmt: skip
#: An index that no table has: HAU's valid indices end below 2**31.
_NO_LINE = 2**32 - 1


class GatherArguments(ctypes.Structure):
    """`gather_args_t` of gather.c."""

    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("output", "table", "indices")),
        *((name, ctypes.c_int32) for name in ("line_num", "line_len", "index_num", "dtype")),
        ("fill", ctypes.c_uint32),
    ]


def embedding(
    device: Device,
    table: Any,
    indices: Any,
    padding_idx: int | None = None,
    fill: float = 0.0,
    *,
    on_finding: str = "raise",
) -> Run:
    """Look lines of a table up by index.

    ``table`` is an array or a `DeviceArray` of shape [lines, n] and an element type of 1, 2 or 4 bytes (int8, uint8,
    float16, bfloat16, float32, int16, uint16, int32, uint32); ``indices`` is an integer array of any shape.
    ``run.output`` has shape [*indices.shape, n]. An index outside [0, lines) gives a line of ``fill``, and so does
    ``padding_idx`` (negative: from the end of the table). The indices are shared out over the cores of the device.
    Raises TypeError or ValueError for wrong arguments, before anything runs; KernelError as `Program.launch` does.
    """
    check_device("embedding", device)
    lines = checked_array("table", table, LINE_TYPES)
    if len(lines.shape) != 2:
        raise ValueError(f"table has shape {list(lines.shape)}; pass an array of two axes, [lines, elements of a line]")
    wanted = _checked_indices(indices)
    count, length = lines.shape
    filler = _checked_fill(fill, lines.dtype)
    masked = None
    if padding_idx is not None:
        masked = checked_whole("padding_idx", padding_idx, -count, count - 1, f"table has {count} lines") % count
    shape = (*wanted.shape, length)
    if 0 in shape or not count:
        return Run.empty(device, np.full(shape, filler, lines.dtype))
    source, at = on_device(device, lines), device.array(_line_numbers(wanted, count, masked))
    output = device.array(np.empty((math.prod(wanted.shape), length), lines.dtype))
    arguments = GatherArguments(
        output.address, source.address, at.address, count, length, math.prod(wanted.shape),
        device.data_type(lines.dtype), int.from_bytes(filler.tobytes(), "little"),
    )  # fmt: skip
    run = program(device, "gather.c").launch("hau_gather", args=arguments, on_finding=on_finding)
    return with_output(run, output.numpy().reshape(shape))


def _checked_indices(indices: Any) -> np.ndarray:
    array = indices.numpy() if isinstance(indices, DeviceArray) else np.asarray(indices)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"indices has dtype {array.dtype}; pass an array of an integer type")
    if array.size > MAX_LENGTH:
        raise ValueError(f"indices has {array.size} elements; pass at most {MAX_LENGTH} at a time")
    return array


def _checked_fill(fill: Any, dtype: np.dtype[Any]) -> np.ndarray:
    """The fill as an element of the table; ValueError where an integer type does not hold it."""
    if isinstance(fill, (bool, str)) or np.ndim(fill) or not np.isreal(fill):
        raise TypeError(f"fill is {quoted(fill)}; pass a real number")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= fill <= limits.max or int(fill) != fill:
            raise ValueError(f"fill is {quoted(fill)} and table has dtype {dtype}; pass a whole number it holds")
    with np.errstate(over="ignore"):
        return np.asarray(fill).astype(dtype)


def _line_numbers(wanted: np.ndarray, count: int, masked: int | None) -> np.ndarray:
    """The indices as HAU takes them, uint32; what has no line becomes an index that no table has."""
    inside = (wanted >= 0) & (wanted < count)
    if masked is not None:
        inside &= wanted != masked
    return np.where(inside, wanted, _NO_LINE).astype(np.uint32)
