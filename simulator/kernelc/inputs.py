"""What a build reads besides its preprocessed text: the source as a file, and files that assembly includes."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..findings import BuildError, rules

#: The suffixes of sources with kernels and host code, and those of host sources with the language that each is in.
KERNELS, HOST = (".mlu", ".cu"), {".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".c": "c"}
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32", codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}  # fmt: skip
_UNUSUAL = re.compile(r"[^A-Za-z0-9_.-]")
_EMBEDS = re.compile(r"\.incbin\b")
_EMBEDDED = re.compile(r'\.incbin\s+\\"([^"\\\n]+)\\"')


def _unreadable(path: Path) -> str:
    """Why a source cannot be given to a compiler, "" when it can."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            return "is a folder; pass the path of a kernel source in it"
        if not stat.S_ISREG(mode):
            return "is no regular file; write the source to a file and pass its path"
        with open(path, "rb") as file:
            head = file.read(4)
    except (FileNotFoundError, NotADirectoryError):
        return "does not exist; pass the path of a kernel source"
    except (OSError, ValueError) as error:  # a null character in a path is a ValueError
        return f"cannot be read ({getattr(error, 'strerror', None) or error})"
    # The longer marks stand first: that of UTF-16 begins that of UTF-32.
    coding = next((name for mark, name in _MARKS.items() if head.startswith(mark)), "")
    return f"is written in {coding}, which compilers do not read; save it as UTF-8" if coding else ""


def check_readable(path: Path) -> None:
    """BuildError for a source that no compiler can read."""
    if problem := _unreadable(path):
        raise BuildError(f"{path} {problem}", rules.build.failed(problem, path))


def file_stem(source: Path) -> str:
    """What the files that are made of a source are called."""
    return _UNUSUAL.sub("_", source.stem)[:64]


def embedded(text: str, folders: Sequence[str]) -> str:
    """The contents of the files that a source has the assembler include, as a key; "" when it has none.

    A file that cannot be told from the text makes a key that is never met again.
    """
    if not _EMBEDS.search(text):
        return ""
    names = _EMBEDDED.findall(text)
    if len(names) < len(_EMBEDS.findall(text)):
        return os.urandom(16).hex()
    return " ".join(_digests(names, folders))


def _digests(names: Sequence[str], folders: Sequence[str]) -> Iterator[str]:
    for name in names:
        found = next((path for folder in ("", *folders) if (path := Path(folder, name)).is_file()), None)
        yield hashlib.sha256(found.read_bytes()).hexdigest() if found else os.urandom(16).hex()
