"""How a worker process is started: which Python, which modules from where, which environment, which descriptors."""

from __future__ import annotations

import atexit
import fcntl
import importlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .idle import ALONE, SLEEP
from .messages import Start

if TYPE_CHECKING:  # a worker is started ahead of all that takes time to import
    from ...core.execution import Execution
    from ...core.issue import Check

_OURS = ("mlusim.isa", "mlusim.simulator")
_WORKER = "mlusim.simulator.engines.worker.process"
#: What a launch needs unless its device is of another dialect.
_LIKELY = "mlusim.isa.bang.instructions"
#: What is imported while the first launch runs.
_MEANWHILE: list[str] = []
_BOOTSTRAP = Path(__file__).with_name("bootstrap.py")
#: What of the environment reaches a worker: how libraries are found and how many threads they take, the language.
_ENVIRONMENT = ("LD_", "LANG", "LC_", "OMP_", "OPENBLAS_", "MKL_", "MALLOC_", "GLIBC_", "MLUSIM_")


def check_modules(checks: Iterable[Callable[[Execution], Check]]) -> frozenset[str]:
    """The modules in which checks are defined; TypeError for one that a worker cannot import."""
    classes = [check.func if isinstance(check, partial) else check for check in checks]
    for check in classes:
        if check.__module__ == "__main__":
            raise TypeError(
                f"the check {check.__qualname__} is defined in the script that runs; put it into a module, "
                "so that the process that runs C kernels can import it"
            )
    return frozenset(check.__module__ for check in classes)


class Started(NamedTuple):
    """A process that imports what a worker needs, and then reads from a socket what to do."""

    process: subprocess.Popen[bytes]
    end: socket.socket
    life: int  # closed, it ends the process
    outputs: tuple[int, int]  # what it writes to standard output and standard error


def start_ahead(*meanwhile: str) -> None:
    """Start a process for the next worker of this one; its imports take as long as those of this process.

    ``meanwhile`` are modules that this process needs behind a launch, see `import_meanwhile`.
    """
    owner = os.getpid()
    _MEANWHILE.extend(meanwhile)
    ahead = _ahead(owner)
    ahead.append(_start(_LIKELY))

    def end_unused() -> None:
        if os.getpid() != owner:  # a fork may have closed the files, or have others under their numbers
            return
        for left in ahead:
            give_back(owner, left)

    atexit.register(end_unused)


def import_meanwhile(instructions: str) -> None:
    """Import what is needed behind a launch that a worker has just begun, and the module of its ``instructions``."""
    for module in (instructions, *_MEANWHILE):
        importlib.import_module(module)
    _MEANWHILE.clear()


def started() -> Started:
    """The process that was started ahead, or a new one."""
    ahead = _ahead(os.getpid())
    return ahead.pop() if ahead else _start()


def give_back(owner: int, started: Started) -> None:
    """Give back all that a process took, and end it; a fork of its owner only lets go of it."""
    started.end.close()
    for descriptor in (started.life, *started.outputs):
        os.close(descriptor)
    if os.getpid() == owner:
        started.process.kill()
        started.process.wait()


@lru_cache(maxsize=1)
def _ahead(process: int) -> list[Started]:
    """What a process has started ahead (a forked child has its own)."""
    del process
    return []


def _start(*modules: str) -> Started:
    """A new process, which begins with the import of these modules besides its own."""
    ours, theirs = socket.socketpair()
    life, kept = os.pipe()
    pipes = [os.pipe(), os.pipe()]
    try:
        process = _process(theirs.fileno(), life, pipes[0][1], pipes[1][1], modules)
    finally:
        theirs.close()
        for descriptor in (life, *(given for _, given in pipes)):
            os.close(descriptor)
    return Started(process, ours, kept, (pipes[0][0], pipes[1][0]))


def _process(end: int, life: int, output: int, errors: int, modules: Iterable[str]) -> subprocess.Popen[bytes]:
    """A Python that reads what to do from the descriptor ``end`` and goes when the other end of ``life`` is closed."""
    if getattr(sys, "frozen", False) or not sys.executable:
        raise RuntimeError(
            "the process that runs C kernels needs a Python interpreter, and a frozen program has none; "
            "pass isolate=False"
        )
    # Above those of the standard streams: where the user's process lacks one, the next descriptor takes its number.
    given = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3) for descriptor in (end, life)]
    # The end of the thread that has started a process can end that, too.
    bound = "bound" if threading.current_thread() is threading.main_thread() else "free"
    try:
        return subprocess.Popen(
            [*isolated(_WORKER), *map(str, given), bound, *modules],
            pass_fds=given,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
            cwd="/",
            env=SLEEP | ALONE | {name: value for name, value in os.environ.items() if name.startswith(_ENVIRONMENT)},
        )
    finally:
        for descriptor in given:
            os.close(descriptor)


def isolated(module: str) -> list[str]:
    """The words that begin a Python without the user's settings, and have it run the `main` of one of our modules."""
    return [sys.executable, "-I", "-S", *["-O"] * sys.flags.optimize, str(_BOOTSTRAP), _places(()), module]


def start_message(runtime: Path, modules: Iterable[str]) -> Start:
    """What a worker reads first: the modules to import besides its own, and the runtime to load."""
    return Start(_places(modules), tuple(sorted(modules)), os.path.abspath(runtime))


def _places(modules: Iterable[str]) -> str:
    """Where this process has modules and ours from: a worker imports the same."""
    loaded = [name for name in list(sys.modules) if name.startswith("mlusim.") and name.count(".") == 1]
    places: dict[str, list[object]] = {}
    for module in (*modules, *_OURS, *loaded):
        parts = module.split(".")
        for length in range(1, len(parts) + 1):
            name = ".".join(parts[:length])
            spec = getattr(sys.modules.get(name), "__spec__", None)
            if spec is None and name in _OURS:
                spec = importlib.util.find_spec(name)
            if spec is None:
                continue
            folders = spec.submodule_search_locations
            file = spec.origin if spec.has_location else None
            if file is not None or folders is not None:
                places[name] = [file and os.path.abspath(file), folders and [os.path.abspath(f) for f in folders]]
    path = [entry for entry in sys.path if os.path.isabs(entry)]
    return json.dumps([path, places])
