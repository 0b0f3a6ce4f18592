"""What `mlusim check --deep` costs beside plain launches: it should be no more than its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from .measure import ELEMENTS, Figure, program

_DEEP = {"orders": 2, "resplit": "few", "smaller": True, "retile": True, "vary": True}
#: More than this many times the runs is more than they cost.
_LIMIT = 1.2
_ROUNDS = 10


def deep() -> Iterator[Figure]:
    """Launches of four tasks, with all that `--deep` compares them with, by the CPU time of as many plain ones."""
    kernels = program()
    values = np.random.default_rng(0).random(ELEMENTS, np.float32)
    for count in (ELEMENTS, ELEMENTS // 8):
        source = values[:count]
        source.flags.writeable = False
        arguments = np.zeros(count, np.float32), source, count

        def plain(args: tuple[object, ...] = arguments) -> object:
            return kernels.launch("pipeline", (4, 1, 1), args=args)

        def compared(args: tuple[object, ...] = arguments) -> object:
            return kernels.launch("pipeline", (4, 1, 1), args=args, **_DEEP)  # type: ignore[arg-type]

        runs = 1 + 2 + len(compared().variants.chosen)  # type: ignore[attr-defined]
        one, all_of_them = (min(_cpu_of(launch) for _ in range(_ROUNDS)) for launch in (plain, compared))
        yield Figure(f"check --deep of {count:,} floats, {runs} runs", all_of_them / one / runs, "x plain runs", _LIMIT)


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
