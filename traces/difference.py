"""Two timelines of one kernel: what takes longer in the second one, by line and by pipe, and what held it up."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from ..simulator.timing import Timeline
from .summary import summarise

_ALL = 1 << 30


@dataclass(frozen=True)
class Change:
    """Something that both have, or one alone: microseconds over all cores before and after, and how often it occurs."""

    name: str
    before_us: float
    after_us: float
    before: int
    after: int

    @property
    def us(self) -> float:
        """How much longer it takes."""
        return self.after_us - self.before_us


@dataclass(frozen=True)
class Difference:
    """The times of two launches, and what changed, the largest change first."""

    before_us: float
    after_us: float
    pipes: tuple[Change, ...]
    lines: tuple[Change, ...]  # file:line
    waits: tuple[Change, ...]  # why pipes stood idle

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data."""
        return asdict(self)


def compare_timelines(before: Timeline, after: Timeline, top: int = 10) -> Difference:
    """What differs between two timelines; lines are those of the same file name and number."""
    both = summarise(before, _ALL), summarise(after, _ALL)
    pipes: dict[str, list[tuple[float, int]]] = defaultdict(lambda: [(0.0, 0), (0.0, 0)])
    lines, waits = (defaultdict[str, list[tuple[float, int]]](lambda: [(0.0, 0), (0.0, 0)]) for _ in range(2))
    for side, summary in enumerate(both):
        for pipe in summary.pipes:
            pipes[pipe.pipe][side] = pipe.busy_us, pipe.records
        for line in summary.lines:
            lines[f"{PurePath(line.file).name}:{line.line}"][side] = line.us, line.records
        summed: Counter[str] = Counter()
        times: defaultdict[str, float] = defaultdict(float)
        for wait in summary.waits:
            name = f"{wait.reason} {wait.instruction}".strip()
            name += f" at {PurePath(wait.file).name}:{wait.line}" if wait.line else ""
            summed[name] += wait.records
            times[name] += wait.us
        for name, us in times.items():
            waits[name][side] = us, summed[name]
    return Difference(before.total_us, after.total_us, *(_changes(table, top) for table in (pipes, lines, waits)))


def _changes(table: dict[str, list[tuple[float, int]]], top: int) -> tuple[Change, ...]:
    found = [
        Change(name, before_us, after_us, before, after)
        for name, ((before_us, before), (after_us, after)) in table.items()
        if (before_us, before) != (after_us, after)
    ]
    return tuple(sorted(found, key=lambda change: (-abs(change.us), change.name))[:top])
