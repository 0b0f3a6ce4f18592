"""What a launch costs before its first instruction, and what the replay of its log costs."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from mlusim.simulator import Log, replay

from .measure import CORES, ELEMENTS, Figure, best, device, program

#: Tasks of an empty launch, more than there are cores.
_MANY = 40


def isolation() -> Iterator[Figure]:
    """A launch of two instructions: in this process, in the worker, the very first one of a process; of none at all."""

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
    empty = program("empty")
    one, many, together = best(
        lambda: empty.launch("nothing"),
        lambda: empty.launch("nothing", (_MANY, 1, 1)),
        lambda: empty.launch("nothing", (_MANY, 1, 1), "union1"),
        rounds=200,
    )
    yield Figure("an empty launch of one task in the worker", one * 1e3, "ms", 0.2)
    yield Figure(f"an empty launch of {_MANY} tasks in the worker", many * 1e3, "ms", 0.4)
    yield Figure(f"an empty launch of {_MANY} tasks in unions in the worker", together * 1e3, "ms", 0.4)


def replays() -> Iterator[Figure]:
    """Timing of logs: one core and its vector unit; 32 cores that share the DRAM."""
    chip = device()
    short = program().launch("short_adds", args=[200_000], isolate=False).log
    zeros = chip.array(np.zeros(ELEMENTS, np.float32))
    tiles = program("add").launch("add", (CORES, 1, 1), args=[zeros, zeros, zeros, ELEMENTS], isolate=False).log
    shared = _repeated(tiles, 200)
    for name, log in (("one core", short), ("32 cores on the DRAM", shared)):
        (seconds,) = best(functools.partial(replay, log, chip.rates), rounds=5)
        yield Figure(f"replay, {name}", seconds / len(log) * 1e6, "us a record", 1.0)
        yield Figure(f"replay, {name}", len(log) / seconds / 1e3, "thousand records a second")
    one = _repeated(tiles, 1_000_000 // len(tiles))
    long = _repeated(tiles, 10_000_000 // len(tiles))
    (first,), (second,) = (best(functools.partial(replay, log, chip.rates), rounds=2) for log in (one, long))
    yield Figure("replay of 10^7 records, beside 10^6", second / len(long) / (first / len(one)), "x a record", 1.25)
    yield Figure("replay of 10^7 records, above the log", _memory_of_replay(len(long)), "bytes a record", 200)


def _memory_of_replay(records: int) -> float:
    """The most that a process has more while it replays so many records, by record."""
    code = (
        "from benchmarks.launch_speed import long_log, peak; from mlusim.simulator import replay; "
        "from benchmarks.measure import device; "
        f"log = long_log({records}); open('/proc/self/clear_refs', 'w').write('5'); before = peak(); "
        "kept = replay(log, device().rates); print((peak() - before) / len(log))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    return float(done.stdout.split()[-1])


def peak() -> int:
    """The most bytes that this process has had in host memory since its peak was cleared."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def long_log(records: int) -> Log:
    """A log of about so many records: 32 cores that add tiles."""
    zeros = device().array(np.zeros(ELEMENTS, np.float32))
    tiles = program("add").launch("add", (CORES, 1, 1), args=[zeros, zeros, zeros, ELEMENTS], isolate=False).log
    return _repeated(tiles, records // len(tiles))


def _repeated(log: Log, times: int) -> Log:
    """A log whose kernel has done all its work so many times."""
    records = np.tile(log.records, times)
    records["first"] += np.repeat(np.arange(times, dtype=np.uint32) * len(log.operands), len(log))
    return replace(log, records=records, operands=np.tile(log.operands, times))
