"""What `mlusim check --deep` costs beside plain launches: it should be no more than its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import Device, Run, load

from .measure import ELEMENTS, Figure, program

_DEEP = {"orders": 2, "resplit": "few", "smaller": True, "retile": True, "vary": True, "named": True}
#: More than this many times the runs is more than they cost.
_LIMIT = 1.2
_ROUNDS = 10
_SCALE = Path(__file__).parent.parent / "docs" / "examples" / "scale.cu"


def deep() -> Iterator[Figure]:
    """Launches with all that `--deep` compares them with, by the CPU time of as many plain ones."""
    kernels, threads = program(), load([_SCALE], device=Device.load("cuda-sm80"))
    values = np.random.default_rng(0).random(ELEMENTS, np.float32)
    values.flags.writeable = False
    for count in (ELEMENTS, ELEMENTS // 8):
        arguments = np.zeros(count, np.float32), values[:count], count
        launch = partial(kernels.launch, "pipeline", (4, 1, 1), args=arguments)
        yield _figure(f"check --deep of {count:,} floats", launch, _DEEP)
    for count in (ELEMENTS // 8, ELEMENTS // 64):
        arguments = values[:count], np.zeros(count, np.float32), 2.5, count
        launch = partial(threads.launch, "scale<float>", count // 256, block=256, args=arguments)
        yield _figure(f"check --deep of {count:,} floats, CUDA", launch, {**_DEEP, "retile": False})


def _figure(name: str, plain: Callable[..., Run], deep: dict[str, Any]) -> Figure:
    compared = partial(plain, **deep)
    runs = 1 + compared().variants.runs
    one, all_of_them = (min(_cpu_of(launch) for _ in range(_ROUNDS)) for launch in (plain, compared))
    return Figure(f"{name}, {runs} runs", all_of_them / one / runs, "x plain runs", _LIMIT)


def _cpu_of(function: Callable[[], object]) -> float:
    """Seconds of CPU that a function takes, in this process and in its workers."""
    begun = _cpu()
    function()
    return _cpu() - begun


def _cpu() -> float:
    own = Path("/proc/self/task")
    children = [Path("/proc", pid, "task") for task in own.iterdir() for pid in (task / "children").read_text().split()]
    ran = [int((task / "schedstat").read_text().split()[0]) for tasks in (own, *children) for task in tasks.iterdir()]
    return sum(ran) / 1e9
