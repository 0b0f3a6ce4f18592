"""What native code needs of a core, kept from task to task; see native/runtime/mlusim_rt.h."""

from __future__ import annotations

import ctypes
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import count

import numpy as np

from ...core.execution import BuiltIns, Task
from ...core.memory import Allocation, Placement
from .abi import RANGE, NativeTask
from .image import LoadedImage

#: Of a range that is no allocation: its accesses are no records.
_UNSEEN = 2**64 - 1
#: Bounds of first writes when there have been none.
_UNTOUCHED = (_UNSEEN, 0)
#: A row of `RangeTable`, with its fields in this order.
_ROW = RANGE[["start", "end", "holes", "key", "load", "store", "touched", "until"]]
#: Numbers of tables, from 1 on.
_generations = count(1)
#: Writes the built-in variables, with which native code's task begins.
_SEEN = struct.Struct(f"={len(BuiltIns._fields)}i")
#: Numbers in the log of loads from a space, and of stores to it.
Ops = Callable[[str], tuple[int, int]]


class RangeTable:
    """Allocations (and other memory) that kernels may use, as `struct mlusim_range`."""

    def __init__(self, entries: Iterable[Allocation], ops: Ops, plain: Iterable[tuple[int, int]] = ()) -> None:
        """``plain`` memory, (start, end), belongs to no space: all of it is written, and its accesses are not noted."""
        self.generation = next(_generations)
        held = {entry.start: entry for entry in entries}
        rows = [(start, end, 0, _UNSEEN, 0, 0, *_UNTOUCHED) for start, end in plain]
        for entry in held.values():
            holes = entry.uninitialized.cell.buffer_info()[0]
            rows.append((entry.start, entry.end, holes, entry.key, *ops(entry.space), *_UNTOUCHED))
        rows.sort()
        table = self.rows = np.array(rows, _ROW)
        self.address: int = table.ctypes.data
        self._touched, self._until = table["touched"], table["until"]
        self._starts = [row[0] for row in rows]
        self._entries = [held.get(start) for start in self._starts]

    @property
    def touched(self) -> bool:
        """Whether first writes have not been told of: a launch has broken off."""
        return bool(np.count_nonzero(self._until))

    def keep_flags(self, address: int) -> None:
        """The flags of the allocation at an address, if it is one of these, are needed from now on."""
        at = bisect_right(self._starts, address) - 1
        if at >= 0 and (entry := self._entries[at]) and address < entry.end:
            if self._until[at]:
                self._note(at, entry, False)
            entry.uninitialized.keep_flags()

    def note_first_writes(self, taken_away: bool = True) -> bool:
        """Tell the allocations what native code has written for the first time; flags may have been ``taken_away``.

        Whether there was anything to tell.
        """
        written: list[int] = self._until.nonzero()[0].tolist()
        for at in written:
            entry = self._entries[at]
            assert entry is not None
            self._note(at, entry, taken_away)
        return bool(written)

    def _note(self, at: int, entry: Allocation, taken_away: bool) -> None:
        low, until = int(self._touched[at]), int(self._until[at])
        if not entry.uninitialized.cell[2]:  # all of it has been written, and there are no flags that would say so
            entry.uninitialized.remove(low, until)
        else:
            (entry.uninitialized.changed if taken_away else entry.uninitialized.touched)(low, until)
        self._touched[at], self._until[at] = _UNTOUCHED


class NativeCore:
    """The `struct mlusim_task` of a core, with the tables that it points to."""

    def __init__(self, image: LoadedImage, own: Placement, shared: Placement, register_bytes: int, ops: Ops) -> None:
        """``own`` and ``shared`` are the variables of the image in the memories of the core and of its cluster."""
        self._image, self._own, self._shared = image, own, shared
        self.task: Task | None = None  # that it has begun last
        placed = dict([*own.variables, *shared.variables])
        #: Addresses for the reference slots of the image.
        starts = np.array([placed[number].start for number in range(len(placed))], np.uint64)
        self.slots = (image.order + 1).astype(np.uint64)  # what stands for no variable keeps its value
        known = (image.order >= 0) & (image.order < len(starts))
        self.slots[known] = starts[image.order[known]]
        self._registers = own.whole[0].start if own.whole else 0
        self._task = NativeTask(
            register_bytes=register_bytes,
            register_start=self._registers,
            register_end=own.whole[0].end if own.whole else 0,
        )
        self.address = ctypes.addressof(self._task)
        self.shares = bool(shared.entries)  # whether the image has variables that other cores have as well
        self._ops = ops
        self._fresh = self._ranges = RangeTable([*own.entries, *shared.entries], ops)
        self._use(self._fresh)

    def serves(self, image: LoadedImage, own: Placement, shared: Placement) -> bool:
        """Whether this is still right for an image and where its variables are."""
        return self._image is image and self._own is own and self._shared is shared

    def begin(self, task: Task, mute: bool) -> None:
        """A task begins, with the variables of the image alone.

        ``mute``: its scalar stores to the memory of the device have no effect.
        """
        self.task = task
        self.forget_locals()
        self._task.registers = self._registers
        native = self._task
        _SEEN.pack_into(native, 0, *task.sees)
        native.core, native.section, native.mute, native.pending = task.core, 0, mute, 0
        native.role = task.role

    def forget_locals(self) -> None:
        """From now on the task may use the variables of the image, and no others."""
        if self._ranges is not self._fresh:
            self._use(self._fresh)

    def set_ranges(self, entries: Iterable[Allocation]) -> None:
        """These are the allocations that the running task may use for scalar accesses, those of all tasks aside."""
        self.note_first_writes()
        self._use(RangeTable(entries, self._ops))

    def note_pending(self, count: int) -> None:
        """Tell native code how many effects of the task wait."""
        self._task.pending = count

    def keep_flags(self, address: int) -> None:
        """The flags of the allocation at an address are needed from now on."""
        self._ranges.keep_flags(address)

    def note_first_writes(self, taken_away: bool = True) -> bool:
        """As `RangeTable.note_first_writes`."""
        return self._ranges.note_first_writes(taken_away)

    def _use(self, table: RangeTable) -> None:
        self._ranges = table
        self._task.ranges, self._task.range_count = table.address, len(table.rows)
        self._task.generation = table.generation
