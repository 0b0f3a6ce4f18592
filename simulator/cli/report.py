"""The report that a command writes with --report."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..findings.reports import Report
from ..launches.run import Run
from ..log import Log
from ..timing import Timeline
from .screen import Screen

#: Launches of a program that a report holds at most, and their records.
_LAUNCHES, _RECORDS = 50, 4_000_000


@dataclass(frozen=True)
class Seen:
    """A launch that a command has seen; ``start_us`` is when it began in its program."""

    name: str
    timeline: Timeline
    start_us: float = 0.0
    fixed: bool = False  # from a trace

    @classmethod
    def of(cls, timeline: Timeline) -> Seen:
        """A launch by the name of its kernel."""
        return cls(kernel_of(timeline.log), timeline)


class Runs:
    """A watcher that keeps runs for a report, the first ones where there are many."""

    def __init__(self) -> None:
        self.kept: list[Run] = []
        self.all = 0

    def __call__(self, run: Run, raised: bool) -> None:
        self.all += 1
        if len(self.kept) < _LAUNCHES and sum(len(one.log) for one in self.kept) + len(run.log) <= _RECORDS:
            self.kept.append(run)

    @property
    def seen(self) -> list[Seen]:
        """Their launches."""
        return [Seen.of(run.timeline) for run in self.kept if len(run.log)]


def kernel_of(log: Log) -> str:
    """How the kernel of a log is called."""
    return log.kernel or "no kernel"


def write_page(
    options: argparse.Namespace, screen: Screen, title: str, seen: Iterable[Seen], report: Report | None = None,
    **more: Any,
) -> list[str]:  # fmt: skip
    """Write the report that the options ask for; its path. Without ``report`` nothing has looked for broken rules."""
    path = getattr(options, "report", None)
    if not path:
        return []
    from ...traces.report import LaunchShown, ReportPage, write_report  # who wants none need not wait for it

    with screen.busy("writing the report"):
        launches = [LaunchShown(one.name, one.timeline, one.start_us, one.fixed) for one in seen]
        page = ReportPage(
            title, launches[:_LAUNCHES], report.findings if report else (), report.suppressed if report else (),
            checked=report is not None, folders=_folders(options), left_out=max(len(launches) - _LAUNCHES, 0), **more,
        )  # fmt: skip
        write_report(page, path)
    return [str(path)]


def _folders(options: argparse.Namespace) -> Sequence[Path]:
    """Where the sources are that a report may show: here, and beside the files that were named."""
    named = [*getattr(options, "files", ()), *getattr(options, "sources", ())]
    named += [getattr(options, name) for name in ("log_file", "before", "after") if getattr(options, name, None)]
    return [Path(), *getattr(options, "include", ()), *(Path(file).absolute().parent for file in named)]
