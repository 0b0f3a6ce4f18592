"""A host program: its sources built into one, and run with devices beside it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..device import Device
from ..findings import BuildError, Finding, rules
from ..frontend.compiler import Compiler
from ..frontend.inputs import HOST, KERNELS, unreadable
from ..frontend.options import Options
from ..frontend.tokens import tokens
from ..log import Location
from .build import INCLUDE, Unit, assemble
from .report import Report
from .runtime import LIBRARIES, host_library
from .session import Session
from .wire import Wire

_MAIN = re.compile(r"\bmain\b")
_NO_MAIN = re.compile(r"undefined reference to `main'")


def build_program(sources: Sequence[Path], options: Options, device: Device, flags: Sequence[str] = ()) -> Path:
    """Build sources with a `main` into a program. BuildError when they do not compile or link,
    ValueError when none of them has a `main`, or the device runs no such programs.
    """
    if device.isa != "bang":
        raise ValueError(f"{device.name} has no CNRT; choose an MLU for a program with host code")
    for source in sources:
        if problem := unreadable(source):
            raise BuildError(f"{source} {problem}", Finding(rules.BUILD, problem, location=Location(str(source), 0)))
    if not any(_MAIN.search(source.read_text(errors="replace")) for source in sources):
        raise _no_main(sources)
    compiler = Compiler()
    folder = Path(tempfile.mkdtemp(prefix="mlusim-program-"))
    try:
        beside = tuple(source for source in sources if source.suffix == KERNELS)
        objects = [
            _object(compiler, source, options, device, flags, beside, folder / f"{number}.o")
            for number, source in enumerate(sources)
        ]
        libraries = [host_library(compiler, name) for name in LIBRARIES]
        program = folder / sources[0].stem
        places = [f"-Wl,-rpath,{library.parent}" for library in libraries]
        step = [*map(str, objects), "-o", str(program), *map(str, libraries), *places, "-lpthread"]
        done = compiler.run(step, folder)
        if done.returncode and _NO_MAIN.search(done.messages):
            raise _no_main(sources)
        if done.returncode:
            raise _failed(sources[0], "does not link", done.messages)
        return program.absolute()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _object(
    compiler: Compiler, source: Path, options: Options, device: Device, flags: Sequence[str], beside: tuple[Path, ...],
    path: Path,
) -> Path:  # fmt: skip
    if source.suffix == KERNELS:
        assembly = path.with_suffix(".s")
        assembly.write_text(assemble(Unit(source, options, ("-O1", *flags), beside=beside), device), encoding="utf-8")
        done = compiler.run(["-c", "-o", str(path), str(assembly)], path.parent)
    else:
        kind = HOST.get(source.suffix, "c++")
        standard = [f"-std={options.standard}"] if options.standard else []
        step = ["-c", "-x", kind, *standard, "-g", "-O1", *flags, *options.folders(), f"-isystem{INCLUDE}"]
        done = compiler.run([*step, *options.preprocess(), "-o", str(path), str(source.absolute())], path.parent)
    if done.returncode:
        raise _failed(source, "does not compile", done.messages)
    return path


def _no_main(sources: Sequence[Path]) -> ValueError:
    listed = " and ".join(map(str, sources))
    return ValueError(
        f"{listed} {'have' if len(sources) > 1 else 'has'} no main(); name a kernel to launch with --kernel"
    )


def _failed(source: Path, what: str, messages: str) -> BuildError:
    return BuildError(
        f"{source} {what}:\n{messages.strip()}", Finding(rules.BUILD, what, location=Location(str(source), 0))
    )


def has_main(source: Path) -> bool:
    """Whether a source defines a `main`, in a line that no comment holds."""
    found = [*tokens(source.read_text(encoding="utf-8", errors="replace"), 0)]
    triples = zip(found, found[1:], found[2:], strict=False)
    return any(b.text == "main" and c.text == "(" and a.text in ("int", "void", "auto") for a, b, c in triples)


def run_program(
    program: Path, arguments: Sequence[str], devices: Sequence[Device], keep_logs: bool = False,
    time_limit: float | None = None,
) -> tuple[int, list[Report]]:  # fmt: skip
    """Run a program; its exit code (minus the signal that ended it), and what each of its processes has done.

    ``time_limit`` (seconds) is that of each launch, ``keep_logs``: the reports hold their logs.
    """
    reports: list[Report] = []
    with tempfile.TemporaryDirectory(prefix="mlusim-") as folder, socket.socket(socket.AF_UNIX) as door:
        path = os.path.join(folder, "device")
        door.bind(path)
        door.listen()
        threads: list[threading.Thread] = []

        def accept() -> None:
            while True:
                try:
                    end, _ = door.accept()
                except OSError:
                    return
                thread = threading.Thread(
                    target=_serve, args=(end, devices, keep_logs, time_limit, reports), daemon=True
                )
                threads.append(thread)
                thread.start()

        threading.Thread(target=accept, daemon=True).start()
        process = subprocess.Popen([str(program), *arguments], env={**os.environ, "MLUSIM_SOCKET": path})
        try:
            code = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
    return code, reports


def _serve(
    end: socket.socket, devices: Sequence[Device], keep_logs: bool, time_limit: float | None, reports: list[Report]
) -> None:
    with end:
        session = Session(Wire(end), devices, keep_logs, time_limit)
        reports.append(session.report)
        session.serve()
        session.bye()
