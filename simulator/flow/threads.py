"""What single threads have made of what: the log of a launch that was run for one byte, read backwards."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..log import EXCHANGE, Log
from ..log.region import offset_numbers, owner_numbers, space_numbers
from .ranges import Ranges, merged

#: Bits of a place in shared memory; those above them, of a key, tell the blocks apart here.
_SHARED_BITS = 26
#: Bits of the number of a thread in its block.
_THREAD_BITS = 16

#: Whether what is read at a place of the source may have a part in what is written at another: (written, read).
Feeds = Callable[[int, int], bool]


class ThreadPart(NamedTuple):
    """The events that have had a part in a byte, and those of them that read what the launch had been given."""

    events: np.ndarray
    given: np.ndarray


def any_feeds(written: int, read: int) -> bool:
    """All that a thread has read has a part in what it writes."""
    return True


class ThreadHistory:
    """The events of threads: accesses in their order, each of one thread, and values that others of a warp give."""

    def __init__(self, log: Log) -> None:
        self.log = log
        records = log.records
        titles = [op.title for op in log.ops] or [""]
        op = records["op"]
        self.exchanges = np.array([title == EXCHANGE for title in titles])[op]
        reads, writes, held = (
            np.array(flags)[op]
            for flags in (
                [title.endswith((".load", ".atomic")) for title in titles],
                [title.endswith((".store", ".atomic")) for title in titles],
                [bool(one.operands) for one in log.ops] or [False],
            )
        )
        self.reads, self.writes, self._held = reads, writes, held
        self.thread = records["task"].astype(np.int64) << _THREAD_BITS | records["core"]
        self.place = records["loc"].astype(np.int64)
        self.begin, self.size = np.zeros(len(records), np.int64), np.zeros(len(records), np.int64)
        operands = log.operands[records["first"][held]]
        self.begin[held], self.size[held] = operands["key"], operands["bytes"]
        spaces = [space.scope == "device" for space in log.shape.spaces.values()]
        self.on_device = held & np.array(spaces)[space_numbers(self.begin.astype(np.uint64))]
        order = np.argsort(self.thread, kind="stable")
        firsts = np.flatnonzero(np.diff(self.thread[order], prepend=-1))
        self._own = {
            int(self.thread[mine[0]]): mine[self.reads[mine] | self.exchanges[mine]]
            for mine in np.split(order, firsts[1:])
            if len(mine)
        }
        self._find_writers()

    def _find_writers(self) -> None:
        """Who has written what each event reads, the bytes cut into units that no access takes a part of."""
        held = np.flatnonzero(self._held)
        numbers = np.concatenate([self.begin[held], self.size[held]])
        self._unit = max(int(np.gcd.reduce(numbers)), 1) if len(numbers) else 1
        counts = self.size[held] // self._unit
        event = np.repeat(held, counts)
        number = np.arange(len(event)) - np.repeat(np.cumsum(counts) - counts, counts)
        blocks = np.unique(self.log.records["task"], return_inverse=True)[1]
        common = self.on_device | (owner_numbers(self.begin.astype(np.uint64)) > 0)
        apart = np.where(common, 0, blocks << _SHARED_BITS)
        unit = (self.begin + apart)[event] // self._unit + number
        order = np.lexsort((event, unit))
        event, unit = event[order], unit[order]
        first = np.flatnonzero(np.diff(unit, prepend=-1))
        start = np.repeat(first, np.diff(np.append(first, len(unit))))
        at = np.arange(len(unit))
        latest = np.maximum.accumulate(np.where(self.writes[event], at, -1))
        before = np.append(-1, latest[:-1])[: len(at)]
        writer = np.where(before >= start, event[before], -1)
        self._units, self._latest = unit, np.where(latest >= start, event[latest], -1)
        taking = self.reads[event]
        by_event = np.argsort(event[taking], kind="stable")
        self._taker, self._writer = event[taking][by_event], writer[taking][by_event]

    def part(self, key: int, size: int, feeds: Feeds = any_feeds) -> ThreadPart:
        """What has had a part in the bytes from a key on, as they are at the end."""
        walk = _Walk(self, feeds)
        walk.writes(self._last_writers(key, size))
        walk.on()
        events = np.flatnonzero(walk.found)
        reading = events[self.reads[events] & self.on_device[events]]
        written = self._taker[self._writer >= 0]
        return ThreadPart(events, np.setdiff1d(reading, written))

    def _last_writers(self, key: int, size: int) -> np.ndarray:
        """The events that were the last to write bytes from a key on."""
        units = np.arange(key // self._unit, -(-(key + size) // self._unit))
        at = np.searchsorted(self._units, units, "right") - 1
        at = at[(at >= 0) & (self._units[at] == units)]
        found = np.unique(self._latest[at])
        return found[found >= 0]

    def own(self, thread: int, before: int) -> np.ndarray:
        """What a thread has taken before an event: its loads and exchanges."""
        mine: np.ndarray = self._own.get(thread, np.zeros(0, np.int64))
        taken: np.ndarray = mine[: np.searchsorted(mine, before)]
        return taken

    def writers_of(self, reads: np.ndarray) -> np.ndarray:
        """The events that have written what others read, as far as any has."""
        chosen = np.zeros(len(self.thread), bool)
        chosen[reads] = True
        writers = self._writer[chosen[self._taker]]
        return np.unique(writers[writers >= 0])

    def read_of_device(self, part: ThreadPart) -> Ranges:
        """What of the device's memory was read for a part, by offsets in it."""
        events = part.events[self.reads[part.events] & self.on_device[part.events]]
        start = offset_numbers(self.begin[events].astype(np.uint64))
        return merged(np.stack([start, start + self.size[events]], axis=1))


class _Walk:
    """Backwards from some writes: each thread at each place where it writes is asked once what it had taken."""

    def __init__(self, threads: ThreadHistory, feeds: Feeds) -> None:
        self._threads, self._feeds = threads, feeds
        self.found = np.zeros(len(threads.thread), bool)
        self._asked: dict[tuple[int, int], int] = {}  # up to which event
        self._todo: list[tuple[int, int, int]] = []  # the latest first
        self._fed: dict[int, np.ndarray] = {}
        self._places = np.unique(threads.place)
        shape = threads.log.shape.threads
        assert shape is not None, "the log is of threads"
        self._warp = shape.warp

    def writes(self, events: np.ndarray) -> None:
        """These writes have a part; what an atomic one adds to has, too."""
        threads, new = self._threads, events[~self.found[events]]
        while len(new):
            self.found[new] = True
            for event in new.tolist():
                self._ask(int(threads.thread[event]), int(threads.place[event]), event)
            added = threads.writers_of(new[threads.reads[new]])
            new = added[~self.found[added]]

    def on(self) -> None:
        """Go on until nothing is left."""
        threads = self._threads
        while self._todo:
            before, thread, place = heapq.heappop(self._todo)
            taken = threads.own(thread, -before)
            taken = taken[self._feeding(place)[threads.place[taken]]]
            self.found[taken] = True
            given = taken[threads.exchanges[taken]]
            lanes = threads.log.records["work"][given]
            for event, mask in zip(given.tolist(), lanes.tolist(), strict=True):
                first = thread - (thread & (1 << _THREAD_BITS) - 1) % self._warp
                for lane in range(self._warp):
                    if mask >> lane & 1 and first + lane != thread:
                        self._ask(first + lane, int(threads.place[event]), event)
            self.writes(threads.writers_of(taken[threads.reads[taken]]))

    def _ask(self, thread: int, place: int, before: int) -> None:
        if self._asked.get((thread, place), -1) < before:
            self._asked[thread, place] = before
            heapq.heappush(self._todo, (-before, thread, place))

    def _feeding(self, place: int) -> np.ndarray:
        """Of each place whether what is read there may have a part in what is written at this one, bool [places]."""
        if place not in self._fed:
            fed = np.zeros(int(self._places[-1]) + 1, bool)
            fed[self._places] = [self._feeds(place, int(other)) for other in self._places]
            self._fed[place] = fed
        return self._fed[place]
