"""Logic (1 or 0 in the type of the vectors), bits, and shifts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...declare import INFERRED, Require, family
from ...instruction import Wider
from ...members import Members
from .vectors import (
    BINARY,
    CYCLE,
    CYCLE_FACTS,
    FACTS,
    FLOATS,
    NEWER,
    SCALAR,
    UNARY,
    VECTOR_RULES,
    VECTOR_WORK,
    as_bits,
    of_cycle,
    of_scalar,
    of_vectors,
)

_WHOLE = "int32 int16 int8"
_LOGICAL: Members = {
    "and": (np.logical_and, "{a} && {b} ? 1 : 0, in T"),
    "or": (np.logical_or, "{a} || {b} ? 1 : 0, in T"),
    "xor": (np.logical_xor, "!{a} != !{b} ? 1 : 0, in T"),
}
_NOT: Members = {"not": (np.logical_not, "dst[i] = src[i] ? 0 : 1, in T")}
_DECIDES: dict[str, Any] = {"wider": Wider.DECIDES}
_OF_BITS: dict[str, Any] = {"provenance": INFERRED, "wider": Wider.BITS}
_UNSIGNED = "uint32 uint16 uint8"
logical = (
    *family(BINARY, of_vectors(_LOGICAL), types=FLOATS, **FACTS, **_DECIDES),
    *family(UNARY, _NOT, types=FLOATS, **FACTS, **_DECIDES),
    *family(BINARY, of_vectors(_LOGICAL), types=_WHOLE, inferred_types="uint32", archs=NEWER, **FACTS),
    *family(UNARY, _NOT, types=_WHOLE, inferred_types="uint32", archs=NEWER, **FACTS),
    *family(
        SCALAR,
        of_scalar(_LOGICAL),
        types=f"{FLOATS} {_WHOLE}",
        inferred_types="uint32",
        archs=">=322",
        **FACTS,
        **_DECIDES,
    ),
    *family(CYCLE, of_cycle(_LOGICAL), types=FLOATS, **CYCLE_FACTS, **_DECIDES),
    *family(CYCLE, of_cycle(_LOGICAL), types=_WHOLE, inferred_types="uint32", archs=NEWER, **CYCLE_FACTS),
)

_BITWISE: Members = {
    "band": (np.bitwise_and, "{a} & {b}"),
    "bor": (np.bitwise_or, "{a} | {b}"),
    "bxor": (np.bitwise_xor, "{a} ^ {b}"),
}
_BNOT: Members = {"bnot": (np.bitwise_not, "dst[i] = ~src[i]")}


def _of_floats(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: function(as_bits(x), as_bits(y)).view(x.dtype)


#: The same on the bytes of floats.
_FLOAT_BITS: Members = {op: (_of_floats(ufunc), text + ", of the bits") for op, (ufunc, text) in _BITWISE.items()}
_FLOAT_BNOT: Members = {"bnot": (lambda src: (~as_bits(src)).view(src.dtype), "dst[i] = ~src[i], of the bits")}
bitwise = (
    *family(BINARY, of_vectors(_BITWISE), types="int8", inferred_types="uint8", **FACTS),
    *family(UNARY, _BNOT, types="int8", inferred_types="uint8", **FACTS),
    *family(BINARY, of_vectors(_BITWISE), types="int32 int16", inferred_types="uint32 uint16", archs=NEWER, **FACTS),
    *family(UNARY, _BNOT, types="int32 int16", inferred_types="uint32 uint16", archs=NEWER, **FACTS),
    *family(BINARY, of_vectors(_FLOAT_BITS), types="half float", archs=NEWER, **_OF_BITS, **FACTS),
    *family(UNARY, _FLOAT_BNOT, types="half float", archs=NEWER, **_OF_BITS, **FACTS),
    *family(SCALAR, of_scalar(_BITWISE), types=_WHOLE, inferred_types=_UNSIGNED, archs=">=322", **FACTS),
    *family(SCALAR, of_scalar(_FLOAT_BITS), types="half float", archs=">=322", wider=Wider.BITS, **FACTS),
    *family(CYCLE, of_cycle(_BITWISE), types="int8", archs=">=200", **CYCLE_FACTS),
    *family(CYCLE, of_cycle(_BITWISE), types="int32 int16", inferred_types="uint32 uint16", archs=NEWER, **CYCLE_FACTS),
)

_SHIFTS: Members = {
    "sll": (lambda src, shift: as_bits(src) << shift, "dst[i] = src[i] << shift"),
    "srl": (lambda src, shift: as_bits(src) >> shift, "dst[i] = src[i] >> shift, of the unsigned bits"),
    "sra": (lambda src, shift: src.view(f"i{src.itemsize}") >> shift, "dst[i] = src[i] >> shift, the sign moves in"),
}
shifts = family(
    "void __bang_{op}(T dst[elem_count], const T src[elem_count], int32 shift, int32 elem_count)",
    _SHIFTS,
    types="uint32 int32 uint16 int16",
    provenance=INFERRED,
    rules=(*VECTOR_RULES, Require("0 <= shift < 8 * sizeof_dst", provenance=INFERRED, needed=True)),
    work=VECTOR_WORK,
)
