"""Launches of a planned elementwise operator."""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import Device, DeviceArray, Finding, Program, Run, load

from .plan import MAX_DIMS, TYPES, GridPlan, vector_width

#: Elements and threads of a block, as in policies.cuh.
_PER_BLOCK, _THREADS = 512, 128
#: Bytes of the widest vector, 4 elements of 8.
_ALIGNMENT = 32


@dataclass(frozen=True)
class Result:
    """The result of an operator, with the run of each of its launches."""

    output: np.ndarray
    plan: GridPlan
    runs: tuple[Run, ...]
    widths: tuple[int, ...]  # elements that a thread moved at a time, in each launch

    @property
    def findings(self) -> list[Finding]:
        """What the launches found."""
        return [finding for run in self.runs for finding in run.findings]

    @property
    def time_us(self) -> float:
        """Estimated time of all launches, one after the other, in microseconds."""
        return sum(run.time_us for run in self.runs)


class _Strided(ctypes.Structure):
    """`Strided` of policies.cuh."""

    _fields_ = [
        ("dims", ctypes.c_int),
        ("first", ctypes.c_int64),
        ("shape", ctypes.c_int64 * MAX_DIMS),
        ("stride", ctypes.c_int64 * MAX_DIMS),
    ]


@functools.lru_cache(maxsize=4)
def _program(device: Device) -> Program:
    return load([Path(__file__).with_name("binary.cu")], device=device)


def run_plan(device: Device, plan: GridPlan, a: np.ndarray, b: np.ndarray, on_finding: str) -> Result:
    """Carry out a plan; ValueError unless the device runs CUDA kernels."""
    if device.isa != "cuda":
        raise ValueError(f"device is {device.name}, which runs no CUDA kernels; pass {', '.join(Device.names('cuda'))}")
    held, starts = zip(*(_on_device(device, array) for array in (a, b)), strict=True)
    out = device.array(np.zeros(plan.shape, plan.dtype))
    launches = [_launch(device, plan, (*starts, out.address), (a, b), part, on_finding) for part in plan.slices]
    del held
    runs, widths = zip(*launches, strict=True) if launches else ((), ())
    return Result(out.numpy(), plan, tuple(runs), tuple(widths))


def _on_device(device: Device, array: np.ndarray) -> tuple[DeviceArray, int]:
    """The memory that an array lies in on the device, with the address of its first element there."""
    if array.size == 0:
        made = device.array(np.zeros(1, array.dtype))
        return made, made.address
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    low, high = np.lib.array_utils.byte_bounds(array)
    before = (low - np.lib.array_utils.byte_bounds(whole)[0]) % _ALIGNMENT  # a view stays as aligned as it is here
    memory = np.zeros(before + high - low, np.uint8)
    memory[before:] = np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))
    made = device.array(memory)
    return made, made.address + before + array.ctypes.data - low


def _launch(
    device: Device, plan: GridPlan, starts: tuple[int, ...], inputs: tuple[np.ndarray, ...], part: tuple[int, int],
    on_finding: str,
) -> tuple[Run, int]:  # fmt: skip
    """Launch one slice; its run and the elements that a thread moved at a time."""
    first, count = part
    dtypes = (*(array.dtype for array in inputs), plan.dtype)
    name, kind = plan.operator.title(), TYPES[plan.computed][0]
    casts = [TYPES[dtype][1] for dtype in dtypes] if plan.policy.endswith("cast") else []
    width, template = 1, f"{name}, {kind}"
    if plan.policy.startswith("strided"):
        args: list[Any] = [count, *starts, *(_layout(plan, strides, first) for strides in plan.strides), *casts]
    else:
        places = [start + first * dtype.itemsize for start, dtype in zip(starts, dtypes, strict=True)]
        args = [count, *places, *casts, *(dtype.itemsize for dtype in dtypes if casts)]
        if not casts:
            width = vector_width(places, plan.computed.itemsize)
            template += f", {width}"
    blocks = -(-count // _PER_BLOCK)
    program = _program(device)
    return program.launch(f"{plan.policy}<{template}>", blocks, args=args, block=_THREADS, on_finding=on_finding), width


def _layout(plan: GridPlan, strides: tuple[int, ...], first: int) -> _Strided:
    made = _Strided(len(plan.shape), first)
    for d, (count, stride) in enumerate(zip(plan.shape, strides, strict=True)):
        made.shape[d], made.stride[d] = count, stride
    return made
