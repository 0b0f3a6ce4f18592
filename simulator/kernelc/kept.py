"""What was made of preprocessed text, kept until something that the preprocessor has read or looked for is another.

Nothing is run to find that out. With what was made are kept

- a digest of all files that the preprocessor read, by their contents;
- every place where a file of a name that they mention could lie, with whether one lies there: a header that now comes
  before the one that was read is noticed, and so is one that `__has_include` saw and that is gone.

The key has the compiler's version, the whole command, the current folder and the variables that preprocessors read.
Text whose dependences this cannot tell is preprocessed each time: see `dependences`.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..native.compiler import Compiler

Made = TypeVar("Made")
_VARIABLES = (
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "SDKROOT", "SOURCE_DATE_EPOCH",
)  # fmt: skip


@dataclass(frozen=True)
class Dependences:
    files: tuple[str, ...]
    digest: str
    places: tuple[tuple[str, bool], ...]

    def hold(self) -> bool:
        """Whether the preprocessor would give the same text again."""
        same_places = all(os.path.isfile(place) == there for place, there in self.places)
        return same_places and digest(self.files) == self.digest


def kept(compiler: Compiler, command: Sequence[str], key: str, make: Callable[[], tuple[str, Made]]) -> Made:
    """What ``make`` gives with the text of the preprocessor's ``command``, or gave when the text was the same.

    The command ends with the source; ``key`` is all else that it depends on.
    """
    # These modules decide what is kept and how.
    ours = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("kept.py", "dependences.py")]
    here = os.readlink("/proc/self/cwd")  # also where that was deleted
    surroundings = [*ours, here, *(f"{name}={os.environ.get(name)}" for name in _VARIABLES)]
    key = "\0".join([compiler.version, *surroundings, *command, key])
    found = compiler.cache.find("preprocessed", key)
    if found is not None:
        known, made = pickle.loads(zlib.decompressobj().decompress(found.read_bytes()))  # without its seal
        if known.hold():
            return made  # type: ignore[no-any-return]
    from .dependences import dependences  # what is kept needs none of it

    begun = time.time_ns()
    text, made = make()
    now = None if compiler.cache.problem else dependences(compiler, surroundings, command, text, begun)
    if now is not None:
        compiler.cache.put("preprocessed", key, lambda path: _write(path, zlib.compress(pickle.dumps((now, made)), 1)))
    return made


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def digest(files: Iterable[str]) -> str:
    """One digest of the contents of files, "" if one of them cannot be read."""

    def parts() -> Iterator[bytes]:
        for file in files:
            with open(file, "rb") as opened:
                yield hashlib.sha256(opened.read()).digest()

    try:
        return hashlib.sha256(b"".join(parts())).hexdigest()
    except OSError:
        return ""
