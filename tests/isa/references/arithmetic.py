"""References of the element-wise vector instructions.

Exact but for 2**x, the logarithm, sine and cosine (2 ulp) and the reciprocal (1 ulp).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import rounded
from .values import lengths
from .vector import Function, vector

BINARY, SCALAR, UNARY = "dst src0 src1 count", "dst src value count", "dst src count"

_ARITHMETIC: dict[str, Function] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


def quotient(x: float, y: float) -> float:
    """x / y with IEEE's results where Python raises."""
    if y == 0:
        sign = math.copysign(1, x) * math.copysign(1, y)
        return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, sign)
    return x / y


def number_wins(choose: Callable[..., Any]) -> Function:
    """A choice that a NaN loses."""
    return lambda x, y: y if math.isnan(x) else x if math.isnan(y) else choose(x, y)


def nan_wins(choose: Callable[..., Any]) -> Function:
    """A choice that a NaN wins."""
    return lambda x, y: math.nan if math.isnan(x) or math.isnan(y) else choose(x, y)


_EXTREMES = {
    "maxequal": number_wins(max),
    "minequal": number_wins(min),
    "maximum": number_wins(max),
    "minimum": number_wins(min),
    "nan_maximum": nan_wins(max),
    "nan_minimum": nan_wins(min),
}


def truth(holds: Callable[..., Any]) -> Function:
    """1 where ``holds``, else 0."""
    return lambda *values: 1 if holds(*values) else 0


_COMPARISONS = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}
_LOGIC = {"and": lambda x, y: x != 0 and y != 0, "or": lambda x, y: x != 0 or y != 0}
_BITWISE: dict[str, Function] = {"band": operator.and_, "bor": operator.or_, "bxor": operator.xor}


def square_root(x: float) -> float:
    """The root; -0 stays, NaN below."""
    return x if x == 0 else math.nan if x < 0 else math.sqrt(x)


def floor(x: float) -> float:
    """The largest integer not above; the sign of a zero stays."""
    return x if not math.isfinite(x) or x == 0 else math.floor(x)


def power_of_two(x: float) -> float:
    """2**x, saturated where a double ends."""
    return math.inf if x > 1000 else 0.0 if x < -1000 else 2.0**x


def logarithm(x: float) -> float:
    """log2(x)."""
    return -math.inf if x == 0 else math.nan if x < 0 else math.log2(x)


def of_finite(function: Callable[[float], float]) -> Function:
    """NaN for infinities and NaN."""
    return lambda x: function(x) if math.isfinite(x) else math.nan


_HALVES = (-0.5, 0.5, 2.5, -2.5)
_SWEEP = [n / 128 for n in range(-1400, 1400, 17)] + [rounded("float", n / 7) for n in range(-1000, 1000, 13)]
_ENDS = [-126.5, -149.0, -149.5, -150.0, 127.875, 128.0]  # of the exponents of a float


def _increasing(memory: Memory, dst: Pointer, count: int) -> None:
    memory.write(dst, range(count))


def _increasing_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for count in lengths(kinds[0]):
        ((dst, data),) = packed([(kinds[0], [0] * count)], "nram")
        yield Call((dst, count), ((dst, data),), f"{count} elements", length_of([(dst, data)]))


def _move(memory: Memory, dst: Pointer, src: Pointer, size: int) -> None:
    memory.put(dst, memory.raw(src, size))


def _move_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for size in lengths("int8"):
        for dst in (300, 8, 11, 5, 8 + size):  # apart, the same, up and down by 3 bytes, adjacent
            yield Call((Pointer("nram", dst, "uint8"), Pointer("nram", 8, "uint8"), size), (), f"{size} bytes to {dst}")


FORMS = [
    *(vector(f"__bang_{op}", BINARY, function) for op, function in _ARITHMETIC.items()),
    *(vector(f"__bang_{op}_scalar", SCALAR, function) for op, function in _ARITHMETIC.items()),
    vector("__bang_div", BINARY, quotient),
    vector("__bang_div", SCALAR, quotient),
    *(vector(f"__bang_{op}", BINARY, function, zeros=False) for op, function in _EXTREMES.items()),
    *(vector(f"__bang_{op}", BINARY, truth(holds)) for op, holds in _COMPARISONS.items()),
    *(vector(f"__bang_{op}_scalar", SCALAR, truth(holds)) for op, holds in _COMPARISONS.items()),
    *(vector(f"__bang_{op}", BINARY, truth(holds)) for op, holds in _LOGIC.items()),
    vector("__bang_not", UNARY, truth(lambda x: x == 0)),
    *(vector(f"__bang_{op}", BINARY, function) for op, function in _BITWISE.items()),
    vector("__bang_bnot", UNARY, lambda x: -1 - x),
    vector("__bang_abs", UNARY, abs),
    vector("__bang_square", UNARY, lambda x: x * x),
    vector("__bang_pow2", UNARY, power_of_two, ulps=2, extra=[*_SWEEP, *_ENDS]),
    vector("__bang_sqrt", UNARY, square_root, extra=_SWEEP),
    vector("__bang_recip", UNARY, lambda x: quotient(1.0, x), ulps=1, extra=_SWEEP),
    vector("__bang_sin", UNARY, of_finite(math.sin), ulps=2, extra=_SWEEP),
    vector("__bang_cos", UNARY, of_finite(math.cos), ulps=2, extra=_SWEEP),
    vector("__bang_log2", UNARY, logarithm, ulps=2, extra=_SWEEP),
    vector("__bang_floor", UNARY, floor, in_place=False, extra=_HALVES),
    Form("__bang_move", ("dst", "src", "size"), _move, _move_calls),
    Form("__bang_incseq", ("dst", "count"), _increasing, _increasing_calls),
]
