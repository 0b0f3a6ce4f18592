"""The lines of scalar code that say where an instruction works and on how much: found in the text of its source.

A log has no record of them. What is found is where the names of a statement, and of the loops and conditions around it,
got their values in the same function: the nearest line before it that assigns each, or declares it as an array on the
chip, and so on from there.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence

#: Lines that are named at most, lines of one statement, lines of a function that are looked through.
_MOST, _STATEMENT, _FUNCTION = 8, 8, 400
_HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
_NAME = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*[(<])")
_HEAD = re.compile(r"\b(for|while|if|switch)\s*\(|\b(else|do)\s*$")


def lines_behind(text: str, at: Sequence[int]) -> list[int]:
    """The numbers of lines, from 1, that statements at some lines have their places and sizes from, nearest first.

    Heads of loops and conditions around the first statement come before what assigns a name. A line of another
    function, or one that no name of the statements is assigned in, is none of them.
    """
    code = _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text).split("\n")
    found: dict[int, None] = {}
    for line in at:
        if not 0 < line <= len(code):
            continue
        first, last = _statement(code, line - 1)
        names = deque(_names("\n".join(code[first : last + 1])))
        top = first
        for head, begins in _around(code, first):
            top = begins
            if head is None:
                break
            names += _names(code[head])
            found.setdefault(head + 1)
        seen: set[str] = set()
        while names and len(found) < _MOST:
            name = names.popleft()
            if name in seen:
                continue
            seen.add(name)
            where = _assigned(code, name, top, last)
            if where is not None:
                if not first <= where <= last:
                    found.setdefault(where + 1)
                names += _names("\n".join(code[slice(*_whole(code, where))]))
        if len(found) >= _MOST:
            break
    return [line for line in found if line not in at][:_MOST]


def _names(code: str) -> Iterator[str]:
    return (match[0] for match in _NAME.finditer(code))


def _statement(code: Sequence[str], line: int) -> tuple[int, int]:
    """The first and the last line of the statement that a line is of."""
    first = last = line
    while first and line - first < _STATEMENT and re.search(r"[^\s;{}:]\s*$", code[first - 1]):
        first -= 1
    while last + 1 < len(code) and last - line < _STATEMENT and not re.search(r"[;{}]\s*$", code[last]):
        last += 1
    return first, last


def _whole(code: Sequence[str], line: int) -> tuple[int, int]:
    first, last = _statement(code, line)
    return first, last + 1


def _around(code: Sequence[str], line: int) -> Iterator[tuple[int | None, int]]:
    """The lines of the loops and conditions around a line, the nearest first; None at the function's own.

    Each with the first line of what it is of.
    """
    depth = 0
    for at in range(line - 1, max(line - _FUNCTION, -1), -1):
        for mark in reversed(re.findall(r"[{}]", code[at])):
            depth += 1 if mark == "}" else -1
            if depth >= 0:
                continue
            depth = 0
            begin = at
            while begin and "".join(code[begin : at + 1]).count(")") > "".join(code[begin : at + 1]).count("("):
                begin -= 1  # a head in several lines
            begin = _statement(code, begin)[0]
            head = next((n for n in range(begin, at + 1) if _HEAD.search(code[n])), None)
            yield head, begin
            if head is None:
                return


def _assigned(code: Sequence[str], name: str, top: int, last: int) -> int | None:
    """The nearest line up to the last one, from the first of the function on, that assigns or declares a name."""
    assigned = rf"(?<![.\w>]){name}\s*(?:\[[^\]]*\]\s*)*(?:[-+*/%&|^]|<<|>>)?=(?!=)"
    assigns = re.compile(rf"{assigned}|(?<!&)&\s*{name}\s*[,)]|\b__\w+__\s[\w\s]*\b{name}\s*\[")
    return next((at for at in range(last, top - 1, -1) if assigns.search(code[at])), None)
