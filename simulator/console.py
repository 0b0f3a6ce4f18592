"""What is written for people to a terminal, a pipe or a file: lines with styles, and tables.

Names and paths that others chose lose what a terminal obeys, see `printable`.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from .text import printable

#: Text and its style: words of `_CODES`, "" for none.
Part = tuple[str, str]
#: A column: its head, "" for none, and whether it holds figures, which stand at the right and are never cut.
Column = tuple[str, bool]
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "magenta": "35", "cyan": "36"}
#: Blanks between two columns.
_GAP = 2
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Console:
    """A stream. ``width`` is that of its window in cells, 0 where nothing is wrapped."""

    file: TextIO
    width: int = 0
    styled: bool = False

    @staticmethod
    def of(file: TextIO) -> Console:
        """As wide as the terminal of a stream, or as COLUMNS says; with styles on a terminal that knows them."""
        shown = file.isatty()
        width = shutil.get_terminal_size().columns if shown or "COLUMNS" in os.environ else 0
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in ("dumb", "unknown")
        return Console(file, width, shown and not plain)

    def line(self, text: str | Sequence[Part] = "", style: str = "", indent: int = 0) -> None:
        """Write text; what does not fit the window goes on below it, with the same indent."""
        parts = [(text, style)] if isinstance(text, str) else text
        for line in _lines(_printable(parts), max(self.width - indent, 1) if self.width else 0):
            self.file.write(" " * indent * bool(line) + self._shown(line) + "\n")

    def whole(self, *parts: Part) -> None:
        """Write text that stays as it is, however narrow the window is."""
        self.file.write(self._shown(_printable(parts)) + "\n")

    def table(self, columns: Sequence[Column], lines: Iterable[Sequence[str | Part]], least: int = 0) -> None:
        """Write a table without rules; names fold where the window is narrow.

        The first column has at least ``least`` cells. Without heads there is no line for them.
        """
        rows = [_printable((cell, "") if isinstance(cell, str) else cell for cell in line) for line in lines]
        if any(head for head, _ in columns):
            rows.insert(0, [(head, "bold") for head, _ in columns])
        figures = [figures for _, figures in columns]
        widths = [
            max(map(_cells, "\n".join(text for text, _ in cells).split("\n"))) for cells in zip(*rows, strict=True)
        ]
        if widths:
            widths[0] = max(widths[0], least)
        if self.width:
            _narrow(widths, figures, self.width - _GAP * (len(widths) - 1))
        for row in rows:
            folded = [list(_lines([cell], width)) for cell, width in zip(row, widths, strict=True)]
            for number in range(max(map(len, folded))):
                cells = [lines[number] if number < len(lines) else [] for lines in folded]
                self.file.write(self._row(cells, figures, widths) + "\n")

    def _row(self, cells: Iterable[Sequence[Part]], figures: Iterable[bool], widths: Iterable[int]) -> str:
        """One line of a table, without blanks at its end."""
        row, blanks = "", 0
        for parts, right, width in zip(cells, figures, widths, strict=True):
            left = width - sum(_cells(text) for text, _ in parts)
            if parts:
                row += " " * (blanks + left * right) + self._shown(parts)
                blanks = 0
            blanks += left * (not (parts and right)) + _GAP
        return row

    def _shown(self, parts: Iterable[Part]) -> str:
        return "".join(_in_style(*part) if self.styled else part[0] for part in parts)


def _printable(parts: Iterable[Part]) -> list[Part]:
    return [(printable(text), style) for text, style in parts]


def _in_style(text: str, style: str) -> str:
    return f"\x1b[{';'.join(_CODES[word] for word in style.split())}m{text}\x1b[0m" if style and text else text


def _cells(text: str) -> int:
    """The columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    none = ("Mn", "Me", "Cf")
    return sum(0 if unicodedata.category(c) in none else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def _narrow(widths: list[int], figures: Sequence[bool], room: int) -> None:
    """Take from the widest columns of names what a table is too wide."""
    names = [column for column, fixed in enumerate(figures) if not fixed]
    while sum(widths) > room and names and max(widths[name] for name in names) > 1:
        widths[max(names, key=lambda name: widths[name])] -= 1


def _lines(parts: Sequence[Part], width: int) -> Iterator[list[Part]]:
    """The lines of a text in a window, none of them wider; 0 for a window of any width."""
    text = "".join(text for text, _ in parts)
    at = 0
    for line in text.split("\n"):
        for begin, end in _wrapped(line, width) if width and _cells(line) > width else [(0, len(line))]:
            yield list(_cut(parts, at + begin, at + end))
        at += len(line) + 1


def _wrapped(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Where the lines of a text begin and end: between words, and within those that are wider than a line."""
    begin = end = 0
    for word in _WORD.finditer(text):
        if end > begin and _cells(text[begin : word.end()]) > width:
            yield begin, end
            begin = word.start()
        while _cells(text[begin : word.end()]) > width:
            end = begin + 1
            while _cells(text[begin : end + 1]) <= width:
                end += 1
            yield begin, end
            begin = end
        end = word.end()
    if end > begin:
        yield begin, end


def _cut(parts: Sequence[Part], begin: int, end: int) -> Iterator[Part]:
    """The parts of a text from one place of it to another."""
    for text, style in parts:
        if piece := text[max(begin, 0) : max(end, 0)]:
            yield piece, style
        begin, end = begin - len(text), end - len(text)
