"""The command that runs programs with host code of their own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..device import Device
from ..frontend.options import Options
from ..host import toolkit
from ..host.program import begin_worker, build_program
from ..host.program import run_program as run_built
from ..host.report import Report
from ..host.summary import closing_lines
from ..timing import replay
from .paths import check_paths
from .screen import Screen

_ELF = b"\x7fELF"
#: Options that say how one kernel is launched, and what they are where nobody has given them.
_OF_KERNELS: dict[str, Any] = {
    "dim": None, "block": None, "shared": 0, "type": None, "arg": [], "save": [],
    "no_isolate": False,
}  # fmt: skip


def run_program(options: argparse.Namespace, screen: Screen) -> int:
    """Build sources with a `main`, run the program, and report on standard error; the exit code is the program's."""
    for name, default in _OF_KERNELS.items():
        if getattr(options, name) != default:
            raise ValueError(f"--{name.replace('_', '-')} says how a kernel is launched; name it with --kernel")
    devices = [Device.load(name) for name in options.device.split(",")]
    check_paths(options.trace, options.log, read=[*options.files])
    if _is_program(options.files):
        code = _run(options, screen, options.files[0].absolute(), devices)
        return code if code >= 0 else 128 - code
    settings = Options.of(options.include, options.define, options.headers, options.std)
    with screen.busy(f"building {' '.join(map(str, options.files))}"):
        begin_worker()
        program = build_program(options.files, settings, devices[0])
    code = _run(options, screen, program, devices)
    return code if code >= 0 else 128 - code


def _is_program(files: Sequence[Path]) -> bool:
    """Whether a program that is built already is to be run."""
    if len(files) != 1 or not files[0].is_file():
        return False
    with files[0].open("rb") as file:
        return file.read(len(_ELF)) == _ELF


def _run(options: argparse.Namespace, screen: Screen, program: Path, devices: Sequence[Device]) -> int:
    keep = bool(options.trace or options.log)
    with screen.busy("running") if screen.json else nullcontext():  # which sends its output to standard error
        code, reports = run_built(program, options.own_arguments, devices, keep, options.time_limit)
    written = write_records(options, screen, reports, devices)
    tell(screen, reports)
    for path in written:
        screen.say(f"wrote {path}")
    if screen.json:
        processes = [document(report) for report in reports]
        screen.document({"exit_code": code, "processes": processes, "written": written})
    return code


def write_records(
    options: argparse.Namespace, screen: Screen, reports: Sequence[Report], devices: Sequence[Device]
) -> list[str]:
    """Write the trace of all launches, and the log of each: of several, with their numbers in the names."""
    launches = [(report, one, one.log) for report in reports for one in report.launches if one.log is not None]
    written = []
    if options.trace and launches:
        from ...traces import Shown, write_program_trace  # who wants no trace need not wait for them

        with screen.busy("writing the trace"):
            write_program_trace(
                [
                    Shown(replay(log, devices[one.device].rates), one.start, one.queue, one.device,
                          str(report.location(one.place)))
                    for report, one, log in launches
                ], options.trace
            )  # fmt: skip
        written.append(str(options.trace))
    for number, (_, one, log) in enumerate(launches if options.log else [], 1):
        path = options.log
        if len(launches) > 1:
            path = path.with_name(f"{path.stem}.{number}{path.suffix}")
        facts = {"queue": one.queue, "device_number": one.device, "start_us": one.start}
        replace(log, launch=log.launch | facts).save(path)
        written.append(str(path))
    return written


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
