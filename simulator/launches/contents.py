"""What the memory of a device holds at some time, to be compared with and put back."""

from __future__ import annotations

import numpy as np

from ..checks.after_run import Given
from ..core.memory import Allocation
from ..core.memory.global_memory import GlobalMemory

_BYTE = np.dtype(np.uint8)


class Contents:
    """What the arrays of a device's memory hold, and which of their bytes are uninitialized."""

    def __init__(self, memory: GlobalMemory) -> None:
        self._kept: list[tuple[Allocation, np.ndarray, list[tuple[int, int]]]] = [
            (entry, entry.view(_BYTE).copy(), list(entry.uninitialized)) for entry in memory.memory.allocations()
        ]

    def put_back(self) -> None:
        """Make the memory hold it again."""
        for entry, bytes_, unwritten in self._kept:
            entry.view(_BYTE)[...] = bytes_
            entry.uninitialized.remove(entry.start, entry.end)
            for start, end in unwritten:
                entry.uninitialized.add(start, end)

    def bytes_of(self, array: Given) -> np.ndarray:
        """The bytes of an array as they were, uint8."""
        for entry, bytes_, _ in self._kept:
            if entry.key <= array.key < entry.key + entry.end - entry.start:
                return bytes_[array.key - entry.key :][: array.bytes]
        raise KeyError(array.name)

    def of(self, array: Given) -> np.ndarray:
        """The elements of an array as they were."""
        return self.bytes_of(array).view(array.dtype).reshape(array.shape)
