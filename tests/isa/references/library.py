"""References of the device library: the count comes first; the functions within 1 ulp, all else exact."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from .active import exponential, natural
from .arithmetic import (
    divided,
    floor,
    number_wins,
    of_finite,
    quotient,
    remainder,
    rounded_away,
    square_root,
    truth,
)
from .form import Form
from .vector import Function, vector

_TWO, _VALUE, _REVERSED, _ONE = "count dst src0 src1", "count dst src value", "count dst value src", "count dst src"
_ARITHMETIC: dict[str, Function] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": divided,
    "max": number_wins(max),
    "min": number_wins(min),
    "mod": remainder,
}
_COMPARISONS: dict[str, Function] = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
_BITS: dict[str, Function] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
_ROUNDING = ("add", "sub", "mul", "div")


def guarded(function: Callable[..., float], overflow: float = math.inf) -> Callable[..., float]:
    """NaN where Python says that a function has no value, and ``overflow`` where a double ends."""

    def call(*given: float) -> float:
        try:
            return function(*given)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.copysign(overflow, given[0])

    return call


def whole(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function to whole numbers, which leaves what is none alone; the sign of a zero stays."""
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x


def power(x: float, y: float) -> float:
    """x**y as C's pow."""
    if x == 0 and y < 0:
        odd = math.isfinite(y) and y % 2 == 1
        return math.copysign(math.inf, x) if odd else math.inf
    try:
        return math.pow(x, y)
    except ValueError:
        return math.nan
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf


def sign(x: float) -> float:
    """-1, 0 or 1; NaN stays."""
    return x if math.isnan(x) else float((x > 0) - (x < 0))


_FUNCTIONS: dict[str, Function] = {
    "exp": exponential,
    "log": natural,
    "erf": math.erf,
    "sin": of_finite(math.sin),
    "cos": of_finite(math.cos),
    "tan": of_finite(math.tan),
    "asin": guarded(math.asin),
    "acos": guarded(math.acos),
    "atan": math.atan,
    "sinh": guarded(math.sinh),
    "cosh": lambda x: guarded(math.cosh)(abs(x)),
    "tanh": math.tanh,
    "rsqrt": lambda x: quotient(1.0, square_root(x)),
    "sqrt": square_root,
    "rcp": lambda x: quotient(1.0, x),
}
_WHOLE: dict[str, Function] = {
    "abs": abs,
    "ceil": whole(math.ceil),
    "floor": floor,
    "trunc": whole(math.trunc),
    "round": rounded_away,
    "negate": operator.neg,
}


def _name(op: str, kind: str, pattern: str) -> str:
    return f"__cn_{pattern.format(op)}_{kind}" + ("_rn" if kind == "f32" and op in (*_ROUNDING, "rcp") else "")


def _arithmetic(kind: str, pattern: str, roles: str, *ops: str) -> list[Form]:
    return [vector(_name(op, kind, pattern), roles, _ARITHMETIC[op], zeros=op not in ("max", "min")) for op in ops]


def _reversed(kind: str) -> list[Form]:
    found = []
    for op in ("sub", "div"):
        function = _ARITHMETIC[op]
        reverse: Function = lambda x, value, function=function: function(value, x)  # noqa: E731
        found.append(vector(_name(op, kind, "scalar_{}_vector"), _REVERSED, reverse))
    return found


def _comparisons(kind: str) -> list[Form]:
    pairs: tuple[tuple[str, str], ...] = (("vector_{}", _TWO), ("vector_{}_scalar", _VALUE))
    return [
        vector(_name(op, kind, pattern), roles, truth(holds), in_place=False)
        for pattern, roles in pairs
        for op, holds in _COMPARISONS.items()
    ]


def _unary(op: str, function: Function, **facts: Any) -> Form:
    return vector(_name(op, "f32", "vector_{}"), _ONE, function, **facts)


_EXTRA = [n / 8 for n in range(-100, 100, 3)] + [0.5, -0.5, 2.5, -2.5]
FORMS = [
    *(
        form
        for kind in ("f32", "s32", "u32")
        for form in (
            *_arithmetic(kind, "vector_{}", _TWO, *_ARITHMETIC),
            *_arithmetic(kind, "vector_{}_scalar", _VALUE, *(op for op in _ARITHMETIC if kind != "f32" or op != "mod")),
            *_reversed(kind),
            *_comparisons(kind),
        )
    ),
    *(vector(_name(op, "u32", "vector_{}"), _TWO, function) for op, function in _BITS.items()),
    vector("__cn_vector_and_scalar_u32", _VALUE, operator.and_),
    vector("__cn_vector_mod_scalar_u64", _VALUE, remainder),
    vector("__cn_vector_pow_f32", _TWO, power, ulps=1),
    vector("__cn_vector_hypot_f32", _TWO, math.hypot, ulps=1),
    *(_unary(op, function, ulps=1, extra=_EXTRA) for op, function in _FUNCTIONS.items()),
    *(_unary(op, function, extra=_EXTRA) for op, function in _WHOLE.items()),
    _unary("sign", sign, zeros=False),
    vector("__cn_vector_negate_s32", _ONE, operator.neg),
    vector("__cn_vector_not_u32", _ONE, lambda x: -1 - x),
]
