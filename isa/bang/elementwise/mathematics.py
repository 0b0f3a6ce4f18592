"""Functions of one vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declare import INFERRED, Require, family, instruction
from ...instruction import Wider
from ...members import Members
from ...rounding import Rounding, to_whole
from .vectors import FACTS, FLOATS, FUNCTION_FACTS, NEWER, UNARY, VECTOR_RULES, VECTOR_WORK


def square_root_reciprocal(src: np.ndarray) -> Any:
    """1 / square root, rounded once."""
    return 1 / np.sqrt(src.astype(np.float64))


def rectified(src: np.ndarray) -> Any:
    """0 for what is below; NaN stays."""
    return np.where(src < 0, src.dtype.type(0), src)


_ABSOLUTE = {"abs": (np.absolute, "dst[i] = |src[i]|")}
absolute = family(UNARY, _ABSOLUTE, types=FLOATS, inferred_types="int32 int16 int8", provenance=INFERRED, **FACTS)
square = family(UNARY, {"square": (np.square, "dst[i] = src[i] * src[i]")}, types=FLOATS, **FACTS)
_FUNCTIONS: Members = {
    "pow2": (np.exp2, "dst[i] = 2 to the power of src[i]"),
    "sqrt": (np.sqrt, "dst[i] = square root of src[i]"),
    "rsqrt": (square_root_reciprocal, "dst[i] = 1 / square root of src[i]"),
    "recip": (np.reciprocal, "dst[i] = 1 / src[i]"),
    "sin": (np.sin, "dst[i] = sine of src[i], radians"),
    "cos": (np.cos, "dst[i] = cosine of src[i], radians"),
}
_LOG2: Members = {"log2": (np.log2, "dst[i] = binary logarithm of src[i]")}
#: The header of toolkit 3 has the binary logarithm under this name; mlu-ops of that time multiplies by ln 2 behind it
#: (kernels/utils/common.h at e6e5f1eb), a design document takes powers as pow2(log(x) * y). Newer sources write log2.
_LOG: Members = {"log": (np.log2, "dst[i] = binary logarithm of src[i], as of log2")}
_LOG_FACTS = {
    **FUNCTION_FACTS, "mistaken": "the natural logarithm",
    # Natural and decimal logarithm of 2, and the binary one of e, as numbers and by common names.
    "known_by": r"\.69314|\.30102|\.30103|1\.4426|\b\w*(?:ln_?2|log_?e?10_?2|log_?e_?2|log_?2_?e)\w*",
}  # fmt: skip
mathematics = (
    *family(UNARY, _FUNCTIONS, types="float", archs=">=322", **FUNCTION_FACTS),
    *family(UNARY, _LOG, types="float", archs=">=322", **_LOG_FACTS),
    *family(UNARY, _LOG, types="half bfloat16", archs=">=592", provenance=INFERRED, **_LOG_FACTS),
    *family(UNARY, _LOG2, types="float", archs=">=322", provenance=INFERRED, **FUNCTION_FACTS),
    *family(
        UNARY, {**_FUNCTIONS, **_LOG2}, types="half bfloat16", archs=">=592", provenance=INFERRED, **FUNCTION_FACTS
    ),
)
whole = family(
    UNARY,
    {
        "floor": (np.floor, "dst[i] = largest integer not above src[i]"),
        "round": (
            lambda src: to_whole(src, Rounding.NEAREST_AWAY),
            "dst[i] = nearest integer; ties go away from zero (inferred)",
        ),
    },
    types="float",
    archs=NEWER,
    overlap="none",
    wider=Wider.DECIDES,
    **FACTS,
)


relu = family(UNARY, {"relu": (rectified, "dst[i] = src[i] < 0 ? 0 : src[i]")}, types=FLOATS, archs=">=322", **FACTS)


@instruction(
    "void __bang_relun(T dst[elem_count], const T src[elem_count], int32 elem_count, T nvalue)",
    types=FLOATS,
    archs=">=322",
    rules=(*VECTOR_RULES, Require("nvalue > 0")),
    work=VECTOR_WORK,
)
def relun(src: np.ndarray, nvalue: float) -> Any:
    """dst[i] = src[i] < 0 ? 0 : src[i] > nvalue ? nvalue : src[i]"""
    most = src.dtype.type(nvalue)
    return np.where(src > most, most, rectified(src))
