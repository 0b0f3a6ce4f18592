"""What the source lines of a log say: a short digest of each, by which two versions of a kernel are compared."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from ..files import open_regular
from .region import Location

#: Bytes of a source file that are read.
_LARGEST = 1 << 24


def digests_of(locations: Sequence[Location]) -> tuple[str, ...]:
    """The digest of every line as its file has it now, without its spaces; "" for a line that cannot be read."""
    files = {file: _lines(file) for file in {place.file for place in locations if place.line}}
    return tuple(
        _digest(lines[place.line - 1]) if 0 < place.line <= len(lines := files.get(place.file, [])) else ""
        for place in locations
    )


def _digest(line: bytes) -> str:
    return blake2b(b"".join(line.split()), digest_size=8).hexdigest()


def _lines(path: str) -> list[bytes]:
    try:
        with open_regular(Path(path)) as file:
            return file.read(_LARGEST).split(b"\n")
    except (OSError, ValueError):
        return []
