"""The command that runs programs with host code of their own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..findings.reports import Checked, report_of
from ..findings.reports import Report as Checks
from ..host.programs.checked import apart, checked_program, document
from ..host.programs.deaths import ended_by
from ..host.programs.program import begin_worker, build_program, has_main, not_started
from ..host.programs.program import run_program as run_built
from ..host.programs.report import ProgramReport
from ..host.programs.summary import closing_lines
from ..launches.device import Device
from ..spent import phase
from ..timing import replay
from .build import compile_options
from .launch import asked_repeats, watched
from .outputs import print_reasons, suppressions_of, why_document, write_formatted
from .paths import check_paths
from .profile import print_profile, profile_document
from .report import Seen, write_page
from .screen import Screen

_ELF = b"\x7fELF"
#: Options that say how one kernel is launched, and their defaults.
_OF_KERNELS: dict[str, Any] = {
    "dim": None, "block": None, "shared": 0, "type": None, "arg": [], "save": [], "no_isolate": False,
    "expect": [], "against": [], "tolerance": None,
}  # fmt: skip


def run_program(options: argparse.Namespace, screen: Screen) -> int:
    """Build sources with a `main`, run the program, and report on standard error; the exit code is the program's."""
    screen.apart = screen.json or bool(options.format and not options.output)
    check_paths(options.trace, options.report, options.log, options.output, read=[*options.files])
    devices = _devices(options)
    keep = bool(options.trace or options.log or options.report or options.why)
    code, reports = _running(options, options.files, screen, devices, keep)
    report = report_of(checked_program(options.files[0], reports, advice=False), suppressions_of(options))
    with phase("trace, report and log files"):
        written = [*_write_launches(options, screen, reports, devices), *write_formatted(options, report)]
        written += write_page(options, screen, options.files[0].name, _seen(reports, devices), report)
    if options.format and not options.output and not screen.json:
        from ..findings.reports.formats import FORMATS

        screen.write(FORMATS[options.format](report))
    tell(screen, report, reports)
    for path in written:
        screen.say(f"wrote {path}")
    longest = max(_seen(reports, devices), key=lambda one: one.timeline.total_us, default=None) if options.why else None
    if screen.json:
        processes = [document(one, report) for one in reports]
        why = why_document(options, longest.timeline) if longest else {}
        screen.document({"exit_code": code, "processes": processes, "written": written} | why | profile_document())
    else:
        if longest:
            screen.line(f"\nthe longest launch, {longest.name}:")
            print_reasons(options, screen, longest.timeline)
        print_profile(screen)
    return code


def check_program(
    options: argparse.Namespace, files: Sequence[Path], screen: Screen, seen: list[Seen]
) -> tuple[list[Checked], bool]:
    """What a program with a `main` breaks, with advice, and whether it ended well; ``seen`` gets its launches."""
    devices = _devices(options)
    code, reports = _running(options, files, screen, devices, options.checks == "all" or bool(options.report))
    seen += _seen(reports, devices) if options.report else []
    if code:
        screen.say(f"the program ended with exit code {code}")
    elif not any(report.launches or report.operations for report in reports):
        raise ValueError(f"{files[0]} has launched no kernel, so that nothing was checked")
    return checked_program(files[0], reports, advice=True), code == 0


def _seen(reports: Sequence[ProgramReport], devices: Sequence[Device]) -> list[Seen]:
    """The launches whose logs were kept."""
    launches = (one for report in reports for one in report.launches)
    return [
        Seen(one.kernel, replay(one.log, devices[one.device].rates), one.start)
        for one in launches if one.log is not None
    ]  # fmt: skip


def is_program(files: Sequence[Path]) -> bool:
    """Whether files make a program: it is built already, or one of the sources has a `main`."""
    return _is_built(files) or any(file.is_file() and has_main(file) for file in files)


def _is_built(files: Sequence[Path]) -> bool:
    if len(files) != 1 or not files[0].is_file():
        return False
    with files[0].open("rb") as file:
        return file.read(len(_ELF)) == _ELF


def _devices(options: argparse.Namespace) -> list[Device]:
    for name, default in _OF_KERNELS.items():
        if getattr(options, name, default) != default:
            raise ValueError(f"--{name.replace('_', '-')} says how a kernel is launched; name it with --kernel")
    return [watched(options, name) for name in options.device.split(",")]


def _running(
    options: argparse.Namespace, files: Sequence[Path], screen: Screen, devices: Sequence[Device], keep_logs: bool
) -> tuple[int, list[ProgramReport]]:
    """Build a program where it is not, and run it: its exit code, and the reports of its processes."""
    program = files[0].absolute()
    if not _is_built(files):
        settings = compile_options(options)
        with screen.busy(f"building {' '.join(map(str, files))}"), phase("building"):
            begin_worker(devices[0])
            program = build_program(files, settings, devices[0], optimize=options.optimize)
    reports: list[ProgramReport] = []
    try:
        with screen.busy("running") if screen.apart else nullcontext():  # which sends its output to standard error
            code, _ = run_built(
                program, options.own_arguments, devices, keep_logs, options.time_limit, reports, asked_repeats(options)
            )
    except BaseException:  # of an interrupt: what was found until then
        tell(screen, report_of(checked_program(program, reports, advice=False), suppressions_of(options)), reports)
        raise
    if code < 0 and not any(report.death for report in reports):
        screen.say(ended_by(-code))
    for sentence in not_started(code, reports, devices[0]):
        screen.say(sentence)
    for kernel, tried in ((kernel, tried) for report in reports for kernel, tried in report.tried.items()):
        screen.say(f"{kernel}: {tried}")
    return (code if code >= 0 else 128 - code), reports


def _write_launches(
    options: argparse.Namespace, screen: Screen, reports: Sequence[ProgramReport], devices: Sequence[Device]
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
    from ..host.programs import toolkit  # who runs a program need not wait for it

    with screen.busy(f"writing {options.folder}"):
        written = toolkit.write_toolkit(options.folder, options.device.split(","))
    if screen.json:
        screen.document({"written": [str(path) for path in written]})
    else:
        asked = toolkit.asked_of_make(options.folder, options.device.partition(",")[0])
        screen.line(f"{options.folder}: a toolkit for {options.device}; build with {asked}")
    return True


def tell(screen: Screen, report: Checks, reports: Sequence[ProgramReport]) -> None:
    """Findings and summary of a program, on standard error."""
    screen.findings(report.findings)
    for one in reports:
        findings, suppressed = apart(one, report)
        for line in closing_lines(one, findings, len(suppressed)):
            screen.say(line)
