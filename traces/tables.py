"""The summary of a timeline as tables in a terminal, legible at 80 columns and without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..simulator.chip.launch_kinds import TRANSACTIONS
from ..simulator.text import between, percent, size
from .summary import Summary

_Column = tuple[str, Literal["left", "right"]]


def print_summary(summary: Summary, console: Console) -> None:
    """Print ``summary``: the total, how sure it is, then a table for each thing of which there is any."""
    overhead = summary.total_us - summary.kernel_us
    where = f"{summary.cores} {'core' if summary.cores == 1 else 'cores'} of {summary.device}"
    sure = f" ({between(summary.interval.low, summary.interval.high)})" if summary.interval else ""
    least = "at least " if summary.left_out else ""
    _say(console, f"{least}{_us(summary.total_us)} us{sure}: kernel {_us(summary.kernel_us)}, launch {_us(overhead)}")
    more = f", the first of {summary.records + summary.left_out:,}" if summary.left_out else ""
    _say(console, f"{summary.records:,} records on {where}{more}")
    fitted = f", {percent(summary.fitted_share)} from fitted ones" if summary.fitted_share else ""
    _say(console, f"{percent(summary.assumed_share)} of the busy time comes from assumed rates{fitted}")
    if summary.not_modelled:
        _say(console, f"not modelled, so the time lacks them: {', '.join(summary.not_modelled)}")
    for title, columns, lines in _tables(summary):
        _table(console, title, columns, lines)


def _tables(summary: Summary) -> Iterator[tuple[str, list[_Column], Iterable[tuple[str, ...]]]]:
    """Title, columns and lines of every table."""
    yield (
        "pipes",
        [("busy us", "right"), ("mean use", "right"), ("max use", "right"), ("records", "right")],
        ((p.pipe, _us(p.busy_us), percent(p.mean), percent(p.max), f"{p.records:,}") for p in summary.pipes),
    )
    yield (
        "traffic",
        [("read", "right"), ("written", "right")],
        ((t.space.upper(), size(t.read), size(t.written)) for t in summary.traffic),
    )
    yield (
        "memory",
        [("peak", "right"), ("budget", "right"), ("used", "right"), ("touched", "right")],
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
        [("us", "right"), ("share", "right"), ("records", "right"), ("most of it", "left")],
        (
            (_place(n.file, n.line), _us(n.us), percent(n.share), f"{n.records:,}", n.top_instruction)
            for n in summary.lines
        ),
    )
    yield (
        "transactions",
        [("access", "left"), *((f"{width} B", "right") for width in TRANSACTIONS), ("moved", "right"),
         ("used", "right")],
        (
            (
                _place(n.file, n.line), n.access, *(f"{count:,}" for count in n.counts), size(n.moved),
                percent(n.requested / n.moved) if n.access.startswith("global") else "",
            )
            for n in summary.transactions
        ),
    )  # fmt: skip
    yield (
        "pipes idle for",
        [("us", "right"), ("times", "right"), ("instruction", "left"), ("at", "left")],
        (
            (w.reason, _us(w.us), f"{w.records:,}", w.instruction, _place(w.file, w.line) if w.instruction else "")
            for w in summary.waits
        ),
    )


def _table(console: Console, title: str, columns: list[_Column], lines: Iterable[tuple[str, ...]]) -> None:
    """A table whose first column is headed by its title; nothing at all without lines."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(Text(title.upper()), min_width=14, overflow="fold")
    for name, justify in columns:
        # Figures are never cut; what gets narrow in a small window is names.
        table.add_column(Text(name), justify=justify, no_wrap=justify == "right", overflow="fold")
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    if table.row_count:
        console.print()
        console.print(table)


def _say(console: Console, line: str) -> None:
    console.print(Text(line), highlight=False)


def _place(file: str, line: int) -> str:
    return f"{PurePath(file).name}:{line}" if line else "?"


def _us(us: float) -> str:
    return f"{us:,.3f}"
