"""Source lines of what happened in an image. Read where the compiler's tools may run: in the user's process."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...findings import Finding, merged
from ...log import NOWHERE, Location, Log, parts
from ...native import INCLUDE, STATED

#: Code that is not the user's: our headers, and what the build adds to a source.
_OURS = (
    str(INCLUDE.parent),
    "<mlusim ",
    "<launch of ",
)
#: The header that the declarations give, wherever the cache has it.
_GENERATED = "/mlusim_ops.h"
#: Where the headers of the host's libraries lie.
_LIBRARIES = ("/usr/include/", "/usr/lib/")
#: Rows that logs share, of which the lines are kept.
_SHARED = 64
_BLOCK = re.compile(r"^0x[0-9a-f]{16}\n", re.M)
_LINE = re.compile(r"(.*?):(\d+|\?)(?: \(discriminator \d+\))?\n", re.S)  # a path may hold anything, line breaks too


def place(offset: int) -> Location:
    """Stands for a place in an image until its line is known.

    It is the offset of a return address from the image's first byte; that of the declaration of a file-scope variable
    is its (negative) counter; 0 is nowhere.
    """
    return Location("", offset)


class LineTable:
    """The source lines of one image."""

    def __init__(self, library: Path, declared: Sequence[Location]) -> None:
        """``declared`` is where each file-scope variable of the image stands."""
        self._library, self._declared = library, declared
        self._known: dict[int, Location] = {0: NOWHERE}
        self._tables = lru_cache(maxsize=16)(self._table)  # launch after launch has the same
        self._shared: dict[int, tuple[np.ndarray, dict[str, Any]]] = {}  # by number of the rows, which are kept with it

    def lines(self, offsets: Sequence[int]) -> list[Location]:
        """The lines of return addresses, given as offsets from the first byte; NOWHERE for what has none."""
        self._look_up(offsets)
        return [self._location(offset) for offset in offsets]

    def located(self, log: Log, findings: Sequence[Finding]) -> tuple[Log, list[Finding]]:
        """A log and findings with lines instead of places. Tables are sorted; findings of one line are one."""
        return log.sharing(**self._with_lines(log)), self.located_findings(findings) if findings else []

    def _with_lines(self, log: Log) -> dict[str, Any]:
        """The fields that a log has anew with lines; the same again for rows that many logs share."""
        records = log.records
        if known := self._shared.get(id(records)):
            return known[1]
        table, numbers = self._tables(tuple([entry.line for entry in log.locations]))
        shared = not records.flags.writeable
        rows = records.copy() if shared else records
        for part in parts(rows):
            part["loc"] = numbers.take(part["loc"], mode="clip")
        found = {"locations": table, "records": rows, "kept": {}}
        if shared:
            rows.flags.writeable = False
            if len(self._shared) == _SHARED:
                self._shared.clear()
            self._shared[id(records)] = records, found
        return found

    def _table(self, places: tuple[int, ...]) -> tuple[tuple[Location, ...], np.ndarray]:
        """The lines of places in order, and which of them each place has."""
        self._look_up(places)
        found = [self._location(place) for place in places]
        table = sorted(set(found), key=lambda entry: (entry.file, entry.line))
        number = {location: index for index, location in enumerate(table)}
        return tuple(table), np.array([number[location] for location in found], np.uint32)

    def located_findings(self, findings: Sequence[Finding]) -> list[Finding]:
        """Findings with lines instead of places; those of one cause are one."""
        self._look_up([entry.line for entry in _places(findings)])

        def line(place: Location | None) -> Location | None:
            return place if place is None or place.file else self._location(place.line)

        return merged(
            f.but(location=self._location(f.location.line), related=line(f.related), origin=line(f.origin))
            for f in findings
        )

    def _location(self, offset: int) -> Location:
        if offset >= 0:
            return self._known.get(offset, NOWHERE)
        number = -1 - offset
        return self._declared[number] if number < len(self._declared) else NOWHERE

    def _look_up(self, offsets: Sequence[int]) -> None:
        missing = [offset for offset in dict.fromkeys(offsets) if offset > 0 and offset not in self._known]
        if missing:
            found = _source_lines(self._library, [offset - 1 for offset in missing])
            self._known.update(zip(missing, found, strict=True))


def _source_lines(library: Path, offsets: Sequence[int]) -> list[Location]:
    """The line of the code at each offset of an image, the user's own where an instruction was inlined.

    NOWHERE for what has none, and for all where no tool reads debug information.
    """
    tool = shutil.which("addr2line") or shutil.which("llvm-addr2line")
    if not tool:
        return [NOWHERE] * len(offsets)
    text = "".join(f"{offset:#x}\n" for offset in offsets).encode()
    done = subprocess.run([tool, "-e", str(library), "-a", "-i"], input=text, capture_output=True, check=False)
    blocks = _BLOCK.split(done.stdout.decode(errors="backslashreplace"))[1:]
    return [_place(block) for block in blocks] if len(blocks) == len(offsets) else [NOWHERE] * len(offsets)


def _place(block: str) -> Location:
    """The innermost of the lines at one address that is the user's own; else that of a library's header."""
    found = NOWHERE
    for file, number in _LINE.findall(block):
        file = file.removeprefix(STATED)
        if number in ("0", "?") or file == "??" or file.startswith(_OURS) or file.endswith(_GENERATED):
            continue
        if not file.startswith(_LIBRARIES):
            return Location(file, int(number))
        found = found if found.line else Location(file, int(number))
    return found


def _places(findings: Sequence[Finding]) -> list[Location]:
    return [place for finding in findings for place in finding.places if not place.file]
