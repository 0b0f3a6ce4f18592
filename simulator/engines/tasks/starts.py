"""A launch as native code is given it, and the tasks that it begins by itself."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...chip.launch_kinds import Role, TaskPlace
from ...core.execution import built_ins
from ...core.machine import TaskQueue
from .abi import START, Asker
from .core import NativeCore
from .image import LoadedImage


@dataclass(frozen=True)
class NativeLaunch:
    """A launch: where the code of the kernel and its arguments are."""

    image: LoadedImage
    entry: ctypes.c_void_p
    arguments: ctypes.Array[ctypes.c_void_p]
    first: int | None  # where the first of them is, None without any
    part: int  # its bytes for each task, 0 if all have the same
    time_limit: float | None

    def show(self, task: int) -> None:
        """The arguments are those of a task, by its number."""
        if self.first is not None:
            self.arguments[0] = self.first + self.part * task


@dataclass
class Batch:
    """The tasks of a queue that native code begins, from a place on, one after the other."""

    queue: TaskQueue
    at: int
    cores: Sequence[NativeCore]  # of all tasks of the queue
    noted: int = 0  # tasks whose first writes have been noted, and that write no more


class StartTable:
    """The tasks of a queue as `struct mlusim_start` of native/runtime/mlusim_rt.h.

    They are good for as long as their ``cores`` are those of the machine.
    """

    def __init__(
        self,
        queue: TaskQueue,
        image: LoadedImage,
        cores: Sequence[NativeCore],
        rows: Callable[[TaskPlace], tuple[np.ndarray, np.ndarray]],
        mute: bool,
    ) -> None:
        """``rows`` gives the records of a task's variables, first as they come and then as they go, and their operands.

        ``mute``: scalar stores of memory cores to the memory of the device have no effect.
        """
        self.image, self.cores = image, cores
        self._rows = {place.core: rows(place) for place in queue.places}  # which the table points to
        entries = []
        for at, (place, core) in enumerate(zip(queue.places, cores, strict=True)):
            records, operands = self._rows[place.core]
            seen = built_ins(place, queue.dim)
            marks = records.ctypes.data, operands.ctypes.data, len(records) // 2
            asker = Asker.NEXT if core.shares else Asker.GROUP if len(queue.group(at)) > 1 else Asker.NONE
            silent = mute and place.role == Role.MEMORY
            known = core.address, core.slots.ctypes.data, *marks
            entries.append((seen, place.core, place.role, silent, asker, *known))
        self._table = np.array(entries, START)
        self._address: int = self._table.ctypes.data

    def at(self, place: int) -> int:
        """Where the tasks from a place of the queue on are."""
        return self._address + place * START.itemsize
