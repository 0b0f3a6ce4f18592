"""BDC: elementary functions and conversions, on tensors in the aligned layout.

Results are those of float64, rounded once, where the vendor's own are off by a few units in the last place (1.9 of
rsqrt, 4.2 of exp, 5.6 of sqrt and sigmoid in its model). What it makes of 0 and of infinities is kept.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..declare import Require
from ..instruction import Wider
from ..results import ValueOutOfRange
from ..rounding import Rounding, to_int
from ..tpu.cycles import work
from .elements import BDC, reciprocal
from .machine import family, instruction

#: Arguments of exponentials: e to the power of others is no normal float.
LEAST, MOST = -103, 88
#: Terms of the Taylor series behind the first, unless a caller says how many.
TERMS = 32
_ALIGNED = (
    "void okk_bdc_{op}(tensor<{dst}> dst_addr[shape], const tensor<{src}> src_addr[shape]{more}, dim4 *shape{last})"
)
_WORK = ", work tensor<float> work_addr[shape]"
_TERMS = Require("1 <= num_series <= 64", needed=True)


def _prototype(op: str, dst: str = "float", src: str = "float", more: str = "", last: str = "") -> str:
    return _ALIGNED.format(op=op, dst=dst, src=src, more=more, last=last)


def _cost(engine: str, **names: str) -> dict[str, Any]:
    return {**BDC, "engine": engine, "work": work(engine, shape="shape", size="4", **names)}


#: What three steps of Newton's method make of the usual first guess at 1 / sqrt(0).
_OF_ZERO = float(np.array(0x5F3759DF, np.uint32).view(np.float32)) * 1.5**3


def _rsqrt(values: np.ndarray) -> np.ndarray:
    wide = values.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = 1 / np.sqrt(wide)
    return np.where(wide == 0, _OF_ZERO, np.where(np.isposinf(wide), -np.inf, found))


roots = family(
    _prototype("{op}"),
    {
        "rsqrt": (
            lambda src_addr: _rsqrt(src_addr),
            "dst = 1 / sqrt(src); 4.46e19 of 0, -inf of inf (inferred), NaN of a negative number",
        ),
        "sqrt": (
            lambda src_addr: reciprocal(_rsqrt(src_addr)),
            "dst = sqrt(src) as 1 / (1 / sqrt): 2.2e-20 of 0, -inf of inf, NaN of a negative number",
        ),
    },
    **_cost("bdc_rsqrt"),
)


def series(values: np.ndarray, terms: int) -> np.ndarray:
    """The sum of x**k / k! from 0 to ``terms``, in float64."""
    wide = values.astype(np.float64)
    total, term = np.ones_like(wide), np.ones_like(wide)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, terms + 1):
            term = term * wide / k
            total += term
    return total


def power(values: np.ndarray, terms: int) -> Any:
    """e**x in float64: of its whole part by a table, of the rest by `series`."""
    wide = values.astype(np.float64)
    if terms >= TERMS:  # as good as exact
        with np.errstate(over="ignore"):
            return np.exp(wide)
    whole = np.where(np.isfinite(wide), np.trunc(wide), 0)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.exp(whole) * series(np.where(np.isfinite(wide), wide - whole, wide), terms)


def _sigmoid(values: np.ndarray, terms: int) -> Any:
    with np.errstate(over="ignore"):
        return 1 / (1 + power(-values, terms))


def _tanh(values: np.ndarray, terms: int) -> Any:
    return np.tanh(values.astype(np.float64)) if terms >= TERMS else 2 * _sigmoid(2 * values, terms) - 1


@instruction(
    _prototype("taylor_exp", last=", int32 num_series"), rules=(_TERMS,), **_cost("bdc_taylor", terms="num_series")
)
def taylor_exp(src_addr: np.ndarray, num_series: int) -> np.ndarray:
    """dst = sum of src**k / k! for k from 0 to num_series"""
    return series(src_addr, num_series)


_CURVES: dict[str, tuple[Any, str]] = {
    "exp": (power, "e**src, for -103 <= src <= 88"),
    "sigmoid": (_sigmoid, "1 / (1 + e**-src)"),
    "tanh": (_tanh, "tanh(src)"),
}


def _curve(function: Any, tuned: bool) -> Any:
    """A function of a tensor, or of a tensor and of how many terms to take."""
    if tuned:
        return lambda src_addr, num_series: function(src_addr, num_series)
    return lambda src_addr: function(src_addr, TERMS)


curves = family(
    _prototype("{op}", more=_WORK),
    {op: (_curve(function, False), f"dst = {words}") for op, (function, words) in _CURVES.items()},
    **_cost("bdc_taylor", terms=str(TERMS)),
)
_CUT = "e**x by so many terms; that the whole part is cut off towards zero is inferred"
tunable = family(
    _prototype("{op}_tunable", more=_WORK, last=", int32 num_series"),
    {op: (_curve(function, True), f"dst = {words}, {_CUT}") for op, (function, words) in _CURVES.items()},
    rules=(_TERMS,),
    **_cost("bdc_taylor", terms="num_series"),
)


def _within(values: np.ndarray, least: int, most: int) -> None:
    """`ValueOutOfRange` for the first element that a table lacks."""
    if len(wrong := np.flatnonzero((values < least) | (values > most))):
        at = int(wrong[0])
        raise ValueOutOfRange("src_addr", at, int(values.flat[at]), f"between {least} and {most}")


_LOOKUP = {**BDC, "wider": Wider.BITS}


@instruction(_prototype("lookup_exp", src="int32"), **_LOOKUP)
def lookup_exp(src_addr: np.ndarray) -> np.ndarray:
    """dst = e**src, of whole numbers from -103 to 88, by a table"""
    _within(src_addr, LEAST, MOST)
    return np.exp(src_addr.astype(np.float64))


@instruction(_prototype("lookup_int32_to_fp32", src="int32"), **_LOOKUP)
def lookup_float(src_addr: np.ndarray) -> np.ndarray:
    """dst = src as a float, of whole numbers from -128 to 127, by a table"""
    _within(src_addr, -128, 127)
    return src_addr.astype(np.float32)


@instruction(_prototype("fp32_to_int32", dst="int32"), **_LOOKUP)
def to_integer(src_addr: np.ndarray) -> np.ndarray:
    """dst = src without its fraction; beyond the integers the nearest one, of a NaN the largest"""
    return to_int(src_addr.astype(np.float64), np.dtype(np.int32), Rounding.ZERO, nan=math.floor(2**31 - 1))
