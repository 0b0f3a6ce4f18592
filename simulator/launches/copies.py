"""Arrays of the host that a launch works on: copied to the device, and back when it is done."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from types import TracebackType
from typing import NamedTuple

import numpy as np

from ..memory import Allocation
from ..memory.global_memory import GlobalMemory, check_elements
from .sharing import Layout, groups, layout, pack

_BYTE = np.dtype(np.uint8)
_ASSIGN: Callable[..., None] = operator.setitem


class _Place(NamedTuple):
    """Where an array lies in the device memory that a group of arrays shares: first and past-the-end byte."""

    array: np.ndarray
    begin: int
    end: int


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

    def __init__(self, memory: GlobalMemory, kernel: str, given: Sequence[tuple[str, np.ndarray]]) -> None:
        """``given`` are arrays with their places among the arguments, such as "0" or "2.data".

        ValueError where some share host memory in a way that device memory cannot have.
        """
        self._memory, self._kernel = memory, kernel
        self._places = [place for place, _ in given]
        numbers: dict[int, list[int]] = {}
        for number, (place, array) in enumerate(given):
            check_elements(f"argument {place} of {kernel}", array)
            numbers.setdefault(id(array), []).append(number)
        self._numbers = list(numbers.values())
        self._arrays = [given[first][1] for first, *_ in self._numbers]
        self._held: list[Allocation] = []
        self._drop: Callable[[], object] | None = None  # gives back what is held
        memory.check()
        layouts = [layout(array) for array in self._arrays]
        self._blocks: dict[int, tuple[_Block, int]] = {}
        for group in groups(self._arrays, layouts):
            if len(group) == 1 and layouts[group[0]].contiguous:  # nearly always
                array = self._arrays[group[0]]
                self._blocks[id(array)] = self._block(group, [(0, array.nbytes)]), 0
                continue
            for block in self._laid_out(group, layouts):
                self._blocks.update((id(place.array), (block, place.begin)) for place in block.places)

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
        block, begin = self._blocks[id(array)]
        if block.entry is None:
            self._drop = self._drop or self._memory.owned(self, self._held)
            block.entry = self._memory.allocate(max([place.end for place in block.places]), block.name)
            self._held.append(block.entry)
            for place in _largest(block.places):
                _on_device(place, block.entry)[...] = place.array
        return block.entry.start + begin

    def place(self, name: str, data: bytes) -> int:
        """Where a copy of some bytes lies on the device, for this launch; nothing of it comes back."""
        self._drop = self._drop or self._memory.owned(self, self._held)
        entry = self._memory.allocate(len(data), name)
        self._held.append(entry)
        entry.view(_BYTE)[...] = np.frombuffer(data, _BYTE)
        return entry.start

    def copy_back(self) -> None:
        """Copy the arrays that can be written back to the host: all of them, also if Ctrl-C comes meanwhile."""
        targets, sources = [], []
        for block in dict.fromkeys(block for block, _ in self._blocks.values()):
            for place in _largest([place for place in block.places if place.array.flags.writeable]):
                if block.entry is not None:
                    targets.append(np.asarray(place.array))
                    sources.append(_on_device(place, block.entry))
        # Python looks for signals between its own instructions; there are none in here.
        deque(map(_ASSIGN, targets, repeat(...), sources), maxlen=0)

    def _laid_out(self, group: Sequence[int], layouts: Sequence[Layout]) -> Iterator[_Block]:
        """The blocks for a group of arrays that share host memory: one, or one for each where nothing writes them."""
        places = pack([layouts[i] for i in group])
        written = next((i for i in group if self._arrays[i].flags.writeable), None)
        repeats = written is not None and layouts[written].folded and _repeats(self._arrays[written])
        if repeats or (written is not None and places is None):
            self._refuse(group)
        if places is not None:
            yield self._block(group, places)
            return
        for i in group:
            yield self._block([i], [(0, self._arrays[i].nbytes)])

    def _block(self, group: Sequence[int], places: Sequence[tuple[int, int]]) -> _Block:
        found = [_Place(self._arrays[i], *place) for i, place in zip(group, places, strict=True)]
        return _Block(f"{self._named(group)} of {self._kernel}", found)

    def _named(self, group: Sequence[int]) -> str:
        *some, last = [self._places[number] for number in sorted(n for i in group for n in self._numbers[i])]
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


def _largest(places: Sequence[_Place]) -> list[_Place]:
    """The places that are not part of another one."""
    if len(places) < 2:
        return list(places)
    found: list[_Place] = []
    for place in sorted(places, key=lambda place: place.begin - place.end):
        if not any(other.begin <= place.begin and place.end <= other.end for other in found):
            found.append(place)
    return found


def _on_device(place: _Place, entry: Allocation) -> np.ndarray:
    """The device's side of an array, as an array like it."""
    array, begin, _ = place
    return np.ndarray(array.shape, array.dtype, entry.view(_BYTE).data, begin)


def _repeats(array: np.ndarray) -> bool:
    """Whether elements of an array share bytes with each other."""
    starts = np.zeros((), np.int64)
    for count, stride in zip(array.shape, array.strides, strict=True):
        starts = starts[..., None] + np.arange(count) * stride
    ordered = np.sort(starts, axis=None)
    return bool((np.diff(ordered) < array.itemsize).any())
