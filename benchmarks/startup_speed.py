"""What one waits for at the command line before a kernel or a program runs, all that can be kept in the cache kept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.kernelc.options import Options

from .measure import Figure, best, device

_KERNELS, _PROGRAM = (Path(__file__).with_name(name) for name in ("kernels.mlu", "program.mlu"))


def startup() -> Iterator[Figure]:
    """The import, commands on what is in the cache, and a run of a cached program beside the program itself."""
    built = build_program([_PROGRAM], Options(), device())

    def program() -> None:
        code, _ = run_program(built, [], [device()])
        assert code == 0

    imported, bare = (_python(script) for script in ("import mlusim.simulator", ""))
    version = _run("-m", "mlusim.simulator", "--version")
    launch = _command("run", _KERNELS, "--kernel", "short_adds", "--arg", "100")
    build, launched, run, itself, says, package, nothing = best(
        _command("build", _KERNELS), launch, _command("run", _PROGRAM), program, version, imported, bare, rounds=10
    )
    yield Figure("import mlusim.simulator, above Python itself", (package - nothing) * 1e3, "ms", 100)
    yield Figure("mlusim --version", says * 1e3, "ms", 100)
    yield Figure("mlusim build, file cached", build * 1e3, "ms", 200)
    yield Figure("mlusim run, kernel cached", launched * 1e3, "ms", 350)
    yield Figure("mlusim run, program cached: above the program itself", (run - itself) * 1e3, "ms", 400)
    yield Figure("the program itself, which launches a kernel", itself * 1e3, "ms")


def _command(name: str, file: Path, *words: str) -> Callable[[], object]:
    return _run("-m", "mlusim.simulator", name, str(file), *words)


def _python(script: str) -> Callable[[], object]:
    return _run("-c", script)


def _run(*words: str) -> Callable[[], object]:
    """A command of a new process, whose modules are compiled already: the first round keeps their bytecode."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return lambda: subprocess.run([sys.executable, *words], capture_output=True, check=True, env=env)
