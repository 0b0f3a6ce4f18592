"""What host code costs: a launch from it, copies, and the start of a program that runs by itself."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mlusim.simulator.host.programs.toolkit import write_toolkit

from .measure import DEVICE, Figure, best

_SOURCE = Path(__file__).with_name("host.mlu")
_COPIED = 64 << 20


def host() -> Iterator[Figure]:
    """A program that a toolkit's compiler has built, which measures launches and copies itself."""
    with tempfile.TemporaryDirectory() as folder:
        toolkit, program = Path(folder, "sdk"), Path(folder, "host")
        write_toolkit(toolkit, [DEVICE])
        subprocess.run([toolkit / "bin/cncc", "-O2", "-o", program, _SOURCE], check=True)
        yield from _figures(program, {**os.environ, "LD_LIBRARY_PATH": str(toolkit / "lib64")})


def _figures(program: Path, environment: dict[str, str]) -> Iterator[Figure]:
    def run(way: str) -> list[float]:
        done = subprocess.run([program, way], env=environment, capture_output=True, text=True, check=True)
        return [float(line) for line in done.stdout.split()]

    waited, queued = run("launches")
    yield Figure("a launch from host code, and the wait for it", waited * 1e3, "ms", 1.0)
    yield Figure("a launch from host code, of many in a queue", queued * 1e3, "ms", 1.0)
    plain, to_device, to_host = run("copies")
    yield Figure("copying 64 MB in host memory", _COPIED / plain / 1e9, "GB/s")
    yield Figure("a copy of 64 MB to the device", to_device / plain, "x memcpy", 1.25)
    yield Figure("a copy of 64 MB to the host", to_host / plain, "x memcpy", 1.25)
    nothing, start = best(lambda: run("nothing"), lambda: run("start"), rounds=5)
    yield Figure("start and end of a program with a device, above one without", start - nothing, "s", 0.4)
