"""Where a command writes: tables or one JSON document to standard output, messages and progress to standard error."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

from ...isa.cached import cached_property
from ..findings import Finding
from ..text import printable

if TYPE_CHECKING:
    from rich.text import Text

    from ..terminal import Column
    from .console import Console

#: What names a document and its form, see `documents`.
SCHEMA, VERSION = "mlusim/", 1
#: Lines in a pipe are for other programs: they are not wrapped.
_PIPE_WIDTH = 1000


class OutputLost(OSError):  # noqa: N818 - the message is what matters
    """Standard output cannot be written; the message says why."""


class _Stream(io.TextIOBase):
    """A standard stream as consoles want one: where there is none, or a closed one, nothing is written.

    What cannot be written to standard output is `OutputLost`; messages that cannot be written are lost.
    """

    def __init__(self, stream: Any, *, needed: bool) -> None:
        self._stream, self._needed = stream, needed

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"

    def isatty(self) -> bool:
        return self._there and bool(self._stream.isatty())

    def fileno(self) -> int:
        return self._stream.fileno() if self._there else super().fileno()

    def write(self, text: str) -> int:
        if self._there:
            with self._lost():
                try:
                    self._stream.write(text)
                except UnicodeEncodeError:
                    self._stream.write(text.encode(self.encoding, "backslashreplace").decode(self.encoding))
        return len(text)

    def flush(self) -> None:
        if self._there:
            with self._lost():
                self._stream.flush()

    @property
    def _there(self) -> bool:
        return self._stream is not None and not getattr(self._stream, "closed", False)

    @contextlib.contextmanager
    def _lost(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            if self._needed:
                raise
        except OSError as error:
            if self._needed:
                raise OutputLost(f"cannot write to standard output: {error.strerror or error}") from None


class Screen:
    """The two streams of a command."""

    def __init__(self, command: str, *, json: bool) -> None:
        self.command, self.json = command, json
        self.apart = json  # whether standard output is for one document, and nothing that a kernel prints
        self._stream, self._messages = _Stream(sys.stdout, needed=True), _Stream(sys.stderr, needed=False)

    @cached_property
    def out(self) -> Console:
        """Standard output with styles and tables."""
        from .console import Console

        wide = not self._stream.isatty() and "COLUMNS" not in os.environ
        return Console(file=cast(TextIO, self._stream), width=_PIPE_WIDTH if wide else None)

    @cached_property
    def _err(self) -> Console:
        from .console import Console

        return Console(file=cast(TextIO, self._messages))

    def close(self) -> None:
        """Write what is still on its way; OutputLost or BrokenPipeError when that is impossible."""
        self._stream.flush()

    def document(self, data: dict[str, Any], *, of_its_own: bool = False) -> None:
        """Write the JSON document; numbers that JSON lacks become the strings "inf", "-inf" and "nan".

        It says of what form it is, unless that form is not mlusim's.
        """
        if not of_its_own:
            data = {"schema": (SCHEMA + self.command).rstrip("/"), "version": VERSION} | data
        self._stream.write(json.dumps(_plain(data), indent=2, allow_nan=False) + "\n")

    def write(self, text: str) -> None:
        """Write text to standard output as it is."""
        self._stream.write(text)

    def line(self, text: str | Text = "", style: str = "", indent: int = 0) -> None:
        """Write one line of text; what does not fit the window goes on below it, with the same indent."""
        from .console import styled_line

        self.out.print(styled_line(text, style, indent), highlight=False)

    def table(self, columns: Sequence[Column], lines: Iterable[Sequence[str | Text]]) -> None:
        """Write a table without rules; names fold where the window is narrow."""
        from ..terminal import plain_table

        self.out.print(plain_table(columns, lines))

    def say(self, text: str) -> None:
        """Write a message to standard error, after the name of the command."""
        self.tell(f"mlusim {self.command}".rstrip() + f": {text}")

    def tell(self, text: str) -> None:
        """Write a line to standard error."""
        self._messages.write(printable(text) + "\n")
        self._messages.flush()

    def findings(self, findings: Iterable[Finding], *, asked: bool = False) -> None:
        """Write findings, headed by their severity in colour: to standard output if a command was asked for them."""
        for finding in findings:
            from .console import headed_finding

            (self.out if asked else self._err).print(headed_finding(finding), highlight=False, soft_wrap=True)

    def fail(self, message: str, finding: Finding | None = None) -> None:
        """Report what ended a command; with --json also as the document."""
        self.say(message)
        if self.json:
            self.document({"error": message, "finding": finding.to_dict() if finding else None})

    @contextlib.contextmanager
    def busy(self, what: str) -> Iterator[None]:
        """Show on a terminal that something is under way."""
        with self._working(), self._err.status(what) if self._messages.isatty() else contextlib.nullcontext():
            yield

    @contextlib.contextmanager
    def progress(self, what: str) -> Iterator[Callable[[int, int], None] | None]:
        """A function that shows (done, total) as a bar on a terminal; None elsewhere."""
        with self._working():
            if not self._messages.isatty():
                yield None
                return
            # Only a terminal has a bar, and it takes a while to import.
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
            # What the kernel prints goes above the bar on a terminal, and else stays on standard output.
            shared = self._stream.isatty()
            with Progress(*columns, console=self._err, transient=True, redirect_stdout=shared) as bar:
                task = bar.add_task(what, total=None)
                yield lambda done, total: bar.update(task, completed=done, total=total)

    @contextlib.contextmanager
    def _working(self) -> Iterator[None]:
        """Where standard output is kept apart, what a kernel prints goes to standard error, from Python or from C."""
        if not self.apart:
            yield
            return
        with contextlib.redirect_stdout(sys.stderr):
            kept = os.dup(1)
            os.dup2(2, 1)
            try:
                yield
            finally:
                os.dup2(kept, 1)
                os.close(kept)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
