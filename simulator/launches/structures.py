"""Structures of a program's sources from Python: `program.structs.Param(n=3)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

from ..engines.tasks.layouts import Array, Enumeration, PointerType, Scalar, Structure, Type
from ..text import nearest

_NAMES = {"b": "int8_t", "B": "uint8_t", "h": "int16_t", "H": "uint16_t", "i": "int", "I": "unsigned", "q": "int64_t",
          "Q": "uint64_t", "e": "half", "y": "bfloat16_t", "f": "float", "d": "double", "?": "bool", "v": "void",
          "s": "struct"}  # fmt: skip


@dataclass(frozen=True)
class StructureValue:
    """A structure with the values of its members; those that are not given are zero."""

    kind: StructureType
    values: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"{self.kind.name}({', '.join(f'{name}={value!r}' for name, value in self.values.items())})"


def dtype_of(code: str) -> np.dtype:
    """The NumPy type of numbers with a type code of `struct`, or with "y", that of bfloat16."""
    return np.dtype(ml_dtypes.bfloat16 if code == "y" else code)


def members_of(value: Any) -> Mapping[str, Any]:
    """The members of a structure that is an argument, by their names; none of anything else."""
    if isinstance(value, StructureValue):
        return value.values
    return value if isinstance(value, Mapping) else {}


def with_member(structure: StructureValue | Mapping[str, Any], name: str, value: Any) -> Any:
    """A structure with another value of one member."""
    changed = {**members_of(structure), name: value}
    return replace(structure, values=changed) if isinstance(structure, StructureValue) else changed


class StructureType:
    """A structure of a source. Calling it with values for its members gives an argument of a launch."""

    def __init__(self, name: str, layout: Structure) -> None:
        self.name, self.layout = name, layout

    def __call__(self, **values: Any) -> StructureValue:
        """A value of the structure; TypeError for a name that it does not have."""
        check_members(self.layout, values, self.name)
        return StructureValue(self, values)

    def __repr__(self) -> str:
        return shown(self.layout, self.name)

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of an array of such structures. Pointers in it are addresses of device arrays."""
        return _dtype(self.layout)


class Structures:
    """The structures of a program by name, as attributes or, with namespaces and template arguments, as items."""

    def __init__(self, read: Callable[[], Mapping[str, Structure]]) -> None:
        self._read = read

    def __getitem__(self, name: str) -> StructureType:
        found = self._read()
        matches = [full for full in found if full == name] or [f for f in found if f.rpartition("::")[2] == name]
        if not matches:
            raise KeyError(
                f"no structure {name!r} is used{nearest(name, found)}; there are {', '.join(found) or 'none'}, "
                "and those that only a template uses are known when it has been launched: pass a mapping until then"
            )
        if len(matches) > 1:
            raise KeyError(f"{name} is one of {', '.join(matches)}; write structs[{matches[0]!r}]")
        return StructureType(matches[0], found[matches[0]])

    def __getattr__(self, name: str) -> StructureType:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._read()})

    def __repr__(self) -> str:
        return f"<structures: {', '.join(self._read()) or 'none'}>"


def check_members(layout: Structure, values: Mapping[str, Any], name: str) -> None:
    """TypeError for a name that a structure does not have, or that cannot be set."""
    fields = [field.name for field in layout.fields]
    for given in values:
        if given in layout.others:
            raise TypeError(f"{name}.{given} is a bit-field or of a type that cannot be set by name; pass bytes")
        if given not in fields:
            raise TypeError(f"{name} has no member {given!r}{nearest(str(given), fields)}; it is {shown(layout, name)}")


def shown(layout: Structure, name: str = "") -> str:
    """A structure in a line, such as `Param {int n; float *data}`."""
    members = "; ".join(_declared(field.type, field.name) for field in layout.fields)
    return f"{name or layout.name or 'struct'} {{{members}}}"


def _declared(kind: Type, name: str) -> str:
    if isinstance(kind, Array):
        return _declared(kind.element, f"{name}[{kind.count}]")
    if isinstance(kind, PointerType):
        target = kind.target() if kind.code == "s" else None
        named = target.name if isinstance(target, (Structure, Enumeration)) else ""
        return f"{named or _NAMES[kind.code]} *{name}"
    if isinstance(kind, Scalar):
        return f"{_NAMES[kind.code]} {name}"
    return f"{kind.name or ('enum' if isinstance(kind, Enumeration) else 'struct')} {name}"


def _dtype(kind: Type) -> np.dtype:
    if isinstance(kind, Structure):
        return np.dtype({
            "names": [field.name for field in kind.fields], "formats": [_dtype(field.type) for field in kind.fields],
            "offsets": [field.offset for field in kind.fields], "itemsize": kind.bytes,
        })  # fmt: skip
    if isinstance(kind, Array):
        return np.dtype((_dtype(kind.element), kind.count))
    if isinstance(kind, PointerType):
        return np.dtype(np.uint64)
    if isinstance(kind, Enumeration):
        return np.dtype(f"{'i' if min(kind.values.values(), default=0) < 0 else 'u'}{kind.bytes}")
    return dtype_of(kind.code)
