"""How a worker process is started: which Python, which modules from where, which environment, which descriptors."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from ..execution import Execution
from ..issue import Check

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


def start_process(end: int, life: int, output: int, errors: int) -> subprocess.Popen[bytes]:
    """A Python that reads what to do from the descriptor ``end`` and goes when the other end of ``life`` is closed."""
    if getattr(sys, "frozen", False) or not sys.executable:
        raise RuntimeError(
            "the process that runs C kernels needs a Python interpreter, and a frozen program has none; "
            "pass isolate=False"
        )
    # Above those of the standard streams: where the user's process lacks one, the next descriptor takes its number.
    given = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3) for descriptor in (end, life)]
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", *["-O"] * sys.flags.optimize, str(_BOOTSTRAP), *map(str, given)],
            pass_fds=given,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
            cwd="/",
            env={name: value for name, value in os.environ.items() if name.startswith(_ENVIRONMENT)},
        )
    finally:
        for descriptor in given:
            os.close(descriptor)


def start_message(runtime: Path, modules: Iterable[str]) -> bytes:
    """What the script of a worker reads first: it imports what this process imports, from the same places."""
    needed = [*modules, *(name for name in list(sys.modules) if name.startswith("mlusim.") and name.count(".") == 1)]
    places: dict[str, list[object]] = {}
    for module in needed:
        parts = module.split(".")
        for length in range(1, len(parts) + 1):
            name = ".".join(parts[:length])
            spec = getattr(sys.modules.get(name), "__spec__", None)
            if spec is None:
                continue
            folders = spec.submodule_search_locations
            file = spec.origin if spec.has_location else None
            if file is not None or folders is not None:
                places[name] = [file and os.path.abspath(file), folders and [os.path.abspath(f) for f in folders]]
    path = [entry for entry in sys.path if os.path.isabs(entry)]
    start = {"path": path, "places": places, "modules": sorted(modules), "runtime": os.path.abspath(runtime)}
    return json.dumps(start).encode()
