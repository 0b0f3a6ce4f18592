"""The six comparisons: of vectors, with a value, with a short vector, and to packed bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...declare import Align, Require, family
from ...instruction import Wider
from ...members import Members
from .vectors import (
    BINARY,
    COMPARED,
    CYCLE,
    CYCLE_FACTS,
    FACTS,
    FLOATS,
    OLD,
    POSITIVE,
    SCALAR,
    of_cycle,
    of_scalar,
    of_vectors,
)

#: Name -> function, and how C writes it.
SIGNS: Mapping[str, tuple[np.ufunc, str]] = {
    "eq": (np.equal, "=="),
    "ne": (np.not_equal, "!="),
    "lt": (np.less, "<"),
    "le": (np.less_equal, "<="),
    "gt": (np.greater, ">"),
    "ge": (np.greater_equal, ">="),
}
_COMPARISONS: Members = {op: (ufunc, f"{{a}} {sign} {{b}} ? 1 : 0, in T") for op, (ufunc, sign) in SIGNS.items()}
#: The one that older architectures compare with a value by.
_GE: Members = {"ge": _COMPARISONS["ge"]}

_DECIDES: dict[str, Any] = {**FACTS, "wider": Wider.DECIDES}
compare = (
    *family(BINARY, of_vectors(_COMPARISONS), types=FLOATS, inferred_types=COMPARED, **_DECIDES),
    *family(
        SCALAR,
        of_scalar({op: member for op, member in _COMPARISONS.items() if op != "ge"}),
        types=FLOATS,
        inferred_types=COMPARED,
        archs=">=322",
        **_DECIDES,
    ),
    *family(SCALAR, of_scalar(_GE), types=FLOATS, inferred_types=COMPARED, **_DECIDES),
    *family(SCALAR, of_scalar(_GE, "{op}_const"), types="half float", **_DECIDES),
    *family(CYCLE, of_cycle(_COMPARISONS), types=FLOATS, inferred_types=COMPARED, **CYCLE_FACTS, wider=Wider.DECIDES),
)


def _bits(compares: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: np.packbits(compares(x, y), bitorder="little")


_TO_BITS: Members = {
    op: (_bits(ufunc), f"{{a}} {sign} {{b}}, in bit i % 8 of byte i // 8; bits past the last one are 0 (inferred)")
    for op, (ufunc, sign) in SIGNS.items()
}
bitindex = family(
    "void __bang_{op}(T<uint8> dst[(elem_count + 7) // 8], const T src0[elem_count], const T src1[elem_count],"
    " int32 elem_count)",
    of_vectors(_TO_BITS, "{op}_bitindex"),
    types=FLOATS,
    rules=(
        POSITIVE,
        Align(64, archs=OLD),
        Require("elem_count * sizeof_src0 % 512 == 0", OLD, rule="length"),
    ),
    overlap="ascending",
    work="elem_count * max(sizeof_src0, 2)",
)
