"""The summary of a timeline as tables in a terminal, legible at 80 columns and without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from ..simulator.console import Column, Console
from ..simulator.text import between, percent, size
from .summary import Summary
from .transactions import TRANSACTIONS

#: Cells that the first column of each table has at least.
_LEAST = 14


def print_summary(summary: Summary, console: Console) -> None:
    """Print ``summary``: the total, how sure it is, then a table for each thing of which there is any."""
    overhead = summary.total_us - summary.kernel_us
    where = f"{summary.cores} {'core' if summary.cores == 1 else 'cores'} of {summary.device}"
    sure = f" ({between(summary.interval.low, summary.interval.high)})" if summary.interval else ""
    least = "at least " if summary.left_out else ""
    console.line(f"{least}{_us(summary.total_us)} us{sure}: kernel {_us(summary.kernel_us)}, launch {_us(overhead)}")
    more = f", the first of {summary.records + summary.left_out:,}" if summary.left_out else ""
    console.line(f"{summary.records:,} records on {where}{more}")
    fitted = f", {percent(summary.fitted_share)} from fitted ones" if summary.fitted_share else ""
    console.line(f"{percent(summary.assumed_share)} of the busy time comes from assumed rates{fitted}")
    if summary.not_modelled:
        console.line(f"not modelled, so the time lacks them: {', '.join(summary.not_modelled)}")
    for title, columns, lines in _tables(summary):
        if rows := list(lines):
            console.line()
            console.table([(title.upper(), False), *columns], rows, _LEAST)


def _tables(summary: Summary) -> Iterator[tuple[str, list[Column], Iterable[tuple[str, ...]]]]:
    """Title, columns and lines of every table."""
    yield (
        "pipes",
        [("busy us", True), ("mean use", True), ("max use", True), ("records", True)],
        ((p.pipe, _us(p.busy_us), percent(p.mean), percent(p.max), f"{p.records:,}") for p in summary.pipes),
    )
    yield (
        "traffic",
        [("read", True), ("written", True)],
        ((t.space.upper(), size(t.read), size(t.written)) for t in summary.traffic),
    )
    yield (
        "memory",
        [("peak", True), ("budget", True), ("used", True), ("touched", True)],
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
        [("us", True), ("share", True), ("records", True), ("most of it", False)],
        (
            (_place(n.file, n.line), _us(n.us), percent(n.share), f"{n.records:,}", n.top_instruction)
            for n in summary.lines
        ),
    )
    yield (
        "transactions",
        [("access", False), *((f"{width} B", True) for width in TRANSACTIONS), ("moved", True),
         ("used", True)],
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
        [("us", True), ("times", True), ("instruction", False), ("at", False)],
        (
            (w.reason, _us(w.us), f"{w.records:,}", w.instruction, _place(w.file, w.line) if w.instruction else "")
            for w in summary.waits
        ),
    )


def _place(file: str, line: int) -> str:
    return f"{PurePath(file).name}:{line}" if line else "?"


def _us(us: float) -> str:
    return f"{us:,.3f}"
