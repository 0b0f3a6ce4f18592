"""The device memories that a worker knows, and the one that it can reach: the parent's side."""

from __future__ import annotations

from ...core.memory.global_memory import GlobalMemory, Part

#: Devices whose memories a process keeps attached; the one used longest ago makes room.
DEVICES = 4


class Attached:
    """The memories of the launches of one worker, by their serials."""

    def __init__(self) -> None:
        self._known: dict[int, range] = {}  # the addresses of each, the latest used last
        self._reached: tuple[int, dict[int, Part]] = -1, {}  # the one that it can reach, and its parts

    def __contains__(self, memory: GlobalMemory) -> bool:
        return memory.serial in self._known

    def reach(self, memory: GlobalMemory) -> tuple[int, ...] | None:
        """Note that a launch is on a memory; returns the serials of the memories that make room for it.

        None if the launch before was on the same memory, with the same parts.
        """
        before, self._reached = self._reached, (memory.serial, memory.parts)
        if self._reached == before:
            return None
        self._known.pop(memory.serial, None)
        mine = range(memory.address, memory.address + memory.mapping.size)
        old = [
            serial for serial, theirs in self._known.items() if theirs.start < mine.stop and mine.start < theirs.stop
        ]
        dropped = tuple(dict.fromkeys([*old, *list(self._known)[: max(len(self._known) - DEVICES + 1, 0)]]))
        for serial in dropped:
            del self._known[serial]
        self._known[memory.serial] = mine
        return dropped
