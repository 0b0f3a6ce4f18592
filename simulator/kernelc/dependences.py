"""On which files preprocessed text depends, and on which that are not there."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from ..native.compiler import Compiler
from ..native.process import LimitReached
from .kept import Dependences, digest

#: What preprocessors read before everything else.
_FIRST = "stdc-predef.h"
#: Where text of a file begins: `# 1 "name" 1`.
_ENTERED = re.compile(r'\n# \d+ "(.*)" 1\b')
#: Headers that a file names, in `__has_include` and where it is not read too.
_NAMED = [
    re.compile(rf'{word}(?:_next)?\b[ \t]*\(?[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)')
    for word in ("include", "import", "embed")  # one pattern of all would be ten times as slow
]
#: A condition on a file of a name that a macro makes; what differs from day to day.
_MADE = re.compile(r'__has_(?:include|embed)\w*[ \t]*\([ \t]*[^"<\s]')
_DATED = ("__DATE__", "__TIME__", "__TIMESTAMP__")
_SEARCHED = re.compile(r'#include "\.\.\." search starts here:\n(.*?)End of search list', re.S)
_PASSED_OVER = re.compile(r'^ignoring (?:nonexistent|duplicate) directory "(.*)"$', re.M)
#: Options that write files, and those that read some of which the text says nothing.
_SPECIAL = ("-M", "-imacros", "@")
#: Nanoseconds between two times that a file system tells apart.
_TICK = 20_000_000


def dependences(
    compiler: Compiler, surroundings: Sequence[str], command: Sequence[str], text: str, begun: int
) -> Dependences | None:
    """What the text depends on; None if a file was found by a name that stands in none, or changed since."""
    if any(word.startswith(_SPECIAL) for word in command):
        return None
    files = dict.fromkeys([command[-1], *_ENTERED.findall(text)])
    names = dict.fromkeys([_FIRST, *(word for before, word in pairwise(command) if before == "-include")])
    places: dict[str, None] = dict.fromkeys(names)
    try:
        for file in files:
            content = Path(file).read_text(encoding="utf-8", errors="replace")
            if _changed_since(file, begun, compiler.cache.folder) or _MADE.search(content):
                return None
            if any(word in content for word in _DATED):
                return None
            for beside, name in (found for pattern in _NAMED for found in pattern.findall(content)):
                names[beside or name] = None
                if beside:
                    places[os.path.join(os.path.dirname(file), beside)] = None
        places |= dict.fromkeys(
            os.path.join(f, name) for f in _searched(compiler, surroundings, command) for name in names
        )
        known = {command[-1], *places, *(os.path.normpath(place) for place in places if ".." in place)}
        if not files.keys() <= known:  # preprocessors may name a file without the links on the way to it
            linked = {place: os.path.realpath(place) for place in places if os.path.isfile(place)}
            if not files.keys() <= known.union(linked.values()):
                return None
            files |= dict.fromkeys(place for place, file in linked.items() if file in files)
        return Dependences((*files,), digest(files), tuple((place, os.path.isfile(place)) for place in places))
    except (OSError, LimitReached):
        return None


def _searched(compiler: Compiler, surroundings: Sequence[str], command: Sequence[str]) -> list[str]:
    """The folders in which a command looks for headers, also those that do not exist or that it passes over."""
    pairs = zip(["", *command], command[:-1], strict=False)
    plain = [word for before, word in pairs if "-include" not in (before, word)]

    def make(path: Path) -> None:
        said = compiler.run([*plain, "-v", os.devnull]).messages
        listed = _SEARCHED.search(said)
        found = [line[1:] for line in listed[1].splitlines() if line.startswith(" ")] if listed else []
        path.write_bytes(json.dumps([*found, *_PASSED_OVER.findall(said)]).encode())

    made = compiler.cache.file("folders", "\0".join([compiler.version, *surroundings, *plain]), make)
    folders: list[str] = json.loads(made.read_bytes().partition(b"\n")[0])
    return folders


def _changed_since(file: str, begun: int, cache: Path) -> bool:
    """Whether a file may have changed after it was read; those in the cache, which notes uses, do not."""
    return os.stat(file).st_ctime_ns > begun - _TICK and not file.startswith(f"{cache}/")
