"""The device process of a program that runs by itself, linked with a toolkit's library."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ...findings import BuildError
from ...frames import BrokenPeer
from ...launches.device import Device
from .door import peer_of
from .environment import Asked
from .report import ProgramReport
from .session import OTHER_VERSION, Session
from .summary import closing_lines

_PROGRAM = 3


def serve(names: str) -> None:
    """Be the devices of these names, comma between them, until the program ends; then say what was found."""
    with socket.socket(fileno=_PROGRAM) as end:
        try:
            asked = Asked.of(os.environ)
            devices = [Device.load(name) for name in names.split(",")]
            session = Session(end, devices, time_limit=asked.time_limit, repeats=asked.repeats)
        except (ValueError, TypeError, OSError, BuildError) as error:
            _say([f"mlusim: {error}"])
            return
        try:
            report = session.serve()
        except BrokenPeer:
            _say([f"mlusim: {OTHER_VERSION}"])
            return
        if report.ended or report.is_used:
            session.bye(_conclude(report, asked, peer_of(end).process))
    os._exit(0)


def _conclude(report: ProgramReport, asked: Asked, process: int) -> bool:
    """Say and write what was found in a program; whether it fails by that."""
    _say(f"mlusim: {kernel}: {tried}" for kernel, tried in report.tried.items())
    if not report.findings and not asked.report:
        _say(f"mlusim: {line}" for line in closing_lines(report, []))
        return False
    from ...files import write_atomically  # only who has found something needs these
    from ...findings.reports import report_of
    from ...findings.reports.formats import FORMATS
    from .checked import checked_program

    checks = report_of(checked_program(Path(report.program), [report], advice=False))
    fails = checks.failed
    _say(map(str, checks.findings))
    if asked.report:
        try:
            with write_atomically(asked.path(process, report.program)) as file:
                file.write(FORMATS[asked.format](checks).encode("utf-8", "backslashreplace"))
        except OSError as error:
            fails = True
            _say([f"mlusim: {error}"])
    _say(f"mlusim: {line}" for line in closing_lines(report, checks.findings, len(checks.suppressed)))
    return fails and asked.strict


def _say(lines: Iterable[str]) -> None:
    """Write lines to standard error, if it has a reader."""
    with suppress(OSError):
        sys.stderr.write("".join(f"{line}\n" for line in lines))
        sys.stderr.flush()
