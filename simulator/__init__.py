"""Runs accelerator kernels without the accelerator.

Each folder is a package of one concern; docs/architecture.md lists them from the bottom up, with what each may import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..isa.late import late

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

#: Module -> the names of it that are this package's. Each is imported when it is asked for.
_HOMES = {
    "checks.at_issue.precision": "Precision",
    "checks.at_issue.values": "Values",
    "core.issue": "Check Guard Operand PortSource",
    "core.memory.global_memory": "DeviceArray",
    "findings": "BuildError Finding KernelError MlusimError declare_rule",
    "findings.reports": "Report",
    "host.operators.loading": "load",
    "host.operators.program": "CallError OperatorProgram",
    "host.programs.host_program": "HostProgram ProgramRun",
    "launches.device": "Device",
    "launches.program": "Program",
    "launches.python_kernel": "launch",
    "launches.run": "Run",
    "launches.watchers": "report",
    "log": "Log Region",
    "timing": "Timeline replay",
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

__getattr__, __dir__ = late(__name__, _HOMES)
