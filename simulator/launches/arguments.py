"""Turns the arguments of a launch into what a C kernel's parameters hold."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import NoneType
from typing import Any

import ml_dtypes
import numpy as np

from ..core.memory.global_memory import DeviceArray
from ..engines.python.numbers import as_number
from ..engines.tasks.layouts import Array, Enumeration, PointerType, Structure, Type
from ..kernelc.declared import KernelDecl
from ..text import nearest, quoted
from .copies import ArrayCopies
from .structures import StructureValue, check_members, dtype_of, shown

#: The codes of numbers.
_NUMBERS = frozenset("fdeybBhHiIqQ?")
_NAMES = {"f": "float", "d": "double", "e": "half", "y": "bfloat16_t", "v": "void", "s": "struct", "?": "bool",
          "p": "pointer"}  # fmt: skip
#: The codes of floating-point types.
FLOATS = frozenset("fdey")
#: How pointers get into an array.
_ADDRESSES = "such as np.array([device.array(x).address], np.uint64)"


@dataclass(frozen=True)
class KernelParameter:
    """One parameter of a C kernel: a type code of `struct`, or that of what a pointer points to.

    "s" is a structure, "p" another pointer.
    """

    code: str
    bytes: int
    pointer: bool

    def __str__(self) -> str:
        base = _NAMES.get(self.code) or dtype_of(self.code).name
        return f"{base}*" if self.pointer else base


@lru_cache(maxsize=256)
def parse_signature(text: str) -> tuple[KernelParameter, ...]:
    """Read the signature that a kernel image gives of a kernel."""
    found = []
    for part in text.split(",")[:-1]:
        pointer = part.startswith("P")
        found.append(KernelParameter(part[1] if pointer else part[0], 8 if pointer else int(part[1:]), pointer))
    return tuple(found)


def element_type(parameter: KernelParameter) -> np.dtype | None:
    """The type of a number, or of what a pointer points to; None for what is no number."""
    return dtype_of(parameter.code) if parameter.code in _NUMBERS else None


@dataclass(frozen=True)
class Signature:
    """What is known of the parameters of a kernel.

    ``types`` gives what its structures and enumerations are made of, ``enumerators`` the values of all names that
    enumerations of the source have.
    """

    kernel: str
    parameters: tuple[KernelParameter, ...]
    declared: KernelDecl | None  # as its source has it
    types: Callable[[], Sequence[Type | None]]
    enumerators: Callable[[], Mapping[str, int]] = dict

    def __str__(self) -> str:
        return str(self.declared or f"{self.kernel}({', '.join(map(str, self.parameters))})")

    def type(self, number: int) -> Type | None:
        """What is known of the type of a parameter."""
        types = self.types()
        return types[number] if number < len(types) else None


class LaunchArguments:
    """The arguments of one launch as ``bytes``, one block for each parameter.

    Arrays are among ``copies``, which has looked at their elements, as a device array has when it was made.
    """

    def __init__(self, signature: Signature, values: Sequence[Any], copies: ArrayCopies) -> None:
        """TypeError for a wrong number of arguments or a value that does not fit its parameter."""
        parameters, kernel = signature.parameters, signature.kernel
        if len(values) != len(parameters):
            raise TypeError(f"{signature} takes {len(parameters)} arguments; {len(values)} were given")
        self._copies, self._enumerators = copies, signature.enumerators
        try:
            self.bytes = [
                self._argument(f"argument {number} of {kernel}", parameter, value, signature, number)
                for number, (parameter, value) in enumerate(zip(parameters, values, strict=True))
            ]
        except TypeError as error:
            raise TypeError(f"{error}; the kernel is {signature}") from None

    def _argument(self, what: str, parameter: KernelParameter, value: Any, signature: Signature, number: int) -> bytes:
        """The bytes of one parameter; what is given by names needs the types of the source."""
        if isinstance(value, StructureValue) and not parameter.bytes:  # a block of bytes, whatever is in it
            return self._members(what, value.kind.layout, value)
        if isinstance(value, (StructureValue, Mapping, str, list, tuple)):
            kind = signature.type(number)
            target = kind.target() if isinstance(kind, PointerType) and not isinstance(value, str) else kind
            known = isinstance(target, (Structure, Enumeration))
            if kind is not None and known and kind.bytes == parameter.bytes:
                return self._value(what, kind, value)
        return self._pack(what, parameter, value)

    def _value(self, what: str, kind: Type, value: Any) -> bytes:
        """The bytes of a value of a type of the source."""
        if isinstance(kind, Structure):
            return self._members(what, kind, value)
        if isinstance(kind, Array):
            return self._elements(what, kind, value)
        if isinstance(kind, Enumeration):
            return _enumerator(what, kind, value)
        if isinstance(kind, PointerType):
            return struct.pack("Q", self._pointer(what, kind, value))
        if kind.code in "qQ" and isinstance(value, (np.ndarray, DeviceArray, NoneType)):  # it holds an address
            return struct.pack("Q", self._address(what, KernelParameter("v", 8, True), value))
        return self._pack(what, KernelParameter(kind.code, kind.bytes, False), value)

    def _members(self, what: str, kind: Structure, value: Any) -> bytes:
        if isinstance(value, StructureValue):
            if value.kind.layout != kind:
                raise TypeError(f"{what} is {shown(kind)}; {value.kind.name} was given")
            value = value.values
        if isinstance(value, (list, tuple)) and not kind.others:
            if len(value) > len(kind.fields):
                raise TypeError(f"{what} is {shown(kind)}; {len(value)} members were given")
            value = {field.name: member for field, member in zip(kind.fields, value, strict=False)}
        if not isinstance(value, Mapping):
            return _structure(what, KernelParameter("s", kind.bytes, False), value)
        check_members(kind, value, kind.name or "the structure")
        block = bytearray(kind.bytes)
        for field in kind.fields:
            if field.name in value:
                part = self._value(f"{field.name} in {what}", field.type, value[field.name])
                block[field.offset : field.offset + len(part)] = part
        return bytes(block)

    def _elements(self, what: str, kind: Array, value: Any) -> bytes:
        if isinstance(value, str):
            value = value.encode()
        if not isinstance(value, (list, tuple, bytes, np.ndarray)):
            raise TypeError(f"{what} is an array of {kind.count}; pass a list, not {type(value).__name__}")
        if len(value) > kind.count:
            raise TypeError(f"{what} is an array of {kind.count}; {len(value)} elements were given")
        if isinstance(value, bytes) and kind.element.bytes == 1:
            return value.ljust(kind.count, b"\0")
        parts = (self._value(f"element {n} of {what}", kind.element, element) for n, element in enumerate(value))
        return b"".join(parts).ljust(kind.bytes, b"\0")

    def _pointer(self, what: str, kind: PointerType, value: Any) -> int:
        """An address; structures that are given by value are put into the device's memory, for this launch."""
        if not isinstance(value, (StructureValue, Mapping, list)):
            return self._address(what, KernelParameter(kind.code, 8, True), value)
        target = kind.target()
        values = value if isinstance(value, list) else [value]
        if not isinstance(target, Structure) or not all(isinstance(v, (StructureValue, Mapping)) for v in values):
            raise TypeError(f"{what} is a pointer; pass an array, a device array, an address or None")
        return self._copies.place(what, b"".join(self._members(what, target, one) for one in values))

    def _pack(self, what: str, parameter: KernelParameter, value: Any) -> bytes:
        if parameter.pointer:
            return struct.pack("Q", self._address(what, parameter, value))
        if parameter.code == "s":
            return _structure(what, parameter, value)
        if isinstance(value, str) and parameter.code not in FLOATS:
            value = self._enumerators().get(value.rpartition("::")[2], value)
        number = as_number(value)
        if number is None:
            raise TypeError(f"{what} is of type {parameter}; pass a number, not {_given(value)}")
        if parameter.code in FLOATS:
            return _floating(what, parameter, number)
        if isinstance(number, float) and not number.is_integer():
            raise TypeError(f"{what} is of type {parameter}; {number!r} is no whole number")
        limits = None if parameter.code == "?" else np.iinfo(parameter.code)
        low, high = (int(limits.min), int(limits.max)) if limits else (0, 1)
        if not low <= number <= high:
            raise TypeError(f"{what} is of type {parameter}, which cannot hold {quoted(value)}; pass {low} to {high}")
        return struct.pack(parameter.code, int(number))

    def _address(self, what: str, parameter: KernelParameter, value: Any) -> int:
        if value is None:
            return 0
        if isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64)):
            if not 0 <= int(value) < 1 << 64:
                raise TypeError(f"{what} is of type {parameter}; {quoted(int(value))} is no address, which has 64 bits")
            return int(value)
        if not isinstance(value, (np.ndarray, DeviceArray)):
            hint = f" (it points to pointers: {_ADDRESSES})" if parameter.code == "p" else ""
            raise TypeError(
                f"{what} is of type {parameter}; pass an array, a device array or an address, not {_given(value)}{hint}"
            )
        if parameter.code == "p" and value.dtype not in (np.uint64, np.int64):
            raise TypeError(f"{what} points to pointers; pass an array of addresses, {_ADDRESSES}")
        wanted = element_type(parameter)
        if wanted is not None:
            same = value.dtype == wanted or wanted.itemsize == 1  # a pointer to bytes takes any array
            if not same:
                named = "ml_dtypes.bfloat16" if parameter.code == "y" else wanted
                raise TypeError(f"{what} is of type {parameter}; the array has dtype {value.dtype}, pass {named}")
        if isinstance(value, DeviceArray):
            return value.address
        return self._copies.address(value)


def _floating(what: str, parameter: KernelParameter, number: float) -> bytes:
    """The bytes of a floating parameter; a number too large for it is not taken for infinity."""
    dtype = element_type(parameter)
    assert dtype is not None, "it is a number"
    try:
        with np.errstate(over="ignore"):
            rounded = np.array(float(number)).astype(dtype)
        if np.isfinite(rounded) or not math.isfinite(number):
            return rounded.tobytes()
    except OverflowError:  # a whole number beyond every float
        pass
    most = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
    raise TypeError(f"{what} is of type {parameter}, which cannot hold {quoted(number)}; its largest is {most:g}")


def _given(value: Any) -> str:
    """What was given for something else: text as it was written, and what else it is."""
    return quoted(value) if isinstance(value, str) else type(value).__name__


def argument_list(args: Any) -> Sequence[Any]:
    """The arguments of a kernel; one that is no list or tuple is the only one."""
    return args if isinstance(args, (list, tuple)) else [args]


def arrays_among(values: Sequence[Any]) -> list[tuple[str, np.ndarray]]:
    """The arrays among the arguments of a launch, also inside of structures, each with its place."""
    found: list[tuple[str, np.ndarray]] = []

    def visit(place: str, value: Any) -> None:
        if isinstance(value, np.ndarray):
            found.append((place, value))
        elif isinstance(value, (StructureValue, Mapping)):
            members = value.values if isinstance(value, StructureValue) else value
            for name, inner in members.items():
                visit(f"{place}.{name}", inner)
        elif isinstance(value, (list, tuple)):
            for number, inner in enumerate(value):
                visit(f"{place}[{number}]", inner)

    for number, value in enumerate(values):
        visit(str(number), value)
    return found


def device_arrays(values: Sequence[Any]) -> list[tuple[str, DeviceArray]]:
    """The device arrays among the arguments of a launch, each with its place."""
    return [(str(number), value) for number, value in enumerate(values) if isinstance(value, DeviceArray)]


def _enumerator(what: str, kind: Enumeration, value: Any) -> bytes:
    """The bytes of a value of an enumeration, given as a number or by its name."""
    if isinstance(value, str):
        name = value.rpartition("::")[2]
        if name not in kind.values:
            known = ", ".join(kind.values)
            raise TypeError(f"{what} is one of {known}; {quoted(value)} is none{nearest(name, kind.values)}")
        value = kind.values[name]
    number = as_number(value)
    if not isinstance(number, int):
        raise TypeError(f"{what} is an enumeration; pass one of {', '.join(kind.values)}, or a number")
    try:
        return number.to_bytes(kind.bytes, "little", signed=number < 0)
    except OverflowError:
        raise TypeError(f"{what} is an enumeration of {kind.bytes} bytes, which cannot hold {number}") from None


def _structure(what: str, parameter: KernelParameter, value: Any) -> bytes:
    """The bytes of a structure passed by value."""
    try:
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            raise TypeError
        data = memoryview(value).tobytes()
    except (TypeError, ValueError, BufferError):
        size, given = f" of {parameter.bytes} bytes" if parameter.bytes else "", type(value).__name__
        by_name = " whose members are unknown; pass" if isinstance(value, Mapping) else "; pass its members by name,"
        raise TypeError(f"{what} is a structure{size}{by_name} bytes or a ctypes structure, not {given}") from None
    if parameter.bytes and len(data) != parameter.bytes:
        raise TypeError(f"{what} is a structure of {parameter.bytes} bytes; {len(data)} were given")
    return data
