"""What was made of preprocessed text, kept until something that the preprocessor has read or looked for is another.

Nothing is run to find that out. With what was made are kept

- a digest of all files that the preprocessor read, by their contents;
- every place where a file of a name that they mention could lie, with whether one lies there: a header that now comes
  before the one that was read is noticed, and so is one that `__has_include` saw and that is gone.

The key has the compiler's version, the whole command, the current folder and the variables that preprocessors read.
Text whose dependences this cannot tell is preprocessed each time: see `_dependences`.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from ..native.compiler import Compiler
from ..native.process import LimitReached

Made = TypeVar("Made")
_VARIABLES = (
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "SDKROOT", "SOURCE_DATE_EPOCH",
)  # fmt: skip
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


@dataclass(frozen=True)
class _Dependences:
    files: tuple[str, ...]
    digest: str
    places: tuple[tuple[str, bool], ...]

    def hold(self) -> bool:
        """Whether the preprocessor would give the same text again."""
        same_places = all(os.path.isfile(place) == there for place, there in self.places)
        return same_places and _digest(self.files) == self.digest


def kept(compiler: Compiler, command: Sequence[str], key: str, make: Callable[[], tuple[str, Made]]) -> Made:
    """What ``make`` gives with the text of the preprocessor's ``command``, or gave when the text was the same.

    The command ends with the source; ``key`` is all else that it depends on.
    """
    ours = Path(__file__).read_text(encoding="utf-8")  # which says how it is kept
    here = os.readlink("/proc/self/cwd")  # also where that was deleted
    surroundings = [ours, here, *(f"{name}={os.environ.get(name)}" for name in _VARIABLES)]
    key = "\0".join([compiler.version, *surroundings, *command, key])
    found = compiler.cache.find("preprocessed", key)
    if found is not None:
        dependences, made = pickle.loads(zlib.decompressobj().decompress(found.read_bytes()))  # without its seal
        if dependences.hold():
            return made  # type: ignore[no-any-return]
    begun = time.time_ns()
    text, made = make()
    now = None if compiler.cache.problem else _dependences(compiler, surroundings, command, text, begun)
    if now is not None:
        compiler.cache.put("preprocessed", key, lambda path: _write(path, zlib.compress(pickle.dumps((now, made)), 1)))
    return made


def _dependences(
    compiler: Compiler, surroundings: Sequence[str], command: Sequence[str], text: str, begun: int
) -> _Dependences | None:
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
        return _Dependences((*files,), _digest(files), tuple((place, os.path.isfile(place)) for place in places))
    except (OSError, LimitReached):
        return None


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _searched(compiler: Compiler, surroundings: Sequence[str], command: Sequence[str]) -> list[str]:
    """The folders in which a command looks for headers, also those that do not exist or that it passes over."""
    pairs = zip(["", *command], command[:-1], strict=False)
    plain = [word for before, word in pairs if "-include" not in (before, word)]

    def make(path: Path) -> None:
        said = compiler.run([*plain, "-v", os.devnull]).messages
        listed = _SEARCHED.search(said)
        found = [line[1:] for line in listed[1].splitlines() if line.startswith(" ")] if listed else []
        _write(path, json.dumps([*found, *_PASSED_OVER.findall(said)]).encode())

    made = compiler.cache.file("folders", "\0".join([compiler.version, *surroundings, *plain]), make)
    folders: list[str] = json.loads(made.read_bytes().partition(b"\n")[0])
    return folders


def _changed_since(file: str, begun: int, cache: Path) -> bool:
    """Whether a file may have changed after it was read; those in the cache, which notes uses, do not."""
    return os.stat(file).st_ctime_ns > begun - _TICK and not file.startswith(f"{cache}/")


def _digest(files: Iterable[str]) -> str:
    """One digest of the contents of files, "" if one of them cannot be read."""

    def parts() -> Iterator[bytes]:
        for file in files:
            with open(file, "rb") as opened:
                yield hashlib.sha256(opened.read()).digest()

    try:
        return hashlib.sha256(b"".join(parts())).hexdigest()
    except OSError:
        return ""
