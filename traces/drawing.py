"""What a trace shows of a timeline, in whichever form it is written: times, reasons, arrows, counters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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

    @classmethod
    def of(cls, core: int | None, name: str, unit: str, times: np.ndarray, levels: np.ndarray) -> Counter:
        """The steps of levels at ascending times; of several at one time the last counts."""
        last, changed = np.ones((2, len(times)), bool)
        np.not_equal(times[1:], times[:-1], out=last[:-1])
        times, levels = times[last], levels[last]
        changed = changed[: len(levels)]
        np.not_equal(levels[1:], levels[:-1], out=changed[1:])
        return cls(core, name, unit, times[changed], levels[changed])


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
                yield self._traffic(name, channel)
        yield from self._declared()
        yield from self._live()

    def _declared(self) -> Iterator[Counter]:
        """Bytes that variables take of memories of one core; what a broken launch still holds goes at its end."""
        end = self.end.max(initial=0)
        for (space, owner), (changed, level) in bytes_in_use(self.log).items():
            if self.log.shape.spaces[space].scope == "core":
                times = np.append(self.start[changed], end)
                yield Counter.of(owner, f"{space.upper()} in use", "bytes", times, np.append(level, 0))

    def _live(self) -> Iterator[Counter]:
        """Bytes of these memories that have been written and will be read."""
        from .report.memory import live, memories  # reports are large, and not every summary is drawn

        found = live(self.log, self.row != HIDDEN, self.start, self.end)
        places = memories(self.log)
        bounds = np.searchsorted(found.memory, np.arange(len(places) + 1)).tolist()
        for (space, owner), mine in zip(places, map(slice, bounds, bounds[1:]), strict=True):
            name = self.spaces[space]
            if self.log.shape.spaces[name].scope == "core" and mine.start < mine.stop:
                times = np.concatenate([found.begin[mine], found.end[mine]])
                order = np.argsort(times, kind="stable")
                level = np.concatenate([found.bytes[mine], -found.bytes[mine]])[order].cumsum()
                yield Counter.of(owner, f"{name.upper()} live", "bytes", times[order], level)

    def _traffic(self, name: str, channel: Channel) -> Counter:
        """GB/s: the bytes of every instruction spread evenly over its time."""
        spaces = [index for index, space in enumerate(self.spaces) if space in channel.spaces]
        log = self.log
        used = np.isin(log.operand_spaces, spaces) & (self.row != HIDDEN)[log.owners]
        moved = np.minimum(log.per_record(np.where(used, log.operand_bytes, 0)), LONGEST_NS).astype(np.int64)
        moving = np.flatnonzero((moved > 0) & (self.end > self.start))
        # Whole MB/s, so that what is added at a start leaves nothing behind at the end.
        rate = moved[moving] * 1000 // (self.end[moving] - self.start[moving])
        times = np.concatenate([self.start[moving], self.end[moving]])
        order = np.argsort(times, kind="stable")
        level = np.concatenate([rate, -rate])[order].cumsum() / 1e3
        return Counter.of(None, f"{name.upper()} bandwidth", "GB/s", times[order], level)
