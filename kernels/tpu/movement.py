"""Operators that move elements: axes in another order, lines of a table by index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from mlusim.simulator import Device, DeviceArray, Run

from ..quoting import quoted
from .launching import check_axes, check_device, checked_source, launched, moved_array

#: Axes besides the two of a matrix, and lines of a table that a command reaches, in movement.c.
_OUTER, _PAGE = 8, 65535
#: Columns of what is copied as it is.
_COLUMNS = 1024


class _Axis(NamedTuple):
    """An axis of what is moved: its length, and elements from one index to the next on both sides."""

    length: int
    source: int
    target: int


def transpose(
    device: Device, x: Any, axes: Sequence[int] | int | None = None, *, source: str = "c", on_finding: str = "raise"
) -> Run:
    """The axes of an array in another order; without ``axes`` in the reverse order.

    ``x`` is an array or a `DeviceArray` of a type of 1, 2 or 4 bytes, and ``axes`` names each of its axes once, as
    `numpy.transpose` takes them. ``run.output`` has its bits in the new order; ``source`` is as in
    `softmax`. Tiles are shared out over the cores.
    Raises ValueError or TypeError for wrong arguments, before anything runs; KernelError as `Program.launch` does.
    """
    check_device("transpose", device)
    where = checked_source(source, "movement.c", device)
    array = moved_array("x", x, device)
    order = _checked_order(axes, array)
    output = np.empty([array.shape[axis] for axis in order], array.dtype)
    if not output.size:
        return Run.empty(device, output)
    found = _merged(array.shape, order)
    if len(found) > _OUTER + 2:
        raise ValueError(f"axes splits x, of shape {list(array.shape)}, into {len(found)} groups; pass at most 10")
    cols = found[-1]
    turned = cols.target != 1
    # Rows are what lies side by side in the result, or the longest of the other axes.
    rows = min(found[:-1], key=lambda axis: axis.target if turned else -axis.length)
    outer = [axis for axis in found[:-1] if axis is not rows]
    return launched(
        device, where, "transpose", output, on_finding, input=array, rows=rows.length, cols=cols.length,
        row_from=rows.source, row_to=rows.target, col_to=cols.target, outer=len(outer),
        counts=[axis.length for axis in outer], sources=[axis.source for axis in outer],
        to=[axis.target for axis in outer], turned=turned, dtype=device.data_type(array.dtype),
    )  # fmt: skip


def _checked_order(axes: Any, x: np.ndarray) -> list[int]:
    given = range(x.ndim)[::-1] if axes is None else [axes] if isinstance(axes, (int, np.integer)) else axes
    try:
        order = [int(axis) % x.ndim if -x.ndim <= axis < x.ndim and int(axis) == axis else -1 for axis in given]
    except (TypeError, ValueError):
        order = []
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(f"axes is {quoted(axes)}; pass each of 0 to {x.ndim - 1} once: x has {x.ndim} axes")
    return order


def _merged(shape: Sequence[int], order: Sequence[int]) -> list[_Axis]:
    """The axes of the source, but for those of one element; what stays side by side is one. At least two."""
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    moved = [shape[axis] for axis in order]
    targets = {axis: math.prod(moved[place + 1 :]) for place, axis in enumerate(order)}
    found: list[_Axis] = []
    for axis, count in enumerate(shape):
        one = _Axis(count, strides[axis], targets[axis])
        if count == 1:
            continue
        if found and found[-1].source == count * one.source and found[-1].target == count * one.target:
            found[-1] = one._replace(length=found[-1].length * count)
        else:
            found.append(one)
    if len(found) < 2:  # a copy
        total = math.prod(shape)
        columns = math.gcd(total, _COLUMNS)
        return [_Axis(total // columns, columns, columns), _Axis(columns, 1, 1)]
    return found


def gather(device: Device, table: Any, indices: Any, *, source: str = "c", on_finding: str = "raise") -> Run:
    """Lines of a table by index, ``table[indices]``.

    ``table`` is an array or a `DeviceArray` of a type of 1, 2 or 4 bytes and shape [lines, ...]; ``indices`` is an
    integer array of any shape, each in [0, lines). ``run.output`` has shape [*indices.shape, ...];
    ``source`` is as in `softmax`. Indices are shared out over the cores. Raises ValueError or TypeError for wrong
    arguments, before anything runs; KernelError as
    `Program.launch` does.
    """
    check_device("gather", device)
    where = checked_source(source, "movement.c", device)
    lines = moved_array("table", table, device, 1)
    wanted = _checked_indices(indices, len(lines))
    output = np.empty((*wanted.shape, *lines.shape[1:]), lines.dtype)
    if not output.size:
        return Run.empty(device, output)
    # In each page of the table, those of other pages are beyond its end.
    pages = np.arange(0, len(lines), _PAGE)[:, None]
    places = (wanted.reshape(1, -1).astype(np.int64) - pages).astype(np.uint32)
    return launched(
        device, where, "gather", output, on_finding, table=lines, indices=places, count=wanted.size,
        lines=len(lines), length=lines[0].size, dtype=device.data_type(lines.dtype),
    )  # fmt: skip


def _checked_indices(indices: Any, count: int) -> np.ndarray:
    array = indices.numpy() if isinstance(indices, DeviceArray) else np.asarray(indices)
    if array.dtype.kind not in "iu" and array.size:
        raise ValueError(f"indices has dtype {array.dtype}; pass an array of an integer type")
    check_axes("indices", array, 0)
    flat = array.reshape(-1).astype(np.int64)
    wrong = np.flatnonzero((flat < 0) | (flat >= count))
    if wrong.size:
        place = [int(at) for at in np.unravel_index(wrong[0], array.shape)]
        raise ValueError(
            f"indices{place if place else ''} is {flat[wrong[0]]}; table has {count} lines: pass 0 to {count - 1}"
        )
    return array
