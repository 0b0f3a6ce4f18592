"""What a launch costs before its first instruction, and what the replay of its log costs."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from mlusim.simulator import Log, replay

from .measure import CORES, ELEMENTS, Figure, best, device, program


def isolation() -> Iterator[Figure]:
    """A launch of two instructions: in this process, in the worker, and the very first one of a process."""

    def launch(isolate: bool) -> None:
        program().launch("short_adds", args=[0], isolate=isolate)

    inside, isolated = best(lambda: launch(False), lambda: launch(True), rounds=50)
    yield Figure("a launch in this process", inside * 1e3, "ms")
    yield Figure("a launch in the worker, above one in this process", (isolated - inside) * 1e3, "ms", 20)
    code = "from benchmarks.measure import program; import time; p = program(); t = time.perf_counter();"
    code += " p.launch('short_adds', args=[0]); print(time.perf_counter() - t)"
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
            ).stdout
        )
        for _ in range(3)
    ]
    yield Figure("the first launch, which starts the worker", min(times) * 1e3, "ms")


def replays() -> Iterator[Figure]:
    """Timing of logs: one core and its vector unit; 32 cores that share the DRAM."""
    chip = device()
    short = program().launch("short_adds", args=[200_000], isolate=False).log
    zeros = chip.array(np.zeros(ELEMENTS, np.float32))
    tiles = program().launch("add", (CORES, 1, 1), args=[zeros, zeros, zeros, ELEMENTS], isolate=False).log
    shared = _repeated(tiles, 200)
    for name, log in (("one core", short), ("32 cores on the DRAM", shared)):
        (seconds,) = best(functools.partial(replay, log, chip.rates), rounds=5)
        yield Figure(f"replay, {name}", seconds / len(log) * 1e6, "us a record", 2.0)
        yield Figure(f"replay, {name}", len(log) / seconds / 1e3, "thousand records a second")


def _repeated(log: Log, times: int) -> Log:
    """A log whose kernel has done all its work so many times."""
    records = np.tile(log.records, times)
    records["first"] += np.repeat(np.arange(times, dtype=np.uint32) * len(log.operands), len(log))
    return replace(log, records=records, operands=np.tile(log.operands, times))
