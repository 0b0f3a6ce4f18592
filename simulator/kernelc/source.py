"""Preprocessed source text that knows the user's file and line of every position, and the edits made to it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_LINE_BREAK = re.compile(r"^[ \t]*#[^\n]*|\n", re.MULTILINE)
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_SPECIAL = re.compile(r"[\x00-\x1f\x7f\"\\]")


class RewriteError(ValueError):
    """The source cannot be rewritten; the message says what is wrong, where, and what is expected.

    Attributes: `problem`, `file` (the user's path) and `line` (counted from 1).
    """

    def __init__(self, problem: str, file: str, line: int) -> None:
        super().__init__(f"{file}:{line}: {problem}")
        self.problem, self.file, self.line = problem, file, line


class Edit(NamedTuple):
    """Replace `text[start:end]` by `new`; an insertion has `start == end`."""

    start: int
    end: int
    new: str


class Marker(NamedTuple):
    """From position `start` on, the lines are those of `file` (spelled as in the line marker), the first is `line`."""

    start: int
    file: str
    line: int


class SourceText:
    """The text, with the line markers of the part that is the user's (in the order of the text)."""

    def __init__(self, text: str, markers: Sequence[Marker]) -> None:
        self.text = text
        self._markers = markers
        self._starts = [marker.start for marker in markers]

    def locate(self, position: int) -> tuple[str, int]:
        """The file, escaped as in a C string literal, and the line of a position in the user's part of the text."""
        marker = self._markers[bisect_right(self._starts, position) - 1]
        return marker.file, marker.line + self.text.count("\n", marker.start, position)

    def error(self, problem: str, position: int) -> RewriteError:
        """A `RewriteError` that points at a position."""
        file, line = self.locate(position)
        return RewriteError(problem, unescape(file), line)

    def remove_word(self, start: int, end: int) -> Edit:
        """The edit that takes a word out, together with one space after it."""
        return Edit(start, end + self.text.startswith(" ", end), "")


def unescape(literal: str) -> str:
    """The characters that the inside of a C string literal stands for (octal and one-character escapes)."""
    named = {"n": "\n", "t": "\t", "r": "\r"}

    def character(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code, 8)) if len(code) == 3 else named.get(code, code)

    return _ESCAPE.sub(character, literal)


def escape(name: str) -> str:
    """The inside of a C string literal that stands for these characters."""
    return _SPECIAL.sub(lambda found: f"\\{ord(found[0]):03o}", name)


def layout(text: str) -> str:
    """The line breaks and line markers of a text, nothing else: what must stay when the text itself moves away."""
    return "".join(_LINE_BREAK.findall(text))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits; a replacement swallows the edits inside it, and follows insertions at its start."""
    parts: list[str] = []
    cursor = 0
    for edit in sorted(edits, key=lambda edit: edit[:2]):
        if edit.start < cursor:
            continue
        parts += (text[cursor : edit.start], edit.new)
        cursor = edit.end
    parts.append(text[cursor:])
    return "".join(parts)
