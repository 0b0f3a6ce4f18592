"""The activation unit: functions that it looks up in tables.

The vendor documents where the argument may lie, what comes out beyond some ends, and the average relative error. The
simulator gives the function itself rounded once and, beyond those ends, the documented constants; arguments outside of
the documented range are computed too (inferred).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...declare import INFERRED, family
from ...erf import error_function
from ...instruction import Wider
from .mathematics import rectified, square_root_reciprocal
from .vectors import FACTS, FUNCTION_FACTS, UNARY

#: What very small results become.
_LEAST = 5.96e-8


def _below(
    function: Callable[[np.ndarray], Any], end: float, value: float, half: tuple[float, float] | None = None
) -> Callable[..., Any]:
    """``function``, and a constant where the argument is below ``end``; ``half``: end and constant of that type."""

    def apply(src: np.ndarray, type_src: np.dtype) -> Any:
        low, constant = half if half and type_src == np.float16 else (end, value)
        return np.where(src < low, constant, function(src.astype(np.float64)))

    return apply


def _sigmoid(src: np.ndarray) -> Any:
    wide = src.astype(np.float64)
    return np.where(src < -7.75, 0.0, np.where(src > 7.75, 1.0, 1 / (1 + np.exp(-wide))))


def _gelu(x: np.ndarray) -> Any:
    return 0.5 * x * (1 + error_function(x / np.sqrt(2)))


def _of_doubles(function: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], Any]:
    return lambda src: function(src.astype(np.float64))


def _sign(src: np.ndarray) -> Any:
    return np.where(np.isnan(src), src, np.where(src < 0, -1, 1))


_ACTIVE = UNARY.replace("__bang_", "__bang_active_")
simple = family(
    _ACTIVE,
    {"abs": (np.absolute, "dst[i] = |src[i]|"), "relu": (rectified, "dst[i] = src[i] < 0 ? 0 : src[i]")},
    types="half float",
    inferred_types="bfloat16",
    **FACTS,
)
active = family(
    _ACTIVE,
    {
        "exp": (
            _below(np.exp, -7.75, _LEAST),
            "dst[i] = e to the power of src[i], up to 10.25, average relative error 0.01; 5.96e-8 below -7.75",
        ),
        "exphp": (
            _below(np.exp, -15, 3e-7, half=(-7.75, _LEAST)),
            "dst[i] = e to the power of src[i], up to 16 (half: 10.25), average relative error 0.003 (half: 0.007);"
            " 3e-7 below -15 (half: 5.96e-8 below -7.75)",
        ),
        "exp_less_0": (
            _below(np.exp, -15.5, _LEAST),
            "dst[i] = e to the power of src[i], up to 0, average relative error 0.003 (half: 0.01);"
            " 5.96e-8 below -15.5",
        ),
        "log": (
            _of_doubles(np.log),
            "dst[i] = natural logarithm of src[i], 6.1e-5 to 63484, average relative error 0.01",
        ),
        "loghp": (
            _of_doubles(np.log),
            "dst[i] = natural logarithm of src[i], 7.2e-9 to 507903 (half: 6.1e-5 to 65504), average relative error"
            " 0.001 (half: 0.002)",
        ),
        "sqrt": (np.sqrt, "dst[i] = square root of src[i], 0 to 63487, average relative error 0.01"),
        "sqrthp": (
            np.sqrt,
            "dst[i] = square root of src[i], 0 to 677268 (half: 65504), average relative error 0.003",
        ),
        "rsqrt": (
            square_root_reciprocal,
            "dst[i] = 1 / square root of src[i], 0.005 to 63487, average relative error 0.01",
        ),
        "rsqrthp": (
            square_root_reciprocal,
            "dst[i] = 1 / square root of src[i], 0.000367 to 1e6 (half: 65504), average relative error 0.0005",
        ),
        "recip": (
            np.reciprocal,
            "dst[i] = 1 / src[i], 0.00391 to 63487, average relative error 0.003 (half: 0.01)",
        ),
        "reciphp": (
            np.reciprocal,
            "dst[i] = 1 / src[i], 0.00391 to 2e6 (half: 65504), average relative error 0.0004",
        ),
        "recip_greater_1": (
            np.reciprocal,
            "dst[i] = 1 / src[i], 1 to 63487, average relative error 0.003 (half: 0.01)",
        ),
        "sin": (_of_doubles(np.sin), "dst[i] = sine of src[i], -2 pi to 2 pi, average relative error 0.01"),
        "cos": (_of_doubles(np.cos), "dst[i] = cosine of src[i], -2 pi to 2 pi, average relative error 0.01"),
        "tanh": (_of_doubles(np.tanh), "dst[i] = hyperbolic tangent of src[i], average relative error 0.01"),
        "sigmoid": (
            _sigmoid,
            "dst[i] = 1 / (1 + e to the power of -src[i]), average relative error 0.01; 0 below -7.75, 1 above 7.75",
        ),
        "sigmoid_hp": (
            _sigmoid,
            "dst[i] = 1 / (1 + e to the power of -src[i]); 0 below -7.75, 1 above 7.75",
        ),
        "gelu": (
            _below(_gelu, -3.875, -_LEAST),
            "dst[i] = src[i] times the normal distribution up to it, average relative error 0.003;"
            " -5.96e-8 below -3.875",
        ),
        "gelup": (
            _below(_gelu, -3.875, -_LEAST),
            "dst[i] = src[i] times the normal distribution up to it, more precise around 0; -5.96e-8 below -3.875",
        ),
    },
    types="half float",
    inferred_types="bfloat16",
    **FUNCTION_FACTS,
)
_POW2 = (np.exp2, "dst[i] = 2 to the power of src[i], a whole number from -31 to 31 (half: -24 to 15)")
newer = (
    *family(
        _ACTIVE,
        {"sign": (_sign, "dst[i] = src[i] < 0 ? -1 : 1")},
        types="half float",
        archs=">=200",
        wider=Wider.DECIDES,
        **FACTS,
    ),
    *family(_ACTIVE, {"pow2": _POW2}, types="half float", archs=">=200", **FUNCTION_FACTS),
)
# Only generated kernels call it: taken for `__bang_active_sigmoid` under a newer name.
sigmoid = family(
    UNARY,
    {"sigmoid": (_sigmoid, "dst[i] = 1 / (1 + e to the power of -src[i]); 0 below -7.75, 1 above 7.75")},
    types="half float",
    inferred_types="bfloat16",
    provenance=INFERRED,
    **FUNCTION_FACTS,
)
