"""The functions of a source as tokens, for what is read from its text alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from .tokens import CLOSER, Token, close, tokens

#: Tokens behind the last one, which may be asked for.
_AHEAD = 4
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
#: Operators that set a variable, but for "=": each is one token here.
SETTING = frozenset({"++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})


@lru_cache(maxsize=2)  # several checks read one text
def bodies(text: str, function: str = "") -> tuple[Sequence[Token], Sequence[tuple[int, int]]]:
    """The tokens of a text without directives, and the first and last of the bodies of its functions.

    Operators such as ``+=`` and ``++`` are one token. The bodies are those of one function, and of the functions of
    the text that it calls, if it is named. Brackets match in each of them: what has others with all directives left out
    is none. Behind the tokens are some that are empty.
    """
    plain = _DIRECTIVE.sub(lambda line: re.sub(r"[^\n]", " ", line[0]), text)
    found = list(_joined(tokens(plain, 0)))
    found += [Token("op", "", len(text), len(text))] * _AHEAD
    named: list[tuple[str, tuple[int, int]]] = []
    opened, at = [0], 0
    while at < len(found):
        mark = found[at].text
        if mark == "(":
            opened.append(at)
            at = close(found, at)
        elif mark == "{" and at and found[at - 1].text == ")":
            body = at + 1, close(found, at)
            if _match(found, *body):
                named.append((found[opened[-1] - 1].text, body))
            at = body[1]
        at += 1
    if not function:
        return found, [body for _, body in named]
    return found, [body for _, body in _called(found, named, function)]


def lacks(text: str, function: str, word: str) -> bool:
    """Whether the body of a function in a preprocessed text is found, and does not have a word."""
    for head in re.finditer(rf"\b{re.escape(function)}\s*\(", text):
        depth, inside = 0, False
        for token in tokens(text, head.end() - 1):
            if inside and token.text == word:
                return False
            depth += (token.text in "({") - (token.text in ")}")
            if token.text == "}" and depth == 0:
                return True
            if depth == 0 and token.text != ")":
                break  # it is called, or declared
            inside = inside or token.text == "{"
    return False


def _joined(found: Iterable[Token]) -> Iterator[Token]:
    """Tokens, of which two that are one operator are one."""
    last: Token | None = None
    for token in found:
        if last and last.end == token.start and last.text + token.text in SETTING:
            yield Token("op", last.text + token.text, last.start, token.end)
            last = None
            continue
        if last:
            yield last
        last = token
    if last:
        yield last


def _match(found: Sequence[Token], begin: int, end: int) -> bool:
    """Whether brackets match in a stretch that ends before a bracket."""
    open_ = []
    for token in found[begin:end]:
        if token.kind == "op" and token.text in CLOSER:
            open_.append(CLOSER[token.text])
        elif token.kind == "op" and token.text in CLOSER.values() and (not open_ or open_.pop() != token.text):
            return False
    return end < len(found) and not open_


def _called(
    found: Sequence[Token], named: Sequence[tuple[str, tuple[int, int]]], function: str
) -> list[tuple[str, tuple[int, int]]]:
    """The functions of a name, and those that they call."""
    chosen: list[tuple[str, tuple[int, int]]] = []
    todo = {function}
    while todo:
        more = [one for one in named if one[0] in todo and one not in chosen]
        chosen += more
        words = {token.text for _, (begin, end) in more for token in found[begin:end]}
        todo = words.intersection(name for name, _ in named) - {name for name, _ in chosen}
    return chosen
