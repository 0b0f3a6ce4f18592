"""Runs accelerator kernels without the accelerator.

Each folder is a room; docs/architecture.md lists them from the bottom up, with what each may import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.memory.global_memory import DeviceArray
    from .findings import BuildError, Finding, KernelError, MlusimError
    from .host.operators.loading import load
    from .host.operators.program import CallError, OperatorProgram
    from .launches import Program, Run
    from .launches.device import Device
    from .launches.python_kernel import launch
    from .log import Log, Region
    from .timing import Timeline, replay

__all__ = [
    "BuildError",
    "CallError",
    "Device",
    "DeviceArray",
    "Finding",
    "KernelError",
    "Log",
    "MlusimError",
    "OperatorProgram",
    "Program",
    "Region",
    "Run",
    "Timeline",
    "launch",
    "load",
    "replay",
]

#: Where each name lives. It is imported when it is asked for: the worker starts without what it does not need.
_HOMES = {
    "BuildError": "findings",
    "CallError": "host.operators.program",
    "Device": "launches.device",
    "DeviceArray": "core.memory.global_memory",
    "Finding": "findings",
    "KernelError": "findings",
    "Log": "log",
    "MlusimError": "findings",
    "OperatorProgram": "host.operators.program",
    "Program": "launches",
    "Region": "log",
    "Run": "launches",
    "Timeline": "timing",
    "launch": "launches.python_kernel",
    "load": "host.operators.loading",
    "replay": "timing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
