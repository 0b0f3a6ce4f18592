"""References of the element-wise vector instructions but those of the activation unit.

Exact but for 2**x, logarithms, sine and cosine (2 ulp) and reciprocals (1 ulp).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import FORMATS, INTEGERS, rounded, wrap
from .values import corners, lengths, mixed
from .vector import Function, cycle, of_bits, to_bits, vector

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


_VALUE_EXTREMES = {"maxeq": number_wins(max), "mineq": number_wins(min)}
_EXTREMES = {
    "maxequal": number_wins(max),
    "minequal": number_wins(min),
    "maximum": number_wins(max),
    "minimum": number_wins(min),
    "nan_maximum": nan_wins(max),
    "nan_minimum": nan_wins(min),
}


def whole_quotient(x: int, y: int) -> int:
    """x / y without its fraction; by 0 it is 0."""
    return 0 if y == 0 else abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1)


def divided(x: Any, y: Any) -> Any:
    """x / y of two numbers of one kind."""
    return whole_quotient(x, y) if isinstance(x, int) else quotient(x, y)


def remainder(x: Any, y: Any) -> Any:
    """What division leaves, with the sign of x; whole numbers by 0 leave x."""
    if isinstance(x, int):
        return x if y == 0 else x - y * whole_quotient(x, y)
    return math.nan if y == 0 or not math.isfinite(x) or math.isnan(y) else math.fmod(x, y)


def cut_sum(kind: str, x: float, y: float) -> float:
    """x + y, exact, without what the format cannot hold."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x + y
    form, total = FORMATS[kind], Fraction(x) + Fraction(y)
    size = abs(total)
    if size == 0:
        return x + y
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    step = Fraction(2) ** (max(exponent, form.emin) - form.precision + 1)
    return math.copysign(float(min(size // step * step, form.largest)), total)


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
_LOGIC = {
    "and": lambda x, y: x != 0 and y != 0,
    "or": lambda x, y: x != 0 or y != 0,
    "xor": lambda x, y: (x != 0) != (y != 0),
}
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


def logarithm(log: Callable[[float], float]) -> Callable[[float], float]:
    """A logarithm, also of what has none."""
    return lambda x: -math.inf if x == 0 else math.nan if x < 0 else log(x)


def of_finite(function: Callable[[float], float]) -> Function:
    """NaN for infinities and NaN."""
    return lambda x: function(x) if math.isfinite(x) else math.nan


_HALVES = (-0.5, 0.5, 2.5, -2.5)
#: Numbers that bfloat16 holds too.
_SWEEP = [rounded("bfloat16", n / 128) for n in range(-1400, 1400, 17)]
_SWEEP += [rounded("bfloat16", n / 7) for n in range(-1000, 1000, 13)]
_ENDS = [-14.5, -24.0, -25.0, 15.5, 16.0, -126.5, -149.0, -150.0, 127.5, 128.0]  # of the exponents of floats


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


_SHIFTS: dict[str, Callable[[str, int, int], int]] = {
    "sll": lambda kind, x, shift: wrap(x << shift, *INTEGERS[kind]),
    "srl": lambda kind, x, shift: wrap(wrap(x, INTEGERS[kind][0], False) >> shift, *INTEGERS[kind]),
    "sra": lambda kind, x, shift: wrap(wrap(x, INTEGERS[kind][0], True) >> shift, *INTEGERS[kind]),
}


def _shift(op: str) -> Form:
    def compute(memory: Memory, dst: Pointer, src: Pointer, shift: int, count: int) -> None:
        memory.write(dst, [_SHIFTS[op](src.kind, x, shift) for x in memory.read(src, count)])

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[0]
        for shift in (0, 1, 7, INTEGERS[kind][0] - 1):
            values = [*corners(kind), *mixed(kind, 131, op)]
            placed = packed([(kind, values), (kind, [0] * len(values))], "nram")
            (src, _), (dst, _) = placed
            for target in (dst, src):
                given = (target, src, shift, len(values))
                yield Call(given, tuple(placed[:1]), f"by {shift}", length_of(placed))

    return Form(f"__bang_{op}", ("dst", "src", "shift", "count"), compute, calls)


def _toward_zero(form: Callable[..., Form], name: str, *roles: str) -> Form:
    """A sum that needs to know the format of its operands."""

    def compute(memory: Memory, *arguments: Any) -> None:
        kind = arguments[0].kind
        form(name, *roles, lambda x, y: cut_sum(kind, x, y)).compute(memory, *arguments)

    return replace(form(name, *roles, operator.add), compute=compute)


def _relu(x: float) -> float:
    return 0.0 if x < 0 else x


def rounded_away(x: float) -> float:
    """The nearest whole number, ties away from zero; the sign of a zero stays."""
    if not math.isfinite(x):
        return x
    return math.copysign(math.floor(abs(x) + 0.5) if abs(x) < 2**52 else abs(x), x)


def everywhere(name: str, function: Function, scalar: str = "{}_scalar", **facts: Any) -> list[Form]:
    """The forms with two vectors, a value and a short vector."""
    return [
        vector(f"__bang_{name}", BINARY, function, **facts),
        vector(f"__bang_{scalar.format(name)}", SCALAR, function, **facts),
        cycle(f"__bang_cycle_{name}", function, **facts),
    ]


FORMS = [
    *(form for op, function in _ARITHMETIC.items() for form in everywhere(op, function)),
    *(vector(f"__bang_{op}_const", SCALAR, function) for op, function in _ARITHMETIC.items()),
    _toward_zero(vector, "__bang_add_tz", BINARY),
    _toward_zero(cycle, "__bang_cycle_add_tz"),
    vector("__bang_div", BINARY, divided),
    vector("__bang_div", SCALAR, divided),
    vector("__bang_div", "dst src0 src1 dst_addition count", quotient, in_place=False, whole=True),
    vector("__bang_rem", BINARY, remainder),
    vector("__bang_rem", SCALAR, remainder),
    *(vector(f"__asm_div_scalar_nram_{kind}", SCALAR, quotient) for kind in ("f16", "f32")),
    vector("__bang_neg", UNARY, operator.neg),
    *(vector(f"__bang_{op}", BINARY, function, zeros=False) for op, function in _EXTREMES.items()),
    *(cycle(f"__bang_cycle_{op}", function, zeros=False) for op, function in _EXTREMES.items()),
    *(vector(f"__bang_{op}_scalar", SCALAR, function, zeros=False) for op, function in _VALUE_EXTREMES.items()),
    *(form for op, holds in _COMPARISONS.items() for form in everywhere(op, truth(holds))),
    vector("__bang_ge_const", SCALAR, truth(operator.ge)),
    *(form for op, holds in _LOGIC.items() for form in everywhere(op, truth(holds))),
    vector("__bang_not", UNARY, truth(lambda x: x == 0)),
    *(of_bits(form) for op, function in _BITWISE.items() for form in everywhere(op, function)),
    of_bits(vector("__bang_bnot", UNARY, lambda x: -1 - x)),
    *(to_bits(f"__bang_{op}_bitindex", holds) for op, holds in _COMPARISONS.items()),
    *(_shift(op) for op in _SHIFTS),
    vector("__bang_abs", UNARY, abs),
    vector("__bang_square", UNARY, lambda x: x * x),
    vector("__bang_pow2", UNARY, power_of_two, ulps=2, extra=[*_SWEEP, *_ENDS]),
    vector("__bang_sqrt", UNARY, square_root, extra=_SWEEP),
    vector("__bang_rsqrt", UNARY, lambda x: quotient(1.0, square_root(x)), ulps=1, extra=_SWEEP),
    vector("__bang_recip", UNARY, lambda x: quotient(1.0, x), ulps=1, extra=_SWEEP),
    vector("__bang_sin", UNARY, of_finite(math.sin), ulps=2, extra=_SWEEP),
    vector("__bang_cos", UNARY, of_finite(math.cos), ulps=2, extra=_SWEEP),
    vector("__bang_log", UNARY, logarithm(math.log2), ulps=2, extra=_SWEEP),
    vector("__bang_log2", UNARY, logarithm(math.log2), ulps=2, extra=_SWEEP),
    vector("__bang_floor", UNARY, floor, in_place=False, extra=_HALVES),
    vector("__bang_round", UNARY, rounded_away, in_place=False, extra=_HALVES),
    vector("__bang_relu", UNARY, _relu),
    vector("__bang_relun", "dst src count value", lambda x, n: n if x > n else _relu(x), several=(6.0, 0.5)),
    Form("__bang_move", ("dst", "src", "size"), _move, _move_calls),
    Form("__bang_incseq", ("dst", "count"), _increasing, _increasing_calls),
]
