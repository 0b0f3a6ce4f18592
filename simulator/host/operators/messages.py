"""What is said to the process that has a library of operators loaded, and what it answers."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from ...frames import Protocol

#: The types of scalars by the codes that `struct` has for them.
_TYPES: dict[str, Any] = {
    "?": ctypes.c_bool, "b": ctypes.c_int8, "B": ctypes.c_uint8, "h": ctypes.c_int16, "H": ctypes.c_uint16,
    "i": ctypes.c_int32, "I": ctypes.c_uint32, "q": ctypes.c_int64, "Q": ctypes.c_uint64, "f": ctypes.c_float,
    "d": ctypes.c_double, "P": ctypes.c_void_p,
}  # fmt: skip


class NumberArgument(NamedTuple):
    """A value of a C type: its code ("" for none), and its bytes."""

    code: str
    raw: bytes

    @classmethod
    def of(cls, code: str, value: Any) -> NumberArgument:
        """A value as C has it."""
        return cls(code, bytes(_TYPES[code](value)) if code else b"")

    @property
    def value(self) -> Any:
        """What it is in Python; None for none, and for a null pointer."""
        return _TYPES[self.code].from_buffer_copy(self.raw).value if self.code else None

    @property
    def argument(self) -> Any:
        """What `ctypes` passes."""
        return _TYPES[self.code].from_buffer_copy(self.raw)


def result_type(code: str) -> Any:
    """The type that `ctypes` takes for the result of a function."""
    return _TYPES[code] if code else None


class CallFunction(NamedTuple):
    """Call a function of the library: its name, the code of its result ("" for none), and its arguments."""

    symbol: str
    result: str
    arguments: tuple[NumberArgument, ...]


class KeepMemory(NamedTuple):
    """Keep host memory with the bytes of the body; its address is the answer."""


class ReadMemory(NamedTuple):
    """Answer with so many bytes of such memory, from its address on."""

    address: int
    size: int


class DropMemory(NamedTuple):
    """Such memory is not needed any more."""

    addresses: tuple[int, ...]


class Outcome(NamedTuple):
    """The answer: what the function gave, bytes in the body, or what went wrong."""

    result: NumberArgument
    problem: str = ""


PROTOCOL = Protocol(CallFunction, KeepMemory, ReadMemory, DropMemory, Outcome)
#: Bytes of a body at most.
_MOST = 1 << 34
TO_SERVER: dict[type, int] = dict.fromkeys((CallFunction, KeepMemory, ReadMemory, DropMemory), _MOST)
FROM_SERVER: dict[type, int] = {Outcome: _MOST}
