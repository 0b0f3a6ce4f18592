"""All dialects by name, each imported when it is asked for, and its hundreds of declarations when they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from .dialect import Dialect, Instructions

if TYPE_CHECKING:
    from .instruction import Instruction

_NAMES = ("bang", "tpu", "okk", "cuda")


@cache
def _declared(name: str) -> tuple[Dialect, Sequence[Instruction]]:
    dialect: Dialect = getattr(import_module(f".{name}", __package__), name.upper())
    return dialect, dialect.instructions


def home(name: str) -> str:
    """The module that has the instructions of a dialect."""
    found = DIALECTS[name].instructions
    return found.module if isinstance(found, Instructions) else f"{__package__}.{name}"


def declared(name: str) -> Sequence[Instruction] | None:
    """The instructions of a dialect as the files declare them (one may be changed in a process); None of no such."""
    return _declared(name)[1] if name in _NAMES else None


class _Dialects(Mapping[str, Dialect]):
    def __getitem__(self, name: str) -> Dialect:
        if name not in _NAMES:
            raise KeyError(name)
        return _declared(name)[0]

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


#: Every dialect by the name that device files use.
DIALECTS: Mapping[str, Dialect] = _Dialects()
