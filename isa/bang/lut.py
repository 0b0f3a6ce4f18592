"""Table look-up: dst[i] = table[src[i]]."""

from __future__ import annotations

import numpy as np

from ..declare import DOCUMENTED, INFERRED, Align, Archs, Compute, Require, alias, instruction
from ..results import Partial, ValueOutOfRange

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
    effect=Compute(partial=True),
    work="elem_count * sizeof_dst",
    rules=_RULES,
    looks_up="src",
)
def lut(src: np.ndarray, table: np.ndarray, count_table: int) -> Partial:
    """dst[i] = table[src[i]], kept where src[i] has all bits set; dst may be src (inferred: public kernels do so)."""
    index = src.view(f"u{src.itemsize}")  # a negative index is a very large one
    found = index < count_table
    if found.all():
        return Partial(table.take(index), found)
    # A public kernel looks its masks up again in the table of 0 and -1 that they come from, and wants them back.
    odd = np.flatnonzero(~found & (index != np.iinfo(index.dtype).max))
    at = int(odd[0]) if len(odd) else int(np.argmin(found))
    error = ValueOutOfRange("src", at, int(src[at]), f"not negative and below table_length, {count_table}")
    if len(odd):
        raise error
    return Partial(table.take(np.where(found, index, 0)), found, doubt=error)


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
