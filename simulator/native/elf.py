"""What an object file or a library says of itself: its symbols, sections and size. ELF of 64 bits, little endian.

A build asks this of every kernel: the library that reads all of ELF would take a tenth of its time.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

_HEADER = np.dtype(
    [("magic", "S4"), ("", "V28"), ("segments", "<u8"), ("sections", "<u8"), ("", "V8"), ("segment_count", "<u2"),
     ("section_bytes", "<u2"), ("section_count", "<u2"), ("names", "<u2")]
    , align=False,
)  # fmt: skip
_SEGMENT = np.dtype([("type", "<u4"), ("", "V36"), ("memory", "<u8"), ("", "V8")])
_SECTION = np.dtype(
    [
        ("name", "<u4"), ("type", "<u4"), ("flags", "<u8"), ("", "V8"), ("offset", "<u8"), ("size", "<u8"),
        ("link", "<u4"), ("", "V20"),
    ]
)  # fmt: skip
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("", "V1"), ("section", "<u2"), ("address", "<u8"), ("bytes", "<u8")]
)
_LOADED, _NO_BITS, _SYMBOLS, _DYNAMIC_SYMBOLS, _VERSIONS = 1, 8, 2, 11, 0x6FFFFFFF
_OBJECT, _INDIRECT = 1, 10
#: Of the flags of a section: it is written, and it is loaded.
_WRITTEN, _IN_MEMORY = 1, 2
#: Up to this one, a version says nothing of a library.
_NO_VERSION = 1


class Symbol(NamedTuple):
    """A name that is defined or wanted; ``indirect``: a function chooses its address; ``versioned``: of a library."""

    name: str
    defined: bool
    indirect: bool
    versioned: bool


class CodeConstant(NamedTuple):
    """A variable that is never written: its name, its place behind the beginning of the loaded file, its bytes."""

    name: str
    address: int
    bytes: int


class Elf:
    """An ELF file; ValueError for what is none."""

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        """``data`` is what is in the file, where it has been read."""
        self._data = path.read_bytes() if data is None else data
        head = self._rows(_HEADER, 0, 1)[0]
        if head["magic"] != b"\x7fELF" or self._data[4:6] != b"\2\1":
            raise ValueError(f"{path} is no ELF file of 64 bits, little endian")
        self._segments = self._rows(_SEGMENT, int(head["segments"]), int(head["segment_count"]))
        self._sections = self._rows(_SECTION, int(head["sections"]), int(head["section_count"]))
        self._names = self._content(self._sections[int(head["names"])])

    @property
    def memory(self) -> int:
        """Bytes that it takes when it is loaded."""
        return int(self._segments["memory"][self._segments["type"] == _LOADED].sum())

    def section(self, name: str) -> bytes:
        """What is in the sections of a name."""
        return b"".join(self._content(row) for row in self._sections if _text(self._names, row["name"]) == name)

    def symbols(self) -> list[Symbol]:
        """The symbols of an object file."""
        return self._symbols(_SYMBOLS)

    def dynamic_symbols(self) -> list[Symbol]:
        """The symbols of a library that the loader looks at."""
        return self._symbols(_DYNAMIC_SYMBOLS)

    def constants(self) -> list[CodeConstant]:
        """The constants of a library."""
        rows, names = self._table(_SYMBOLS)
        kept = np.flatnonzero(self._sections["flags"] & (_WRITTEN | _IN_MEMORY) == _IN_MEMORY)
        rows = rows[(rows["info"] & 15 == _OBJECT) & (rows["bytes"] > 0) & np.isin(rows["section"], kept)]
        fields = rows[["name", "address", "bytes"]].tolist()
        return [CodeConstant(_text(names, at), address, size) for at, address, size in fields]

    def _table(self, kind: int) -> tuple[np.ndarray, bytes]:
        """The rows of a table of symbols, and their names; no rows where there is no such table."""
        tables = self._sections[self._sections["type"] == kind]
        if not len(tables):
            return np.zeros(0, _SYMBOL), b""
        return np.frombuffer(self._content(tables[0]), _SYMBOL)[1:], self._content(self._sections[tables[0]["link"]])

    def _symbols(self, kind: int) -> list[Symbol]:
        rows, names = self._table(kind)
        found = [
            np.frombuffer(self._content(row), "<u2") & 0x7FFF
            for row in self._sections[self._sections["type"] == _VERSIONS]
        ]
        versions = found[0][1:] if found and kind == _DYNAMIC_SYMBOLS else np.zeros(len(rows), np.uint16)
        return [
            Symbol(_text(names, at), section != 0, info & 15 == _INDIRECT, version > _NO_VERSION)
            for at, info, section, version in zip(
                rows["name"].tolist(), rows["info"].tolist(), rows["section"].tolist(), versions.tolist(), strict=True
            )
            if at
        ]  # fmt: skip

    def _content(self, section: np.void) -> bytes:
        at, size = int(section["offset"]), int(section["size"])
        return b"" if section["type"] == _NO_BITS else self._data[at : at + size]

    def _rows(self, dtype: np.dtype, at: int, count: int) -> np.ndarray:
        return np.frombuffer(self._data, dtype, count, at)


def _text(names: bytes, at: int) -> str:
    return names[at : names.index(b"\0", at)].decode(errors="backslashreplace")
