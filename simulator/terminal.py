"""Tables and lines in a terminal, legible without colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from rich.console import Console
from rich.table import Table
from rich.text import Text

#: A column: its head, "" for none, and whether it holds figures, which are never folded: one that is cut says so.
Column = tuple[str, bool]


def plain_table(
    columns: Sequence[Column], lines: Iterable[Sequence[str | Text]], first_width: int | None = None
) -> Table:
    """A table without rules, its first column at least so wide; names fold where the window is narrow."""
    table = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_header=any(h for h, _ in columns)
    )
    for head, of_figures in columns:
        if of_figures:
            table.add_column(Text(head), justify="right", no_wrap=True, overflow="ellipsis")
        else:
            table.add_column(Text(head), overflow="fold")
    table.columns[0].min_width = first_width
    for line in lines:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in line))
    return table


def figures(*heads: str) -> list[Column]:
    """Columns of figures."""
    return [(head, True) for head in heads]


def names(*heads: str) -> list[Column]:
    """Columns of names."""
    return [(head, False) for head in heads]


def print_table(
    console: Console,
    title: str,
    columns: Sequence[Column],
    lines: Iterable[Sequence[str]],
    first_width: int | None = None,
) -> None:
    """A table whose first column, of names, is headed by its title; nothing at all without lines."""
    table = plain_table([*names(title.upper()), *columns], lines, first_width)
    if table.row_count:
        console.print()
        console.print(table)


def print_line(console: Console, text: str) -> None:
    """A line as it is."""
    console.print(Text(text), highlight=False)


def place_of(file: str, line: int, unknown: str = "") -> str:
    """A line of a source, by the name of its file."""
    return f"{PurePath(file).name}:{line}" if line else unknown
