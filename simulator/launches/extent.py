"""What the users of a device ask for in numbers and names: how many tasks or blocks, and of which kind."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...isa import DIALECTS
from ..chip.launch_kinds import EVERY_KIND, KINDS, LaunchKind, Three, kind_named, whole_dim
from ..text import quoted
from .device import Device


def usual_kind(device: Device) -> LaunchKind:
    """The kind of a launch that asks for none; TypeError for what is no device."""
    check_device(device)
    return _usual_kind(device.isa)


@cache
def _usual_kind(isa: str) -> LaunchKind:
    return EVERY_KIND[DIALECTS[isa].launch_type]


def task_extent(device: Device, dim: Any, type: Any) -> tuple[Three, LaunchKind]:
    """The dimensions and the kind of a launch of tasks, filled in where they are not given.

    ValueError if the device has no such, or for dimensions that are no three whole numbers; TypeError for what is no
    device or type.
    """
    usual = usual_kind(device)
    if usual.transactions:
        raise ValueError(f"{device.name} runs kernels written in CUDA; load a .cu file and launch one of its kernels")
    if type is not None and not isinstance(type, str):
        raise TypeError(f"type is {quoted(type)}; pass one of {', '.join(KINDS)}")
    kind = usual if type is None else kind_named(type)
    dim = kind.default_dim(device.shape) if dim is None else whole_dim(dim)
    kind.check(device.shape, dim)
    return dim, kind


def extent(device: Device, dim: Any, type: Any, block: Any, shared: Any) -> tuple[Three, LaunchKind]:
    """The dimensions and the kind of a launch of a compiled kernel: tasks, or blocks of threads."""
    if not usual_kind(device).transactions:
        if block is not None or not (isinstance(shared, int) and shared == 0):
            raise ValueError(f"{device.name} has no blocks of threads; leave out block and shared")
        return task_extent(device, dim, type)
    if type is not None and not (isinstance(type, str) and type == usual_kind(device).name):
        raise ValueError(f"type is {quoted(type)}; the kernels of {device.name} run on a grid, leave type out")
    if device.checking.further:
        raise ValueError(
            f"{device.name} has no instructions whose values are seen; leave out watched(), --values and --precise"
        )
    from ..engines.threads.grid import make_grid  # other launches need none of it

    return make_grid(device.shape, dim, block, shared)


def check_device(device: Device) -> None:
    """TypeError unless it is a device."""
    if not isinstance(device, Device):
        raise TypeError(f"device is {quoted(device)}; pass a Device, such as Device.load('mlu370-x4')")
