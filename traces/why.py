"""Why a run takes as long as it does: critical path, pipes, lines, efficiency, and advice, as data and as tables."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console

from ..simulator.terminal import figures, place_of, print_line, print_table
from ..simulator.text import between, percent, size
from ..simulator.timing import Interval, Timeline, critical_path, path_share
from .advice import Advice, advise
from .efficiency import Efficiency, efficiency
from .summary import PipeWait, summarise
from .tracks import HIDDEN, rows


@dataclass(frozen=True)
class LineCost:
    """A source line: time of its instructions over all cores, bytes they touch, how many, its share of the path."""

    file: str
    line: int
    us: float
    bytes: int
    instructions: int
    path: float


@dataclass(frozen=True)
class Why:
    """All that there is to say; ``pipes`` gives busy time and waiting time by reason, summed over the cores."""

    device: str
    total_us: float
    kernel_us: float
    pipes: dict[str, float]
    waits: tuple[PipeWait, ...]
    lines: tuple[LineCost, ...]
    path: tuple[tuple[str, float], ...]  # instruction at file:line, microseconds of the critical path
    efficiency: Efficiency
    advice: tuple[Advice, ...]
    interval: Interval | None  # of the total

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data."""
        return asdict(self) | {"advice": [entry.to_dict() for entry in self.advice]}


def explain(timeline: Timeline, baseline_us: float | None = None, top: int = 10, *, advice: bool = True) -> Why:
    """Why the run of ``timeline`` takes so long; ``baseline_us`` is a time to compare with."""
    log, summary = timeline.log, summarise(timeline, top)
    on_path: defaultdict[str, float] = defaultdict(float)
    path = critical_path(timeline)
    for record, us in zip(path.records.tolist(), path.us.tolist(), strict=True):
        op, place = log.op(record), log.location(record)
        at = place_of(place.file, place.line)
        on_path[f"{op.name} at {at}" if at else op.name] += us
    return Why(
        summary.device,
        summary.total_us,
        summary.kernel_us,
        {pipe.pipe: pipe.busy_us for pipe in summary.pipes},
        summary.waits,
        tuple(_lines(timeline, top)),
        tuple(sorted(((name, float(us)) for name, us in on_path.items()), key=lambda pair: -pair[1])[:top]),
        efficiency(timeline, baseline_us),
        tuple(advise(timeline)[:top]) if advice else (),
        summary.interval,
    )


def _lines(timeline: Timeline, top: int) -> list[LineCost]:
    log, count = timeline.log, len(timeline.log.locations)
    shown, loc = rows(log) != HIDDEN, log.records["loc"].astype(np.int64)
    us = np.bincount(loc[shown], (timeline.end - timeline.start)[shown], minlength=count)
    moved = np.bincount(loc[log.owners], np.where(shown[log.owners], log.operand_bytes, 0), minlength=count)
    number, path = np.bincount(loc[shown], minlength=count), path_share(timeline)
    order = np.argsort(-np.round(path * timeline.total_us + us * 1e-9, 9), kind="stable")[:top].tolist()
    return [
        LineCost(
            log.locations[line].file, log.locations[line].line, float(us[line]), int(moved[line]), int(number[line]),
            float(path[line]),
        )
        for line in order
        if number[line]
    ]  # fmt: skip


def print_why(why: Why, console: Console) -> None:
    """Print everything as tables, legible at 80 columns."""
    best = why.efficiency
    sure = f" ({between(why.interval.low, why.interval.high)})" if why.interval else ""
    print_line(console, f"{why.total_us:,.3f} us{sure} on {why.device}: kernel {why.kernel_us:,.3f}")
    if best.peak_operations:  # it is unknown what threads compute
        print_line(
            console,
            f"[Compute Efficiency] {percent(best.compute_efficiency)} of {best.peak_operations:.3g} op/s "
            f"({best.operations:.3g} theory ops)",
        )
    print_line(
        console,
        f"[IO Efficiency     ] {percent(best.io_efficiency)} of {best.peak_bytes / 1e9:.4g} GB/s "
        f"({size(int(best.bytes))} theory ios)",
    )
    if best.peak_operations:
        intensity = best.operations / best.bytes if best.bytes else float("inf")
        ridge = best.peak_operations / best.peak_bytes if best.peak_bytes else 0.0
        bound = "memory" if best.bound == "io" else best.bound
        print_line(console, f"{bound}-bound: {intensity:.3g} op/byte, ridge point {ridge:.3g}; {best.grade}")
    if best.baseline is not None:
        print_line(console, f"{best.baseline:.2f} times as fast as the baseline")
    print_table(console, "advice", figures("about", "at best", "saves"), [
        (entry.text, f"{entry.after_us:,.3f} us", f"{entry.least_us:,.3f} us", percent(entry.gain))
        for entry in why.advice
    ])  # fmt: skip
    print_table(console, "critical path", figures("us", "share"), [
        (name, f"{us:,.3f}", percent(us / why.kernel_us if why.kernel_us else 0.0)) for name, us in why.path
    ])  # fmt: skip
    print_table(console, "lines", figures("us", "bytes", "instructions", "of the path"), [
        (place_of(n.file, n.line, "?"), f"{n.us:,.3f}", size(n.bytes), f"{n.instructions:,}", percent(n.path))
        for n in why.lines
    ])  # fmt: skip
    print_table(console, "pipes", figures("us"), [
        *((f"{pipe} busy", f"{us:,.3f}") for pipe, us in why.pipes.items()),
        *((f"{w.reason} {w.instruction} {place_of(w.file, w.line)}".strip(), f"{w.us:,.3f}") for w in why.waits),
    ])  # fmt: skip
