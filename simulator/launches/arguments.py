"""Turns the arguments of a launch into what a C kernel's parameters hold."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from ..memory.global_memory import DeviceArray
from ..text import quoted
from .copies import ArrayCopies

_POINTEES = {"f": "float32", "d": "float64", "e": "float16", "b": "int8", "B": "uint8", "h": "int16", "H": "uint16",
             "i": "int32", "I": "uint32", "q": "int64", "Q": "uint64", "?": "bool"}  # fmt: skip
_NAMES = {"f": "float", "d": "double", "e": "half", "y": "bfloat16_t", "v": "void", "s": "struct", "?": "bool"}


@dataclass(frozen=True)
class KernelParameter:
    """One parameter of a C kernel: a type code of `struct` ("s": a structure), or that of what a pointer points to."""

    code: str
    bytes: int
    pointer: bool

    def __str__(self) -> str:
        base = _NAMES.get(self.code) or np.dtype(_POINTEES[self.code]).name
        return f"{base}*" if self.pointer else base


@lru_cache(maxsize=256)
def parse_signature(text: str) -> tuple[KernelParameter, ...]:
    """Read the signature that a kernel image gives of a kernel."""
    found = []
    for part in text.split(",")[:-1]:
        pointer = part.startswith("P")
        found.append(KernelParameter(part[1] if pointer else part[0], 8 if pointer else int(part[1:]), pointer))
    return tuple(found)


class LaunchArguments:
    """The arguments of one launch as ``bytes``, one block for each parameter.

    Arrays are among ``copies``, which has looked at their elements, as a device array has when it was made.
    """

    def __init__(
        self, kernel: str, parameters: Sequence[KernelParameter], values: Sequence[Any], copies: ArrayCopies
    ) -> None:
        """TypeError for a wrong number of arguments or a value that does not fit its parameter."""
        if len(values) != len(parameters):
            shown = ", ".join(map(str, parameters))
            raise TypeError(f"{kernel}({shown}) takes {len(parameters)} arguments; {len(values)} were given")
        self._copies = copies
        self.bytes = [
            self._pack(f"argument {number} of {kernel}", parameter, value)
            for number, (parameter, value) in enumerate(zip(parameters, values, strict=True))
        ]

    def _pack(self, what: str, parameter: KernelParameter, value: Any) -> bytes:
        if parameter.pointer:
            return struct.pack("Q", self._address(what, parameter, value))
        if parameter.code == "s":
            return _structure(what, parameter, value)
        number = as_number(value)
        if number is None:
            raise TypeError(f"{what} is of type {parameter}; pass a number, not {type(value).__name__}")
        if parameter.code in "efdy":
            return _floating(what, parameter, number)
        if isinstance(number, float) and not number.is_integer():
            raise TypeError(f"{what} is of type {parameter}; {number!r} is no whole number")
        try:
            return struct.pack(parameter.code, int(number))
        except (struct.error, OverflowError) as error:
            raise TypeError(f"{what} is of type {parameter}, which cannot hold {quoted(value)} ({error})") from None

    def _address(self, what: str, parameter: KernelParameter, value: Any) -> int:
        if value is None:
            return 0
        if isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64)):
            if not 0 <= int(value) < 1 << 64:
                raise TypeError(f"{what} is of type {parameter}; {quoted(int(value))} is no address, which has 64 bits")
            return int(value)
        if not isinstance(value, (np.ndarray, DeviceArray)):
            given = type(value).__name__
            raise TypeError(f"{what} is of type {parameter}; pass an array, a device array or an address, not {given}")
        expected = ml_dtypes.bfloat16 if parameter.code == "y" else _POINTEES.get(parameter.code)
        if expected is not None:
            wanted = np.dtype(expected)
            same = value.dtype == wanted or (wanted.itemsize == value.dtype.itemsize == 1)
            if not same:
                raise TypeError(f"{what} is of type {parameter}; the array has dtype {value.dtype}, pass {wanted}")
        if isinstance(value, DeviceArray):
            return value.address
        return self._copies.address(value)


def as_number(value: Any) -> int | float | None:
    """A number of Python or NumPy as Python's own, None for anything else. A truth value counts as 0 or 1."""
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if not isinstance(value, np.generic) or isinstance(value, np.timedelta64):
        return None
    if isinstance(value, (np.integer, np.bool_)):
        return int(value)
    if isinstance(value, np.floating) or value.dtype == ml_dtypes.bfloat16:
        return float(value)
    return None


def _floating(what: str, parameter: KernelParameter, number: float) -> bytes:
    """The bytes of a floating parameter; a number too large for it is not taken for infinity."""
    dtype = np.dtype(ml_dtypes.bfloat16 if parameter.code == "y" else _POINTEES[parameter.code])
    try:
        with np.errstate(over="ignore"):
            rounded = np.array(float(number)).astype(dtype)
        if np.isfinite(rounded) or not math.isfinite(number):
            return rounded.tobytes()
    except OverflowError:  # a whole number beyond every float
        pass
    most = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
    raise TypeError(f"{what} is of type {parameter}, which cannot hold {quoted(number)}; its largest is {most:g}")


def _structure(what: str, parameter: KernelParameter, value: Any) -> bytes:
    """The bytes of a structure passed by value."""
    try:
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            raise TypeError
        data = memoryview(value).tobytes()
    except (TypeError, ValueError, BufferError):
        size = f" of {parameter.bytes} bytes" if parameter.bytes else ""
        raise TypeError(
            f"{what} is a structure{size}; pass bytes or a ctypes structure, not {type(value).__name__}"
        ) from None
    if parameter.bytes and len(data) != parameter.bytes:
        raise TypeError(f"{what} is a structure of {parameter.bytes} bytes; {len(data)} were given")
    return data
