"""The command that runs programs with host code of their own."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from typing import Any

from ..device import Device
from ..frontend.options import Options
from ..host import toolkit
from ..host.program import build_program
from ..host.program import run_program as run_built
from ..host.report import Report
from ..host.summary import closing_lines
from .outputs import check_paths
from .screen import Screen

#: Options that say how one kernel is launched, and what they are where nobody has given them.
_OF_KERNELS: dict[str, Any] = {
    "dim": None, "block": None, "shared": 0, "type": None, "arg": [], "save": [], "time_limit": None,
    "no_isolate": False,
}  # fmt: skip


def run_program(options: argparse.Namespace, screen: Screen) -> int:
    """Build sources with a `main`, run the program, and report on standard error; the exit code is the program's."""
    for name, default in _OF_KERNELS.items():
        if getattr(options, name) != default:
            raise ValueError(f"--{name.replace('_', '-')} says how a kernel is launched; name it with --kernel")
    devices = [Device.load(name) for name in options.device.split(",")]
    check_paths(options.trace, options.log, read=[*options.files])
    settings = Options.of(options.include, options.define, options.headers, options.std)
    with screen.busy(f"building {' '.join(map(str, options.files))}"):
        program = build_program(options.files, settings, devices[0])
    try:
        keep = bool(options.trace or options.log)
        code, reports = run_built(program, options.own_arguments, devices, keep, to_errors=screen.json)
        tell(screen, reports)
        if screen.json:
            screen.document({"exit_code": code, "processes": [document(report) for report in reports]})
    finally:
        shutil.rmtree(program.parent, ignore_errors=True)
    return code if code >= 0 else 128 - code


def write_toolkit(options: argparse.Namespace, screen: Screen) -> bool:
    """Write a toolkit."""
    with screen.busy(f"writing {options.folder}"):
        written = toolkit.write_toolkit(options.folder, options.device.split(","))
    if screen.json:
        screen.document({"written": [str(path) for path in written]})
    else:
        screen.line(
            f"{options.folder}: a toolkit for {options.device}; build with NEUWARE_HOME={options.folder.absolute()}"
        )
    return True


def document(report: Report) -> dict[str, Any]:
    """A report as plain data."""
    return {
        "command": report.command,
        "launches": [
            {"kernel": one.kernel, "queue": one.queue, "device": one.device, "line": str(report.location(one.place)),
             "dim": list(one.dim), "type": one.type, "start_us": one.start, "end_us": one.end}
            for one in report.launches
        ],
        "findings": [finding.to_dict() for finding in report.findings],
        "time_us": report.time_us,
        "copied_bytes": report.copied_bytes,
    }  # fmt: skip


def tell(screen: Screen, reports: Sequence[Report]) -> None:
    """Findings and summary of a program, on standard error."""
    for report in reports:
        screen.findings(report.findings)
        for line in closing_lines(report):
            screen.say(line)
