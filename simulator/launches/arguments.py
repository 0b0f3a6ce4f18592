"""Turns the arguments of a launch into what a C kernel's parameters hold."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from ..memory.global_memory import DeviceArray
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
    """The arguments of one launch as ``bytes``, one block for each parameter; arrays are among ``copies``."""

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
            data = bytes(value)
            if parameter.bytes and len(data) != parameter.bytes:
                raise TypeError(f"{what} is a structure of {parameter.bytes} bytes; {len(data)} were given")
            return data
        if not isinstance(value, (int, float, np.number, np.bool_)):
            raise TypeError(f"{what} is of type {parameter}; pass a number, not {type(value).__name__}")
        try:
            if parameter.code == "y":
                return np.array(value, ml_dtypes.bfloat16).tobytes()
            if parameter.code in "efd":
                return np.array(value, _POINTEES[parameter.code]).tobytes()
            if isinstance(value, (float, np.floating)) and not float(value).is_integer():
                raise TypeError(f"{what} is of type {parameter}; {value!r} is no whole number")
            return struct.pack(parameter.code, int(value))
        except (struct.error, OverflowError) as error:
            raise TypeError(f"{what} is of type {parameter}, which cannot hold {value!r} ({error})") from None

    def _address(self, what: str, parameter: KernelParameter, value: Any) -> int:
        if value is None:
            return 0
        if isinstance(value, (int, np.integer)):
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
