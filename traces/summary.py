"""The figures of a timeline: how busy the pipes were, what moved, what waited for what, and which lines cost most."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from ..simulator.log import ALLOC, BLOCKING, FREE, Log
from ..simulator.log.region import offset_numbers, owner_numbers
from ..simulator.timing import Interval, Reason, Timeline, interval
from .tracks import FRONT_END, HIDDEN, bytes_in_use, covered, rows
from .transactions import LineTransactions, transactions

#: Gaps below half a nanosecond are the rounding of sums of times.
NOISE_US = 0.5e-3
#: Stands beside the reasons: slowed by others on its channel.
_SHARED = len(Reason)
REASONS = {
    Reason.LAUNCH: "launch",
    Reason.ISSUE: "program order",
    Reason.PIPE: "pipe busy",
    Reason.WAIT: "wait",
    Reason.BARRIER: "barrier",
}


@dataclass(frozen=True)
class PipeUse:
    """Work of a pipe: microseconds over all cores, and its share of the kernel's time (0..1) over the cores used."""

    pipe: str
    records: int
    busy_us: float
    mean: float
    max: float


@dataclass(frozen=True)
class Traffic:
    """Bytes that instructions read from a memory space and wrote to it."""

    space: str
    read: int
    written: int


@dataclass(frozen=True)
class Peak:
    """Most bytes that the kernel held of a memory space at once, in the fullest of its memories; budget of each.

    ``touched`` are the bytes of that memory that instructions used in the whole launch, gaps of strides among them.
    """

    space: str
    owner: int
    bytes: int
    budget: int
    touched: int = 0


@dataclass(frozen=True)
class LineUse:
    """Busy time of a source line over all cores and pipes, its share of all busy time (0..1), and what ran longest."""

    file: str
    line: int
    us: float
    share: float
    records: int
    top_instruction: str


@dataclass(frozen=True)
class PipeWait:
    """Time that pipes stood idle for one reason; ``instruction`` at ``file:line`` is what they waited for, "" if none.

    The time between two instructions of a pipe is charged to the last thing that held up the second one. The reason
    "channel shared" is no idle time: by so much the instruction itself took longer because others used its channel.
    """

    reason: str
    instruction: str
    file: str
    line: int
    us: float
    records: int


@dataclass(frozen=True)
class Summary:
    """What a timeline amounts to; times in microseconds, shares 0..1, lists with the largest first where it matters."""

    device: str
    records: int
    cores: int
    total_us: float
    kernel_us: float  # without the overhead of the launch
    assumed_share: float
    fitted_share: float
    not_modelled: tuple[str, ...]
    pipes: tuple[PipeUse, ...]
    traffic: tuple[Traffic, ...]
    peaks: tuple[Peak, ...]
    lines: tuple[LineUse, ...]
    waits: tuple[PipeWait, ...]
    transactions: tuple[LineTransactions, ...] = ()  # of kernels that run as blocks of threads
    interval: Interval | None = None  # of the total; None where the device file says nothing of the model's error
    digests: dict[str, str] = field(default_factory=dict)  # file:line -> what stands for the text of a source line
    left_out: int = 0  # records that the log had no room for: everything here is of those before

    def __repr__(self) -> str:
        return f"<Summary: {self.total_us:,.3f} us on {self.device}, {self.records} records on {self.cores} cores>"

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain JSON data."""
        return asdict(self)


def summarise(timeline: Timeline, top: int = 10) -> Summary:
    """The figures of ``timeline``, with the ``top`` source lines and reasons for waiting."""
    log, row = timeline.log, rows(timeline.log)
    busy = np.where(row > FRONT_END, timeline.end - timeline.start, 0.0)
    kernel_us = float(timeline.end.max(initial=0.0))
    cores, core = np.unique(log.records["core"], return_inverse=True)
    return Summary(
        device=log.device,
        records=len(log),
        cores=len(cores),
        total_us=timeline.total_us,
        kernel_us=kernel_us,
        assumed_share=timeline.assumed_share,
        fitted_share=timeline.fitted_share,
        not_modelled=timeline.not_modelled,
        pipes=tuple(_pipes(log, row, busy, core, len(cores), kernel_us)),
        traffic=tuple(_traffic(log, row)),
        peaks=tuple(_peaks(log)),
        lines=tuple(_lines(log, row, busy, top)),
        waits=tuple(_waits(timeline, row, top)),
        transactions=transactions(log),
        interval=interval(timeline),
        left_out=log.left_out,
        digests={str(place): text for place, text in zip(log.locations, log.line_digests, strict=True) if text},
    )


def _pipes(
    log: Log, row: np.ndarray, busy: np.ndarray, core: np.ndarray, cores: int, kernel_us: float
) -> list[PipeUse]:
    used = []
    for pipe, name in enumerate(log.pipes):
        mine = row == pipe + 1
        if mine.any():
            per_core = np.bincount(core[mine], busy[mine], minlength=cores)
            share = per_core / kernel_us if kernel_us else per_core
            used.append(PipeUse(name, int(mine.sum()), float(per_core.sum()), float(share.mean()), float(share.max())))
    return used


def _traffic(log: Log, row: np.ndarray) -> list[Traffic]:
    space, written = log.operand_spaces, log.operand_written
    size = log.operand_bytes.astype(np.float64)  # sums stay exact up to 2**53 bytes
    size[row[log.owners] == HIDDEN] = 0.0
    count = len(log.shape.spaces)
    out = np.bincount(space[written], size[written], minlength=count)
    into = np.bincount(space[~written], size[~written], minlength=count)
    figures = zip(log.shape.spaces, into.tolist(), out.tolist(), strict=True)
    return [Traffic(name, int(read), int(wrote)) for name, read, wrote in figures if read or wrote]


def _peaks(log: Log) -> list[Peak]:
    fullest: dict[str, Peak] = {}
    for (space, owner), (_, level) in bytes_in_use(log).items():
        peak = Peak(space, owner, int(level.max()), log.shape.spaces[space].budget)
        if space not in fullest or peak.bytes > fullest[space].bytes:
            fullest[space] = peak
    return [
        replace(fullest[space], touched=_touched(log, index, fullest[space].owner))
        for index, space in enumerate(log.shape.spaces) if space in fullest
    ]  # fmt: skip


def _touched(log: Log, space: int, owner: int) -> int:
    """Bytes of one memory that instructions have touched, each counted once."""
    used = log.which(lambda op: op.name not in (ALLOC, FREE), log.owners)
    used &= (log.operand_spaces == space) & (owner_numbers(log.operands["key"]) == owner)
    starts = offset_numbers(log.operands["key"][used])
    return covered(starts, starts + log.operands["bytes"][used].astype(np.int64))


def _lines(log: Log, row: np.ndarray, busy: np.ndarray, top: int) -> list[LineUse]:
    worked = row > FRONT_END
    # One table of busy time by source line and instruction: both are few.
    count = len(log.ops)
    cell = log.records["loc"][worked].astype(np.int64) * count + log.records["op"][worked]
    shape = len(log.locations), count
    us = np.bincount(cell, busy[worked], minlength=shape[0] * count).reshape(shape)
    records = np.bincount(cell, minlength=shape[0] * count).reshape(shape).sum(axis=1)
    per_line, total = us.sum(axis=1), us.sum()
    order = np.argsort(-np.round(per_line, 6), kind="stable")[:top]  # lines alike stay in order of the source
    return [
        LineUse(
            log.locations[line].file,
            log.locations[line].line,
            float(per_line[line]),
            float(per_line[line] / total),
            int(records[line]),
            log.ops[int(us[line].argmax())].name,
        )
        for line in order.tolist()
        if per_line[line] > 0
    ]


def _waits(timeline: Timeline, row: np.ndarray, top: int) -> list[PipeWait]:
    log = timeline.log
    idle = idle_before(timeline, row)
    reason, cause = blame(timeline)
    waited = np.flatnonzero(idle > NOISE_US)
    reason, cause = reason[waited], cause[waited]
    slowed = np.flatnonzero(timeline.shared_us)
    reason = np.concatenate([reason, np.full(len(slowed), _SHARED)])
    cause, time = np.concatenate([cause, slowed]), np.concatenate([idle[waited], timeline.shared_us[slowed]])
    op, loc = (np.where(cause >= 0, log.records[field][cause].astype(np.int64), -1) for field in ("op", "loc"))
    ops, places = len(log.ops) + 1, len(log.locations) + 1
    kinds, kind = np.unique((reason * ops + op + 1) * places + loc + 1, return_inverse=True)
    us, records = np.bincount(kind, time), np.bincount(kind)
    waits = []
    for index in np.argsort(-us, kind="stable")[:top].tolist():
        rest, place = divmod(int(kinds[index]), places)
        why, instruction = divmod(rest, ops)
        place, instruction = place - 1, instruction - 1
        at = log.locations[place] if place >= 0 else None
        waits.append(
            PipeWait(
                "channel shared" if why == _SHARED else REASONS[Reason(why)],
                log.ops[instruction].name if instruction >= 0 else "",
                at.file if at else "",
                at.line if at else 0,
                float(us[index]),
                int(records[index]),
            )
        )
    return waits


def idle_before(timeline: Timeline, row: np.ndarray) -> np.ndarray:
    """Microseconds that the pipe of every record stood idle before it."""
    idle = np.zeros(len(row))
    worked = np.flatnonzero(row > FRONT_END)
    unit = timeline.log.records["core"][worked].astype(np.int64) * (len(timeline.log.pipes) + 1) + row[worked]
    order = worked[np.argsort(unit, kind="stable")]
    first = np.append(True, np.diff(np.sort(unit)) != 0)[: len(order)]
    idle[order] = timeline.start[order] - np.where(first, 0.0, np.roll(timeline.end[order], 1))
    return idle


def blame(timeline: Timeline) -> tuple[np.ndarray, np.ndarray]:
    """Reason and cause of every record, where "program order" is traced to what last held the front end up."""
    log = timeline.log
    reason, cause = timeline.reason.astype(np.int64), timeline.cause.copy()
    op = log.records["op"]
    barrier = np.array([bool(op.barrier) for op in log.ops], bool)[op]
    sync = np.array([bool(op.waits) for op in log.ops], bool)[op] & ~barrier
    holder = _holders(log, barrier | sync | ((log.records["flags"] & BLOCKING) != 0))
    ordered = (reason == Reason.ISSUE) & (holder >= 0)
    reason[ordered] = np.where(barrier[holder[ordered]], Reason.BARRIER, Reason.WAIT)
    cause[ordered] = holder[ordered]
    # A sync is no reason in itself: what it waited for is. That may be a sync too; every pass halves such chains.
    while True:
        through = (cause >= 0) & sync[cause] & (cause[cause] >= 0)
        if not through.any():
            return reason, cause
        reason[through], cause[through] = reason[cause[through]], cause[cause[through]]


def _holders(log: Log, holds: np.ndarray) -> np.ndarray:
    """Per record the last one before it on its core that ``holds`` marks, or -1."""
    core = log.records["core"]
    order = np.argsort(core, kind="stable")
    place = np.arange(len(order))
    first = np.append(True, np.diff(core[order]) != 0)[: len(order)]
    begin = np.maximum.accumulate(np.where(first, place, 0))
    last = np.maximum.accumulate(np.where(holds[order], place, -1))
    before = np.append(-1, last)[: len(order)]
    holder = np.full(len(order), -1)
    holder[order] = np.where(before >= begin, order[before], -1)
    return holder
