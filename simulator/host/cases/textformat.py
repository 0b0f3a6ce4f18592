"""Messages in protobuf's text format, read without their schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(
    r"""(?P<space>[\s,;]+|\#[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<number>[-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?f?)(?![\w.]))
      | (?P<word>-?[A-Za-z_][\w.]*)
      | (?P<mark>[{}<>:\[\]])""",
    re.X,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_CLOSING = {"{": "}", "<": ">"}
_DEEPEST = 64


class Message(dict[str, list[Any]]):
    """A message: every field with its values in order. Enumerators and ``true`` are words of text."""

    def one(self, name: str, default: Any = None) -> Any:
        """The last value of a field, as the format says of one that is not repeated."""
        return self[name][-1] if self.get(name) else default

    def all(self, name: str) -> list[Any]:
        """All values of a field."""
        return self.get(name, [])


class Word(str):
    """An enumerator, or what stands for one."""


def parse(text: str) -> Message:
    """Read a message. ValueError says which line is none."""
    reader = _Reader(text)
    message = reader.message("", 0)
    return message


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self._next = next(self._tokens, None)

    def message(self, closing: str, depth: int) -> Message:
        found = Message()
        if depth > _DEEPEST:
            raise self._error("messages lie too deep in one another")
        while self._next and self._next.group() != closing:
            kind, name = self._take()
            if kind == "mark" and name == "[":
                name = self._take()[1]
                self._expect("]")
            elif kind != "word":
                raise self._error(f"{name!r} is no name of a field")
            colon = self._skip(":")
            if self._skip("["):
                while not self._skip("]"):
                    found.setdefault(name, []).append(self._value(depth))
                continue
            if not colon and not (self._next and self._next.group() in _CLOSING):
                raise self._error(f"a colon is missing after {name}")
            found.setdefault(name, []).append(self._value(depth))
        if closing:
            self._expect(closing)
        elif self._next:
            raise self._error(f"{self._next.group()!r} closes nothing")
        return found

    def _value(self, depth: int) -> Any:
        kind, text = self._take()
        if kind == "mark" and text in _CLOSING:
            return self.message(_CLOSING[text], depth + 1)
        if kind == "string":
            parts = [text]
            while self._next and self._next.lastgroup == "string":
                parts.append(self._take()[1])
            return "".join(_ESCAPE.sub(_unescaped, part[1:-1]) for part in parts)
        if kind == "number":
            bare = text if text[:2].lower() == "0x" else text.rstrip("f")
            try:
                return int(bare, 0)
            except ValueError:
                return (
                    float(bare)
                    if any(c in bare for c in ".eE")
                    else int(bare, 8 if bare.strip("-+01234567") == "" else 10)
                )
        if kind == "word":
            if text.lstrip("-").lower() in ("inf", "infinity", "nan"):
                return float(text)
            return {"true": True, "false": False}.get(text, Word(text))
        raise self._error(f"{text!r} is no value")

    def _take(self) -> tuple[str, str]:
        token = self._next
        if token is None:
            raise self._error("the text ends in the middle of a message")
        self._last = token
        self._next = next(self._tokens, None)
        return str(token.lastgroup), token.group()

    def _skip(self, mark: str) -> bool:
        if self._next and self._next.group() == mark:
            self._take()
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._skip(mark):
            raise self._error(f"{mark!r} is missing")

    def _split(self) -> Iterator[re.Match[str]]:
        at = 0
        while at < len(self._text):
            token = _TOKEN.match(self._text, at)
            if token is None:
                raise ValueError(f"line {self._line(at)}: {self._text[at]!r} begins nothing of the text format")
            at = token.end()
            if token.lastgroup != "space":
                yield token

    def _line(self, at: int) -> int:
        return self._text.count("\n", 0, at) + 1

    def _error(self, message: str) -> ValueError:
        at = self._next.start() if self._next else len(self._text)
        return ValueError(f"line {self._line(at)}: {message}")


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPES.get(code, code)
