"""Table look-up: dst[i] = table[src[i]]."""

from __future__ import annotations

import numpy as np

from ..declare import DOCUMENTED, INFERRED, Align, Archs, Require, alias, instruction
from ..results import ValueOutOfRange

_RULES = (
    Require("elem_count > 0", rule="length"),
    Require("table_length > 0", rule="length"),
    Require("table_length % 64 == 0", rule="length"),
    Align(64, archs=Archs("<300")),
)


@instruction(
    "void __bang_lut(T dst[elem_count], const I src[elem_count], const T table[table_length],"
    " int32 elem_count, int32 table_length)",
    types=({"T": "int32", "I": "uint32"}, {"T": "int16", "I": "uint16"}),
    archs=">=300",
    provenance=INFERRED,
    work="elem_count * sizeof_dst",
    rules=_RULES,
)
def lut(src: np.ndarray, table: np.ndarray) -> np.ndarray:
    """dst[i] = table[src[i]]; dst may be src (inferred: public kernels do so)."""
    index = src.view(f"u{src.itemsize}")  # a negative index is a very large one
    if int(index.max()) >= len(table):
        at = int(np.flatnonzero(index >= len(table))[0])
        raise ValueOutOfRange("src", at, int(src[at]), f"not negative and below table_length, {len(table)}")
    return table.take(index)


lut_s32 = alias(
    lut,
    "__bang_lut_s32",
    bindings=({"T": "int32", "I": "uint32"}, {"T": "int32", "I": "int32"}),
    provenance=DOCUMENTED,
)
lut_s16 = alias(
    lut,
    "__bang_lut_s16",
    bindings=({"T": "int16", "I": "uint16"}, {"T": "int16", "I": "int16"}),
    provenance=DOCUMENTED,
)
