"""Lines that are written for several elements alike, of which one takes what belongs to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from .bodies import bodies
from .tokens import Token

#: How many such lines there are: what is unrolled for a vector, or for the corners of a cell.
_COUNTS = (4, 8, 16)
#: What a statement begins with that is none.
_WORDS = frozenset({"if", "else", "for", "while", "do", "case", "return", "switch"})
_DIGITS = frozenset("01")

#: The tokens of a statement, from one to before another.
_Statement = tuple[int, int]


class OddLine(NamedTuple):
    """An operand at a line that does not fit into so many ``lines`` which are otherwise alike."""

    operand: str
    line: int
    lines: int


class _Column(NamedTuple):
    """What differs at one place of the statements: a letter of a word, or a number."""

    place: int
    keys: list[str]


def odd_lines(text: str, function: str = "") -> list[OddLine]:
    """The odd lines among like ones in the functions of a text: all, or one and those of the text that it calls.

    Two things differ from line to line in the same way (``out.x = a.x``, ``w01 = p0 * q1``), but for one line, where
    the second is what another line has. Others differ in the same way in all lines.
    """
    found, functions = bodies(text, function)
    said = []
    for begin, end in functions:
        for group in _alike(found, begin, end):
            for line, place in sorted(_odd(found, group).items()):
                at = group[line][0] + place
                owner = "".join(token.text for token in found[at - 2 : at]) if found[at - 1].text in (".", "->") else ""
                number = text.count("\n", 0, found[at].start) + 1
                said.append(OddLine(owner + found[at].text, number, len(group)))
    return said


def _alike(found: Sequence[Token], begin: int, end: int) -> Iterator[list[_Statement]]:
    """Statements that follow each other and differ in words and numbers alone."""
    group: list[_Statement] = []
    for one in _statements(found, begin, end):
        if group and not _is_like(found, group[-1], one):
            yield from [group] if len(group) in _COUNTS else []
            group = []
        group.append(one)
    yield from [group] if len(group) in _COUNTS else []


def _statements(found: Sequence[Token], begin: int, end: int) -> Iterator[_Statement]:
    first = begin
    for at in range(begin, end):
        if found[at].text in "{};":
            if found[at].text == ";" and first < at and found[first].text not in _WORDS:
                yield first, at
            first = at + 1


def _is_like(found: Sequence[Token], one: _Statement, other: _Statement) -> bool:
    if other[0] != one[1] + 1 or other[1] - other[0] != one[1] - one[0]:
        return False
    pairs = zip(found[slice(*one)], found[slice(*other)], strict=True)
    return all(a.text == b.text or (a.kind == b.kind and a.kind in ("word", "number")) for a, b in pairs)


def _columns(found: Sequence[Token], group: Sequence[_Statement]) -> Iterator[_Column]:
    for place in range(group[0][1] - group[0][0]):
        texts = [found[first + place].text for first, _ in group]
        if len(set(texts)) == 1:
            continue
        if found[group[0][0] + place].kind == "number":
            yield _Column(place, texts)
        elif len({len(text) for text in texts}) == 1:
            letters = ([text[at] for text in texts] for at in range(len(texts[0])))
            yield from (_Column(place, keys) for keys in letters if len(set(keys)) > 1)


def _odd(found: Sequence[Token], group: Sequence[_Statement]) -> dict[int, int]:
    """Numbers of statements, and the last place in each of what belongs to another one."""
    columns: list[_Column] = [*_columns(found, group)]
    said: dict[int, int] = {}
    pairs = [(one, other) for one, other in permutations(columns, 2) if one.place != other.place]
    same = [one for one, other in pairs if one.keys == other.keys]
    known = [one.keys for one in same]
    for one, other in pairs:
        off = [line for line, (a, b) in enumerate(zip(one.keys, other.keys, strict=True)) if a != b]
        if len(off) != 1 or other.keys.count(other.keys[off[0]]) < 2 or other.keys in known:
            continue
        numbers = len(set(one.keys)) == len(group) and one.keys in known
        corners = {*one.keys, *other.keys} <= _DIGITS and any({*keys} <= _DIGITS for keys in known)
        if numbers or corners:
            said[off[0]] = max(other.place, said.get(off[0], 0))
    return said
