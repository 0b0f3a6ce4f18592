"""Element types: what a C kernel calls them and the NumPy type that holds them."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class ElementType:
    """One element type of an ISA."""

    name: str
    dtype: np.dtype
    spellings: tuple[str, ...]  # C types that mean it; the first is the one shown
    scalar_spellings: tuple[str, ...] = ()  # C types of a bare value that mean it, where they differ

    @property
    def is_float(self) -> bool:
        """Whether a scalar of it travels as a C double."""
        return self.dtype.kind not in "iub"

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize


_ALL = (
    ElementType("half", np.dtype(np.float16), ("half",)),
    ElementType("bfloat16", np.dtype(ml_dtypes.bfloat16), ("bfloat16_t",)),
    ElementType("float", np.dtype(np.float32), ("float",), ("float", "double")),
    ElementType("int8", np.dtype(np.int8), ("int8_t", "char"), ("int8_t", "char", "bool")),
    ElementType("uint8", np.dtype(np.uint8), ("uint8_t",)),
    ElementType("int16", np.dtype(np.int16), ("int16_t",)),
    ElementType("uint16", np.dtype(np.uint16), ("uint16_t",)),
    ElementType("int32", np.dtype(np.int32), ("int32_t",)),
    ElementType("uint32", np.dtype(np.uint32), ("uint32_t",)),
    ElementType("int64", np.dtype(np.int64), ("int64_t", "long long")),
    ElementType("uint64", np.dtype(np.uint64), ("uint64_t", "unsigned long long")),
    ElementType("void", np.dtype(np.uint8), ("void",)),
    ElementType("bool", np.dtype(np.bool_), ("bool",)),
    ElementType("data_type", np.dtype(np.int32), ("data_type_t",)),
    ElementType("scalar", np.dtype(np.uint32), ("scalar_t",)),  # the bits of a C union
)

#: Every element type by name.
TYPES = {entry.name: entry for entry in _ALL}
