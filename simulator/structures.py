"""Structures and enumerations that C++ and Python share: the plain declarations of a C header are their only source."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

#: Headers are named by their paths from here.
_NATIVE = Path(__file__).resolve().parent / "native"
#: The types of numbers, for ctypes and for NumPy.
_NUMBERS: dict[str, tuple[Any, Any]] = {
    "int8_t": (ctypes.c_int8, "i1"), "uint8_t": (ctypes.c_uint8, "u1"),
    "int16_t": (ctypes.c_int16, "<i2"), "uint16_t": (ctypes.c_uint16, "<u2"),
    "int32_t": (ctypes.c_int32, "<i4"), "uint32_t": (ctypes.c_uint32, "<u4"),
    "int64_t": (ctypes.c_int64, "<i8"), "uint64_t": (ctypes.c_uint64, "<u8"),
    "float": (ctypes.c_float, "<f4"), "double": (ctypes.c_double, "<f8"), "char": (ctypes.c_char, "S1"),
}  # fmt: skip
_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
_WORD = re.compile(r"\w+|[^\w\s]")


def address(array: np.ndarray) -> int:
    """Where the elements of an array begin. Its array interface would list the fields of rows: 30 times as long."""
    return int(array.ctypes.data)


def same_bytes(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays without gaps hold the same bytes. NumPy would make an array of bools of them."""
    if not (one.flags.c_contiguous and other.flags.c_contiguous):
        raise ValueError("an array with gaps is not compared byte by byte")
    return one.nbytes == other.nbytes and not _memcmp(address(one), address(other), one.nbytes)


class Header:
    """What a header, and those that it includes by names in quotes, declare plainly.

    A structure is ``struct NAME { ... };`` or ``struct __attribute__((packed)) NAME { ... };``, its members are numbers
    of fixed width, structures, pointers, pointers to functions, and arrays of one dimension. A ValueError names what is
    none of these, when it is asked for.
    """

    def __init__(self, path: Path) -> None:
        lines = [line.partition("//")[0] for line in path.read_text(encoding="utf-8").splitlines()]
        included = [line.split('"')[1] for line in lines if line.startswith('#include "')]
        self.path = path
        self._homes = [self, *(header(os.path.normpath(path.parent / name)) for name in included)]
        words = _WORD.findall("\n".join(line for line in lines if not line.startswith("#")))
        self._text = " ".join(word for word in words if word not in ("const", "struct"))
        self._nested: dict[str, Any] = {}

    def fields(self, name: str) -> list[tuple[str, Any]]:
        """The ``_fields_`` of a `ctypes.Structure`. Pointers are addresses, but those to characters are bytes."""
        packed, members = self._structure(name)
        if packed:
            raise self._fault(name, "is packed: ask for its dtype")
        return [(member, kind) for member, kind, _ in members]

    def nested(self, name: str) -> Any:
        """The `ctypes.Structure` of a structure that others hold."""
        return self._type(name, False)[0]

    def dtype(self, name: str) -> np.dtype:
        """The structure as a NumPy dtype, little endian; pointers are unsigned."""
        import numpy as np  # messages and enumerations need none of it

        packed, members = self._structure(name)
        return np.dtype([(member, code) for member, _, code in members], align=not packed)

    def enumeration(self, name: str, prefix: str = "") -> Any:
        """An enumeration as an `IntEnum`, its names without their ``prefix``."""
        values, following = {}, 0
        for entry in self._body(f"enum {name}").strip(" ,").split(","):
            word, given = [*entry.split(" = "), ""][:2]
            try:
                following = int(given or following)
            except ValueError:
                raise self._fault(name, f"has {entry.strip()!r}, which is no plain number") from None
            values[word.strip().removeprefix(prefix)] = following
            following += 1
        return IntEnum(name, values)

    def constant(self, name: str) -> int:
        """The value of an integer, ``constexpr TYPE NAME = number;``."""
        for home in self._homes:
            if found := re.search(rf"\bconstexpr \w+ {name} = (\d+) ;", home._text):
                return int(found[1])
        raise self._fault(name, "is declared as no plain number")

    def _fault(self, name: str, problem: str) -> ValueError:
        return ValueError(f"{self.path.name}: {name} {problem}")

    def _body(self, *heads: str) -> str:
        """The words between the braces of a declaration with one of the ``heads``; there are no braces among them."""
        for home in self._homes:
            for head in heads:
                body, end, _ = f"; {home._text}".partition(f" {head} {{")[2].partition("} ;")
                if end and "{" not in body:
                    return body
        raise self._fault(heads[0], "is not declared plainly")

    def _structure(self, name: str) -> tuple[bool, list[tuple[str, Any, Any]]]:
        """Whether it is packed, and name, ctypes type and NumPy type of each member."""
        packed = f"__attribute__ ( ( packed ) ) {name}"
        members: list[tuple[str, Any, Any]] = []
        for text in filter(str.strip, self._body(packed, name).split(";")):
            try:
                members += self._declared(*text.split(maxsplit=1))
            except (LookupError, TypeError, ValueError) as error:
                raise self._fault(name, f"has a member that is no plain one, {text.strip()!r} ({error})") from None
        return any(f"{packed} {{" in home._text for home in self._homes), members

    def _declared(self, kind: str, declarators: str) -> Iterator[tuple[str, Any, Any]]:
        """Name, ctypes type and NumPy type of what is declared."""
        if declarators.startswith("( * "):
            name, takes = declarators.removeprefix("( * ").split(" ) ( ")
            parameters = [part.split() for part in takes.strip(" )").split(",")]
            kinds = [self._type(words[0], "*" in words)[0] for words in parameters if words != ["void"]]
            yield name, ctypes.CFUNCTYPE(None if kind == "void" else self._type(kind, False)[0], *kinds), None
            return
        for declarator in declarators.split(","):
            plain, _, length = declarator.partition("[")
            *stars, name = plain.split()
            length, _, more = length.partition(" ]")
            if set(stars) - {"*"} or more.strip():
                raise ValueError(f"{declarator.strip()!r} is more than a name, an array or a pointer")
            found, code = self._type(kind, bool(stars))
            if not length:
                yield name, found, code
                continue
            count = int(length) if length.strip().isdecimal() else self.constant(length.strip())
            yield name, found and found * count, f"S{count}" if code == "S1" else (code, (count,))

    def _type(self, kind: str, is_pointer: bool) -> tuple[Any, Any]:
        """The types of ctypes and NumPy; a packed structure has none of ctypes."""
        if is_pointer:
            return ctypes.c_char_p if kind == "char" else ctypes.c_void_p, "<u8"
        if kind in _NUMBERS:
            return _NUMBERS[kind]
        if kind not in self._nested:
            packed, members = self._structure(kind)
            fields = [(name, found) for name, found, _ in members]
            self._nested[kind] = None if packed else type(kind, (ctypes.Structure,), {"_fields_": fields})
        return self._nested[kind], self.dtype(kind)


@lru_cache(maxsize=64)
def header(name: str) -> Header:
    """The declarations of a header in the folder ``native``, named by its path from there."""
    return Header(_NATIVE / name)
