"""What a caller may tell the compiler: folders of headers, macros, headers before the source, the standard."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..text import quoted

_MACRO = re.compile(r"[A-Za-z_]\w*(?:\([\w\s,.]*\))?")
_STANDARD = re.compile(r"(c|gnu)(\+\+)?(\d[\dxyzabc])")
#: Standards by age; our headers need the first of them that is no older than this.
_YEARS = {"98": 1998, "99": 1999, "03": 2003, "0x": 2011, "11": 2011, "1y": 2014, "14": 2014, "1z": 2017, "17": 2017,
          "18": 2017, "2a": 2020, "20": 2020, "2b": 2023, "2x": 2023, "23": 2023, "2c": 2026, "26": 2026}  # fmt: skip
_OLDEST = {"c++": 2017, "c": 2011}


@dataclass(frozen=True)
class Options:
    """Options of a build, as the compiler takes them."""

    include: tuple[str, ...] = ()  # folders
    macros: tuple[str, ...] = ()  # NAME or NAME=VALUE
    headers: tuple[str, ...] = ()
    standard: str = ""

    @classmethod
    def of(cls, include: Iterable[Path], define: Any, headers: Iterable[Path], std: str | None) -> Options:
        """TypeError or ValueError for what are no macros and no standard."""
        folders = tuple(str(folder.absolute()) for folder in include)
        # As a compiler does, a header is looked for from where one stands, and then among the folders.
        files = tuple(str(path.absolute() if path.is_file() else path) for path in headers)
        return cls(folders, _macros(define), files, _standard(std))

    def with_macro(self, name: str, value: int) -> Options:
        """The same with another value of a macro, or with one more."""
        others = (macro for macro in self.macros if macro.partition("=")[0] != name)
        return replace(self, macros=(*others, f"{name}={value}"))

    def preprocess(self) -> list[str]:
        """For the preprocessor, after what the language needs."""
        before = [word for header in self.headers for word in ("-include", header)]
        return [*(f"-D{macro}" for macro in self.macros), *before]

    def folders(self, header: str = "") -> list[str]:
        """The folders of headers, also for files that assembly includes.

        A folder that has the vendor's ``header`` is searched after the folder that has ours of that name.
        """
        theirs = {folder for folder in self.include if header and Path(folder, header).is_file()}
        return [f"{'-idirafter' if folder in theirs else '-I'}{folder}" for folder in self.include]

    def standard_for(self, kind: str, default: str) -> str:
        """The compiler's option for a language ("c" or "c++"): the standard that was asked for, or the default.

        The default is used if that standard is none of the language, or older than our headers need.
        """
        match = _STANDARD.fullmatch(self.standard)
        if match is None or (match[2] or "") != kind.removeprefix("c") or _YEARS[match[3]] < _OLDEST[kind]:
            return f"-std={default}"
        return f"-std={self.standard}"


def _macros(define: Any) -> tuple[str, ...]:
    """Macros as NAME or NAME=VALUE, from a mapping (None: no value) or a list."""
    if isinstance(define, Mapping):
        texts = [name if value is None else f"{name}={value}" for name, value in define.items()]
    elif isinstance(define, Iterable) and not isinstance(define, (str, bytes)):
        texts = list(define)
    else:
        raise TypeError(f"define is {quoted(define)}; pass macros such as {{'TILE': 64}} or ['TILE=64']")
    for text in texts:
        name = text.partition("=")[0] if isinstance(text, str) else ""
        if not _MACRO.fullmatch(name) or "\0" in text or "\n" in text:
            raise ValueError(f"{quoted(text)} is no macro; write NAME or NAME=VALUE")
    return tuple(texts)


def _standard(std: str | None) -> str:
    if std is None:
        return ""
    match = _STANDARD.fullmatch(std) if isinstance(std, str) else None
    if match is None or match[3] not in _YEARS:
        raise ValueError(f"std is {quoted(std)}; pass a standard such as 'c++20' or 'gnu++17' (or 'c11' for .c files)")
    return std
