"""Numbers that change their type without a cast, as the compiler tells of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..native import STATED

#: Types may have other names, in quotes or, of g++, behind ``aka``.
_TYPE = r"['‘]([^'’]+)['’](?: \{aka ['‘]([^'’]+)['’]\})?"
_SAID = re.compile(rf"^(\S.*?):(\d+):\d+: warning: (?:implicit )?conversion .*?{_TYPE} to {_TYPE}", re.M)
_FLOATING = frozenset({"float", "double", "long double", "_Float16", "__bf16"})
#: Numbers of bytes are elements of images, of which fractions are cut off.
_INTEGER = re.compile(r"(?:(?:unsigned|signed|short|long|int) ?)+")


class Conversions(NamedTuple):
    """Lines of a source where a floating-point number becomes an integer, and where it is the other way round."""

    to_integer: frozenset[int]
    to_floating: frozenset[int]


def conversions(messages: str, path: str) -> Conversions:
    """What a compiler has said of those in the lines of a file."""
    to_integer, to_floating = set[int](), set[int]()
    for file, line, before, behind in _said(messages):
        if file == path and before != behind:
            (to_floating if behind else to_integer).add(line)
    return Conversions(frozenset(to_integer), frozenset(to_floating))


def _said(messages: str) -> Iterator[tuple[str, int, bool, bool]]:
    """Files and lines, and whether a number is a floating-point one before its conversion, and behind it."""
    for file, line, *types in _SAID.findall(messages):
        before, behind = (other or name for name, other in zip(types[::2], types[1::2], strict=True))
        if all(one in _FLOATING or _INTEGER.fullmatch(one) for one in (before, behind)):
            yield file.replace(STATED, ""), int(line), before in _FLOATING, behind in _FLOATING
