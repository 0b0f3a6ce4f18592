"""What elementwise operators should give, by NumPy in float32, float64 or whole numbers, and by fractions for int8."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

import ml_dtypes
import numpy as np

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = (np.dtype(np.float32), np.dtype(np.float16), BFLOAT16)
INT32, INT8, BOOL = np.dtype(np.int32), np.dtype(np.int8), np.dtype(np.bool_)
#: Functions that may err by this, relative; all others are exact.
RELATIVE = 2e-5
SMALLEST = float(np.finfo(np.float32).tiny)
_erfc = np.vectorize(math.erfc, otypes=[float])


def _silu(a: np.ndarray) -> np.ndarray:
    return a / (1 + np.exp(-a))


def _gelu(a: np.ndarray) -> np.ndarray:
    return a * _erfc(-a / np.sqrt(2)) / 2


def _truncated(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quotient of whole numbers toward zero, 0 for b = 0."""
    wide, by = a.astype(np.int64), b.astype(np.int64)
    return np.sign(wide) * np.sign(by) * (np.abs(wide) // np.maximum(np.abs(by), 1))


def _whole_power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    exact = [
        pow(int(x), int(y), 2**32) if y >= 0 else {1: 1, -1: 1 if y % 2 == 0 else -1}.get(int(x), 0)
        for x, y in zip(a.ravel(), b.ravel(), strict=True)
    ]
    wrapped = [(value + 2**31) % 2**32 - 2**31 for value in exact]
    return np.array(wrapped, np.int64).reshape(a.shape)


#: Exact in float32: what IEEE says.
FLOAT: Mapping[str, Callable[..., np.ndarray]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "maximum": np.maximum,
    "minimum": np.minimum, "prelu": lambda a, b: np.where(a > 0, a, a * b), "mod": np.fmod,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "logical_not": np.logical_not, "equal": np.equal, "not_equal": np.not_equal, "greater": np.greater,
    "greater_equal": np.greater_equal, "less": np.less, "less_equal": np.less_equal,
    "relu": lambda a: np.maximum(a, np.zeros_like(a)), "neg": np.negative, "abs": np.abs, "sqrt": np.sqrt,
    "zero": np.zeros_like, "clip": lambda a: np.clip(a, np.float32(-0.75), np.float32(2.5)),
}  # fmt: skip
#: In float64, compared within RELATIVE.
FUNCTIONS: Mapping[str, Callable[..., np.ndarray]] = {
    "exp": np.exp, "log": np.log, "sigmoid": lambda a: 1 / (1 + np.exp(-a)), "gelu": _gelu, "silu": _silu,
    "pow": np.power,
}  # fmt: skip
WHOLE: Mapping[str, Callable[..., np.ndarray]] = {
    **FLOAT,
    "div": _truncated, "mod": lambda a, b: np.where(b == 0, 0, a - _truncated(a, b) * b), "pow": _whole_power,
    "clip": lambda a: np.clip(a, -7, 20),
}  # fmt: skip


def expected(name: str, *operands: np.ndarray) -> np.ndarray:
    """The result of an operator on arrays of one type: in float32 and rounded once for floats, wrapped for integers."""
    dtype = operands[0].dtype
    with np.errstate(all="ignore"):
        if dtype in (INT32, INT8) and name in WHOLE and name != "sqrt":
            wide = WHOLE[name](*(np.asarray(operand, np.int64) for operand in np.broadcast_arrays(*operands)))
            return wide if wide.dtype == BOOL else wide.astype(dtype)
        narrow = np.dtype(np.float16) if dtype in (INT8, BOOL) and name in (*FUNCTIONS, "sqrt") else dtype
        if name in FUNCTIONS:
            return FUNCTIONS[name](*(operand.astype(np.float64) for operand in operands))
        found = FLOAT[name](*(operand.astype(np.float32) for operand in operands))
        return found if found.dtype == BOOL else found.astype(narrow)


def check(name: str, output: np.ndarray, operands: tuple[np.ndarray, ...]) -> None:
    """An output against `expected`: exactly, or within RELATIVE and half a place of the output's type."""
    wanted = expected(name, *operands)
    exact = name not in FUNCTIONS or operands[0].dtype == INT32 or (operands[0].dtype == INT8 and name == "pow")
    if exact:
        assert output.dtype == wanted.dtype
        same = (output == wanted) | ((output != output) & (wanted != wanted))
        if name not in ("maximum", "minimum", "relu", "clip"):  # which zero they give no rule says
            signs = np.signbit(output.astype(np.float32)) == np.signbit(wanted.astype(np.float32))
            same &= signs | (wanted != wanted)
        assert same.all(), _shown(name, ~same, operands, output, wanted)
        return
    places = {np.dtype(np.float32): 0.0, np.dtype(np.float16): 2.0**-11, BFLOAT16: 2.0**-8}[output.dtype]
    least = 2.0**-14 if output.dtype == np.float16 else SMALLEST
    with np.errstate(all="ignore"):
        rounded = wanted.astype(output.dtype).astype(np.float64)
        found = output.astype(np.float64)
        error = np.abs(found - wanted) / np.maximum(np.abs(wanted), least)
        near = error <= RELATIVE + 1.01 * places
    same = (found == rounded) | (np.isnan(found) & np.isnan(wanted)) | near
    assert same.all(), _shown(name, ~same, operands, output, wanted)


def _shown(
    name: str, wrong: np.ndarray, operands: tuple[np.ndarray, ...], output: np.ndarray, wanted: np.ndarray
) -> str:
    at = tuple(index[0] for index in np.nonzero(wrong))
    inputs = [np.broadcast_to(operand, output.shape)[at] for operand in operands]
    return f"{name}{inputs} at {at} is {output[at]!r} and should be {wanted[at]!r}; {wrong.sum()} are wrong"


# --- int8 with scales ------------------------------------------------------------------------------------------------


def _fraction_mod(x: Fraction, y: Fraction) -> Fraction:
    return x - y * int(x / y) if y else Fraction(0)


FRACTIONS: Mapping[str, Callable[..., Fraction]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "maximum": max, "minimum": min,
    "prelu": lambda x, y: x if x > 0 else x * y, "mod": _fraction_mod, "neg": lambda x: -x, "abs": abs,
    "relu": lambda x: max(x, Fraction(0)), "clip": lambda x: min(max(x, Fraction(-3, 4)), Fraction(5, 2)),
}  # fmt: skip


def _float_function(name: str, values: tuple[float, ...]) -> float:
    with np.errstate(all="ignore"):
        if name == "sqrt":
            return float(np.sqrt(values[0]))
        return float(FUNCTIONS[name](*map(np.float64, values)))


def quantized(name: str, scales: tuple[float, ...], *values: int) -> int:
    """One result of int8 with scales: exact, rounded to nearest even, saturated; nan is 0."""
    *of_inputs, of_output = (Fraction(float(np.float32(scale))) for scale in scales)
    scaled = [value * scale for value, scale in zip(values, of_inputs, strict=True)]
    if name == "div":
        if not scaled[1]:
            return 0 if not scaled[0] else 127 if scaled[0] > 0 else -128
        exact = scaled[0] / scaled[1]
    elif name in FRACTIONS:
        exact = FRACTIONS[name](*scaled)
    else:
        value = _float_function(name, tuple(float(np.float32(float(number))) for number in scaled))
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return 127 if value > 0 else -128
        exact = Fraction(value)
    return max(-128, min(127, round(exact / of_output)))
