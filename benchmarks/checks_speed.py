"""What checking costs: launches with all checks beside launches without, and the pass over longer and longer logs."""

from __future__ import annotations

import functools
import itertools
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from mlusim.simulator import Device, Program, Run, load
from mlusim.simulator.checks.after_run import examine
from mlusim.traces import write_trace

from .measure import CORES, DEVICE, ELEMENTS, Figure, best

_RECORDS = (1 << 18, 1 << 20, 1 << 22)
_ROWS = 600_000


def checks() -> Iterator[Figure]:
    """An add and a pipeline of three stages, of 2^22 floats; then logs of short instructions."""
    chips = [Device.load(DEVICE).checked(level) for level in ("all", "fast", "none")]
    sources = [Path(__file__).with_name(name) for name in ("add.mlu", "kernels.mlu")]
    adds, others = ([load([source], device=chip) for chip in chips] for source in sources)
    a, b = (np.random.default_rng(seed).random(ELEMENTS, np.float32) for seed in (1, 2))
    out = np.zeros_like(a)
    a.flags.writeable = b.flags.writeable = False
    sizes = itertools.count(1, 64)

    def launch(chip: Device, program: Program, kernel: str, *inputs: np.ndarray) -> Run:
        """Of arrays that lie where none has lain: a log that was there before is not looked at again."""
        _before = chip.array(np.zeros(next(sizes), np.uint16))
        return program.launch(kernel, (CORES, 1, 1), args=[out, *inputs, ELEMENTS])

    for programs, kernel, inputs, title in ((adds, "add", (a, b), "add"), (others, "pipeline", (a,), "three stages")):
        launches = (functools.partial(launch, *pair, kernel, *inputs) for pair in zip(chips, programs, strict=True))
        whole, part, bare = best(*launches, rounds=30)
        yield Figure(f"{title} of 2^22 floats, all checks", whole / bare, "x the run without", 3)
        yield Figure(f"{title} of 2^22 floats, fast checks", part / bare, "x the run without")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "add.json"
        (seconds,) = best(lambda: write_trace(launch(chips[0], adds[0], "add", a, b).timeline, path))
    yield Figure("add of 2^22 floats, all checks, timing and trace", seconds, "s", 0.025)
    for count in _RECORDS:
        begun = time.perf_counter()
        log = others[2].launch("short_adds", args=[count], isolate=False).log
        ran = time.perf_counter() - begun
        (seconds,) = best(functools.partial(examine, log, [], "raise"), rounds=2)
        yield Figure(f"checks of a log of {count:,} instructions", seconds / count * 1e6, "us an instruction", 0.1)
        yield Figure(f"launch of {count:,} instructions with them", 1 + seconds / ran, "x the run without", 3)
    rows = np.zeros((_ROWS, 16), np.float32)
    log = others[2].launch("scattered_rows", args=[rows, rows.copy(), _ROWS], isolate=False).log
    (seconds,) = best(functools.partial(examine, log, [], "raise"), rounds=2)
    yield Figure("checks of scattered records", seconds / len(log) * 1e6, "us an instruction", 0.1)
