"""The critical path of a timeline: the chain of records and waits that its time consists of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulator.timing import Timeline


@dataclass(frozen=True)
class PathStep:
    """A record on the path, and how much of the path it takes: from its start to that of the next step."""

    record: int
    us: float


def critical_path(timeline: Timeline) -> list[PathStep]:
    """The path in order of time; its steps add up to the kernel's time, but for what passed before the first one.

    From the record that ends last it goes to what held that up, and so on: an earlier record of the pipe, what a sync
    waited for, the last to arrive at a barrier, the instruction before it in the program.
    """
    if not len(timeline.log):
        return []
    start, cause = timeline.start, timeline.cause
    record = int(np.argmax(timeline.end))
    until, steps = float(timeline.end[record]), []
    seen: set[int] = set()
    while record >= 0 and record not in seen:
        seen.add(record)
        begun = min(float(start[record]), until)
        steps.append(PathStep(record, until - begun))
        until, record = begun, int(cause[record])
    return steps[::-1]


def path_share(timeline: Timeline) -> np.ndarray:
    """The part of the critical path that each source line takes, 0..1, float64 [locations]."""
    log = timeline.log
    steps = critical_path(timeline)
    lines = np.array([log.records["loc"][step.record] for step in steps], np.int64)
    share = np.bincount(lines, [step.us for step in steps], minlength=len(log.locations))
    total: float = share.sum()
    return share / total if total else share
