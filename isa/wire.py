"""How the arguments of an instruction cross the boundary from C: whole numbers and doubles, one after the other.

The C functions, the native side and the issue port all follow this list, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .prototype import Kind, Parameter
from .types import STRUCTS, UNIONS, VARIABLES

if TYPE_CHECKING:
    from .instruction import Overload


@dataclass(frozen=True)
class Wire:
    """One number on its way: its name in the issue port, whether it is a double, and the C expression that gives it.

    A ``is_natural`` one has no sign: its highest bit counts.
    """

    name: str
    is_float: bool
    c: str
    is_natural: bool = False


def wires(overload: Overload) -> list[Wire]:
    """The numbers that carry the parameters of an overload, in order."""
    return [wire for parameter in overload.parameters for wire in _wires(parameter, overload.binding)]


def _wires(parameter: Parameter, binding: Mapping[str, str]) -> list[Wire]:
    """The numbers that carry a parameter. A structure is its fields and, behind a pointer, whether there is one."""
    name = parameter.name
    if parameter.kind is Kind.STRUCT:
        fields = STRUCTS[parameter.type].fields
        if not parameter.pointer:
            return [Wire(f"_{name}_{field}", False, f"(int64_t){name}.{field}") for field in fields]
        found = [Wire(f"_{name}_{field}", False, f"({name} ? (int64_t){name}->{field} : 0)") for field in fields]
        return [*found, Wire(f"_{name}_given", False, f"(int64_t)({name} != 0)")]
    if parameter.kind is Kind.VARIABLE:
        c_type, kind = VARIABLES[parameter.form]
        kind = kind.format(name=name)
        if not c_type.endswith("*"):
            return [Wire(f"_{name}_kind", False, kind), Wire(name, False, f"(int64_t){name}.addr")]
        return [  # the address has the bits of the value
            Wire(f"_{name}_kind", False, f"({name} ? {kind} : -1)"),
            Wire(name, False, f"({name} ? (int64_t){name}->context.addr : 0)"),
        ]
    if parameter.kind is Kind.BITS:
        return [Wire(name, False, f"(int64_t){name}.{UNIONS[parameter.form][1]}")]
    if parameter.register:
        return [Wire(name, False, f"(int64_t){name}.address")]
    element = parameter.element(binding)
    if parameter.is_memory or not element.is_float:
        is_natural = not parameter.is_memory and element.dtype == np.uint64
        return [Wire(name, False, f"(int64_t){name}", is_natural)]
    return [Wire(name, True, f"(double)(float){name}" if element.name == "bfloat16" else f"(double){name}")]


def flatten(parameter: Parameter, value: object) -> list[object]:
    """The numbers of a Python argument: a structure is a tuple of its fields, or None for a null pointer."""
    if parameter.kind is Kind.VARIABLE:
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise TypeError(f"{parameter.name} is {_shown(value)}; pass (TENSOR or VECTOR, address) or (SCALAR, bits)")
        return list(value)
    if parameter.kind is not Kind.STRUCT:
        return [value]
    struct = STRUCTS[parameter.type]
    if value is None and parameter.pointer:
        return [0] * (len(struct.fields) + 1)
    if not isinstance(value, (tuple, list)) or len(value) != len(struct.fields):
        fields = ", ".join(struct.fields)
        raise TypeError(f"{parameter.name} is {_shown(value)}; pass {struct.name} as a tuple ({fields})")
    return [*value, 1] if parameter.pointer else list(value)


def _shown(value: object) -> str:
    """A value of Python's own as it is written; of another, whose ``repr`` may be anything, its type."""
    return repr(value) if type(value) in (int, float, str, tuple, list, type(None)) else f"a {type(value).__name__}"
