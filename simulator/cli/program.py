"""The command that runs programs with host code of their own."""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..device import Device
from ..frontend.options import Options
from ..host.program import build_program
from ..host.program import run_program as run_built
from ..host.report import Report
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
        tell(screen, reports, devices)
        if screen.json:
            screen.document({"exit_code": code, "processes": [document(report) for report in reports]})
    finally:
        shutil.rmtree(program.parent, ignore_errors=True)
    return code if code >= 0 else 128 - code


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


def tell(screen: Screen, reports: Sequence[Report], devices: Sequence[Device]) -> None:
    """The summary of a program, on standard error."""
    for report in reports:
        screen.findings(report.findings)
        times: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        for one in report.launches:
            counts[one.kernel] += 1
            times[one.kernel] += one.end - one.start  # type: ignore[assignment]
        for kernel, count in counts.items():
            many = f"{count} launches" if count > 1 else "one launch"
            screen.say(f"{kernel}: {many}, {times[kernel]:.2f} us")
        named = ", ".join(device.name for device in devices)
        copies = f"{report.copies} {'copy' if report.copies == 1 else 'copies'} of {report.copied_bytes} bytes"
        errors, all_found = len(report.errors), len(report.findings)
        verdict = f"{errors} errors, {all_found - errors} warnings" if all_found else "no findings"
        screen.say(f"{named}: {len(report.launches)} launches, {copies}, {report.time_us:.2f} us simulated; {verdict}")
