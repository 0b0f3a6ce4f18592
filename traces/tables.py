"""The summary of a timeline as tables in a terminal, legible at 80 columns and without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console

from ..simulator.chip.launch_kinds import TRANSACTIONS
from ..simulator.terminal import Column, figures, names, place_of, print_line, print_table
from ..simulator.text import between, percent, size
from .summary import Summary

#: Characters of the first column at least: tables below each other look alike.
_FIRST = 14


def print_summary(summary: Summary, console: Console) -> None:
    """Print ``summary``: the total, how sure it is, then a table for each thing of which there is any."""
    overhead = summary.total_us - summary.kernel_us
    where = f"{summary.cores} {'core' if summary.cores == 1 else 'cores'} of {summary.device}"
    sure = f" ({between(summary.interval.low, summary.interval.high)})" if summary.interval else ""
    least = "at least " if summary.left_out else ""
    print_line(
        console, f"{least}{_us(summary.total_us)} us{sure}: kernel {_us(summary.kernel_us)}, launch {_us(overhead)}"
    )
    more = f", the first of {summary.records + summary.left_out:,}" if summary.left_out else ""
    print_line(console, f"{summary.records:,} records on {where}{more}")
    fitted = f", {percent(summary.fitted_share)} from fitted ones" if summary.fitted_share else ""
    print_line(console, f"{percent(summary.assumed_share)} of the busy time comes from assumed rates{fitted}")
    if summary.not_modelled:
        print_line(console, f"not modelled, so the time lacks them: {', '.join(summary.not_modelled)}")
    for title, columns, lines in _tables(summary):
        print_table(console, title, columns, lines, _FIRST)


def _tables(summary: Summary) -> Iterator[tuple[str, Sequence[Column], Iterable[tuple[str, ...]]]]:
    """Title, columns and lines of every table."""
    yield (
        "pipes",
        figures("busy us", "mean use", "max use", "records"),
        ((p.pipe, _us(p.busy_us), percent(p.mean), percent(p.max), f"{p.records:,}") for p in summary.pipes),
    )
    yield (
        "traffic",
        figures("read", "written"),
        ((t.space.upper(), size(t.read), size(t.written)) for t in summary.traffic),
    )
    yield (
        "memory",
        figures("peak", "budget", "used", "touched"),
        (
            (
                f"{p.space.upper()}[{p.owner}]",
                size(p.bytes),
                size(p.budget),
                percent(p.bytes / p.budget),
                size(p.touched),
            )
            for p in summary.peaks
        ),
    )
    yield (
        "busiest lines",
        [*figures("us", "share", "records"), *names("most of it")],
        (
            (place_of(n.file, n.line, "?"), _us(n.us), percent(n.share), f"{n.records:,}", n.top_instruction)
            for n in summary.lines
        ),
    )
    yield (
        "transactions",
        [*names("access"), *figures(*(f"{width} B" for width in TRANSACTIONS), "moved", "used")],
        (
            (
                place_of(n.file, n.line, "?"), n.access, *(f"{count:,}" for count in n.counts), size(n.moved),
                percent(n.requested / n.moved) if n.access.startswith("global") else "",
            )
            for n in summary.transactions
        ),
    )  # fmt: skip
    yield (
        "pipes idle for",
        [*figures("us", "times"), *names("instruction", "at")],
        (
            (w.reason, _us(w.us), f"{w.records:,}", w.instruction, w.instruction and place_of(w.file, w.line, "?"))
            for w in summary.waits
        ),
    )


def _us(us: float) -> str:
    return f"{us:,.3f}"
