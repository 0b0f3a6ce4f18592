"""The sources that a report shows: those of the kernel that was run, and nothing else of the machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...simulator.files import open_regular
from ...simulator.text import size

#: Bytes of a source, of all of them together, and how many, at most.
_LARGEST, _LARGEST_ALL, _MOST = 1 << 20, 4 << 20, 200
#: How sources end. A log names files as it likes: no other file is opened.
SUFFIXES = frozenset(
    {".mlu", ".mluh", ".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".inc", ".pl", ".py"}
)  # fmt: skip
#: What comes with mlusim itself.
_OWN = Path(__file__).resolve().parents[2]


def sources(files: Iterable[str], folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Path, name, text and note of each file; one that must not or cannot be read has no text, and a note that says so.

    Read are sources below ``folders`` and those of mlusim, links followed before that is asked.
    """
    allowed, found, left = [*(folder.resolve() for folder in folders), _OWN], [], _LARGEST_ALL
    for number, file in enumerate(dict.fromkeys(files)):
        text, note = _read(file, allowed, min(left, _LARGEST)) if number < _MOST else ("", "too many sources")
        left -= len(text)
        found.append({"path": file, "name": Path(file).name or file, "text": text, "note": note})
    return found


def _read(file: str, allowed: Sequence[Path], most: int) -> tuple[str, str]:
    """The text of a file, and why there is none."""
    try:
        path = Path(file).resolve()
        if path.suffix not in SUFFIXES:
            return "", "not shown: the name is not that of a source"
        if not any(path.is_relative_to(folder) for folder in allowed):
            return "", "not shown: the file is outside of the current folder and that of the log"
        with open_regular(path) as opened:
            data = opened.read(most + 1)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a circle of links
        return "", f"not shown: {getattr(error, 'strerror', None) or error}"
    if len(data) > most:
        return "", f"not shown: it has more than {size(most)}"
    return data.decode("utf-8", "replace"), ""
