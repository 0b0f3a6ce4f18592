"""Gives a source the overloads of the instructions that it names: of megabytes of text a kernel uses a few lines.

A source is preprocessed with a mark in the place of the overloads. Those that it names are put there afterwards; they
have been preprocessed once for all sources.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Stands in a preprocessed source for the overloads.
MARK = "#pragma mlusim operations"
#: Stand in the header before the functions of a name, and behind all.
NAME, END = "#pragma mlusim operation ", "#pragma mlusim end of operations"
_LINE_MARKER = re.compile(r"^# \d.*\n", re.M)


def preprocessed_operations(text: str) -> str:
    """What a preprocessed source has of the header: marks, each with what stands behind it."""
    _, _, found = text.partition(f"{MARK}\n")
    return _LINE_MARKER.sub("", found.partition(f"{END}\n")[0])


def by_name(preprocessed: str) -> Mapping[str, str]:
    """Name -> the functions of that name, from what `preprocessed_operations` gives."""
    found: dict[str, str] = {}
    for part in preprocessed.split(NAME)[1:]:
        name, _, text = part.partition("\n")
        found[name] = found.get(name, "") + text
    return found


def with_operations(text: str, functions: Mapping[str, str]) -> str:
    """A preprocessed source with the functions that it names behind the mark: before it none can be named."""
    before, mark, behind = text.partition(f"{MARK}\n")
    if not mark or not functions:
        return text
    words = re.compile(rf"\b(?:{'|'.join(sorted({name[:4] for name in functions}))})\w*")
    named = set(words.findall(behind))
    return "".join([before, mark, *(made for name, made in functions.items() if name in named), behind])
