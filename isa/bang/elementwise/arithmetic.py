"""Sums, products, quotients and extremes of vectors, vectors and values, vectors and short vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...declare import INFERRED, Instruction, Require, declare, family
from ...members import Members
from ...rounding import Rounding, narrow
from .vectors import (
    BINARY,
    COMPARED,
    CYCLE,
    CYCLE_FACTS,
    FACTS,
    FLOATS,
    FUNCTION_ENGINE,
    FUNCTION_FACTS,
    INTEGERS,
    NEWER,
    OLD,
    POSITIVE,
    SCALAR,
    UNARY,
    VECTOR_WORK,
    of_cycle,
    of_scalar,
    of_vectors,
)

_LATER = ">=200"
#: Architectures with a unit that divides.
_DIVIDING = ">=322 !=372"


def _product_before_3xx(x: np.ndarray, y: np.ndarray) -> Any:
    """A factor of 0 makes +0 of any other one: code that public libraries have for the 2xx relies on it (inferred)."""
    return np.where((x == 0) | (y == 0), x.dtype.type(0), x * y)


_SUMS: Members = {"add": (np.add, "{a} + {b}"), "sub": (np.subtract, "{a} - {b}")}
_PRODUCT: Members = {"mul": (np.multiply, "{a} * {b}; on the 2xx, +0 where one of them is 0 (inferred)")}
_OLD_PRODUCT: Members = {"mul": (_product_before_3xx, "")}


def _arithmetic(prototype: str, formed: Callable[[Members], Members], **facts: Any) -> tuple[Instruction, ...]:
    """The three operations in one form of operands."""
    ((older, _),) = formed(_OLD_PRODUCT).values()
    return (
        *family(prototype, formed(_SUMS), **facts),
        *family(prototype, formed(_PRODUCT), older=(OLD, older), **facts),
    )


_ALL: dict[str, Any] = {"types": FLOATS, "inferred_types": INTEGERS}
binary = _arithmetic(BINARY, of_vectors, **_ALL, **FACTS)
scalar = _arithmetic(SCALAR, of_scalar, **_ALL, **FACTS)
cycle = _arithmetic(CYCLE, of_cycle, **_ALL, **CYCLE_FACTS)
constant = _arithmetic(
    SCALAR, lambda members: of_scalar(members, "{op}_const"), types="half float", archs=_LATER, **FACTS
)


def _sum_toward_zero(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The exact sum, cut off."""
    a, b = x.astype(np.float64), y.astype(np.float64)
    total = a + b
    part = total - a
    lost = (a - (total - part)) + (b - part)  # what the rounding of the sum took away, exactly
    cut = narrow(total, x.dtype, Rounding.ZERO)
    back = np.isfinite(total) & (cut == total) & (lost * np.sign(total) < 0)
    return np.where(back, np.nextafter(cut, x.dtype.type(0)), cut)


_TOWARD_ZERO: Members = {"add_tz": (_sum_toward_zero, "{a} + {b}, rounded toward zero")}
toward_zero = (
    *family(BINARY, of_vectors(_TOWARD_ZERO), types="half float", archs=_LATER, **FACTS),
    *family(CYCLE, of_cycle(_TOWARD_ZERO), types="half float", archs=_LATER, **CYCLE_FACTS),
)

_LARGER, _SMALLER = "max({a}, {b})", "min({a}, {b})"
_UNSURE, _NAN_WINS = "; which of a NaN and a number wins is inferred", ", NaN if either is NaN"
_EXTREMES: Members = {"maxequal": (np.fmax, _LARGER), "minequal": (np.fmin, _SMALLER)}
_SHORT_EXTREMES: Members = {"maxeq": (np.fmax, _LARGER), "mineq": (np.fmin, _SMALLER)}
_NEWER_EXTREMES: Members = {"maximum": (np.fmax, _LARGER + _UNSURE), "minimum": (np.fmin, _SMALLER + _UNSURE)}
# Functions, not ufuncs: NumPy deprecates the positional output of these two.
_NAN_EXTREMES: Members = {
    "nan_maximum": (lambda x, y: np.maximum(x, y), _LARGER + _NAN_WINS),
    "nan_minimum": (lambda x, y: np.minimum(x, y), _SMALLER + _NAN_WINS),
}
extremes = (
    *family(BINARY, of_vectors(_EXTREMES), types=FLOATS, inferred_types=COMPARED, **FACTS),
    *family(
        SCALAR,
        of_scalar(_SHORT_EXTREMES),
        types=f"half float bfloat16 {COMPARED} uint16 uint8",
        archs=">=322",
        **FACTS,
    ),
    *family(CYCLE, of_cycle(_EXTREMES), types=FLOATS, inferred_types=COMPARED, **CYCLE_FACTS),
    *family(BINARY, of_vectors(_NEWER_EXTREMES), types="half float", archs=">=322", **FACTS),
    *family(CYCLE, of_cycle(_NEWER_EXTREMES), types="half float", archs=">=322", **CYCLE_FACTS),
    *family(BINARY, of_vectors(_NAN_EXTREMES), types="half float", archs=NEWER, **FACTS),
    *family(CYCLE, of_cycle(_NAN_EXTREMES), types="half float", archs=NEWER, **CYCLE_FACTS),
)


def quotient(x: np.ndarray, y: np.ndarray) -> Any:
    """Toward zero; by 0 it is 0."""
    size = np.abs(x.astype(np.int64)) // np.maximum(np.abs(y.astype(np.int64)), 1)
    return np.where(y == 0, 0, np.where((x < 0) != (y < 0), -size, size)).astype(x.dtype)


def remainder(x: np.ndarray, y: np.ndarray) -> Any:
    """With the sign of ``x``; by 0 it is ``x``."""
    return np.where(y == 0, x, np.fmod(x, np.where(y == 0, 1, y)))


_DIVISION: Members = {"div": (np.divide, "{a} / {b}")}
_WHOLE_DIVISION: Members = {
    "div": (quotient, "{a} / {b}, toward zero; by 0 it is 0 (inferred)"),
    "rem": (remainder, "the remainder of {a} / {b}, with the sign of {a}; by 0 it is {a} (inferred)"),
}
_FLOAT_REMAINDER: Members = {"rem": (np.fmod, "the remainder of {a} / {b}, with the sign of {a}")}
_BY_VECTOR: dict[str, Any] = {**FUNCTION_FACTS, "divisor": "src1"}
_BY_VALUE: dict[str, Any] = {**FUNCTION_FACTS, "divisor": "value"}
_WHOLE = "int16 int32 uint16 uint32"
division = (
    *family(BINARY, of_vectors(_DIVISION), types="half float", archs=_DIVIDING, **_BY_VECTOR),
    *family(SCALAR, of_scalar(_DIVISION, "{op}"), types="half float", archs=_DIVIDING, **_BY_VALUE),
    *family(BINARY, of_vectors(_WHOLE_DIVISION), types=_WHOLE, archs=_DIVIDING, **_BY_VECTOR),
    *family(SCALAR, of_scalar(_WHOLE_DIVISION, "{op}"), types=_WHOLE, archs=_DIVIDING, **_BY_VALUE),
    *family(
        SCALAR, of_scalar(_FLOAT_REMAINDER, "{op}"), types="float", archs=">=322", provenance=INFERRED, **_BY_VALUE
    ),
    declare(
        "void __bang_div(T dst[elem_count], const T src0[elem_count], const T src1[elem_count],"
        " work T src_addition[elem_count], int32 elem_count)",
        doc="dst[i] = src0[i] / src1[i]; src_addition is room to work in, as large as the others",
        types="half float",
        archs=_LATER,
        rules=(POSITIVE, Require("elem_count * sizeof_dst % 128 == 0", rule="length")),
        overlap="none",
        engine=FUNCTION_ENGINE,
        work=VECTOR_WORK,
        semantics=np.divide,
        divisor="src1",
    ),
)
division_asm = tuple(
    declare(
        f"void __asm_div_scalar_nram_{name}({{0}} dst[elem_count], const {{0}} src[elem_count], {{0}} value,"
        " int32 elem_count)".format(kind),
        doc="dst[i] = src[i] / value",
        provenance=INFERRED,
        asm=f"div.scalar.nram.{name}",
        engine=FUNCTION_ENGINE,
        work=VECTOR_WORK,
        rules=(POSITIVE,),
        divisor="value",
        semantics=lambda src, value: src / src.dtype.type(value),
    )
    for name, kind in (("f16", "half"), ("f32", "float"))
)
_NEGATION = {"neg": (np.negative, "dst[i] = -src[i]")}
negation = family(UNARY, _NEGATION, types=FLOATS, inferred_types="int32", provenance=INFERRED, **FACTS)
