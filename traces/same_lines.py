"""Which source lines of two versions of a kernel are the same: those that say the same, in their order."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import PurePath

from .summary import Summary

#: A file and a line in it.
_Place = tuple[str, int]
Name = Callable[[str, int], str]


def same_lines(before: Summary, after: Summary) -> tuple[Name, Name]:
    """Names of the lines of two runs: one for what is the same line of both, ``k.mlu:9 -> 12`` where it has moved."""
    one, other = _places(before), _places(after)
    pairs = _pairs([_text(before, place) for place in one], [_text(after, place) for place in other])
    names: tuple[dict[_Place, str], dict[_Place, str]] = {}, {}
    for here, there in pairs:
        name = _name(*one[here])
        if _name(*other[there]) != name:
            same_file = PurePath(one[here][0]).name == PurePath(other[there][0]).name
            name += f" -> {other[there][1] if same_file else _name(*other[there])}"
        names[0][one[here]] = names[1][other[there]] = name
    for mine, places, others, alone in ((names[0], one, other, "before"), (names[1], other, one, "after")):
        taken = {_name(*place) for place in others}  # by a line that says something else
        for place in places:
            mine.setdefault(place, _name(*place) + (f" ({alone})" if _name(*place) in taken else ""))
    return lambda file, line: names[0][file, line], lambda file, line: names[1][file, line]


def _pairs(one: list[str], other: list[str]) -> list[tuple[int, int]]:
    """Numbers of texts that are the same: the longest sequence of both, then what has been moved elsewhere."""
    pairs = [
        (match.a + step, match.b + step)
        for match in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
        for step in range(match.size)
    ]
    taken, left = {here for here, _ in pairs}, dict(enumerate(other))
    for _, there in pairs:
        del left[there]
    for here, text in enumerate(one):
        if here not in taken and (there := next((n for n, t in left.items() if t == text), -1)) >= 0:
            del left[there]
            pairs.append((here, there))
    return pairs


def _places(summary: Summary) -> list[_Place]:
    """All lines of which a summary has figures, in the order of their sources."""
    lines = {(line.file, line.line) for line in summary.lines} | {(w.file, w.line) for w in summary.waits if w.line}
    return sorted(lines)


def _text(summary: Summary, place: _Place) -> str:
    return summary.digests.get(f"{place[0]}:{place[1]}") or _name(*place)


def _name(file: str, line: int) -> str:
    return f"{PurePath(file).name}:{line}"
