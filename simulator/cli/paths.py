"""The files that a command is to write, looked at before anything runs."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from ..files import refused, same_file


def check_paths(*paths: Path | None, read: Sequence[Path | str] = ()) -> None:
    """ValueError unless every path can be written, is none of the files that are ``read``, and is met only once.

    Nothing is written.
    """
    seen: list[Path] = []
    for path in filter(None, paths):
        problem = refused(path)
        if problem:
            raise ValueError(f"cannot write {path}: {problem}")
        if _takes_all(path):
            continue
        for source in map(Path, read):
            if same_file(path, source):
                raise ValueError(f"cannot write {path}: it is {source}, which this command reads; pass another name")
        for other in seen:
            if same_file(path, other):
                both = f"the path {path}" if path == other else f"one file for {other} and {path}"
                raise ValueError(f"two outputs have {both}; pass two paths")
        if any(_is_stream(path, number) for number in (1, 2)):
            raise ValueError(f"cannot write {path}: the report of this command goes there; pass the name of a file")
        seen.append(path)


def _takes_all(path: Path) -> bool:
    """Whether it is a character device: /dev/null, a terminal."""
    try:
        return stat.S_ISCHR(os.stat(path).st_mode)
    except OSError:
        return False


def _is_stream(path: Path, number: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(number))
    except OSError:
        return False
