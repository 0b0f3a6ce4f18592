"""What simulated memory and logs take of the host's memory; each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from mlusim.simulator import Device

from .measure import DEVICE, Figure, program

_MB = 1 << 20


def memory() -> Iterator[Figure]:
    """Untouched device memory, a record of a log, and the copies of a launch's arrays."""
    untouched, record, copies = (_measured(name) for name in ("untouched", "record", "copies"))
    yield Figure("48 GB of untouched device memory", untouched / _MB, "MB", 8)
    yield Figure("a record of a log", record, "bytes", 200)
    yield Figure("peak of a launch over 1 GB of host arrays, those counted", copies, "x their size", 2.25)


def _measured(name: str) -> float:
    done = subprocess.run(
        [sys.executable, "-m", __name__, name], capture_output=True, text=True, check=True, env=os.environ
    )
    return float(done.stdout.split()[-1])


def resident() -> int:
    """Bytes of host memory of this process and its children; what they share is counted once."""
    own = os.getpid()
    processes = [own, *(int(pid) for pid in Path(f"/proc/{own}/task/{own}/children").read_text().split())]
    return sum(_proportional(pid) for pid in processes)


def _proportional(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/{pid}/smaps_rollup names no Pss")


def _untouched() -> float:
    base = Device.load(DEVICE)
    before = resident()
    chip = base.replace({"shape.spaces.gdram.bytes": 48 << 30})
    array = chip.array(np.zeros(1, np.float32))
    used = resident() - before
    del array
    return used


def _record() -> float:
    count = 500_000
    program().launch("short_adds", args=[10], isolate=False)
    before = resident()
    log = program().launch("short_adds", args=[count], isolate=False).log
    return (resident() - before) / len(log)


def _copies() -> float:
    program().launch("short_adds", args=[10])
    before = resident()
    elements = (1 << 30) // 3 // 4 // 16384 * 16384
    arrays = [np.ones(elements, np.float32) for _ in range(3)]
    peak, done = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.01):
            peak = max(peak, resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    program("add").launch("add", (32, 1, 1), args=[*arrays, elements])
    done.set()
    watcher.join()
    return (peak - before) / sum(array.nbytes for array in arrays)


if __name__ == "__main__":
    print({"untouched": _untouched, "record": _record, "copies": _copies}[sys.argv[1]]())
