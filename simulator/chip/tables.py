"""Tables of a TOML file as frozen dataclasses; all that is wrong in a file is found at once.

A field is a table (a dataclass), a text, a number (``int | float``), one of a `Literal`, texts (``tuple[str, ...]``),
tables by name (``dict[str, ...]``), or one of these and None. What has a default may be left out; a text that has none
is not empty. A general library of this kind takes longer to import than all else that reads a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from ..text import nearest, quoted

Table = TypeVar("Table")
#: A name is a part of a dotted path, so it has no dots.
_NAME = re.compile(r"[a-z][a-z0-9_]*")
#: Characters of a key that is compared with the known ones.
_SENSIBLE = 100


class TableError(ValueError):
    """What is wrong in a file, each fault with the dotted path of its key."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class _Field:
    type: Any
    required: bool


def read_table(kind: type[Table], data: Any) -> Table:
    """A table from what TOML gave; `TableError` with everything that does not fit."""
    faults: list[str] = []
    made: Table = _value(kind, data, "", True, faults)
    if faults:
        raise TableError(faults)
    return made


@cache
def _fields(kind: type) -> Mapping[str, _Field]:
    hints = get_type_hints(kind)
    return {
        field.name: _Field(hints[field.name], field.default is MISSING and field.default_factory is MISSING)
        for field in fields(kind)
    }


def _value(kind: Any, data: Any, key: str, required: bool, faults: list[str]) -> Any:
    """What a key holds; None where that does not fit, which is one fault more."""
    if is_dataclass(kind):
        return _table(kind, data, key, faults)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType and arguments[-1] is type(None):
        return _value(arguments[0], data, key, required, faults)
    if origin is dict:
        return _named(arguments[1], data, key, faults)
    if problem := _problem(kind, origin, arguments, data, required):
        faults.append(_said(key, problem))
        return None
    return tuple(data) if origin is tuple else data


def _table(kind: Any, data: Any, key: str, faults: list[str]) -> Any:
    if not isinstance(data, dict):
        faults.append(_said(key, f"must be a table{getattr(kind, 'EXAMPLE', '')}"))
        return None
    known, before = _fields(kind), len(faults)
    if unknown := sorted(set(data) - set(known)):
        near = nearest(unknown[0][:_SENSIBLE], known)
        faults.append(_said(key, f"unknown key {quoted(unknown[0])}{near}; the keys here are {', '.join(known)}"))
    else:  # a key that is misspelt is not missing as well
        missing = (name for name, field in known.items() if field.required and name not in data)
        faults += [_said(_path(key, name), "is missing") for name in missing]
    values = {
        name: _value(field.type, data[name], _path(key, name), field.required, faults)
        for name, field in known.items()
        if name in data
    }
    return None if len(faults) > before else kind(**values)


def _named(kind: Any, data: Any, key: str, faults: list[str]) -> Any:
    """Tables by names that the file chooses."""
    if not isinstance(data, dict):
        faults.append(_said(key, "must be a table of tables"))
        return None
    made = {}
    for name, entry in data.items():
        if _NAME.fullmatch(name):
            made[name] = _value(kind, entry, _path(key, name), True, faults)
        else:
            faults.append(_said(key, f"{quoted(name)} is no name; one has small letters, digits and _, a letter first"))
    return made


def _problem(kind: Any, origin: Any, arguments: tuple[Any, ...], data: Any, required: bool) -> str:
    """What is wrong with a value that is no table, "" when nothing is."""
    if origin is Literal:
        listed = ", ".join(map(repr, arguments))
        return "" if isinstance(data, str) and data in arguments else f"must be one of {listed}, not {quoted(data)}"
    if origin is tuple:
        right = isinstance(data, list) and all(isinstance(entry, str) for entry in data)
        return "" if right else f"must be a list of texts, not {quoted(data)}"
    if kind is str:
        if not isinstance(data, str):
            return f"must be a text, not {quoted(data)}"
        return "" if data or not required else "must not be empty"
    number = isinstance(data, (int, float)) and not isinstance(data, bool)
    return "" if number else f"must be a number, not {quoted(data)}"


def entries(table: Any) -> Iterator[tuple[str, Any]]:
    """The keys of a table, or of tables by name, with what they hold; in the order of the layout."""
    if isinstance(table, Mapping):
        yield from table.items()
    else:
        yield from ((field.name, getattr(table, field.name)) for field in fields(table))


def _path(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _said(key: str, problem: str) -> str:
    return f"{key}: {problem}" if key else problem
