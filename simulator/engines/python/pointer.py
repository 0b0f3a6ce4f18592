"""Typed addresses, as Python kernels hold them."""

from __future__ import annotations

import sys
from typing import Any, Protocol, SupportsIndex

import numpy as np

from ....isa import TYPES, ElementType
from ...text import quoted


class Scalars(Protocol):
    """What makes the scalar accesses of a pointer."""

    def load(self, pointer: Pointer, frame: Any) -> Any:
        """One scalar load."""

    def store(self, pointer: Pointer, value: Any, frame: Any) -> None:
        """One scalar store."""


class Pointer:
    """A typed address: ``p + n`` and ``p[i]`` count elements, as in C; `cast` changes the type."""

    __slots__ = ("_context", "address", "type")

    def __init__(self, context: Scalars, address: int, type: ElementType) -> None:
        self._context, self.address, self.type = context, address, type

    def __add__(self, elements: SupportsIndex) -> Pointer:
        if elements.__class__ is not int:
            elements = self._count(elements)
        return Pointer(self._context, self.address + elements * self.type.size, self.type)

    def __sub__(self, elements: SupportsIndex) -> Pointer:
        return self + -self._count(elements)

    def _count(self, elements: Any) -> int:
        if isinstance(elements, (int, np.integer)) and not isinstance(elements, np.timedelta64):
            return int(elements)
        raise TypeError(f"{quoted(elements)} elements from {self!r}; pass a whole number")

    def cast(self, type: str) -> Pointer:
        """The same address with another element type, such as ``"int32"``."""
        return Pointer(self._context, self.address, element_type(type))

    def __getitem__(self, at: SupportsIndex) -> Any:
        return self._context.load(self + at, sys._getframe(1))

    def __setitem__(self, at: SupportsIndex, value: Any) -> None:
        self._context.store(self + at, value, sys._getframe(1))

    def __repr__(self) -> str:
        return f"<{self.type.name}* {self.address:#x}>"


def element_type(name: Any) -> ElementType:
    """An element type by its name or NumPy dtype; TypeError lists the names."""
    if isinstance(name, str) and name in TYPES:
        return TYPES[name]
    try:
        dtype = None if name is None else np.dtype(name)
    except Exception:  # also whatever the repr of a stranger's class raises
        dtype = None
    for entry in TYPES.values():
        if dtype is not None and entry.dtype == dtype and entry.name != "void":
            return entry
    raise TypeError(f"{quoted(name)} is no element type; the types are {', '.join(t for t in TYPES if t != 'void')}")
