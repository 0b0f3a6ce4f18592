"""The device library: functions of vectors whose count comes first, their types a part of the name.

Results are those of the functions themselves, rounded once (inferred).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...declare import INFERRED, Instruction, Require, family
from ...erf import error_function
from ...instruction import Wider
from ...rounding import Rounding, to_int, to_whole
from .arithmetic import quotient, remainder
from .compare import SIGNS
from .mathematics import square_root_reciprocal
from .vectors import FUNCTION_ENGINE

_TYPES = {"f32": "float", "s32": "int32", "u32": "uint32", "u64": "uint64"}
_DTYPES = {"f32": np.float32, "s32": np.int32, "u32": np.uint32, "u64": np.uint64}
_ALL = "f32 s32 u32"

#: The forms: two vectors, a vector and a value, a value and a vector.
_VECTOR = "void __cn_vector_{op}(int32 n, {dst} dst[n], const {src} src0[n], const {src} src1[n])"
_SCALAR = "void __cn_vector_{op}(int32 n, {dst} dst[n], const {src} src0[n], {src} src1)"
_REVERSED = "void __cn_{op}(int32 n, {dst} dst[n], {src} src0, const {src} src1[n])"
_UNARY = "void __cn_vector_{op}(int32 n, {dst} dst[n], const {src} src[n])"
#: Name -> function of one or two arguments, and what it gives.
_Functions = Mapping[str, tuple[Callable[..., Any], str]]


def _declared(
    prototype: str, form: str, functions: _Functions, kinds: str, dst: str = "", **facts: Any
) -> tuple[Instruction, ...]:
    """Every function on every type of ``kinds``; ``form`` makes a name of an operation and a type."""
    return tuple(
        declared
        for kind in kinds.split()
        for declared in family(
            prototype.replace("{dst}", dst or _TYPES[kind]).replace("{src}", _TYPES[kind]),
            {
                form.format(op=op, kind=_rounded(op, kind)): (_of(function, kind, prototype is _UNARY), doc)
                for op, (function, doc) in functions.items()
            },
            **facts,
            rules=(Require("n > 0", rule="length"),),
            work=f"n * {np.dtype(_DTYPES[kind]).itemsize}",
        )
    )


def _rounded(op: str, kind: str) -> str:
    """The vendor names the rounding of what rounds."""
    return "f32_rn" if kind == "f32" and op in ("add", "sub", "mul", "div", "rcp") else kind


def _of(function: Callable[..., Any], kind: str, unary: bool) -> Callable[..., Any]:
    # The names of the arguments say which operands the function gets.
    if unary:
        return lambda src: function(src)
    dtype = _DTYPES[kind]
    return lambda src0, src1: function(
        *(x if isinstance(x, np.ndarray) else np.asarray(x, dtype) for x in (src0, src1))
    )


_DIVISION: _Functions = {
    "div": (quotient, "dst[i] = src0[i] / src1[i], toward zero; by 0 it is 0 (inferred)"),
    "mod": (remainder, "dst[i] = the rest of src0[i] / src1[i], with the sign of src0[i]; by 0 src0[i] (inferred)"),
}
_FLOAT_DIVISION: _Functions = {
    "div": (np.divide, "dst[i] = src0[i] / src1[i]"),
    "mod": (np.fmod, "dst[i] = the rest of src0[i] / src1[i], with the sign of src0[i]"),
}
_ARITHMETIC: _Functions = {
    "add": (np.add, "dst[i] = src0[i] + src1[i]"),
    "sub": (np.subtract, "dst[i] = src0[i] - src1[i]"),
    "mul": (np.multiply, "dst[i] = src0[i] * src1[i]"),
    "max": (np.fmax, "dst[i] = max(src0[i], src1[i])"),
    "min": (np.fmin, "dst[i] = min(src0[i], src1[i])"),
}
_COMPARISONS: _Functions = {op: (ufunc, f"dst[i] = src0[i] {sign} src1[i]") for op, (ufunc, sign) in SIGNS.items()}
_BITS: _Functions = {
    "and": (np.bitwise_and, "dst[i] = src0[i] & src1[i]"),
    "or": (np.bitwise_or, "dst[i] = src0[i] | src1[i]"),
    "xor": (np.bitwise_xor, "dst[i] = src0[i] ^ src1[i]"),
}


def _wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """Computed in double, rounded once."""
    return lambda *given: function(*(x.astype(np.float64) for x in given))


def _sign(x: np.ndarray) -> Any:
    return np.where(np.isnan(x), x, np.sign(x))


_STEPS: _Functions = {
    name: (function, f"dst[i] = {what} src[i]")
    for name, function, what in (
        ("sign", _sign, "-1, 0 or 1, the sign of"),
        ("ceil", np.ceil, "smallest integer not below"),
        ("floor", np.floor, "largest integer not above"),
        ("trunc", np.trunc, "integer toward zero of"),
        ("round", lambda x: to_whole(x, Rounding.NEAREST_AWAY), "nearest integer, ties away from zero, of"),
    )
}
_OF_FLOATS: _Functions = {
    name: (function, f"dst[i] = {what} src[i]")
    for name, function, what in (
        ("sqrt", np.sqrt, "square root of"),
        ("rsqrt", square_root_reciprocal, "1 / square root of"),
        ("rcp", np.reciprocal, "1 /"),
        ("exp", _wide(np.exp), "e to the power of"),
        ("log", _wide(np.log), "natural logarithm of"),
        ("erf", error_function, "error function of"),
        ("sin", _wide(np.sin), "sine of"),
        ("cos", _wide(np.cos), "cosine of"),
        ("tan", _wide(np.tan), "tangent of"),
        ("asin", _wide(np.arcsin), "arc sine of"),
        ("acos", _wide(np.arccos), "arc cosine of"),
        ("atan", _wide(np.arctan), "arc tangent of"),
        ("sinh", _wide(np.sinh), "hyperbolic sine of"),
        ("cosh", _wide(np.cosh), "hyperbolic cosine of"),
        ("tanh", _wide(np.tanh), "hyperbolic tangent of"),
    )
}
_NEGATION: _Functions = {"negate": (np.negative, "dst[i] = -src[i]")}
_POWER: _Functions = {"pow": (_wide(np.power), "dst[i] = src0[i] to the power of src1[i]")}
_HYPOT: _Functions = {"hypot": (_wide(np.hypot), "dst[i] = square root of src0[i]**2 + src1[i]**2")}
_CAST: _Functions = {
    "cast": (
        lambda x: to_int(x.astype(np.float64), np.dtype(np.int32), Rounding.ZERO),
        "dst[i] = int32(src[i]) toward zero, saturated, NaN -> 0",
    )
}
_QUOTIENT: dict[str, Any] = {"divisor": "src1", "engine": FUNCTION_ENGINE}
_NAMED, _WITH_SCALAR = "{op}_{kind}", "{op}_scalar_{kind}"

arithmetic = (
    *_declared(_VECTOR, _NAMED, _ARITHMETIC, _ALL),
    *_declared(_VECTOR, _NAMED, _DIVISION, "s32 u32", **_QUOTIENT),
    *_declared(_VECTOR, _NAMED, _FLOAT_DIVISION, "f32", **_QUOTIENT),
    *_declared(_VECTOR, _NAMED, _POWER, "f32", engine=FUNCTION_ENGINE),
    *_declared(_VECTOR, _NAMED, _HYPOT, "f32", provenance=INFERRED, engine=FUNCTION_ENGINE),
    *_declared(_VECTOR, _NAMED, _BITS, "u32"),
    *_declared(_SCALAR, _WITH_SCALAR, _ARITHMETIC, _ALL),
    *_declared(_SCALAR, _WITH_SCALAR, _DIVISION, "s32 u32", **_QUOTIENT),
    *_declared(_SCALAR, _WITH_SCALAR, {"div": _FLOAT_DIVISION["div"]}, "f32", **_QUOTIENT),
    *_declared(_SCALAR, _WITH_SCALAR, {"mod": _DIVISION["mod"]}, "u64", provenance=INFERRED, **_QUOTIENT),
    *_declared(_SCALAR, _WITH_SCALAR, {"and": _BITS["and"]}, "u32"),
    *_declared(_REVERSED, "scalar_{op}_vector_{kind}", {"sub": _ARITHMETIC["sub"]}, _ALL),
    *_declared(_REVERSED, "scalar_{op}_vector_{kind}", {"div": _DIVISION["div"]}, "s32 u32", **_QUOTIENT),
    *_declared(_REVERSED, "scalar_{op}_vector_{kind}", {"div": _FLOAT_DIVISION["div"]}, "f32", **_QUOTIENT),
)
comparisons = (
    *_declared(_VECTOR, _NAMED, _COMPARISONS, _ALL, dst="bool"),
    *_declared(_SCALAR, _WITH_SCALAR, _COMPARISONS, _ALL, dst="bool"),
)
functions = (
    *_declared(_UNARY, _NAMED, _OF_FLOATS, "f32", engine=FUNCTION_ENGINE),
    *_declared(_UNARY, _NAMED, {"abs": (np.abs, "dst[i] = absolute value of src[i]")}, "f32"),
    *_declared(_UNARY, _NAMED, _STEPS, "f32", wider=Wider.DECIDES),
    *_declared(_UNARY, _NAMED, _NEGATION, "f32 s32"),
    *_declared(_UNARY, _NAMED, {"not": (np.bitwise_not, "dst[i] = ~src[i]")}, "u32"),
    *_declared(_UNARY, "{op}_{kind}_to_s32", _CAST, "f32", dst="int32", provenance=INFERRED),
)
