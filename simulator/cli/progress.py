"""What is under way, in the last line of a terminal, which is taken back at the end."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

from ..console import Console

#: Returns to the begin of the line and empties it; does not wrap what follows, and does.
_AGAIN, _CUT, _WRAP = "\r\x1b[K", "\x1b[?7l", "\x1b[?7h"
#: Cells of a bar; seconds after which it moves again.
_BAR, _PAUSE = 40, 0.1


@contextmanager
def busy(console: Console, what: str) -> Iterator[None]:
    """Show ``what`` as long as it lasts."""
    line = _LastLine(console)
    line.show(what)
    try:
        yield
    finally:
        line.show("")


@contextmanager
def bar(console: Console, what: str, above: TextIO | None) -> Iterator[Bar]:
    """How much of ``what`` is done; what Python prints meanwhile goes ``above`` it, where that is the same terminal."""
    line = _LastLine(console)
    shown = Bar(line, what)
    try:
        if above is None:
            yield shown
        else:
            printed = _Above(line, above)
            with redirect_stdout(printed):
                yield shown
    finally:
        line.show("")
        if above is not None:
            above.write(printed.begun)


class _LastLine:
    """The line that the cursor of a terminal is in."""

    def __init__(self, console: Console) -> None:
        self._console, self.text = console, ""

    def show(self, text: str) -> None:
        """Write a text in its place, as much as fits; nothing on a terminal that cannot take it back."""
        self.text = text
        if self._console.styled:
            self._console.file.write(f"{_AGAIN}{_CUT}{text}{_WRAP}" if text else _AGAIN)
            self._console.file.flush()


class Bar:
    """A bar that grows."""

    def __init__(self, line: _LastLine, what: str) -> None:
        self._line, self._what = line, what
        self._begun, self._moved = time.monotonic(), float("-inf")

    def __call__(self, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` is done."""
        now = time.monotonic()
        if now - self._moved < _PAUSE and done < total:
            return
        self._moved, seconds = now, int(now - self._begun)
        full = "━" * (_BAR * done // max(total, 1))
        clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        self._line.show(f"{self._what} {full:{_BAR}} {done}/{total} {clock}")


class _Above(io.TextIOBase):
    """Standard output beside a bar: whole lines, each in the bar's place, with the bar below."""

    def __init__(self, line: _LastLine, stream: TextIO) -> None:
        self._line, self._stream, self.begun = line, stream, ""

    def write(self, text: str) -> int:
        lines, newline, self.begun = (self.begun + text).rpartition("\n")
        if newline:
            bar = self._line.text
            self._line.show("")
            self._stream.write(lines + newline)
            self._stream.flush()
            self._line.show(bar)
        return len(text)

    def flush(self) -> None:
        """Lines are written when they are whole."""
