"""What an instruction works on: element types, C enumerations and C structures, each with its names in C."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from .enumerations import DATA_TYPES, FUSIONS, POOL_OVERLAPS, ROUNDING_MODES


@dataclass(frozen=True)
class ElementType:
    """One element type of an ISA, or the type of a bare value."""

    name: str
    dtype: np.dtype
    spellings: tuple[str, ...]  # C types that mean it; the first is the one shown
    scalar_spellings: tuple[str, ...] = ()  # C types of a bare value that mean it, where they differ
    values: Mapping[str, int] = field(default_factory=dict)  # of an enumeration: its names

    @property
    def is_float(self) -> bool:
        """Whether a scalar of it travels as a C double."""
        return self.dtype.kind not in "iub"

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize


@dataclass(frozen=True)
class StructType:
    """A C structure of whole numbers that an instruction takes; an expression of a declaration names ``x.field``."""

    name: str
    fields: tuple[str, ...]

    def make(self, *values: int) -> Any:
        """The structure as bodies and expressions see it: a named tuple."""
        return _TUPLES[self.name](*values)


_ALL = (
    ElementType("half", np.dtype(np.float16), ("half",)),
    ElementType("bfloat16", np.dtype(ml_dtypes.bfloat16), ("bfloat16_t",)),
    ElementType("float8e4m3", np.dtype(ml_dtypes.float8_e4m3fn), ("float8e4m3",)),
    ElementType("float8e5m2", np.dtype(ml_dtypes.float8_e5m2), ("float8e5m2",)),
    ElementType("float", np.dtype(np.float32), ("float",), ("float", "double")),
    ElementType("int8", np.dtype(np.int8), ("int8_t", "char"), ("int8_t", "char", "bool")),
    ElementType("uint8", np.dtype(np.uint8), ("uint8_t",)),
    ElementType("int16", np.dtype(np.int16), ("int16_t",)),
    ElementType("uint16", np.dtype(np.uint16), ("uint16_t",)),
    ElementType("int32", np.dtype(np.int32), ("int32_t",)),
    ElementType("uint32", np.dtype(np.uint32), ("uint32_t",)),
    ElementType("int64", np.dtype(np.int64), ("int64_t", "long long")),
    ElementType("uint64", np.dtype(np.uint64), ("uint64_t", "unsigned long long")),
    ElementType("float2", np.dtype(np.complex64), ("float",)),  # two floats side by side
    ElementType("void", np.dtype(np.uint8), ("void",)),
    ElementType("bool", np.dtype(np.bool_), ("bool",)),
    ElementType("data_type", np.dtype(np.int32), ("data_type_t",), values=DATA_TYPES),
    ElementType("fusion", np.dtype(np.int32), ("mluFusionOpCode",), values=FUSIONS),
    ElementType("pool_overlap", np.dtype(np.int32), ("mluPoolBPOverlap",), values=POOL_OVERLAPS),
    ElementType("rounding", np.dtype(np.int32), ("rounding_mode_t",), values=ROUNDING_MODES),
)

#: C types of a parameter that is a value or an address, by the word that stands for it in prototypes, each with the C
#: expression of its kind (`VARIABLE_TYPES`). Those without a star are passed by value, and an argument says the kind.
VARIABLES = {
    "variable": ("variable_t *", "(int64_t){name}->type"),
    "fp32_or_addr": ("fp32_or_addr_t *", "(int64_t)!{name}->is_addr"),
    "x32_or_addr": ("x32_or_addr_t *", "(int64_t)!{name}->is_addr"),
    "row_or_value": ("var_context_t", "(int64_t)(bias_is_const ? 1 : 0)"),
    "channels_or_value": ("var_context_t", "(int64_t)(bias_is_const ? 1 : 2)"),
}
#: C unions of which the bits of an element type count, each with the member that has them all.
UNIONS = {"scalar": ("scalar_t", "u32"), "x32": ("x32", "u32"), "x16": ("x16", "u16"), "x8": ("x8", "u8")}

#: Every element type by name.
TYPES = {entry.name: entry for entry in _ALL}

#: Every structure by name, which is its name in C too.
STRUCTS = {
    entry.name: entry
    for entry in (
        StructType("dim4", ("n", "c", "h", "w")),
        StructType("dim2", ("h", "w")),
        StructType("padding_t", ("top", "bottom", "left", "right")),
        StructType("Padding", ("top", "bottom", "left", "right")),
    )
}
_TUPLES: dict[str, Any] = {entry.name: namedtuple(entry.name, entry.fields) for entry in STRUCTS.values()}
