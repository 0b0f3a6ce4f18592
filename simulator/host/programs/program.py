"""A host program: its sources built into one, and run with devices beside it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import threading
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

from ...engines.worker.pool import pool
from ...frames import BrokenPeer
from ...kernelc.inputs import KERNELS, check_readable, file_stem
from ...kernelc.options import Options
from ...kernelc.tokens import tokens
from ...launches.device import Device
from ...launches.repeats import NONE, Repeats
from ...native.build import tasks_runtime
from ...native.compiler import Compiler
from ...spent import Phases, current, phase, spending
from .build import HostUnit
from .door import Door
from .facts import check_host_device
from .objects import built_objects
from .report import ProgramReport
from .runtime import host_libraries
from .session import Session
from .undefined import NOT_LOADED, foreign_libraries, not_linked

#: Of optimization of host code.
LEVELS = range(4)
_MAIN = re.compile(r"\bmain\b")
#: Of the simulator's own time: what a program does itself.
_PROGRAM = "the program"
#: Seconds that a program has to end when it is asked to.
_PATIENCE_S = 3.0
_NO_MAIN = re.compile(r"undefined reference to `main'")


def build_program(
    sources: Sequence[Path], options: Options, device: Device, flags: Sequence[str] = (), optimize: int = 0
) -> Path:
    """Build sources with a `main` into a program, which is kept in the cache.

    ``flags`` (a sanitizer's) are for the libraries too, ``optimize`` is the level of -O for host code.

    BuildError when they do not compile or link, ValueError when none of them has a `main`, or the device runs no such
    programs.
    """
    check_host_device(device)
    for source in sources:
        check_readable(source)
    if not any(_MAIN.search(source.read_text(errors="replace")) for source in sources):
        raise _no_main(sources)
    compiler = Compiler()
    kernels = tuple(source for source in sources if source.suffix in KERNELS)
    units = [HostUnit(source, options, ("-g", f"-O{optimize}", *flags), beside=kernels) for source in sources]
    objects = built_objects(compiler, units, device)
    libraries = [*host_libraries(compiler, flags, device.isa).values()]
    places = [f"-Wl,-rpath,{library.parent}" for library in libraries]
    places.append("-Wl,--disable-new-dtags")  # they count before those of a toolkit that LD_LIBRARY_PATH names
    # Each is needed by the others, which find it where the program does.
    step = [*flags, *map(str, objects), "-Wl,--no-as-needed", *map(str, libraries), *places, "-lpthread"]

    def make(path: Path) -> None:
        done = compiler.run([*step, "-o", str(path)], path.parent)
        if done.returncode and _NO_MAIN.search(done.messages):
            raise _no_main(sources)
        if done.returncode:
            raise not_linked(str(sources[0]), sources[0], done.messages, libraries)

    return compiler.cache.file(file_stem(sources[0]), "\0".join([compiler.version, *step]), make)


def _no_main(sources: Sequence[Path]) -> ValueError:
    listed = " and ".join(map(str, sources))
    return ValueError(
        f"{listed} {'have' if len(sources) > 1 else 'has'} no main(); name a kernel to launch with --kernel"
    )


def begin_worker(device: Device) -> None:
    """Start the process that runs a device's kernels, which takes as long as building a program."""
    pool(os.getpid()).begin(tasks_runtime(Compiler()), device.isa)


def has_main(source: Path) -> bool:
    """Whether a source defines a `main`, in a line that no comment holds."""
    found = [*tokens(source.read_text(encoding="utf-8", errors="replace"), 0)]
    triples = zip(found, found[1:], found[2:], strict=False)
    return any(b.text == "main" and c.text == "(" and a.text in ("int", "void", "auto") for a, b, c in triples)


def run_program(
    program: Path, arguments: Sequence[str], devices: Sequence[Device], keep_logs: bool = False,
    time_limit: float | None = None, reports: list[ProgramReport] | None = None, repeats: Repeats = NONE,
) -> tuple[int, list[ProgramReport]]:  # fmt: skip
    """Run a program; its exit code (minus the signal that ended it), and what each of its processes has done.

    ``time_limit`` (seconds) is that of each launch, ``repeats`` what it is compared with, ``keep_logs``: the reports
    hold their logs. An interrupt is the
    program's as well: it is raised when that has ended; what was found so far is in ``reports``, if given.
    ValueError for a device that runs no programs.
    """
    for device in devices:
        check_host_device(device)
    found = [] if reports is None else reports
    threads: list[threading.Thread] = []
    profiles: list[Phases] = []
    spent = current()
    door = Door()

    def accept() -> None:
        while True:
            try:
                end = door.accept()
            except OSError:
                return
            given = end, devices, keep_logs, time_limit, repeats, found, profiles if spent else None
            thread = threading.Thread(target=_serve, args=given, daemon=True)
            threads.append(thread)
            thread.start()

    threading.Thread(target=accept, daemon=True).start()
    patience: float | None = _PATIENCE_S
    with phase(_PROGRAM):
        try:
            code, patience = _ended(subprocess.Popen([str(program), *arguments], env=door.environment)), None
        finally:
            door.close()
            for thread in threads:
                thread.join(patience)
        if spent:
            spent.absorb((name, *entry) for phases in profiles for name, entry in phases.items())
    return code, found


def not_started(code: int, reports: Sequence[ProgramReport], device: Device) -> list[str]:
    """Why a program that has ended with an exit code was not even loaded, where that is known."""
    if code != NOT_LOADED or reports:
        return []
    found = foreign_libraries(host_libraries(Compiler(), isa=device.isa), os.environ)
    return [f"the program did not start: {sentence}" for sentence in found]


def _ended(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a program. One that goes on when this process is asked to end is killed after a while."""
    try:
        return process.wait()
    except BaseException as end:
        if not isinstance(end, KeyboardInterrupt):  # which has reached it too
            process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE_S)
        process.kill()
        process.wait()
        raise


def _serve(
    end: socket.socket,
    devices: Sequence[Device],
    keep_logs: bool,
    time_limit: float | None,
    repeats: Repeats,
    reports: list[ProgramReport],
    profiles: list[Phases] | None,
) -> None:
    with end, nullcontext() if profiles is None else spending(_PROGRAM) as spent:
        session = Session(end, devices, keep_logs, time_limit, repeats)
        reports.append(session.report)
        with suppress(BrokenPeer):  # its report says that it has not ended by itself
            session.serve()
            session.bye()
        if spent and profiles is not None:
            profiles.append(spent.phases)
