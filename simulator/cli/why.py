"""The commands that look into saved logs: why, diff."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...traces import Summary, summarise
from ...traces.difference import Change, compare_summaries, is_trace, read_timeline, with_interval
from ...traces.reading import read_trace
from ...traces.why import explain, print_why
from ..text import between
from ..timing import Timeline, replay
from .outputs import print_written
from .paths import check_paths
from .replay import check_as_traced, device_of, load_log
from .report import Seen, kernel_of, write_page
from .screen import Screen
from .values import numbers


def why(options: argparse.Namespace, screen: Screen) -> bool:
    """Say why a run takes as long as it does, and what would make it faster."""
    if options.baseline_us is not None and not options.baseline_us > 0:
        raise ValueError("--baseline-us must be above zero")
    check_paths(options.report, read=[options.log_file, *filter(None, [options.device])])
    timeline = _timeline(options, options.log_file)
    with screen.busy("timing the log without each cause of waiting in turn"):
        found = explain(timeline, options.baseline_us)
    written = write_page(options, screen, kernel_of(timeline.log), [Seen.of(timeline)])
    if screen.json:
        screen.document(found.to_dict() | {"written": written})
    else:
        print_why(found, screen.out)
        print_written(screen, written)
    return True


def diff(options: argparse.Namespace, screen: Screen) -> bool:
    """Say what takes longer in the second of two logs or traces."""
    both = options.before, options.after
    check_paths(options.report, read=[*both, *filter(None, [options.device])])
    sides = [_figures(options, path) for path in both]
    found = compare_summaries(sides[0][0], sides[1][0])
    if sides[0][1] and sides[1][1]:
        found = with_interval(found, sides[0][1], sides[1][1])
    written = []
    if options.report:
        seen = [
            Seen(path.name, timeline or read_trace(path), fixed=timeline is None)
            for (_, timeline), path in zip(sides, both, strict=True)
        ]
        title = f"{options.before.name} and {options.after.name}"
        written = write_page(options, screen, title, seen, compare=found.to_dict())
    if screen.json:
        screen.document(found.to_dict() | {"written": written})
        return True
    change = found.after_us / found.before_us - 1 if found.before_us else 0.0
    screen.line(f"{found.before_us:,.3f} us before, {found.after_us:,.3f} us after ({100 * change:+.1f} %)")
    if found.interval:
        unsure = "no difference that is sure" if 0.0 in found.interval else "the difference is sure"
        screen.line(f"{unsure}: it lies within {between(found.interval.low, found.interval.high)} us")
    for title, changes in (("PIPES BUSY", found.pipes), ("LINES", found.lines), ("IDLE FOR", found.waits)):
        if changes:
            screen.line()
            screen.table(
                [(title, False), ("before us", True), ("after us", True), ("change", True), ("times", True)],
                (_cells(entry) for entry in changes),
            )
    print_written(screen, written)
    return True


def _figures(options: argparse.Namespace, path: Path) -> tuple[Summary, Timeline | None]:
    """The figures of a log at the rates of the options, with its timeline, or those of a trace."""
    if not is_trace(path):
        timeline = _timeline(options, path)
        return summarise(timeline, top=len(timeline.log) + 1), timeline
    check_as_traced(options, path)
    return read_timeline(path), None


def _cells(change: Change) -> list[str]:
    times = f"{change.before:,}" if change.before == change.after else f"{change.before:,} -> {change.after:,}"
    return [change.name, f"{change.before_us:,.3f}", f"{change.after_us:,.3f}", f"{change.us:+,.3f}", times]


def _timeline(options: argparse.Namespace, path: Path) -> Timeline:
    log = load_log(path)
    return replay(log, device_of(options, log).rates.replace(numbers(options.set)))
