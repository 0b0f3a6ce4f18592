"""What native code needs of a core, kept from task to task; see csrc/mlusim_rt.h."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable

import numpy as np

from ..execution import Task
from ..memory import Allocation, Placement
from .abi import NativeTask
from .image import LoadedImage

_BUILT_IN = struct.Struct("@13i")


def range_table(ranges: Iterable[tuple[int, int, bool]]) -> np.ndarray:
    """`struct mlusim_range` for each (start, end, unpoisoned), sorted, shape [ranges, 3]."""
    return np.array(sorted(ranges), np.uint64).reshape(-1, 3)


class NativeCore:
    """The `struct mlusim_task` of a core, with the tables that it points to."""

    def __init__(self, image: LoadedImage, own: Placement, shared: Placement, register_bytes: int) -> None:
        """``own`` and ``shared`` are the variables of the image in the memories of the core and of its cluster."""
        self._image, self._own, self._shared = image, own, shared
        placed = dict([*own.variables, *shared.variables])
        #: Addresses for the reference slots of the image.
        starts = np.array([placed[number].start for number in range(len(placed))], np.uint64)
        self.slots = (image.order + 1).astype(np.uint64)  # what stands for no variable keeps its value
        known = (image.order >= 0) & (image.order < len(starts))
        self.slots[known] = starts[image.order[known]]
        self._registers = own.whole[0].start if own.whole else 0
        self._task = NativeTask(register_bytes=register_bytes, register_end=own.whole[0].end if own.whole else 0)
        self.address = ctypes.addressof(self._task)
        self._fresh = range_table((entry.start, entry.end, True) for entry in [*own.entries, *shared.entries])
        self._ranges: np.ndarray | None = None  # those that native code has at present

    def serves(self, image: LoadedImage, own: Placement, shared: Placement) -> bool:
        """Whether this is still right for an image and where its variables are."""
        return self._image is image and self._own is own and self._shared is shared

    def begin(self, task: Task) -> None:
        """A task begins: its variables are fresh, and nobody has filled their uninitialized bytes."""
        self._fresh[:, 2] = 1
        self._use(self._fresh)
        self._task.registers = self._registers
        _BUILT_IN.pack_into(
            self._task, 0, task.taskId, task.taskIdX, task.taskIdY, task.taskIdZ, task.taskDim, *task.dim,
            task.clusterId, task.clusterDim, task.coreId, task.coreDim, 0,
        )  # fmt: skip

    def set_ranges(self, entries: Iterable[Allocation]) -> None:
        """These are the allocations that the running task may use for scalar accesses, those of all tasks aside."""
        self._use(range_table((entry.start, entry.end, not entry.poisoned) for entry in entries))

    def _use(self, table: np.ndarray) -> None:
        if table is not self._ranges:
            self._ranges = table
            self._task.ranges, self._task.range_count = table.ctypes.data, len(table)
