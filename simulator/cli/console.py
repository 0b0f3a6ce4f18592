"""What a command writes with styles and in tables. Only those that do so import this: it takes a while."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

from ..findings import ADVICE, ERROR, WARNING, Finding
from ..text import printable

_STYLES = {ERROR: "bold red", WARNING: "bold yellow", ADVICE: "bold cyan"}


class Console(RichConsole):
    """A console that lets its program decide what a closed pipe means, and writes no control characters of others."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Everything that is written passes here: names and paths that others chose lose what a terminal obeys."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def styled_line(text: str | Text, style: str, indent: int) -> RenderableType:
    """A line; what does not fit the window goes on below it, with the same indent."""
    line = Text(text, style) if isinstance(text, str) else text
    return Padding(line, (0, 0, 0, indent), expand=False) if indent else line


def headed_finding(finding: Finding) -> Text:
    """A finding, headed by its severity in colour."""
    text = Text(str(finding))
    text.stylize(_STYLES[finding.severity], 0, len(finding.severity))
    return text
