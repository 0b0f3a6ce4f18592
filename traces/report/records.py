"""What a report draws of a timeline: its records in lanes, and the columns that they are written as."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ...simulator.log import Log
from ...simulator.log.region import offset_numbers, owner_numbers
from ...simulator.timing import Timeline, critical_path
from ..summary import NOISE_US, blame, idle_before
from ..tracks import HIDDEN, rows
from .columns import Columns

#: A tick is a tenth of a nanosecond, or the least power of ten times that with which all times have fewer ticks than
#: the second number.
_TICK_US, _MOST_TICKS = 1e-4, 1 << 31


@dataclass(frozen=True)
class Drawn:
    """The records that rows show, in order of execution; every array has the shape [shown], times are in ticks."""

    lanes: list[tuple[int, int]]  # core, row
    tick_us: float
    index: np.ndarray  # in the log
    lane: np.ndarray
    start: np.ndarray
    end: np.ndarray
    op: np.ndarray
    loc: np.ndarray
    task: np.ndarray
    work: np.ndarray
    why: np.ndarray  # a `Reason`: what the lane stood idle for before it, or why it did not start earlier
    cause: np.ndarray  # the shown record that held it up, -1 if none
    path: np.ndarray  # whether it is on the critical path
    slowed: np.ndarray  # ticks by which others on its channels made it longer
    several: np.ndarray  # records that it stands for

    @classmethod
    def of(cls, timeline: Timeline) -> Drawn:
        """All that rows show of a timeline."""
        log, row = timeline.log, rows(timeline.log)
        tick_us = tick_of(timeline)
        index = np.flatnonzero(row != HIDDEN)
        place = np.full(len(log) + 1, -1)
        place[index] = np.arange(len(index))
        reason, cause = timeline.reason.astype(np.int64), timeline.cause
        if len(log):
            blamed, culprit = blame(timeline)
            waited = idle_before(timeline, row) > NOISE_US
            reason, cause = np.where(waited, blamed, reason), np.where(waited, culprit, cause)
        path = np.zeros(len(log), np.int64)
        path[critical_path(timeline).records] = 1
        units = log.records["core"].astype(np.int64) * (len(log.pipes) + 1) + row
        used, lane = np.unique(units[index], return_inverse=True)
        record = log.records[index]
        op, loc, task, work = (record[name].astype(np.int64) for name in ("op", "loc", "task", "work"))
        start, end, slowed = (
            ticks(us[index], tick_us) for us in (timeline.start, timeline.end, timeline.shared_us)
        )  # fmt: skip
        return cls(
            [divmod(unit, len(log.pipes) + 1) for unit in used.tolist()], tick_us, index, lane, start, end, op, loc,
            task, work, reason[index], place[cause[index]], path[index], slowed, np.ones(len(index), np.int64),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.index)

    def condensed(self, most: int) -> Drawn:
        """About ``most`` records: those shorter than some time give way to the longest among their neighbours."""
        span = int(self.end.max(initial=1))
        step = max(span // max(most // max(len(self.lanes), 1), 1), 1)
        found = self
        while len(found) > most:
            found, step = self._joined(step), step + step // 4 + 1
        return found

    def _joined(self, step: int) -> Drawn:
        """With one record in the place of those of a lane that begin in the same ``step`` ticks and are shorter."""
        short = (self.end - self.start) < step
        cell = np.where(short, self.start // step, -1 - np.arange(len(self)))
        order = np.lexsort((self.end - self.start, cell, self.lane))
        last = np.append((np.diff(self.lane[order]) != 0) | (np.diff(cell[order]) != 0), True)
        first = np.append(0, np.flatnonzero(last)[:-1] + 1)
        kept = order[last]
        start, end = np.minimum.reduceat(self.start[order], first), np.maximum.reduceat(self.end[order], first)
        several = np.add.reduceat(self.several[order], first)
        back = np.argsort(kept, kind="stable")
        arrays = {f.name: getattr(self, f.name)[kept][back] for f in fields(self) if f.name not in ("lanes", "tick_us")}
        arrays |= {"start": start[back], "end": end[back], "several": several[back]}
        arrays["cause"] = np.full(len(kept), -1)
        ordered = np.lexsort((arrays["start"], arrays["lane"]))
        return replace(self, **{name: array[ordered] for name, array in arrays.items()})


def tick_of(timeline: Timeline) -> float:
    """Microseconds of a tick."""
    longest, tick = max(float(timeline.end.max(initial=0.0)), timeline.total_us), _TICK_US
    if not longest < float("inf"):
        raise OverflowError(f"the times reach {longest:g} us, and a report holds finite ones; look at the rates")
    while longest / tick >= _MOST_TICKS:
        tick *= 10
    return tick


def ticks(us: np.ndarray, tick_us: float) -> np.ndarray:
    """Times in ticks; both ends of a record are rounded, so that what touches in time touches in the report."""
    return np.rint(us / tick_us).astype(np.int64)


def add_records(columns: Columns, drawn: Drawn) -> None:
    """Add the columns of records."""
    lane = drawn.lane
    order = np.argsort(lane, kind="stable")
    before = np.empty(len(drawn), np.int64)
    before[order] = np.where(np.diff(lane[order], prepend=-1) != 0, 0, np.roll(drawn.end[order], 1))
    columns.add("lane", lane)
    columns.add("op", drawn.op)
    columns.add("loc", drawn.loc)
    columns.add("task", drawn.task, by=np.zeros(len(drawn), np.int64))
    columns.add("gap", drawn.start - before, signed=True)  # since the record before it in its lane has ended
    columns.add("long", drawn.end - drawn.start)
    columns.add("work", np.minimum(drawn.work, (1 << 48) - 1), by=drawn.op)
    columns.add("why", drawn.why)
    columns.add("back", np.where(drawn.cause < 0, 0, np.arange(len(drawn)) - drawn.cause), signed=True)
    columns.add("path", drawn.path)
    columns.add("slowed", drawn.slowed)
    columns.add("several", drawn.several - 1)


OPERANDS = ("space", "owner", "offset", "bytes", "lane_at", "lanes")


def add_operands(columns: Columns, log: Log, drawn: Drawn) -> None:
    """Add the columns of the operands of the records, in their order; a difference is to the same operand before."""
    counts = log.operand_counts[drawn.index]
    first = np.repeat(log.records["first"][drawn.index].astype(np.int64) - (np.cumsum(counts) - counts), counts)
    table = log.operands[first + np.arange(len(first))]
    starts = np.cumsum([0, *(len(op.operands) for op in log.ops)])[:-1].astype(np.int64)
    slot = np.repeat(starts[drawn.op] - (np.cumsum(counts) - counts), counts) + np.arange(len(first))
    core = np.array([core for core, _ in drawn.lanes] or [0])[np.repeat(drawn.lane, counts)]
    columns.add("space", log.operand_spaces[first + np.arange(len(first))])
    columns.add("owner", owner_numbers(table["key"]) - core, signed=True)
    columns.add("offset", offset_numbers(table["key"]), by=slot)
    columns.add("bytes", table["bytes"].astype(np.int64), by=slot)
    columns.add("lane_at", table["lane"])
    columns.add("lanes", table["lanes"])
