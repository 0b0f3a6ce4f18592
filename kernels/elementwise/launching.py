"""From a plan to a launch: the structures that the kernel reads, and the run of it."""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from pathlib import Path

from mlusim.simulator import Device, Program, Run, load

from .plan import Plan, Walk
from .planner import MAX_DIMENSIONS
from .quantized import Scales
from .types import TYPES

_SOURCE = Path(__file__).parent / "device" / "elementwise.mlu"
_TYPE_NUMBERS = {dtype: number for number, dtype in enumerate(TYPES)}
_MAX_INPUTS = 2


@dataclass(frozen=True)
class ElementwiseRun(Run):
    """A run with the plan that it followed."""

    plan: Plan | None = None


class _Operand(ctypes.Structure):
    """`Operand` of device/launch.h."""

    _fields_ = [
        ("address", ctypes.c_int64), ("strides", ctypes.c_int64 * MAX_DIMENSIONS), ("type", ctypes.c_int32),
        ("element", ctypes.c_int32), ("stage", ctypes.c_int32 * 2),
        *((name, ctypes.c_int32) for name in ("expanded", "values", "one_row", "repeats")),
    ]  # fmt: skip


class _Launch(ctypes.Structure):
    """`Launch` of device/launch.h."""

    _fields_ = [
        ("inputs_", _Operand * _MAX_INPUTS), ("out", _Operand), ("shape", ctypes.c_int64 * MAX_DIMENSIONS),
        *((name, ctypes.c_int64) for name in ("rows", "cols", "slices", "slices_across")),
        *((name, ctypes.c_int32) for name in (
            "slice_rows", "slice_cols", "tile_rows", "tile_cols", "tiles", "tiles_across", "dims", "inputs", "compute",
            "result", "scratch", "room", "scaled",
        )),
        ("scale", ctypes.c_float * (_MAX_INPUTS + 1)), ("doubt", ctypes.c_float), ("limits", ctypes.c_float * 2),
        ("whole_limits", ctypes.c_int32 * 2),
    ]  # fmt: skip


@functools.lru_cache(maxsize=8)
def _program(device: Device) -> Program:
    return load([_SOURCE], device=device)


def launch(
    device: Device,
    plan: Plan,
    kernel: str,
    out: int,
    inputs: tuple[int, ...],
    scales: Scales | None,
    limits: tuple[float, float],
    on_finding: str,
) -> Run:
    """Run a plan on arrays at device addresses; ``limits`` are those of clip, or a tolerance and 0."""
    arguments = _Launch.from_buffer_copy(_arguments(plan, out, inputs))
    if scales is not None:
        arguments.scale[: len(scales.values)] = scales.values
        arguments.doubt = scales.doubt
    if str(plan.compute) == "int32":
        arguments.whole_limits[:] = [int(limit) for limit in limits]
    else:
        arguments.limits[:] = limits
    return _program(device).launch(kernel, (plan.cores, 1, 1), "block", [arguments], on_finding=on_finding)


@functools.lru_cache(maxsize=64)  # launch after launch has the same
def _arguments(plan: Plan, out: int, inputs: tuple[int, ...]) -> bytes:
    """What follows from a plan and from where its arrays lie."""
    axes = (1,) * (2 - len(plan.shape)) + plan.shape
    rows, cols = plan.metadata.output_size // axes[-1], axes[-1]
    offsets = {buffer.name: buffer.offset for buffer in plan.nram}
    found = _Launch(
        out=_operand(plan.output, out, offsets, len(axes)),
        rows=rows, cols=cols, slices=plan.slices, slices_across=-(-cols // plan.slice_shape[1]),
        slice_rows=plan.slice_shape[0], slice_cols=plan.slice_shape[1], tile_rows=plan.tile_shape[0],
        tile_cols=plan.tile_shape[1], tiles=plan.tiles, tiles_across=-(-plan.slice_shape[1] // plan.tile_shape[1]),
        dims=len(axes), inputs=len(inputs), compute=_TYPE_NUMBERS[plan.compute], result=_TYPE_NUMBERS[plan.result],
        scratch=offsets.get("scratch", 0), room=plan.room, scaled=plan.int8_form,
    )  # fmt: skip
    found.shape[: len(axes)] = axes
    for number, (walk, address) in enumerate(zip(plan.inputs, inputs, strict=True)):
        found.inputs_[number] = _operand(walk, address, offsets, len(axes))
    return bytes(found)


def _operand(walk: Walk, address: int, offsets: dict[str, int], dims: int) -> _Operand:
    name = walk.name
    found = _Operand(
        address=address + walk.origin, type=_TYPE_NUMBERS[walk.dtype], element=walk.dtype.itemsize,
        expanded=offsets.get(f"{name} repeated", 0), values=offsets.get(f"{name} values", 0),
        one_row=walk.one_row, repeats=walk.repeats,
    )  # fmt: skip
    found.strides[dims - len(walk.strides) : dims] = walk.strides
    first = offsets[f"{name} stage 0"]
    found.stage[:] = first, offsets.get(f"{name} stage 1", first)
    return found
