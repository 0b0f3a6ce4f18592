"""The critical path of a timeline: the chain of records and waits that its time consists of."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from ..structures import address
from .built import library
from .replay import Timeline
from .walk import Reason


@dataclass(frozen=True)
class CriticalPath:
    """The records on the path in order of time, int64 [steps], and how much of it each takes, float64 [steps].

    That is the time from the start of a record to that of the next one.
    """

    records: np.ndarray
    us: np.ndarray


def critical_path(timeline: Timeline) -> CriticalPath:
    """The path; its steps add up to the kernel's time, but for what passed before the first one.

    From the record that ends last it goes to what held that up, and so on: an earlier record of the pipe, what a sync
    waited for, the last to arrive at a barrier, the instruction before it in the program.
    """
    count = len(timeline.log)
    records, us = np.empty(count, np.int64), np.empty(count)
    last = int(np.argmax(timeline.end)) if count else 0
    if (
        count
        and timeline.reason[last] == Reason.BARRIER
        and timeline.start[timeline.cause[last]] > timeline.start[last]
    ):
        last = int(timeline.cause[last])  # it waited there itself, for the one that came last
    steps = library().mlusim_critical_path(
        ctypes.c_int64(last), ctypes.c_int64(count),
        *(ctypes.c_void_p(address(column)) for column in (timeline.start, timeline.end, timeline.cause, records, us)),
    )  # fmt: skip
    return CriticalPath(records[:steps][::-1], us[:steps][::-1])


def path_share(timeline: Timeline) -> np.ndarray:
    """The part of the critical path that each source line takes, 0..1, float64 [locations]."""
    log, path = timeline.log, critical_path(timeline)
    lines = log.records["loc"][path.records].astype(np.int64)
    share = np.bincount(lines, path.us, minlength=len(log.locations))
    total: float = share.sum()
    return share / total if total else share
