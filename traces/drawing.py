"""What a trace shows of a timeline, in whichever form it is written: times, reasons, arrows, counters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..simulator.chip.rates import Channel
from ..simulator.timing import Reason, Timeline
from .tracks import FRONT_END, HIDDEN, bytes_in_use, rows

#: Whole nanoseconds that a reader with doubles tells apart: 104 days.
LONGEST_NS = 1 << 53
#: Records that are drawn at the same time: bounds the memory of a long trace.
CHUNK = 16384

WHY = {
    Reason.LAUNCH: "start of the task",
    Reason.ISSUE: "program order",
    Reason.PIPE: "pipe busy",
    Reason.WAIT: "waited",
    Reason.BARRIER: "barrier, the last to arrive",
}
#: What waiting is called that an arrow shows.
ARROWS = {Reason.WAIT: "wait", Reason.BARRIER: "barrier"}


@dataclass(frozen=True)
class Counter:
    """A step function: ``levels`` holds from ``times`` (ns, ascending) on. ``core`` is None for the whole device."""

    core: int | None
    name: str
    unit: str
    times: np.ndarray
    levels: np.ndarray


@dataclass(frozen=True)
class _Steps:
    """Levels at times, of several counters one after the other: ``of`` is the number of each one's, ascending."""

    of: np.ndarray
    times: np.ndarray
    levels: np.ndarray

    def counters(self, unit: str, names: Sequence[tuple[int | None, str]]) -> Iterator[Counter]:
        """A counter for each core and name that has steps; of several steps at one time the last counts."""
        count = len(self.of)
        last = np.append(_changes(self.of, self.times), True)[:count]
        of, times, levels = self.of[last], self.times[last], self.levels[last]
        changed = np.append(True, _changes(of, levels))[:count]
        of, times, levels = of[changed], times[changed], levels[changed]
        bounds = np.searchsorted(of, np.arange(len(names) + 1)).tolist()
        for (core, name), (first, last) in zip(names, pairwise(bounds), strict=True):
            if first < last:
                yield Counter(core, name, unit, times[first:last], levels[first:last])


class Drawing:
    """What is drawn of one timeline; times are whole nanoseconds, arrays are parallel to the records of its log."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline, self.log = timeline, timeline.log
        self.row, self.spaces = rows(self.log), tuple(self.log.shape.spaces)
        # Both ends are rounded, not the duration: what touches in time then touches in the trace.
        self.start = np.rint(timeline.start * 1e3).astype(np.int64)
        self.end = np.rint(timeline.end * 1e3).astype(np.int64)

    def core_name(self, core: int) -> str:
        """How a core is called; numbers have equally many digits, since viewers sort names as text."""
        shape, memory_core = self.log.shape, core - self.log.shape.cores
        wide, clusters = len(str(max(shape.cores - 1, 0))), len(str(max(shape.owners("cluster") - 1, 0)))
        if memory_core >= 0:
            return f"cluster {memory_core:0{clusters}} memory core"
        return f"core {core:0{wide}} (cluster {core // shape.cores_per_cluster:0{clusters}})"

    def core_rank(self, core: int) -> int:
        """Its place among all: a memory core comes after the cores of its cluster."""
        shape, memory_core = self.log.shape, core - self.log.shape.cores
        cluster, place = divmod(core, shape.cores_per_cluster)
        if memory_core >= 0:
            cluster, place = memory_core, shape.cores_per_cluster
        return 1 + cluster * (shape.cores_per_cluster + 1) + place

    def row_name(self, row: int) -> str:
        """How a row of a core is called."""
        return "front end" if row == FRONT_END else self.log.pipes[row - 1]

    def used(self) -> list[tuple[int, int]]:
        """The rows that show something: core, row."""
        shown = self.row != HIDDEN
        units = np.unique(self.log.records["core"][shown].astype(np.int64) << 8 | self.row[shown])
        return [(unit >> 8, unit & 0xFF) for unit in units.tolist()]

    def arrows(self) -> np.ndarray:
        """Indices of the records that waited for another record, where rows show both."""
        reason, cause = self.timeline.reason, self.timeline.cause
        waited = np.isin(reason, list(ARROWS)) & (cause >= 0) & (self.row != HIDDEN)
        return np.flatnonzero(waited & (self.row[cause] != HIDDEN))

    def counters(self) -> Iterator[Counter]:
        """Traffic of what the device shares, and the memories of each core."""
        for name, channel in self.timeline.rates.channels.items():
            if channel.scope == "device":
                yield from self._traffic(name, channel)
        yield from self._declared()
        yield from self._live()

    def _declared(self) -> Iterator[Counter]:
        """Bytes that variables take of memories of one core; what a broken launch still holds goes at its end."""
        end, spaces = self.end.max(initial=0), self.log.shape.spaces
        used = {place: steps for place, steps in bytes_in_use(self.log).items() if spaces[place[0]].scope == "core"}
        names = [(owner, f"{space.upper()} in use") for space, owner in used]
        if names:
            times = np.concatenate([np.append(self.start[changed], end) for changed, _ in used.values()])
            levels = np.concatenate([np.append(level, 0) for _, level in used.values()])
            of = np.repeat(np.arange(len(used)), [len(level) + 1 for _, level in used.values()])
            yield from _Steps(of, times, levels).counters("bytes", names)

    def _live(self) -> Iterator[Counter]:
        """Bytes of these memories that have been written and will be read."""
        from .report.memory import live, memories  # reports are large, and not every summary is drawn

        found = live(self.log, self.row != HIDDEN, self.start, self.end)
        places = [(self.spaces[space], owner) for space, owner in memories(self.log)]
        of_core = np.array([self.log.shape.spaces[space].scope == "core" for space, _ in places], bool)
        mine = np.flatnonzero(of_core[found.memory])
        steps = self._sums(found.memory[mine], found.begin[mine], found.end[mine], found.bytes[mine])
        yield from steps.counters("bytes", [(owner, f"{space.upper()} live") for space, owner in places])

    def _traffic(self, name: str, channel: Channel) -> Iterator[Counter]:
        """GB/s: the bytes of every instruction spread evenly over its time."""
        spaces = [index for index, space in enumerate(self.spaces) if space in channel.spaces]
        log = self.log
        used = np.isin(log.operand_spaces, spaces) & (self.row != HIDDEN)[log.owners]
        moved = np.minimum(log.per_record(np.where(used, log.operand_bytes, 0)), LONGEST_NS).astype(np.int64)
        moving = np.flatnonzero((moved > 0) & (self.end > self.start))
        # Whole MB/s, so that what is added at a start leaves nothing behind at the end.
        rate = moved[moving] * 1000 // (self.end[moving] - self.start[moving])
        steps = self._sums(np.zeros(len(moving), np.int64), self.start[moving], self.end[moving], rate)
        yield from replace(steps, levels=steps.levels / 1e3).counters("GB/s", [(None, f"{name.upper()} bandwidth")])

    @staticmethod
    def _sums(of: np.ndarray, begin: np.ndarray, end: np.ndarray, level: np.ndarray) -> _Steps:
        """The sums of levels, each of which holds from a begin to an end."""
        of, times, levels = (np.concatenate(both) for both in ((of, of), (begin, end), (level, -level)))
        order = np.lexsort((times, of))  # what begins at a time comes before what ends there
        return _Steps(of[order], times[order], levels[order].cumsum())


def _changes(of: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Of all but the first step whether it has another value than the one before, or is another counter's."""
    changes: np.ndarray = (of[1:] != of[:-1]) | (values[1:] != values[:-1])
    return changes
