"""What of C-like source text the mutations need: statements, calls with their arguments, conditions, declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.DOTALL | re.MULTILINE)
_OPENED = {"(": ")", "[": "]", "{": "}"}
_CALL = re.compile(r"[A-Za-z_]\w*(?:::\w+)*(?:<[\w\s*,]*>)?\s*\(")
_END = re.compile(r"\s*;")
_STORE = re.compile(r"\*?[A-Za-z_][\w.]*(?:->\w+)?(?:\[[^;={}]*\])*\s*(?:[-+*/|&]|<<|>>)?=(?!=)[^;{}]*;")
_ARRAY = re.compile(r"(__(?:nram|wram|ldram|mlu_shared|shared)__\s+\w+)\s+(\w+)((?:\[[^\]]*\])+)\s*;")
_POINTER = re.compile(r"(\w+)\s*\*\s*(?:const\s+)?(?:__restrict__\s+)?(\w+)\s*(?=[,)=;])")
#: Words with parentheses behind them that call nothing.
_NO_CALLS = {"if", "for", "while", "switch", "sizeof", "return", "alignas", "defined"}


@dataclass(frozen=True)
class Span:
    """A piece of a text, from one place to another."""

    start: int
    end: int


@dataclass(frozen=True)
class Call(Span):
    """A statement that calls a function, its semicolon included; ``alone``: no head such as ``if (...)`` before it."""

    name: str
    arguments: tuple[Span, ...]
    alone: bool


class Source:
    """A text with what is found in it between two places; comments, strings and directives are nothing."""

    def __init__(self, text: str, within: Span | None = None) -> None:
        self.text = text
        self.code = _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        self.within = within or Span(0, len(text))

    def of(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def found(self, pattern: str) -> Iterator[re.Match[str]]:
        """Where a pattern stands in the code."""
        return re.compile(pattern).finditer(self.code, self.within.start, self.within.end)

    def closing(self, at: int) -> int:
        """The place of the bracket that closes the one at a place; the end of the text if none does."""
        depth = 0
        for i in range(at, len(self.code)):
            depth += (self.code[i] in "([{") - (self.code[i] in ")]}")
            if depth == 0:
                return i
        return len(self.code)

    def parts(self, span: Span, separator: str) -> tuple[Span, ...]:
        """A piece cut at separators that stand in no brackets."""
        parts, start, at = [], span.start, span.start
        while at < span.end:
            if self.code[at] in _OPENED:
                at = self.closing(at)
            elif self.code.startswith(separator, at):
                parts.append(self._stripped(start, at))
                start = at + len(separator)
                at = start - 1
            at += 1
        return (*parts, self._stripped(start, span.end))

    def _stripped(self, start: int, end: int) -> Span:
        text = self.code[start:end]
        return Span(start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip()))

    def _before(self, at: int) -> str:
        """The last character of code before a place that is no space; "e" for ``else`` and ``do``."""
        while at and self.code[at - 1].isspace():
            at -= 1
        return "e" if re.search(r"\b(else|do)$", self.code[max(at - 8, 0) : at]) else self.code[at - 1 : at]

    @cached_property
    def calls(self) -> list[Call]:
        """Statements that call a function and do nothing with what it returns."""
        found = []
        for match in _CALL.finditer(self.code, self.within.start, self.within.end):
            name = re.split(r"[<(\s]", match[0])[0]
            before, close = self._before(match.start()), self.closing(match.end() - 1)
            end = _END.match(self.code, close + 1)
            if name in _NO_CALLS or before not in ("", *";{})e") or not end:
                continue
            arguments = self.parts(Span(match.end(), close), ",") if self.code[match.end() : close].strip() else ()
            found.append(Call(match.start(), end.end(), name, arguments, before in ";{}"))
        return found

    @cached_property
    def stores(self) -> list[Span]:
        """Statements that assign a value to what has been declared before."""
        found = _STORE.finditer(self.code, self.within.start, self.within.end)
        return [Span(m.start(), m.end()) for m in found if self._before(m.start()) in ("", *";{}")]

    @cached_property
    def heads(self) -> list[tuple[str, Span, int]]:
        """Each ``if``, ``for`` and ``while``: its word, what stands in its parentheses, where its body begins."""
        found = []
        for match in self.found(r"\b(if|for|while)\s*\("):
            close = self.closing(match.end() - 1)
            found.append((match[1], Span(match.end(), close), close + 1))
        return found

    @cached_property
    def arrays(self) -> list[tuple[str, str, list[Span]]]:
        """Arrays on the chip: type, name, and what stands in their brackets."""
        found = []
        for match in _ARRAY.finditer(self.code):
            sizes = [
                Span(match.start(3) + m.start(1), match.start(3) + m.end(1))
                for m in re.finditer(r"\[([^\]]*)\]", match[3])
            ]
            found.append((match[1], match[2], sizes))
        return found

    @cached_property
    def pointers(self) -> dict[str, str]:
        """The names of pointers and arrays, with the type of their elements."""
        found = {match[2]: match[1] for match in _POINTER.finditer(self.code)}
        return found | {name: kind for kind, name, _ in self.arrays}
