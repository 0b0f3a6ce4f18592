"""Operands that scalar code takes twice: the same element added to itself, or compared with itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .bodies import SETTING, bodies
from .tokens import CLOSER, Token, close

#: Between two operands that are the same, these have a result that is known without them. To ask whether a number is
#: equal to itself is to ask whether it is NaN.
_PAIRED = frozenset({"-", "/", "%", "<", ">", "<=", ">=", "&&", "||"})
#: What may stand before the first of them, and behind the second, so that both are whole operands.
_BEFORE = frozenset({"(", ",", "=", "return", "?", ":", "&&", "||", "{", ";", "["})
_BEHIND = frozenset({")", ";", ",", "?", ":", "&&", "||", "]"})
#: What ends a sum.
_ENDS = SETTING | {";", ",", "=", "?", ":", "<", ">", "==", "&&", "||", "<=", ">=", "return", "<<", ">>", "&", "|", "^"}
_CHOICE = re.compile(r"f?(?:max|min)f?|__h(?:max|min)")


class TakenTwice(NamedTuple):
    """An operand that is taken twice at a line, as it is written."""

    operand: str
    line: int


def repeated(text: str, function: str = "") -> list[TakenTwice]:
    """What the functions of a text take twice: all of them, or one and those of the text that it calls.

    An element is added twice, or subtracted twice, in one sum, without a factor; an operand is subtracted from itself,
    or compared with itself; a maximum or a minimum is that of one operand.
    """
    found, functions = bodies(text, function)
    said = [one for begin, end in functions for one in (*_pairs(found, begin, end), *_sums(found, begin, end))]
    return [
        TakenTwice(_spelled(found[begin:end]), text.count("\n", 0, found[begin].start) + 1)
        for begin, end in sorted(said)
    ]


def _operand(found: Sequence[Token], at: int) -> int:
    """Behind a variable, an element, a member or a call that begins at a token; where it begins if it is none."""
    if found[at].kind not in ("word", "number"):
        return at
    at += 1
    while found[at].text in ("(", "[", ".", "->", "::"):
        at = close(found, at) + 1 if found[at].text in CLOSER else at + 2
    return at


def _pairs(found: Sequence[Token], begin: int, end: int) -> Iterator[tuple[int, int]]:
    for at in range(begin, end - 1):
        if found[at].kind != "word":
            continue
        middle = _operand(found, at)
        if _CHOICE.fullmatch(found[at].text) and found[at + 1].text == "(":
            first, second = at + 2, _comma(found, at + 2, close(found, at + 1)) + 1
            if _same(found, (first, second - 1), (second, close(found, at + 1))):
                yield first, second - 1
        elif found[at - 1].text in _BEFORE and middle < end and found[middle].text in _PAIRED:
            behind = _operand(found, middle + 1)
            if found[behind].text in _BEHIND and _same(found, (at, middle), (middle + 1, behind)):
                yield at, middle


def _comma(found: Sequence[Token], at: int, end: int) -> int:
    """The first comma outside of brackets, or the end."""
    while at < end and found[at].text != ",":
        at = close(found, at) + 1 if found[at].text in CLOSER else at + 1
    return at


def _sums(found: Sequence[Token], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The second of two terms that are the same element, with the same sign and no factor."""
    terms: set[tuple[str, str]] = set()
    sign, first, at = "+", begin, begin
    while at <= end:
        mark = found[at].text if at < end else ";"
        if mark in CLOSER and at < end:
            closed = close(found, at)
            yield from _sums(found, at + 1, min(closed, end))
            at = closed + 1
            continue
        ends = mark in _ENDS
        if ends or (mark in ("+", "-") and at > first):
            begin_term = first + 3 if found[first].text == "(" and found[first + 2].text == ")" else first  # a cast
            element = at > begin_term + 3 and found[begin_term + 1].text == "["
            if element and _operand(found, begin_term) == at:
                term = sign, _spelled(found[begin_term:at])
                if term in terms:
                    yield begin_term, at
                terms.add(term)
            sign, first = "+" if ends else mark, at + 1
            if ends:
                terms = set()
        at += 1


def _same(found: Sequence[Token], one: tuple[int, int], other: tuple[int, int]) -> bool:
    first, second = ([token.text for token in found[slice(*span)]] for span in (one, other))
    return bool(first) and first == second


def _spelled(found: Sequence[Token]) -> str:
    """Tokens as they are usually written."""
    text = " ".join(token.text for token in found)
    return re.sub(r" ?(\[|\]|\(|\)|\.|->|::) ?", r"\1", text)
