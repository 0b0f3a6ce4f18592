"""Functions of single elements in plain Python, and arrays to ask them of."""

from __future__ import annotations

import cmath
import math
import operator
import statistics
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

RANDOM = np.random.default_rng(11)
#: Both signs, none alike; and numbers between 0.1 and 0.9.
SIGNED, PART = RANDOM.normal(size=(3, 5)) * 2, RANDOM.uniform(0.1, 0.9, (3, 5))
ABOVE = PART + 1


def sigmoid(x: float) -> float:
    return math.exp(x) / (math.exp(x) + 1)


#: Functions of one element: what they are, and of what numbers they are asked.
ONE: Mapping[str, tuple[Callable[[float], Any], np.ndarray]] = {
    "abs": (abs, SIGNED),
    "neg": (operator.neg, SIGNED),
    "exp": (math.exp, SIGNED),
    "exp2": (math.exp2, SIGNED),
    "expm1": (math.expm1, SIGNED),
    "log": (math.log, PART),
    "log2": (math.log2, PART),
    "log10": (math.log10, PART),
    "log1p": (math.log1p, PART),
    "sqrt": (math.sqrt, PART),
    "rsqrt": (lambda x: x**-0.5, PART),
    "cbrt": (math.cbrt, SIGNED),
    "square": (lambda x: x**2, SIGNED),
    "reciprocal": (lambda x: x**-1, SIGNED),
    "sin": (math.sin, SIGNED),
    "cos": (math.cos, SIGNED),
    "tan": (math.tan, SIGNED),
    "sinh": (math.sinh, SIGNED),
    "cosh": (math.cosh, SIGNED),
    "tanh": (math.tanh, SIGNED),
    "asin": (math.asin, PART),
    "acos": (math.acos, PART),
    "atan": (math.atan, SIGNED),
    "asinh": (math.asinh, SIGNED),
    "acosh": (math.acosh, ABOVE),
    "atanh": (math.atanh, PART),
    "floor": (math.floor, SIGNED),
    "ceil": (math.ceil, SIGNED),
    "round": (round, SIGNED),
    "trunc": (int, SIGNED),
    "sign": (lambda x: math.copysign(1, x), SIGNED),
    "erf": (math.erf, SIGNED),
    "lgamma": (math.lgamma, SIGNED),
    "erfc": (math.erfc, SIGNED),
    "relu": (lambda x: x if x > 0 else 0, SIGNED),
    "relu6": (lambda x: min(max(x, 0), 6), SIGNED * 4),
    "sigmoid": (sigmoid, SIGNED),
    "silu": (lambda x: x / (1 + math.exp(-x)), SIGNED),
    "gelu": (lambda x: x * statistics.NormalDist().cdf(x), SIGNED),
    "mish": (lambda x: x * math.tanh(math.log(1 + math.exp(x))), SIGNED),
    "hardswish": (lambda x: x * min(max(x + 3, 0), 6) / 6, SIGNED * 2),
    "softsign": (lambda x: x / (1 + abs(x)), SIGNED),
    "log sigmoid": (lambda x: math.log(sigmoid(x)), SIGNED),
    "tanhshrink": (lambda x: x - math.tanh(x), SIGNED),
    "selu": (lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * (math.exp(x) - 1)), SIGNED),
    "hardsigmoid": (lambda x: min(max(x + 3, 0), 6) / 6, SIGNED * 2),
    "bitwise not": (operator.invert, np.arange(15).reshape(3, 5) - 7),
    "logical not": (lambda x: x == 0, SIGNED.round()),
    "isnan": (math.isnan, np.where(SIGNED > 0, np.nan, SIGNED)),
    "isinf": (math.isinf, np.where(SIGNED > 0, np.inf, SIGNED)),
    "isfinite": (math.isfinite, np.where(SIGNED > 0, np.inf, SIGNED)),
    "increment": (lambda x: 1 + x, SIGNED),
    "copy": (float, SIGNED),
    "real": (lambda x: x.real, SIGNED + 1j * PART),
    "imag": (lambda x: x.imag, SIGNED + 1j * PART),
    "conj": (lambda x: x.conjugate(), SIGNED + 1j * PART),
    "angle": (cmath.phase, SIGNED + 1j * PART),
    "leaky relu": (lambda x: x if x > 0 else 0.01 * x, SIGNED),
    "softplus": (lambda x: math.log(1 + math.exp(x)), SIGNED),
    "elu": (lambda x: x if x > 0 else math.exp(x) - 1, SIGNED),
    "celu": (lambda x: max(x, 0) + min(math.exp(x) - 1, 0), SIGNED),
    "softshrink": (lambda x: x - 0.5 if x > 0.5 else x + 0.5 if x < -0.5 else 0, SIGNED),
    "hardshrink": (lambda x: x if abs(x) > 0.5 else 0, SIGNED),
    "swish": (lambda x: x * sigmoid(x), SIGNED),
    "clamp": (lambda x: min(max(x, -1), 1), SIGNED),
    "hardtanh": (lambda x: min(max(x, -1), 1), SIGNED),
}
WHOLE, OTHER = RANDOM.integers(-9, 9, (3, 5)), RANDOM.integers(0, 6, (3, 5))
#: Functions of two elements.
TWO: Mapping[str, tuple[Callable[[Any, Any], Any], np.ndarray, np.ndarray]] = {
    "add": (operator.add, SIGNED, PART),
    "sub": (operator.sub, SIGNED, PART),
    "mul": (operator.mul, SIGNED, PART),
    "div": (operator.truediv, SIGNED, PART),
    "floor divide": (operator.floordiv, SIGNED, PART),
    "mod": (operator.mod, SIGNED, PART),
    "max": (max, SIGNED, PART),
    "min": (min, SIGNED, PART),
    "pow": (operator.pow, PART, SIGNED),
    "atan2": (math.atan2, SIGNED, PART),
    "hypot": (math.hypot, SIGNED, PART),
    "squared difference": (lambda x, y: (y - x) ** 2, SIGNED, PART),
    "equal": (operator.eq, WHOLE, OTHER),
    "not equal": (operator.ne, WHOLE, OTHER),
    "greater": (operator.gt, WHOLE, OTHER),
    "less": (operator.lt, WHOLE, OTHER),
    "greater equal": (operator.ge, WHOLE, OTHER),
    "less equal": (operator.le, WHOLE, OTHER),
    "logical and": (lambda x, y: bool(x and y), WHOLE, OTHER),
    "logical or": (lambda x, y: bool(x or y), WHOLE, OTHER - 2),
    "logical xor": (lambda x, y: bool(x) != bool(y), WHOLE, OTHER),
    "copysign": (math.copysign, PART, SIGNED),
    "nextafter": (math.nextafter, SIGNED, PART),
    "swiglu": (lambda x, y: x * sigmoid(x) * y, SIGNED, PART),
    "bitwise and": (operator.and_, WHOLE, OTHER),
    "bitwise or": (operator.or_, WHOLE, OTHER),
    "bitwise xor": (operator.xor, WHOLE, OTHER),
    "shift left": (operator.lshift, WHOLE, OTHER),
    "shift right": (operator.rshift, WHOLE, OTHER),
}
