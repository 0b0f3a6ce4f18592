"""Two timelines of one kernel: what takes longer in the second one, by line and by pipe, and what held it up."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..simulator.files import open_regular
from ..simulator.timing import Interval, Timeline, change, resting
from .perfetto import SUMMARY
from .same_lines import same_lines
from .summary import Summary

#: Times that differ by less are the rounding of sums: they would be shown as +0.000.
_NOISE_US = 0.5e-3
#: Bytes of the last line of a trace at most.
_LONGEST_LINE = 1 << 26


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
    interval: Interval | None = None  # of after_us - before_us

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data."""
        return asdict(self)


_SUMMARY = TypeAdapter(Summary)


def with_interval(found: Difference, before: Timeline, after: Timeline) -> Difference:
    """The same with the interval of what the times differ by."""
    return replace(found, interval=change(resting(before), resting(after), after.rates.facts))


def is_trace(path: Path) -> bool:
    """Whether a file is text that may be a trace, and no log."""
    try:
        with open_regular(path) as file:
            return file.read(1) == b"{"
    except (OSError, ValueError):
        return False


def read_timeline(path: Path) -> Summary:
    """The figures of a timeline that was written as a trace; ValueError when the file is none."""
    with open_regular(path) as file:
        file.seek(max(os.fstat(file.fileno()).st_size - _LONGEST_LINE, 0))
        line = file.read().rstrip().rpartition(b"\n")[2]
    try:
        if not line.startswith(SUMMARY.encode()):
            raise ValueError
        return _SUMMARY.validate_python(json.loads(b"{" + line)["otherData"]["summary"])
    except (ValueError, KeyError, TypeError, ValidationError):
        raise ValueError(f"{path} is neither a log (made with --log) nor a whole trace (made with --trace)") from None


def compare_summaries(before: Summary, after: Summary, top: int = 10) -> Difference:
    """What differs between the figures of two timelines, which must have all lines and waits.

    Lines are the same that say the same, in the order of their sources, wherever they stand; where the text of a
    line is unknown, those of one file name and number.
    """
    both, named = (before, after), same_lines(before, after)
    pipes: dict[str, list[tuple[float, int]]] = defaultdict(lambda: [(0.0, 0), (0.0, 0)])
    lines, waits = (defaultdict[str, list[tuple[float, int]]](lambda: [(0.0, 0), (0.0, 0)]) for _ in range(2))
    for side, summary in enumerate(both):
        for pipe in summary.pipes:
            pipes[pipe.pipe][side] = pipe.busy_us, pipe.records
        for line in summary.lines:
            lines[named[side](line.file, line.line)][side] = line.us, line.records
        summed: Counter[str] = Counter()
        times: defaultdict[str, float] = defaultdict(float)
        for wait in summary.waits:
            name = f"{wait.reason} {wait.instruction}".strip()
            name += f" at {named[side](wait.file, wait.line)}" if wait.line else ""
            summed[name] += wait.records
            times[name] += wait.us
        for name, us in times.items():
            waits[name][side] = us, summed[name]
    busy, where, why = (_changes(table, top) for table in (pipes, lines, waits))
    return Difference(before.total_us, after.total_us, busy, where, why)


def _changes(table: dict[str, list[tuple[float, int]]], top: int) -> tuple[Change, ...]:
    found = [
        Change(name, before_us, after_us, before, after)
        for name, ((before_us, before), (after_us, after)) in table.items()
        if before != after or abs(after_us - before_us) > _NOISE_US
    ]
    return tuple(sorted(found, key=lambda change: (-abs(change.us), change.name))[:top])
