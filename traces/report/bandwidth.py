"""How many bytes move through each channel of a device over the time of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...simulator.log import Log
from ...simulator.timing import Costs, Timeline
from ...simulator.timing.costs import unit_of

#: Steps of time that a curve has, and units (clusters, cores) of a channel that have one.
_STEPS, _UNITS = 1024, 16


def bandwidth(timeline: Timeline, costs: Costs) -> list[dict[str, Any]]:
    """For every channel that is used, GB/s of each of its units over equal steps of the kernel's time."""
    log, last = timeline.log, float(timeline.end.max(initial=0.0))
    found = []
    for (name, channel), moved in zip(timeline.rates.channels.items(), costs.moved, strict=True):
        units = _units(log, channel.scope)[log.records["core"]] if len(log) else np.zeros(0, np.int64)
        moving = (moved > 0) & (timeline.end > timeline.start)
        if not moving.any() or channel.scope == "core":
            continue
        total = np.bincount(units, moved * moving)
        busiest = sorted(np.argsort(-total, kind="stable")[:_UNITS].tolist())
        found.append(
            {
                "channel": name, "scope": channel.scope, "peak": channel.rate / 1e3,
                "units": {
                    unit: _steps(timeline, moved, moving & (units == unit), last)
                    for unit in busiest if total[unit]
                },
            }
        )  # fmt: skip
    return found


def _units(log: Log, scope: str) -> np.ndarray:
    """The unit of every core."""
    shape = log.shape
    cores = range(shape.owners("core"))
    return np.array([unit_of(shape.cores, shape.cores_per_cluster, scope, core) for core in cores])


def _steps(timeline: Timeline, moved: np.ndarray, chosen: np.ndarray, last: float) -> list[float]:
    """GB/s in each step, where the bytes of a record are spread evenly over its time."""
    start, end, bytes_ = timeline.start[chosen], timeline.end[chosen], moved[chosen]
    slope = bytes_ / (end - start)
    times = np.concatenate([[0.0], start, end])
    order = np.argsort(times, kind="stable")
    times, rate = times[order], np.concatenate([[0.0], slope, -slope])[order].cumsum()
    passed = np.concatenate([[0.0], (rate[:-1] * np.diff(times)).cumsum()])
    edges = np.linspace(0.0, last, _STEPS + 1)
    gb = np.diff(np.interp(edges, times, passed)) / (last / _STEPS) / 1e3
    return [float(f"{value:.4g}") for value in np.maximum(gb, 0.0).tolist()]
