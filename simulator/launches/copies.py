"""Arrays of the host that a launch works on: copied to the device, and back when it is done."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from types import TracebackType

import numpy as np

from ..core.memory import Allocation
from ..core.memory.global_memory import GlobalMemory, check_elements
from ..spent import phase
from .sharing import groups, layout, pack

_BYTE = np.dtype(np.uint8)
_ASSIGN: Callable[..., None] = operator.setitem


@dataclass(eq=False)
class _Place:
    """An array, the arguments that it is, and where it lies in the device memory of its block."""

    array: np.ndarray
    numbers: list[int]
    end: int  # past its last byte
    begin: int = 0
    there: np.ndarray | None = None  # the device's side, as an array like it; from when it is copied


@dataclass(eq=False)
class _Block:
    """Device memory for arrays that share it."""

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
        self._held: list[Allocation] = []
        found: dict[int, _Place] = {}
        self._titles = [title for title, _ in given]
        for number, (title, array) in enumerate(given):
            if id(array) in found:
                found[id(array)].numbers.append(number)
                continue
            check_elements(f"argument {title} of {kernel}", array)
            found[id(array)] = _Place(array, [number], array.nbytes)
        memory.check()
        self._blocks: list[_Block] = []
        self._homes: dict[int, tuple[_Block, int]] = {}
        if not found:
            return
        places = list(found.values())
        linked = groups([np.asarray(place.array) for place in places])  # a subclass may have a way of its own
        self._blocks = [block for group in linked for block in self._laid_out([places[i] for i in group])]
        self._homes = {id(place.array): (block, place.begin) for block in self._blocks for place in block.places}

    def __enter__(self) -> ArrayCopies:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._drop()
        self._memory.reclaim()

    def __del__(self) -> None:
        if getattr(self, "_held", ()):  # Ctrl-C has come before the end, or before there was anything
            self._drop()

    def _drop(self) -> None:
        """Give back what is held. Nothing in between looks for signals."""
        held, self._held = self._held, []
        self._memory.dropped.extend(held)

    def address(self, array: np.ndarray) -> int:
        """Where an array lies on the device; copied there when it is asked for, MemoryError when it does not fit."""
        block, begin = self._homes[id(array)]
        if block.entry is None:
            with phase("arrays to the device"):
                block.entry = self._copied(block)
        return block.entry.start + begin

    def placed(self, array: np.ndarray) -> bool:
        """Whether an array lies on the device; one whose elements are part of a structure does not."""
        return self._homes[id(array)][0].entry is not None

    def contents(self, array: np.ndarray) -> np.ndarray:
        """What an array holds on the device."""
        self.address(array)
        block, _ = self._homes[id(array)]
        there = next(place.there for place in block.places if place.array is array)
        assert there is not None
        return there

    def place(self, name: str, data: bytes) -> int:
        """Where a copy of some bytes lies on the device, for this launch; nothing of it comes back."""
        entry = self._memory.allocate(len(data), name)
        self._held.append(entry)
        entry.view(_BYTE)[...] = np.frombuffer(data, _BYTE)
        return entry.start

    def read_only(self) -> list[Allocation]:
        """The device memory of arrays none of which can be written on the host."""
        return [
            block.entry for block in self._blocks
            if block.entry is not None and not any(place.array.flags.writeable for place in block.places)
        ]  # fmt: skip

    def copy_back(self) -> None:
        """Copy the arrays that can be written back to the host: all of them, also if Ctrl-C comes meanwhile."""
        targets, sources = [], []
        for block in self._blocks:
            for place in _largest([place for place in block.places if place.array.flags.writeable]):
                if place.there is not None:
                    targets.append(np.asarray(place.array))
                    sources.append(place.there)
        # Python looks for signals between its own instructions; there are none in here.
        deque(map(_ASSIGN, targets, repeat(...), sources), maxlen=0)

    def _copied(self, block: _Block) -> Allocation:
        """Device memory for a block, with the arrays copied there."""
        size, name = max([place.end for place in block.places]), self._named(block.places)
        block.entry = entry = self._memory.allocate_written(size, name)
        self._held.append(entry)
        raw = entry.view(_BYTE)
        for place in block.places:
            place.there = np.ndarray(place.array.shape, place.array.dtype, raw.data, place.begin)
        for place in _largest(block.places):
            _ASSIGN(place.there, ..., place.array)
        return entry

    def _laid_out(self, group: list[_Place]) -> list[_Block]:
        """The blocks for arrays that are linked by host memory: one, or one for each where nothing writes them."""
        if len(group) == 1 and group[0].array.flags.c_contiguous:  # nearly always
            return [_Block(group)]
        layouts = [layout(place.array) for place in group]
        packed = pack(layouts)
        written = next((at for at, place in enumerate(group) if place.array.flags.writeable), None)
        repeats = written is not None and layouts[written].folded and _repeats(group[written].array)
        if repeats or (written is not None and packed is None):
            self._refuse(group)
        if packed is None:
            return [_Block([place]) for place in group]
        for place, (begin, end) in zip(group, packed, strict=True):
            place.begin, place.end = begin, end
        return [_Block(group)]

    def _named(self, places: Sequence[_Place]) -> str:
        """What errors and findings call some arrays."""
        numbers = sorted([number for place in places for number in place.numbers])
        *some, last = [self._titles[number] for number in numbers]
        if some:
            return f"arguments {', '.join(some)} and {last} of {self._kernel}"
        return f"argument {last} of {self._kernel}"

    def _refuse(self, group: Sequence[_Place]) -> None:
        """Say why there is no device memory for arrays that share host memory."""
        if len(group) == 1:
            raise ValueError(
                f"{self._named(group)} is a view whose elements share memory with each other; "
                "pass a copy of it, or make it read-only"
            )
        raise ValueError(
            f"{self._named(group)} share host memory, and packed copies on the device do not; "
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
