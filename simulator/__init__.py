"""Runs accelerator kernels without the accelerator.

Each folder is a package of one concern; docs/architecture.md lists them from the bottom up, with what each may import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checks.at_issue.precision import Precision
    from .checks.at_issue.values import Values
    from .core.issue import Check, Guard, Operand, PortSource
    from .core.memory.global_memory import DeviceArray
    from .findings import BuildError, Finding, KernelError, MlusimError, declare_rule
    from .findings.reports import Report
    from .host.operators.loading import load
    from .host.operators.program import CallError, OperatorProgram
    from .host.programs.host_program import HostProgram, ProgramRun
    from .launches.device import Device
    from .launches.program import Program
    from .launches.python_kernel import launch
    from .launches.run import Run
    from .launches.watchers import report
    from .log import Log, Region
    from .timing import Timeline, replay

#: Where each public name lives. It is imported when it is asked for: the worker starts without what it does not need.
_HOMES = {
    "BuildError": "findings",
    "CallError": "host.operators.program",
    "Check": "core.issue",
    "Device": "launches.device",
    "DeviceArray": "core.memory.global_memory",
    "Finding": "findings",
    "Guard": "core.issue",
    "HostProgram": "host.programs.host_program",
    "KernelError": "findings",
    "Log": "log",
    "MlusimError": "findings",
    "Operand": "core.issue",
    "OperatorProgram": "host.operators.program",
    "PortSource": "core.issue",
    "Precision": "checks.at_issue.precision",
    "Program": "launches.program",
    "ProgramRun": "host.programs.host_program",
    "Region": "log",
    "Report": "findings.reports",
    "Run": "launches.run",
    "Timeline": "timing",
    "Values": "checks.at_issue.values",
    "declare_rule": "findings",
    "launch": "launches.python_kernel",
    "load": "host.operators.loading",
    "replay": "timing",
    "report": "launches.watchers",
}
__all__ = [
    "BuildError",
    "CallError",
    "Check",
    "Device",
    "DeviceArray",
    "Finding",
    "Guard",
    "HostProgram",
    "KernelError",
    "Log",
    "MlusimError",
    "Operand",
    "OperatorProgram",
    "PortSource",
    "Precision",
    "Program",
    "ProgramRun",
    "Region",
    "Report",
    "Run",
    "Timeline",
    "Values",
    "declare_rule",
    "launch",
    "load",
    "replay",
    "report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
