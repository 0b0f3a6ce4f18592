"""Element-wise arithmetic, comparison, logic and mathematics on NRAM vectors.

Sources: the vendor's published device header (BANG 3.x) for what is ``documented``; the use in public
kernels for what is ``inferred``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import INFERRED, Align, Archs, Completion, Copy, Require, declare, family, instruction

FLOATS = "half bfloat16 float"
INTEGERS = "int32 int16 int64 uint32"

OLD = Archs("<300")
NEWER = ">=300"
POSITIVE = Require("elem_count > 0", rule="length")
#: The rules of the 1xx and 2xx architectures; newer ones have none.
VECTOR_RULES = (
    POSITIVE,
    Align(64, archs=OLD),
    Require("elem_count * sizeof_dst % 128 == 0", OLD, rule="length"),
)
#: The vector unit moves 128 bytes a cycle and spends a 2-byte slot at least on every element.
VECTOR_WORK = "elem_count * max(sizeof_dst, 2)"
_FACTS: dict[str, Any] = {"rules": VECTOR_RULES, "work": VECTOR_WORK}

_BINARY = "void __bang_{op}(T dst[elem_count], const T src0[elem_count], const T src1[elem_count], int32 elem_count)"
_SCALAR = "void __bang_{op}(T dst[elem_count], const T src[elem_count], T value, int32 elem_count)"
_UNARY = "void __bang_{op}(T dst[elem_count], const T src[elem_count], int32 elem_count)"

binary = family(
    _BINARY,
    {
        "add": (np.add, "dst[i] = src0[i] + src1[i]"),
        "sub": (np.subtract, "dst[i] = src0[i] - src1[i]"),
        "mul": (np.multiply, "dst[i] = src0[i] * src1[i]"),
    },
    types=FLOATS,
    inferred_types=INTEGERS,
    **_FACTS,
)
extremes = family(
    _BINARY,
    {
        "maxequal": (np.fmax, "dst[i] = max(src0[i], src1[i])"),
        "minequal": (np.fmin, "dst[i] = min(src0[i], src1[i])"),
    },
    types=FLOATS,
    inferred_types="int32",
    **_FACTS,
)
newer_extremes = family(
    _BINARY,
    {
        "maximum": (np.fmax, "dst[i] = max(src0[i], src1[i]); which of a NaN and a number wins is inferred"),
        "minimum": (np.fmin, "dst[i] = min(src0[i], src1[i]); which of a NaN and a number wins is inferred"),
    },
    types="half float",
    archs=">=322",
    **_FACTS,
)


# Bodies, not ufuncs: NumPy deprecates the positional output of these two.
@instruction(_BINARY.format(op="nan_maximum"), types="half float", archs=NEWER, **_FACTS)
def nan_maximum(src0: np.ndarray, src1: np.ndarray) -> Any:
    """dst[i] = max(src0[i], src1[i]), NaN if either is NaN"""
    return np.maximum(src0, src1)


@instruction(_BINARY.format(op="nan_minimum"), types="half float", archs=NEWER, **_FACTS)
def nan_minimum(src0: np.ndarray, src1: np.ndarray) -> Any:
    """dst[i] = min(src0[i], src1[i]), NaN if either is NaN"""
    return np.minimum(src0, src1)


divide = declare(
    _BINARY.format(op="div"),
    doc="dst[i] = src0[i] / src1[i]",
    types="half float",
    archs=">=322 !=372",
    semantics=np.divide,
    **_FACTS,
)
divide_scalar = declare(
    _SCALAR.format(op="div"),
    doc="dst[i] = src[i] / value",
    types="half float",
    archs=">=322 !=372",
    provenance=INFERRED,
    semantics=np.divide,
    **_FACTS,
)
scalar = family(
    _SCALAR,
    {
        "add_scalar": (np.add, "dst[i] = src[i] + value"),
        "sub_scalar": (np.subtract, "dst[i] = src[i] - value"),
        "mul_scalar": (np.multiply, "dst[i] = src[i] * value"),
    },
    types=FLOATS,
    inferred_types=INTEGERS,
    **_FACTS,
)
_COMPARISONS = {
    "eq": (np.equal, "=="),
    "ne": (np.not_equal, "!="),
    "lt": (np.less, "<"),
    "le": (np.less_equal, "<="),
    "gt": (np.greater, ">"),
    "ge": (np.greater_equal, ">="),
}
compare = family(
    _BINARY,
    {op: (ufunc, f"dst[i] = src0[i] {sign} src1[i] ? 1 : 0, in T") for op, (ufunc, sign) in _COMPARISONS.items()},
    types=FLOATS,
    inferred_types="int32 int16",
    **_FACTS,
)
compare_scalar = family(
    _SCALAR,
    {
        f"{op}_scalar": (ufunc, f"dst[i] = src[i] {sign} value ? 1 : 0, in T")
        for op, (ufunc, sign) in _COMPARISONS.items()
        if op != "ge"
    },
    types=FLOATS,
    inferred_types="int32 int16",
    archs=">=322",
    **_FACTS,
)
ge_scalar = declare(
    _SCALAR.format(op="ge_scalar"),
    doc="dst[i] = src[i] >= value ? 1 : 0, in T",
    types=FLOATS,
    inferred_types="int32 int16",
    semantics=np.greater_equal,
    **_FACTS,
)
_LOGICAL = {
    "and": (np.logical_and, "dst[i] = src0[i] && src1[i] ? 1 : 0, in T"),
    "or": (np.logical_or, "dst[i] = src0[i] || src1[i] ? 1 : 0, in T"),
}
_NOT = {"not": (np.logical_not, "dst[i] = src[i] ? 0 : 1, in T")}
logical = (
    *family(_BINARY, _LOGICAL, types=FLOATS, **_FACTS),
    *family(_UNARY, _NOT, types=FLOATS, **_FACTS),
    *family(_BINARY, _LOGICAL, types="int32 int16 int8", archs=NEWER, **_FACTS),
    *family(_UNARY, _NOT, types="int32 int16 int8", archs=NEWER, **_FACTS),
)
_BITWISE = {
    "band": (np.bitwise_and, "dst[i] = src0[i] & src1[i]"),
    "bor": (np.bitwise_or, "dst[i] = src0[i] | src1[i]"),
    "bxor": (np.bitwise_xor, "dst[i] = src0[i] ^ src1[i]"),
}
_BNOT = {"bnot": (np.bitwise_not, "dst[i] = ~src[i]")}
bitwise = (
    *family(_BINARY, _BITWISE, types="int8", **_FACTS),
    *family(_UNARY, _BNOT, types="int8", **_FACTS),
    *family(_BINARY, _BITWISE, types="int32 int16", archs=NEWER, **_FACTS),
    *family(_UNARY, _BNOT, types="int32 int16", archs=NEWER, **_FACTS),
)
absolute = declare(
    _UNARY.format(op="abs"),
    doc="dst[i] = |src[i]|",
    types="half bfloat16 float",
    inferred_types="int32",
    provenance=INFERRED,
    semantics=np.absolute,
    **_FACTS,
)
square = declare(
    _UNARY.format(op="square"), doc="dst[i] = src[i] * src[i]", types=FLOATS, semantics=np.square, **_FACTS
)
mathematics = family(
    _UNARY,
    {
        "pow2": (np.exp2, "dst[i] = 2 to the power of src[i]"),
        "sqrt": (np.sqrt, "dst[i] = square root of src[i]"),
        "recip": (np.reciprocal, "dst[i] = 1 / src[i]"),
        "sin": (np.sin, "dst[i] = sine of src[i], radians"),
        "cos": (np.cos, "dst[i] = cosine of src[i], radians"),
    },
    types="float",
    archs=">=322",
    **_FACTS,
)
log2 = declare(
    _UNARY.format(op="log2"),
    doc="dst[i] = binary logarithm of src[i]",
    types="float",
    archs=">=322",
    provenance=INFERRED,
    semantics=np.log2,
    **_FACTS,
)
floor = declare(
    _UNARY.format(op="floor"),
    doc="dst[i] = largest integer not above src[i]",
    types="float",
    archs=">=300",
    overlap="none",
    semantics=np.floor,
    **_FACTS,
)


move = declare(
    "void __bang_move(void dst[size], const void src[size], int32 size)",
    doc="Copy size bytes from NRAM to NRAM in the compute pipe",
    provenance=INFERRED,
    work="size",
    rules=(Require("size > 0", rule="length"),),
    overlap="any",
    effect=Copy(Completion.IN_ORDER),
)


@instruction(
    "void __bang_incseq(T dst[elem_count], int32 elem_count)",
    types="int32 int64",
    archs=">592",
    provenance=INFERRED,
    work=VECTOR_WORK,
    rules=(POSITIVE,),
)
def incseq(elem_count: int) -> np.ndarray:
    """dst[i] = i"""
    return np.arange(elem_count)
