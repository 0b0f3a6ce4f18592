"""C++ tokens of a stretch of preprocessed text, and the bracket matching that the rewriter needs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

STRING = r'R"(?P<delimiter>[^()\\\s]{0,16})\((?s:.*?)\)(?P=delimiter)"|"(?:[^"\\\n]|\\.)*"'
COMMENT = r"//[^\n]*|/\*(?s:.*?)\*/"

_TOKEN = re.compile(
    rf"(?P<space>\s+|^[ \t]*\#[^\n]*|{COMMENT})"
    rf"|(?P<string>(?:u8|[uUL])?(?:{STRING}))"
    r"|(?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)"
    r"|(?P<word>[A-Za-z_$][\w$]*)"
    r"|(?P<op><<<|>>>|::|->|&&|\|\||[=!<>]=|<<|>>|\.\.\.|.)",
    re.MULTILINE,
)
#: Opening bracket -> the one that closes it.
CLOSER = {"(": ")", "[": "]", "{": "}"}
_ANGLES = {"<": 1, ">": -1, ">>": -2, ">>>": -3}
_NOT_IN_TEMPLATE_ARGUMENTS = frozenset({"=", "&&", "||"})
_AFTER_TEMPLATE_ARGUMENTS = frozenset({"(", "::", "{"})
GROUP_WORDS = frozenset({"__attribute__", "__attribute", "alignas", "_Alignas", "decltype", "__typeof__", "typeof"})
"""Words that take a parenthesised group with them when they stand among the specifiers of a declaration."""


class Token(NamedTuple):
    """One token: kind is "string", "char", "number", "word" or "op"; `start:end` is its place in the whole text."""

    kind: str
    text: str
    start: int
    end: int


def tokens(text: str, start: int, end: int | None = None) -> Iterator[Token]:
    """The tokens of `text[start:end]`, without white space, comments, line markers and pragmas."""
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup or ""
        if kind == "space":
            continue
        yield Token(kind, match[0], match.start(), match.end())


def statement(text: str, start: int) -> list[Token]:
    """The tokens from `start` to the end of the statement: its `;`, its function body, or the enclosing bracket."""
    found: list[Token] = []
    depth = 0
    assigns = is_function = False
    for token in tokens(text, start):
        if token.kind == "op":
            if token.text in CLOSER:
                if depth == 0 and token.text == "{" and not assigns:
                    is_function = bool(found) and found[-1].text == ")"
                depth += 1
            elif token.text in ")]}":
                depth -= 1
                if depth < 0:
                    return found
            assigns = assigns or (depth == 0 and token.text == "=")
        found.append(token)
        if depth == 0 and (token.text == ";" or (token.text == "}" and is_function)):
            return found
    return found


def close(found: Sequence[Token], index: int) -> int:
    """The index of the bracket that closes the `(`, `[` or `{` at `index`, or `len(found)` when none does."""
    depth = 0
    for at in range(index, len(found)):
        token = found[at]
        if token.kind != "op":
            continue
        if token.text in CLOSER:
            depth += 1
        elif token.text in ")]}":
            depth -= 1
            if depth == 0:
                return at
    return len(found)


def close_angle(found: Sequence[Token], index: int) -> int:
    """The index of the token that closes the `<` at `index`, or `len(found)` when none does in this statement."""
    depth = 0
    at = index
    while at < len(found):
        text = found[at].text if found[at].kind == "op" else ""
        if text in CLOSER:
            at = close(found, at)
        elif text == ";":
            break
        elif text in _ANGLES:
            depth += _ANGLES[text]
            if depth <= 0:
                return at
        at += 1
    return len(found)


def skip_item(found: Sequence[Token], index: int) -> int:
    """The index after the item at `index`: one token, a bracketed group, or the template arguments of an expression.

    `f<a, b>(c)` and `x < y, z` look alike; `<` opens template arguments when it follows a word, its closing `>` is
    followed by `(`, `::` or `{`, and nothing between them is an assignment or a logical operator.
    """
    text = found[index].text if found[index].kind == "op" else ""
    if text in CLOSER:
        return close(found, index) + 1
    if text == "<" and index and found[index - 1].kind == "word":
        end = close_angle(found, index)
        inside = (token.text for token in found[index:end])
        if (
            end + 1 < len(found)
            and found[end + 1].text in _AFTER_TEMPLATE_ARGUMENTS
            and _NOT_IN_TEMPLATE_ARGUMENTS.isdisjoint(inside)
        ):
            return end + 1
    return index + 1


def split(found: Sequence[Token], separator: str) -> list[Sequence[Token]]:
    """The stretches between separators that stand outside all brackets; no tokens give no stretches."""
    parts: list[Sequence[Token]] = []
    begin = at = 0
    while at < len(found):
        if found[at].text == separator:
            parts.append(found[begin:at])
            begin = at + 1
        at = skip_item(found, at)
    return [*parts, found[begin:]] if found else []


def spell(found: Iterable[Token], without: Collection[str] = ()) -> str:
    """The tokens on one line, except some words; one space wherever two neighbours did not touch."""
    parts: list[str] = []
    end = -1
    for token in found:
        touches = token.start == end or not parts
        if token.text in without:
            # What follows takes the place of the removed word.
            end = token.end + 1 if touches else token.end
            continue
        parts.append(token.text if touches else " " + token.text)
        end = token.end
    return "".join(parts)
