"""The command that checks: kernels, whole programs in Python, saved logs."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path

from ..checks.after_run import dispensable, examine
from ..findings import BuildError, KernelError, MlusimError
from ..findings.reports import Checked, report_of
from ..launches.program import Program
from ..launches.watchers import Launches, checked, checked_log, watchers
from ..timing import replay
from .build import compile_options
from .devices import OnDevice, print_devices
from .launch import asked_repeats, files_read, say_tried, start_kernel, watched
from .outputs import show_report, suppressions_of
from .paths import check_paths
from .replay import device_of, load_log
from .report import Runs, Seen, write_page
from .screen import Screen
from .values import kernel_arguments

#: How a file begins that is a log: an archive of arrays.
_ARCHIVE = b"PK\x03\x04"
#: Why a log is not compared with itself.
_NOT_AGAIN = "not run again: a log has neither the kernel nor its arrays; check the source"
#: Seconds that a launch may take under ``--deep``: one of a kernel that never ends is to be told of.
_LIMIT = 60.0


def check(options: argparse.Namespace, screen: Screen) -> bool:
    """Look for broken rules in everything that is given; whether there is nothing worse than advice."""
    screen.apart = screen.json or (not options.output and options.format not in (None, "text"))
    check_paths(options.output, options.report, read=files_read(options))
    for path in options.files:
        if not path.exists():
            raise ValueError(f"{path} does not exist; pass kernel sources, programs in Python, or logs")
    allowed = suppressions_of(options)
    logs = [path for path in options.files if _is_archive(path)]
    programs = [path for path in options.files if path.suffix == ".py"]
    sources = [path for path in options.files if path not in (*logs, *programs)]
    if not sources and (options.kernel or options.arg or options.expect or options.against):
        raise ValueError("--kernel, --arg, --expect and --against are of a kernel source; pass its file")
    if (options.expect or options.against) and not options.kernel:
        raise ValueError("--expect and --against are of the arguments of a kernel; name it with --kernel")
    if not sources and (options.values or options.precise or options.precise_limit is not None):
        raise ValueError("--values and --precise are of a kernel source; a program watches its device itself")
    if options.deep and options.time_limit is None and not options.no_isolate:
        options.time_limit = _LIMIT
    found, complete, seen = [], True, list[Seen]()
    for path in logs:
        found.append(_log(options, path, screen, seen))
    for path in programs:
        with screen.busy(f"running {path}"):
            launches, ended_well = _program(options, path, screen, seen)
        found += launches
        complete = complete and ended_well
    rows = list[OnDevice]()
    if sources and "," in options.device and _is_kernels(options, sources):
        for name in options.device.split(","):
            launches, row = _on_device(options, name, sources, screen, seen)
            found += launches
            rows.append(row)
        complete = complete and not any(row.problem for row in rows)
        print_devices(screen, rows)
    elif sources:
        launches, ended_well = _sources(options, sources, screen, seen)
        found += launches
        complete = complete and ended_well
    report = report_of(found, allowed)
    title = f"check of {', '.join(path.name for path in options.files)}"
    written = write_page(options, screen, title, seen if options.report else (), report)
    missed = [row.device for row in rows if row.problem]
    fine = {"fine": f"no findings, but nothing was looked at on {', '.join(missed)}"} if missed else {}
    show_report(options, screen, report, written, {"devices": [asdict(row) for row in rows]} if rows else {}, **fine)
    return complete and not report.failed


def _sources(
    options: argparse.Namespace, sources: Sequence[Path], screen: Screen, seen: list[Seen]
) -> tuple[list[Checked], bool]:
    """A program with host code, run whole; or one of kernels: its build, and the launch of the one that is named.

    And whether it has come to its end.
    """
    if _is_kernels(options, sources):
        return _kernels(options, sources, screen, seen), True
    from .program import check_program  # kernels alone need none of it

    try:
        return check_program(options, sources, screen, seen)
    except BuildError as error:
        if error.finding is None:
            raise
        return [Checked(f"build of {', '.join(map(str, sources))}", (error.finding,))], True


def _is_kernels(options: argparse.Namespace, sources: Sequence[Path]) -> bool:
    """Whether sources are kernels alone, or one of their kernels is named."""
    if options.kernel:
        return True
    from .program import is_program

    return not is_program(sources)


def _on_device(
    options: argparse.Namespace, name: str, sources: Sequence[Path], screen: Screen, seen: list[Seen]
) -> tuple[list[Checked], OnDevice]:
    """What kernels break on one of several devices, and its row of the table."""
    mine, launched = argparse.Namespace(**vars(options) | {"device": name}), list[Seen]()
    try:
        found = _kernels(mine, sources, screen, launched)
    except (ValueError, TypeError, MlusimError) as error:
        return [], OnDevice(name, problem=str(error).partition("\n")[0])
    seen += [replace(one, name=f"{one.name} on {name}") for one in launched]
    timeline = launched[0].timeline if launched else None
    return found, OnDevice.of(name, report_of(found, suppressions_of(options)).findings, timeline)


def _kernels(options: argparse.Namespace, sources: Sequence[Path], screen: Screen, seen: list[Seen]) -> list[Checked]:
    """A program of kernel sources: its build, and the launch of the kernel that is named."""
    names, values = ", ".join(map(str, sources)), kernel_arguments(options.arg)
    device = watched(options, options.device)
    with warnings.catch_warnings(), screen.busy(f"building {names}"):
        warnings.simplefilter("ignore", RuntimeWarning)  # what it says is among the findings
        try:
            program = Program(sources, compile_options(options), device)
        except BuildError as error:
            if error.finding is None:
                raise
            return [Checked(f"build of {names}", (error.finding,))]
    if not options.kernel:
        listed = ", ".join(program.kernels) or "none"
        screen.say(f"compiled {names} and ran nothing; name one of its kernels with --kernel: {listed}")
        return [Checked(f"build of {names}", tuple(program.warnings))]
    try:
        run = start_kernel(options, screen, program, values, "collect")
    except KernelError as error:
        if error.run is None:
            raise
        run = error.run
    seen.append(Seen.of(run.timeline))
    built = Checked(f"build of {names}", tuple(program.warnings))  # also of what was built for the launch
    launched = checked(run, advice=options.checks == "all")
    if asked_repeats(options):
        launched = replace(launched, tried=run.variants.tried)
        screen.say(f"{launched.name}: {launched.tried}")
    return [built, launched]


def _program(options: argparse.Namespace, path: Path, screen: Screen, seen: list[Seen]) -> tuple[list[Checked], bool]:
    """What a program in Python launches, and whether it came to its end without an error of its own."""
    launches, runs, ended_well = Launches(advice=True, repeats=asked_repeats(options)), Runs(), True
    arguments, places = sys.argv, list(sys.path)
    sys.argv, sys.path[0:0] = [str(path)], [str(path.parent.resolve())]
    keeping = watchers(os.getpid()).watching(runs) if options.report else nullcontext()
    try:
        with watchers(os.getpid()).watching(launches), keeping:
            runpy.run_path(str(path), run_name="__main__")
    except KernelError as error:
        ended_well = False
        if error.finding.reason:  # it is suppressed, so that the report does not say what has ended the program
            traceback.print_exc()
    except SystemExit as end:
        ended_well = end.code in (None, 0)
    except Exception:
        traceback.print_exc()
        ended_well = False
    finally:
        sys.argv, sys.path[:] = arguments, places
    if not launches.checked and ended_well:
        raise ValueError(
            f"{path} has launched no kernel, so that nothing was checked; tests are run by pytest, "
            "which gives them the fixture mlusim"
        )
    say_tried(launches, screen)
    seen += runs.seen
    return launches.checked, ended_well


def _log(options: argparse.Namespace, path: Path, screen: Screen, seen: list[Seen]) -> Checked:
    """A log of an earlier run: what the order of its records breaks, and what could be left out."""
    log = load_log(path)
    tried = _NOT_AGAIN if asked_repeats(options) else ""
    if tried:
        screen.say(f"{path}: {tried}")
    if options.report:
        rates = device_of(argparse.Namespace(device=None), log).rates
        seen.append(Seen.of(replay(log, rates)))
    return replace(checked_log(log, str(path), [*examine(log, [], "collect"), *dispensable(log)]), tried=tried)


def _is_archive(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_ARCHIVE)) == _ARCHIVE
    except OSError:
        return False
