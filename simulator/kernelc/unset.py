"""Local variables that are read and were never set, as the compiler tells of them while it builds a source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..log import Location
from ..native import STATED

_SAID = re.compile(r"^(\S.*?):(\d+):\d+: warning: (.*) \[-W(?:\w+-)?uninitialized\]$", re.M)
_DECLARED = re.compile(r"^(\S.*?:\d+:\d+): note: '.*' (?:was )?declared here", re.M)
_NAME = re.compile(r"'(.+?)'")
#: The structure of a member, which g++ names behind its variable.
_STRUCTURE = re.compile(r"(?<=\.)[^.]*::")
#: Said of a use that nothing stands before: it is sure if the function is called.
_SURE = re.compile(r"is used uninitialized$|is uninitialized when used here")
#: What ends a field, and a row, of what is noted.
_END = "\t", "\n"


@dataclass(frozen=True)
class Unset:
    """A local variable that is read at a place and was never set; ``sure``: on every way there, else on some."""

    name: str
    sure: bool
    place: Location


def unset_variables(messages: str) -> Iterator[Unset]:
    """What a compiler has said of them, each variable once, by the first member of it that is read.

    It is met again where its function is inlined.
    """
    known = set()
    for said in _SAID.finditer(messages):
        name, place = _NAME.search(said[3]), Location(said[1].replace(STATED, ""), int(said[2]))
        declared = _DECLARED.search(messages, said.end(), _next(messages, said.end()))
        if name and not any(end in place.file + name[1] for end in _END):
            variable = _STRUCTURE.sub("", name[1])
            one = variable.partition(".")[0], declared[1] if declared else place
            if one not in known:
                yield Unset(variable, bool(_SURE.search(said[3])), place)
            known.add(one)


def _next(messages: str, begin: int) -> int:
    """Where the next warning begins."""
    found = _SAID.search(messages, begin)
    return found.start() if found else len(messages)


def noted(found: Iterator[Unset]) -> bytes:
    """Assembly of a variable of the image that says which they are; see `LoadedImage.describe`."""
    rows = "".join(f"{one.name}\t{one.sure:d}\t{one.place.line}\t{one.place.file}\n" for one in found)
    if not rows:
        return b""
    bytes_ = ",".join(map(str, rows.encode("utf-8", "backslashreplace") + b"\0"))
    return f"\t.section .rodata\n\t.globl mlusim_unset\nmlusim_unset:\n\t.byte {bytes_}\n".encode()
