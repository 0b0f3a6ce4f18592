"""What launches of blocks of threads cost, with all checks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from mlusim.simulator import Device, load

from .measure import Figure, best

#: Threads of a launch, and of a block.
THREADS, BLOCK = 1 << 16, 256


def threads() -> Iterator[Figure]:
    """A thread for each element: add, and sums over blocks with barriers; from device arrays, in the worker."""
    device = Device.load("cuda-sm80")
    program = load([Path(__file__).with_name("threads.cu")], device=device)
    a, b, c = (device.array(np.ones(THREADS, np.float32)) for _ in range(3))
    blocks = THREADS // BLOCK
    added, summed = best(
        lambda: program.launch("add", blocks, args=[a, b, c, THREADS], block=BLOCK).time_us,
        lambda: program.launch("sums", blocks, args=[a, c], block=BLOCK).time_us,
    )
    yield Figure("CUDA add of 2^16 threads, with its timing", added, "s", 0.1)
    yield Figure("CUDA add, a thread", added / THREADS * 1e6, "us")
    yield Figure("CUDA sums of blocks, 9 barriers a thread", summed, "s")
