"""Runs accelerator kernels without the accelerator."""

from __future__ import annotations

from .device import Device
from .finding import BuildError, Finding, KernelError, MlusimError
from .global_memory import DeviceArray
from .log import Log, Region
from .program import Program, load
from .python_kernel import launch
from .run import Run
from .timing import Timeline, replay

__all__ = [
    "BuildError",
    "Device",
    "DeviceArray",
    "Finding",
    "KernelError",
    "Log",
    "MlusimError",
    "Program",
    "Region",
    "Run",
    "Timeline",
    "launch",
    "load",
    "replay",
]
