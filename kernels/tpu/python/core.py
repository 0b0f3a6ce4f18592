"""What the kernels share: the shape of a core, its share of the work, double buffering (share.h, pipeline.h)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlusim.simulator import Device

#: A structure of four numbers, as C passes it by pointer.
Four = tuple[int, int, int, int]
LOWEST = np.float32(-3.402823466e38)
NONE, ONE = (0, 0, 0, 0), (1, 1)  # padding; strides and dilations of windows


def up(count: int, size: int) -> int:
    """How many pieces of a size hold so many."""
    return -(-count // size)


def bits(value: float | np.float32) -> int:
    """A 32-bit float in a ``scalar_t``."""
    return int(np.float32(value).view(np.uint32))


class Core:
    """The core that runs a task: ``tpu`` has its functions."""

    def __init__(self, tpu: Any, device: Device) -> None:
        shape = device.shape
        assert shape.lanes
        assert shape.eu_bytes
        self.tpu, self.lanes, self.eu_bytes = tpu, shape.lanes, shape.eu_bytes
        self.lane_bytes = shape.spaces["local"].bytes // shape.lanes
        self.bank_bytes = self.lane_bytes // (shape.banks or 1)
        self.index, self.cores = tpu.tpu_core_index(), tpu.tpu_core_num()
        #: Of a lane: two parts that steps take in turn for what GDMA moves, and one for what only BDC uses.
        self.part_bytes = self.lane_bytes // 4
        self.work = 2 * self.part_bytes

    def part(self, step: int) -> int:
        """Where the part of a step begins."""
        return step % 2 * self.part_bytes

    def aligned(self, count: int, size: int) -> int:
        """Bytes of some elements in the aligned layout."""
        return up(count * size, self.eu_bytes) * self.eu_bytes

    def share(self, count: int) -> tuple[int, int]:
        """Where this core's items begin, and how many they are."""
        piece = up(count, self.cores)
        begin = min(piece * self.index, count)
        return begin, min(begin + piece, count) - begin

    def pipeline(
        self, load: Callable[[int], None], compute: Callable[[int], None], store: Callable[[int], None], steps: int
    ) -> None:
        """While BDC computes a tile, GDMA stores the one before it and loads the one after it."""
        for step in range(steps + 2 if steps else 0):
            self.tpu.tpu_parallel_start()
            if step >= 2:
                store(step - 2)
            if step < steps:
                load(step)
            if 1 <= step <= steps:
                compute(step - 1)
            self.tpu.tpu_parallel_end()
