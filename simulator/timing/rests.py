"""Which numbers of a device file a time is made of, and how much of it each: what is shown of its uncertainty."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ..chip.rates import Rates
from ..log import BLOCKING, Log
from .costs import Costs, Numbers, bandwidth, contended
from .critical import critical_path
from .replay import Timeline
from .walk import Reason

#: What the front end needs to issue an instruction, and the launch of a task.
_ISSUE: Numbers = ("clock.core_mhz", "engines.scalar.startup_cycles")
_TASK: Numbers = ("launch.task_us",)
_OVERHEAD: Numbers = ("launch.overhead_us",)


def resting(timeline: Timeline) -> dict[Numbers, float]:
    """The time of a launch, taken apart along its critical path: microseconds by the numbers they are computed from.

    They are in proportion to, or in inverse proportion to, each of these numbers, as long as the path stays the same.
    """
    log, path = timeline.log, critical_path(timeline)
    parts = defaultdict[Numbers, float](float)
    if log.launch:
        parts[_OVERHEAD] += timeline.rates.launch_overhead_us
    if not len(path.records):
        return dict(parts)
    parts[_TASK] += float(timeline.start[path.records[0]])
    duration = (timeline.end - timeline.start)[path.records]
    # Who went on when the front end had issued it, or more behind its end; all else waits for ends.
    after = np.append(timeline.reason[path.records[1:]] == Reason.ISSUE, False)
    # A wait for pipes that the log has none of is an instruction as any other.
    held = log.which(lambda op: op.barrier or {*op.waits} & {*log.pipes}, path.records)
    held |= (log.records["flags"][path.records] & BLOCKING).astype(bool)
    ended = np.where(after, np.where(held, np.minimum(path.us, duration), 0.0), path.us)
    ended[duration == 0] = 0.0
    parts[_ISSUE] += float((path.us - ended).sum())
    waits = np.zeros(len(log))
    waits[path.records] = ended / np.where(duration == 0, 1.0, duration)
    # A transfer that others have slowed down takes as long as all of them together.
    slowed = timeline.shared_us > 0
    costs, times = Costs.weighed(log, timeline.rates, np.where(slowed, 0.0, waits), waits)
    for numbers, us in times.items():
        parts[numbers] += us
    if slowed.any():
        together = float(np.where(slowed, costs.alone + timeline.shared_us, 0.0) @ waits)
        parts[bandwidth(_most_contended(log, timeline.rates, costs))] += together
    return {numbers: us for numbers, us in parts.items() if us}


def _most_contended(log: Log, rates: Rates, costs: Costs) -> str:
    """The channel for which cores wait the longest: the one that needs the most time for what it moves."""
    names, needed = list(rates.channels), defaultdict[str, float](float)
    for number, _, units in contended(log, rates, costs):
        name = names[number]
        needed[name] = float(costs.moved[number].sum()) / (rates.channels[name].rate * len(units))
    return max(needed, key=lambda name: needed[name])
