"""The lines of scalar code that say where an instruction works and on how much: found in the text of its source.

A log has no record of them. What is found is where the names of a statement, and of the loops and conditions around it,
got their values in the same function: the nearest line before it that assigns each, or declares it as an array on the
chip, and so on from there.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

#: Lines that are named at most, lines of one statement, lines of a function that are looked through.
_MOST, _STATEMENT, _FUNCTION = 8, 8, 400
_HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
_NAME = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*[(<])")
_HEAD = re.compile(r"\b(for|while|if|switch)\s*\(|\b(else|do)\s*\{?\s*$")
_LOOP = re.compile(r"\b(for|while|do)\b")
_LEAVES = re.compile(r"\b(return|break|continue)\b")
_ELEMENT = r"(?:\s*(?:\.\s*\w+|\[(?:[^\[\]]|\[[^\[\]]*\])*\]))"
_PART = f"{_ELEMENT}*"
_ASSIGNS = re.compile(
    rf"(?<![.\w>])(?P<name>[A-Za-z_]\w*)(?P<part>{_PART})\s*(?:(?P<sets>(?:[-+*/%&|^]|<<|>>)?=(?!=))|\+\+|--)"
    r"|(?:\+\+|--)\s*(?P<after>[A-Za-z_]\w*)|(?<!&)&\s*(?P<address>[A-Za-z_]\w*)\s*[,)]"
)
_BARRIER = re.compile(r"sync\w*\s*\(")
_CALLED = re.compile(r"\b([A-Za-z_]\w*)(?=\s*(?:<[\w\s,]*>\s*)?\()")
_FUNCTION_HEAD = re.compile(r"\b([A-Za-z_]\w*)\s*\([^;{}]*\)\s*(?:const\s*)?(?:noexcept\s*)?\{")
_IN_MEMORY = re.compile(
    r"\*\s*(?:const\s+)?(?:__\w+__\s+)?(\w+)\s*(?=[,)=;])|__(?:shared|device|constant|managed)__[^;=(){}]*?\b(\w+)\s*(?=[\[;=])"
)


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


class Code:
    """The text of a source by what its scalar code computes of what, for kernels all of whose code is scalar."""

    def __init__(self, text: str) -> None:
        hidden = _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        self._lines = hidden.split("\n")
        self._in_memory = {name for match in _IN_MEMORY.finditer(hidden) for name in match.groups() if name}
        self._functions = {match[1]: hidden.count("\n", 0, match.end()) for match in _FUNCTION_HEAD.finditer(hidden)}
        self._known: dict[int, tuple[int, ...]] = {}
        self._around: dict[int, tuple[int, ...]] = {}

    def function(self, line: int) -> range:
        """The lines of the function that a line is of; none outside of all."""
        if not 0 < line <= len(self._lines):
            return range(0)
        tops = [begins for head, begins in _around(self._lines, line - 1) if head is None]
        if not tops:
            return range(0)
        depth, last = 0, tops[0]
        for last in range(tops[0], min(tops[0] + _FUNCTION, len(self._lines))):
            depth += self._lines[last].count("{") - self._lines[last].count("}")
            if depth == 0 and "}" in self._lines[last]:
                break
        return range(tops[0] + 1, last + 2)

    def behind(self, line: int) -> tuple[int, ...]:
        """The lines that have a part in what a statement computes or in whether it does, the nearest first.

        The statement's own are the first. What is stored in memory that threads share or that a pointer leads to is not
        followed: a log has that.
        """
        if line not in self._known:
            self._known[line] = tuple(self._found(line))
        return self._known[line]

    def feeds(self, to: int, of: int) -> bool:
        """Whether what a line reads may have a part in what another one stores, by what the function computes of what.

        It may if one of them is in a function that the other one's does not call, as far as that is seen.
        """
        there, here = self.function(of), self.function(to)
        if there == here:
            return of in self.behind(to)
        if there and here and there.start in self._called(range(here.start, here.stop)):
            return there.start in self._called(self.behind(to))
        if there and here and here.start in self._called(there):
            calling = (line for line in there if here.start in self._called((line,)))
            return any(of in self.behind(line) for line in calling)
        return True

    def _called(self, lines: Iterable[int]) -> set[int]:
        """The functions of the same source, by their first lines, that lines call, and these in turn."""
        found: set[int] = set()
        todo = [lines]
        while todo:
            for line in todo.pop():
                for name in _CALLED.findall(self._lines[line - 1]):
                    called = self.function(self._functions[name] + 2) if name in self._functions else range(0)
                    if called and called.start not in found and line not in called:
                        found.add(called.start)
                        todo.append(called)
        return found

    def stores(self, line: int) -> list[int]:
        """The lines that store, in the same function, to memory that a statement reads."""
        function = self.function(line)
        first, last = _statement(self._lines, line - 1)
        code = "\n".join(self._lines[first : last + 1])
        for match in reversed([match for match in _ASSIGNS.finditer(code) if match["sets"] == "="]):
            code = code[: match.start("name")] + code[match.end("name") :]
        names = set(_names(code)) & self._in_memory
        stored = re.compile(rf"(?:(?<![.\w>])|&\s*)({'|'.join(names)}){_ELEMENT}\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|,)")
        return [number for number in function if names and stored.search(self._lines[number - 1])]

    def _found(self, line: int) -> Iterator[int]:
        function = self.function(line)
        if not function:
            return
        assigned = self._assigned(function)
        found: dict[int, None] = {}
        todo = deque([line - 1])
        leaving = [n - 1 for n in function if n < line and _LEAVES.search(self._lines[n - 1])]
        while todo:
            first, last = _statement(self._lines, todo.popleft())
            if first + 1 in found:
                continue
            found.update(dict.fromkeys(range(first + 1, last + 2)))
            todo.extend(self._heads(first))
            todo.extend(leaving)
            leaving = []
            for name in self._used(first, last):
                todo.extend(self._reaching(assigned.get(name, []), first, last))
            todo.extend(self._kept(function, first, last))
        yield from found

    def _kept(self, function: range, first: int, last: int) -> list[int]:
        """The lines whose stores a statement may have in registers: no barrier stands between."""
        since = next((n for n in range(first, function.start - 1, -1) if _BARRIER.search(self._lines[n])), 0)
        return [line - 1 for line in self.stores(first + 1) if since < line - 1 < first]

    def _used(self, first: int, last: int) -> dict[str, None]:
        """The names whose values a statement uses; not what it sets anew itself."""
        code = "\n".join(self._lines[first : last + 1])
        anew = [match for match in _ASSIGNS.finditer(code) if match["sets"] == "=" and not match["part"]]
        if _LOOP.search(code):  # its counter, which the rest of its head uses
            return dict.fromkeys(name for name in _names(code) if name not in {match["name"] for match in anew})
        for match in reversed(anew):
            code = code[: match.start("name")] + code[match.end("name") :]
        return dict.fromkeys(_names(code))

    def _reaching(self, assigned: Sequence[tuple[int, bool]], first: int, last: int) -> list[int]:
        """Of the lines that assign a name, each with whether it sets it anew, those that a statement may have it from.

        They are not those before a line that sets it for sure, nor those behind the statement but for its loops.
        """
        around = self._heads(first)
        sure = (n for n, anew in assigned if n < first and anew and set(self._heads(n)) <= set(around))
        setting = max(sure, default=-1)

        def reaches(number: int) -> bool:
            if number <= last:
                return number >= setting
            loops = [head for head in around if head in self._heads(number) and _LOOP.search(self._lines[head])]
            return bool(loops) and (setting < 0 or loops[0] not in self._heads(setting))

        return [number for number, _ in assigned if reaches(number)]

    def _heads(self, number: int) -> tuple[int, ...]:
        """The loops and conditions around a line, the nearest first, all from 0."""
        if number not in self._around:
            heads = (head for head, _ in _around(self._lines, number))
            self._around[number] = tuple(head for head in heads if head is not None)
        return self._around[number]

    def _assigned(self, function: range) -> dict[str, list[tuple[int, bool]]]:
        """The names that a function assigns, each with its lines, from 0, and whether these set it anew."""
        found: dict[str, list[tuple[int, bool]]] = {}
        for number in function:
            for match in _ASSIGNS.finditer(self._lines[number - 1]):
                name, part = match["name"] or match["after"] or match["address"], match["part"] or ""
                if "[" not in part or name not in self._in_memory:
                    found.setdefault(name, []).append((number - 1, match["sets"] == "=" and not part))
        return found
