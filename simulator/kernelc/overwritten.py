"""Sums that scalar code overwrites: assignments in a loop of which only the last counts, and results without a use.

Statements are read as tokens of the text of a source, without types: what is not clear is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .bodies import SETTING, bodies
from .tokens import Token, close

_LOOPS = ("for", "while", "do")
_HEADS = (*_LOOPS, "if", "switch")
#: What may end a loop, or a round of it, before its end: the last round is then the one that was looked for.
_LEAVES = frozenset({"break", "continue", "return", "goto"})
#: What makes a sum, or a product, of what a variable was.
_COMPUTED = ("+=", "-=", "*=", "/=")
#: Functions, and types that convert, without an effect besides their result.
_PURE = re.compile(
    r"(?:static|const|reinterpret)_cast|sizeof|"
    r"u?int\d*(?:_t)?|unsigned|signed|long|short|char|float|double|half|__half|size_t|T|"
    r"(?:__)?(?:f?abs|exp2?|log|sqrt|rsqrt|pow|sin|cos|tanh?|erf|floor|ceil|round|f?min|f?max|fma|fdividef?)f?|"
    r"__(?:ldg|half2float|float2half|bfloat162float|float2bfloat16|h(?:add|sub|mul)|f(?:mul|add|sub|ma|sqrt|rcp|div)_rn)"
)


class Overwritten(NamedTuple):
    """A variable that is set at a line again and again, or once more; ``rounds``: by each round of a loop."""

    name: str
    line: int
    rounds: bool


class _Statement(NamedTuple):
    """What begins with a head, or is plain (""), by its tokens."""

    head: str
    begin: int
    end: int


class _Set(NamedTuple):
    """A statement that sets a variable, or one element: by its name and what stands in brackets behind it."""

    name: str
    element: tuple[str, ...]
    operator: str  # "=", "+="
    value: range


def overwritten(text: str, function: str = "") -> list[Overwritten]:
    """What the functions of a text overwrite: all of them, or one and those of the text that it calls."""
    found, functions = bodies(text, function)
    code = _Code(found)
    for begin, end in functions:
        code.block(begin, end, end, frozenset())
    return [Overwritten(name, text.count("\n", 0, start) + 1, rounds) for name, start, rounds in code.said]


@dataclass
class _Code:
    """Tokens of a text, and what was found in it."""

    found: Sequence[Token]
    said: list[tuple[str, int, bool]] = field(default_factory=list)

    def block(
        self, begin: int, end: int, last: int, known: frozenset[str], local: frozenset[str] = frozenset()
    ) -> None:
        """The statements of a block; ``last`` is the end of its function, ``known`` was set before, around it.

        ``local`` are variables of the function: what is set of others counts when it has ended.
        """
        results: set[tuple[str, tuple[str, ...]]] = set()  # of which nothing has been read yet
        for head, first, after in self._statements(begin, end):
            made = self._set(first, after) if not head else None
            words = self._words(first, after)
            if (
                made
                and made.operator == "="
                and (made.name, made.element) in results
                and made.name not in self._words(made.value.start, made.value.stop)
            ):
                self._say(made.name, first, False)
            results = {(name, element) for name, element in results if words.isdisjoint((name, *element))}
            if made and made.operator != "=":
                results.add((made.name, made.element))
            if head in _LOOPS:
                self._loop(head, first, after, last, known, local)
            if head:
                for inner in self._inner(first, after):
                    self.block(*inner, last, known, local)
            local |= self._declared(first, after) if not head else frozenset()
            known |= {made.name} if made else self._declared(first, after) if not head else frozenset()

    def _loop(self, head: str, first: int, after: int, last: int, known: frozenset[str], local: frozenset[str]) -> None:
        """A loop: what each round of it sets, which nothing in it reads, and something behind it does."""
        words = self._words(first, after)
        if head == "do" or not words.isdisjoint(_LEAVES):
            return
        closed = close(self.found, first + 1)
        counters = self._changed(first + 1, closed) | self._declared(first + 1, closed)
        if head == "for" and all(token.text != ";" for token in self.found[first:closed]):
            counters = self._words(first, closed)  # all elements of something
        if head == "while" and any(token.text in "([" for token in self.found[first + 2 : closed]):
            return  # until something fits: the last round has found it
        begin, end = (closed + 2, after - 1) if self.found[closed + 1].text == "{" else (closed + 1, after)
        plain = [one for one in self._statements(begin, end) if not one.head]
        own = {name for one in plain for name in self._declared(one.begin, one.end)}
        changed = counters | own | self._changed(begin, end)
        for one in plain:
            made = self._set(one.begin, one.end)
            if not made or made.operator != "=" or made.name not in known or made.name in own:
                continue
            value = self._words(made.value.start, made.value.stop)
            copied = len(made.value) == 1 and not value & own  # the last of something is kept
            if copied or value <= counters or not value & changed or not self._is_pure(made.value):
                continue
            if not changed.isdisjoint(made.element) or self._times(made.name, first, after) != 1:
                continue
            if self._times(made.name, after, last) or made.name not in local:
                self._say(made.name, one.begin, True)

    def _say(self, name: str, at: int, rounds: bool) -> None:
        self.said.append((name, self.found[at].start, rounds))

    def _statements(self, begin: int, end: int) -> Iterator[_Statement]:
        at = begin
        while at < end:
            after = self._end(at, end)
            head = self.found[at].text
            if head == "{":
                yield _Statement("{", at, after)
            elif head != ";":
                yield _Statement(head if head in _HEADS else "", at, after)
            at = after

    def _end(self, at: int, end: int) -> int:
        """Behind the statement that begins at a token."""
        text = self.found[at].text if at < end else ";"
        if text == "{":
            return close(self.found, at) + 1
        if text in _HEADS and text != "do":
            at = at + 2 if self.found[at + 1].text == "constexpr" else at + 1
            at = self._end(close(self.found, at) + 1, end)
            if text == "if" and at < end and self.found[at].text == "else":
                at = self._end(at + 1, end)
            return at
        if text == "do":
            at = self._end(at + 1, end)
        while at < end and self.found[at].text != ";":
            at = close(self.found, at) + 1 if self.found[at].text in ("(", "[", "{") else at + 1
        return at + 1

    def _inner(self, first: int, after: int) -> Iterator[tuple[int, int]]:
        """The blocks of a statement, and its statements without braces."""
        at = first
        if self.found[first].text == "{":
            yield first + 1, after - 1
            return
        while at < after:
            text = self.found[at].text
            if text == "(":
                at = close(self.found, at)
                if at + 1 < after and self.found[at + 1].text not in ("{", ";"):
                    end = self._end(at + 1, after)
                    yield at + 1, end
                    at = end - 1
            elif text == "{":
                yield at + 1, close(self.found, at)
                at = close(self.found, at)
            elif text == "else" and self.found[at + 1].text not in ("{", "if"):
                yield at + 1, self._end(at + 1, after)
            at += 1

    def _set(self, begin: int, end: int) -> _Set | None:
        """What a statement sets that begins with a variable or an element."""
        found, at = self.found, begin + 1
        if found[begin].kind != "word":
            return None
        while at < end and found[at].text == "[":
            at = close(found, at) + 1
        element = tuple(token.text for token in found[begin + 1 : at])
        if at < end and found[at].text in ("=", *_COMPUTED):
            return _Set(found[begin].text, element, found[at].text, range(at + 1, end - 1))
        return None

    def _changed(self, begin: int, end: int) -> frozenset[str]:
        """The variables that are set somewhere in a stretch, or counted up or down."""
        words = (at for at in range(begin, end - 1) if self.found[at].kind == "word")
        return frozenset(
            self.found[at].text
            for at in words
            if self.found[at + 1].text in ("=", *SETTING) or self.found[at - 1].text in ("++", "--")
        )

    def _declared(self, begin: int, end: int) -> frozenset[str]:
        """The variables that a statement declares and sets: words between another word, or a comma, and "="."""
        before = ("word", "*", "&", ",", ">")
        return frozenset(
            self.found[at].text
            for at in range(begin + 1, end - 1)
            if self.found[at].kind == "word"
            and self.found[at + 1].text in ("=", "[", "{")
            and (self.found[at - 1].kind in before or self.found[at - 1].text in before)
        )

    def _words(self, begin: int, end: int) -> frozenset[str]:
        return frozenset(token.text for token in self.found[begin:end] if token.kind == "word")

    def _times(self, name: str, begin: int, end: int) -> int:
        """How often a variable is named."""
        return sum(token.kind == "word" and token.text == name for token in self.found[begin:end])

    def _is_pure(self, value: range) -> bool:
        """Whether a value is computed without an effect on anything else, as far as names say."""
        called = (at for at in value if self.found[at].kind == "word" and self.found[at + 1].text == "(")
        counted = any(self.found[at].text in ("++", "--") for at in value)
        return not counted and all(_PURE.fullmatch(self.found[at].text) for at in called)
