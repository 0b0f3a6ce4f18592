"""Replay of a log against the rates of a device: when each instruction would start and end, and why not earlier.

Every pipe of every core is a queue served in order. What an instruction moves through a channel (the DRAM, a cluster's
port to it) shares that evenly with all who use it at the moment (native/passes/timing/channels.h). An instruction
starts when the last of these allows it:

    start = max(front end of the core, pipe free, what it waits for)
    end   = start + max(its engine, its bytes through each channel) + latency

Queues that run one after the other (outside a parallel section) count as one pipe.

The winning term is kept as the reason, with the record that held it up, so that no gap is unexplained.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..chip.rates import Rates
from ..log import Log
from ..text import quoted
from .costs import Costs, chunks
from .plan import WalkPlan
from .walk import walk

#: Less is the rounding of sums of times.
_NOISE_US = 1e-7


@dataclass(frozen=True)
class Timeline:
    """Start and end of every record, in microseconds from the launch; arrays are parallel to ``log.records``."""

    log: Log
    rates: Rates
    start: np.ndarray
    end: np.ndarray
    reason: np.ndarray
    cause: np.ndarray  # index of the record that held it up, -1 if none
    total_us: float
    shares: dict[str, float]  # kind of number (`chip.rates.KINDS`) -> share of the busy time that rests on it, 0..1
    not_modelled: tuple[str, ...]  # instructions without a cost in the device file: the time lacks them
    shared_us: np.ndarray  # by how much the end came later because others used the same channels

    def __repr__(self) -> str:
        return f"<Timeline: {self.total_us:,.3f} us on {self.log.device}, {len(self.log)} records>"

    @property
    def assumed_share(self) -> float:
        """Share of the busy time that rests on assumed rates, 0..1."""
        return self.shares.get("assumed", 0.0)

    @property
    def fitted_share(self) -> float:
        """Share of the busy time that rests on rates fitted to measured times, 0..1."""
        return self.shares.get("fitted", 0.0)


def replay(log: Log, rates: Rates) -> Timeline:
    """Time a log with ``rates`` (the shape stays the log's own).

    TypeError for arguments of another kind, ValueError for a log whose barriers cannot be met, BuildError without a
    C++ compiler.
    """
    if not isinstance(log, Log):
        raise TypeError(f"log is {quoted(log)}; pass a Log, such as that of a run")
    if not isinstance(rates, Rates):
        raise TypeError(f"rates is {quoted(rates)}; pass Rates, such as those of a device")
    return timed(log, rates, Costs.of(log, rates))


def timed(log: Log, rates: Rates, costs: Costs) -> Timeline:
    """Time a log whose records cost what ``costs`` says; what-if questions change both."""
    plan = WalkPlan.of(log, rates, costs)
    start, end, reason, cause = walk(plan)
    late = np.empty(len(log))
    for part in chunks(len(log)):
        mine = late[part]
        np.subtract(end[part], start[part], out=mine)
        mine -= costs.alone[part]
        mine -= costs.latency[part]
        mine[~(plan.shared[part] & (mine > _NOISE_US))] = 0.0
    return Timeline(
        log,
        rates,
        start,
        end,
        reason,
        cause,
        float(end.max(initial=0.0)) + (rates.launch_overhead_us if log.launch else 0.0),
        costs.shares,
        costs.not_modelled,
        late,
    )
