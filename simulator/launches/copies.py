"""Arrays of the host that a launch works on: copied to the device, and back when it is done."""

from __future__ import annotations

import numpy as np

from ..memory import Allocation
from ..memory.global_memory import GlobalMemory


class ArrayCopies:
    """The copies of one launch."""

    def __init__(self, memory: GlobalMemory) -> None:
        self._memory = memory
        self._copies: list[tuple[Allocation, np.ndarray]] = []

    def __len__(self) -> int:
        return len(self._copies)

    def put(self, array: np.ndarray, name: str) -> Allocation:
        """Copy an array to the device; MemoryError when it does not fit."""
        entry = self._memory.put(array, name)
        self._copies.append((entry, array))
        return entry

    def finish(self, copy_back: bool) -> None:
        """Copy the arrays back to the host (those that can be written), if asked to, and free them."""
        for entry, array in self._copies:
            if copy_back and array.flags.writeable:
                self._memory.get(entry, array)
            self._memory.free(entry)
        self._copies.clear()
