"""The declarators of a C++ declaration: what it declares, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .source import SourceText
from .specifiers import Specifiers
from .tokens import GROUP_WORDS, Token, close, skip_item

_OPENING = ("(", "[", "{")
_STARS = ("*", "const", "volatile", "__restrict__", "__restrict")


@dataclass(frozen=True)
class Declarator:
    """One declared thing. `name` is empty for a reference, and for a pointer unless asked for; `end` comes after it."""

    first: Token
    name: Sequence[Token]
    array: bool
    unsized: bool
    initialised: bool
    end: Token
    pointer: bool = False


def read_declarators(
    source: SourceText, found: Sequence[Token], specifiers: Specifiers, pointers: bool = False
) -> list[Declarator]:
    """All declarators of the declaration, pointers by their names if asked for; none when it declares a function."""
    result: list[Declarator] = []
    at, name = specifiers.end, specifiers.name
    while True:
        first = at
        pointer = pointers and not name and at < len(found) and found[at].text == "*"
        if pointer:
            name = _behind_stars(found, at)
            at = name.start
        at = name.stop
        array = unsized = initialised = False
        if name:
            while at + 1 < len(found) and found[at].text == "[":
                unsized = unsized or (not array and found[at + 1].text == "]")
                array = True
                at = close(found, at) + 1
            while at + 1 < len(found) and found[at].text in GROUP_WORDS:
                at = close(found, at + 1) + 1
            initialised = at < len(found) and found[at].text in ("=", "{", "(")
        elif at < len(found) and found[at].text not in ("*", "&", "&&", "("):
            raise source.error(f"expected the name of a variable before '{found[at].text}'", found[at].start)
        if initialised or not name:
            while at < len(found) and found[at].text not in (",", ";"):
                if found[at].text == "{" and found[at - 1].text in (")", "const", "noexcept", "override"):
                    return []
                at = skip_item(found, at)
        if at >= len(found) and (opening := _unclosed(found)):
            raise source.error(f"'{opening.text}' has no closing bracket", opening.start)
        if at >= len(found) or found[at].text not in (",", ";"):
            raise source.error("expected ',' or ';' after the declared variable", found[min(at, len(found)) - 1].start)
        result.append(
            Declarator(found[first], [found[i] for i in name], array, unsized, initialised, found[at], pointer)
        )
        if found[at].text == ";":
            return result
        at += 1
        name = range(at, at + (at < len(found) and found[at].kind == "word"))


def _behind_stars(found: Sequence[Token], at: int) -> range:
    """The index range of the name of a pointer whose first `*` is at an index, empty for one to a function or array."""
    while at < len(found) and found[at].text in _STARS:
        at += 1
    return range(at, at + (at < len(found) and found[at].kind == "word"))


def _unclosed(found: Sequence[Token]) -> Token | None:
    """The first bracket that nothing closes, None without one."""
    return next(
        (token for at, token in enumerate(found) if token.text in _OPENING and close(found, at) == len(found)), None
    )
