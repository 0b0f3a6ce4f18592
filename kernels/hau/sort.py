"""Sorting operators: the first k of every row, the order of every row, rows sorted by keys."""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple

import numpy as np
from mlusim.simulator import Device, DeviceArray, Run

from .launching import (
    MAX_LENGTH,
    check_device,
    checked_array,
    checked_whole,
    on_device,
    program,
    with_output,
)

#: Element types of keys.
KEY_TYPES = tuple(map(np.dtype, (np.float32, np.int32, np.uint32)))
_INDEX = np.dtype(np.int32)


class TopK(NamedTuple):
    """The first k values of every row in order, and their positions in the row (int32)."""

    values: np.ndarray
    indices: np.ndarray


class Sorted(NamedTuple):
    """Keys in order, and the indices that came with them (int32)."""

    keys: np.ndarray
    indices: np.ndarray


class SortArguments(ctypes.Structure):
    """`sort_args_t` of sort.c."""

    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("values", "indices", "input", "input_indices")),
        *((name, ctypes.c_int32) for name in ("rows", "len", "k", "room", "descended", "dtype")),
    ]


def topk(device: Device, x: Any, k: int, largest: bool = True, *, on_finding: str = "raise") -> Run:
    """Find the ``k`` largest (or smallest) elements along the last axis, in order, and their positions.

    ``x`` is an array or a `DeviceArray` of float32, int32 or uint32, shape [..., n]; ``run.output`` is a `TopK` of
    arrays of shape [..., k]. Equal elements keep their order; NaN is greater than every number; -0 equals 0. The rows
    are shared out over the cores of the device. Raises TypeError or ValueError for wrong arguments, before anything
    runs; KernelError as `Program.launch` does.
    """
    check_device("topk", device)
    array = _rows("x", x)
    length = array.shape[-1]
    count = checked_whole("k", k, 0, length, f"the last axis of x has {length} elements")
    shape = (*array.shape[:-1], count)
    if 0 in shape:
        return Run.empty(device, TopK(np.empty(shape, array.dtype), np.empty(shape, _INDEX)))
    run, values, indices = _sort(device, "hau_topk", array, None, count, largest, on_finding)
    return with_output(run, TopK(values, indices))


def argsort(device: Device, x: Any, descending: bool = False, *, on_finding: str = "raise") -> Run:
    """Find the positions that sort the last axis; equal elements keep their order, in both directions.

    ``run.output`` is an int32 array of the shape of ``x``; the rest is as in `topk`.
    """
    check_device("argsort", device)
    array = _rows("x", x)
    if 0 in array.shape:
        return Run.empty(device, np.empty(array.shape, _INDEX))
    run, _, indices = _sort(device, "hau_topk", array, None, array.shape[-1], descending, on_finding)
    return with_output(run, indices)


def sort_by_key(device: Device, keys: Any, indices: Any, descending: bool = False, *, on_finding: str = "raise") -> Run:
    """Sort keys along the last axis together with the indices given with them; equal keys by index.

    ``indices`` is of int32 and has the shape of ``keys``; ``run.output`` is a `Sorted` of arrays of that shape; the
    rest is as in `topk`.
    """
    check_device("sort_by_key", device)
    array = _rows("keys", keys)
    given = checked_array("indices", indices, (_INDEX,))
    if given.shape != array.shape:
        raise ValueError(
            f"indices has shape {list(given.shape)} and keys {list(array.shape)}; pass one index for every key"
        )
    if 0 in array.shape:
        return Run.empty(device, Sorted(np.empty(array.shape, array.dtype), np.empty(array.shape, _INDEX)))
    run, ordered, carried = _sort(device, "hau_sort_by_key", array, given, array.shape[-1], descending, on_finding)
    return with_output(run, Sorted(ordered, carried))


def _rows(name: str, value: Any) -> np.ndarray | DeviceArray:
    """The array of keys; it has a last axis, and rows that `int` can count."""
    array = checked_array(name, value, KEY_TYPES)
    if not array.shape:
        raise ValueError(f"{name} is a scalar; pass an array with at least one axis")
    if math.prod(array.shape[:-1]) > MAX_LENGTH:
        raise ValueError(f"{name} has shape {list(array.shape)}, more than {MAX_LENGTH} rows; pass fewer at a time")
    return array


def _sort(
    device: Device,
    kernel: str,
    array: np.ndarray | DeviceArray,
    given: np.ndarray | DeviceArray | None,
    count: int,
    descending: bool,
    on_finding: str,
) -> tuple[Run, np.ndarray, np.ndarray]:
    """Run a kernel of sort.c; the first ``count`` values and indices of every row."""
    length, rows = array.shape[-1], math.prod(array.shape[:-1])
    cores = device.shape.cores
    room = -(-rows // cores) * count + length - count
    source = on_device(device, array)
    source_indices = None if given is None else on_device(device, given)
    results = [device.array(np.empty((cores, room), dtype)) for dtype in (array.dtype, _INDEX)]
    arguments = SortArguments(
        results[0].address, results[1].address, source.address, source_indices.address if source_indices else 0,
        rows, length, count, room, bool(descending), device.data_type(array.dtype),
    )  # fmt: skip
    run = program(device, "sort.c").launch(kernel, args=arguments, on_finding=on_finding)
    shape = (*array.shape[:-1], count)
    values, indices = (r.numpy()[:, : room - length + count].reshape(-1, count)[:rows].reshape(shape) for r in results)
    return run, values, indices
