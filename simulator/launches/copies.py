"""Arrays of the host that a launch works on: copied to the device, and back when it is done."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from types import TracebackType
from typing import Any

import numpy as np

from ..memory import Allocation
from ..memory.global_memory import GlobalMemory, check_elements
from .sharing import groups, layout, pack

_BYTE = np.dtype(np.uint8)
_ASSIGN: Callable[..., None] = operator.setitem


@dataclass(eq=False)
class _Place:
    """Where an array lies in the device memory of its block: first and past-the-end byte."""

    array: np.ndarray
    begin: int
    end: int

    def on_device(self, entry: Allocation) -> np.ndarray:
        """The device's side of the array, as an array like it."""
        return np.ndarray(self.array.shape, self.array.dtype, entry.view(_BYTE).data, self.begin)


@dataclass(eq=False)
class _Block:
    """Device memory for arrays that share it."""

    name: str
    places: list[_Place]
    entry: Allocation | None = None  # from when an address is asked for


class ArrayCopies:
    """The copies of one launch, as a context whose end frees them.

    Arrays that share memory on the host share it on the device. What the kernel leaves there reaches the host by
    `copy_back` alone.
    """

    def __init__(self, memory: GlobalMemory, kernel: str, arguments: Sequence[Any]) -> None:
        """ValueError where arrays among the arguments share host memory in a way that device memory cannot have."""
        self._memory, self._kernel = memory, kernel
        numbers: dict[int, list[int]] = {}
        for number, value in enumerate(arguments):
            if isinstance(value, np.ndarray):
                check_elements(f"argument {number} of {kernel}", value)
                numbers.setdefault(id(value), []).append(number)
        self._numbers = list(numbers.values())
        self._arrays: list[np.ndarray] = [arguments[first] for first, *_ in self._numbers]
        self._held: list[Allocation] = []
        self._drop: Callable[[], object] | None = None  # gives back what is held
        memory.check()
        self._blocks = [block for group in groups(self._arrays) for block in self._laid_out(group)]
        self._homes = {id(place.array): (block, place.begin) for block in self._blocks for place in block.places}

    def __enter__(self) -> ArrayCopies:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drop is not None:
            self._drop()
            self._memory.reclaim()

    def address(self, array: np.ndarray) -> int:
        """Where an array lies on the device; copied there when it is asked for, MemoryError when it does not fit."""
        block, begin = self._homes[id(array)]
        entry = block.entry or self._copied(block)
        return entry.start + begin

    def copy_back(self) -> None:
        """Copy the arrays that can be written back to the host: all of them, also if Ctrl-C comes meanwhile."""
        targets, sources = [], []
        for block in self._blocks:
            for place in _largest([place for place in block.places if place.array.flags.writeable]):
                if block.entry is not None:
                    targets.append(np.asarray(place.array))
                    sources.append(place.on_device(block.entry))
        # Python looks for signals between its own instructions; there are none in here.
        deque(map(_ASSIGN, targets, repeat(...), sources), maxlen=0)

    def _copied(self, block: _Block) -> Allocation:
        """Device memory for a block, with the arrays copied there."""
        self._drop = self._drop or self._memory.owned(self, self._held)
        block.entry = entry = self._memory.allocate(max([place.end for place in block.places]), block.name)
        self._held.append(entry)
        for place in _largest(block.places):
            place.on_device(entry)[...] = place.array
        return entry

    def _laid_out(self, group: Sequence[int]) -> list[_Block]:
        """The blocks for a group of arrays that share host memory: one, or one for each where nothing writes them."""
        first, *others = arrays = [self._arrays[i] for i in group]
        if not others and first.flags.c_contiguous:  # nearly always
            return [self._block(group, [(0, first.nbytes)])]
        layouts = [layout(array) for array in arrays]
        places = pack(layouts)
        written = next((at for at, array in enumerate(arrays) if array.flags.writeable), None)
        repeats = written is not None and layouts[written].folded and _repeats(arrays[written])
        if repeats or (written is not None and places is None):
            self._refuse(group)
        if places is not None:
            return [self._block(group, places)]
        return [self._block([i], [(0, array.nbytes)]) for i, array in zip(group, arrays, strict=True)]

    def _block(self, group: Sequence[int], places: Sequence[tuple[int, int]]) -> _Block:
        found = [_Place(self._arrays[i], *place) for i, place in zip(group, places, strict=True)]
        return _Block(f"{self._named(group)} of {self._kernel}", found)

    def _named(self, group: Sequence[int]) -> str:
        numbers = sorted([number for i in group for number in self._numbers[i]])
        *some, last = map(str, numbers)
        return f"arguments {', '.join(some)} and {last}" if some else f"argument {last}"

    def _refuse(self, group: Sequence[int]) -> None:
        """Say why there is no device memory for arrays that share host memory."""
        if len(group) == 1:
            raise ValueError(
                f"{self._named(group)} of {self._kernel} is a view whose elements share memory with each other; "
                "pass a copy of it, or make it read-only"
            )
        raise ValueError(
            f"{self._named(group)} of {self._kernel} share host memory, and packed copies on the device do not; "
            "pass contiguous arrays, or copies (.copy()) of all but one"
        )


def _largest(places: list[_Place]) -> list[_Place]:
    """The places that are not part of another one."""
    if len(places) < 2:
        return places
    found: list[_Place] = []
    for place in sorted(places, key=lambda place: place.begin - place.end):
        if not any(other.begin <= place.begin and place.end <= other.end for other in found):
            found.append(place)
    return found


def _repeats(array: np.ndarray) -> bool:
    """Whether elements of an array share bytes with each other."""
    starts = np.zeros((), np.int64)
    for count, stride in zip(array.shape, array.strides, strict=True):
        starts = starts[..., None] + np.arange(count) * stride
    ordered = np.sort(starts, axis=None)
    return bool((np.diff(ordered) < array.itemsize).any())
