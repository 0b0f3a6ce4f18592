"""What BDC's element-wise functions do, stated again: arguments in the vendor's order, and one element in plain Python.

Source: tpu_api.md, section 6. An argument is one word of a form:

    dst:T    a tensor at strides; dst=T an aligned one; w*T a work tensor, aligned; t@32 a table of so many elements
    x?T      a variable: an aligned tensor, a vector of a channel each, or a value
    C~T      a value of T in a union
    shape    the shape; &dst the strides of an operand, or null; #T the code of a type
    mode     anything else is a value by that name, see `VALUES`
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.isa.references import tensors
from tests.isa.references.numbers import INTEGERS, decode, encode, is_floating, round_to, rounded, size_of, wrap
from tests.isa.tpu import quantized

FLOATS, NARROW = ("float", "half", "bfloat16"), ("float8e4m3", "float8e5m2")
WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
EVERY = (*FLOATS, *WHOLE, *NARROW)
SIGNED = (*FLOATS, "int8", "int16", "int32")
#: What a value by name is drawn from.
VALUES: Mapping[str, Sequence[Any]] = {
    "mode": range(7), "saturation": (0, 1), "shift": (0, 0, 3, -1, -2, -9, 31, -32), "by": (0, 1, -1, 5, -3, -20, 40),
    "multiplier": quantized.MULTIPLIERS, "scale": quantized.SCALES, "zero": (0.0, 2.5, -7.0), "src_mode": range(5),
    "dst_mode": range(5), "C": (2.0, 0.5, 10.0), "x": (2.0, 10.0), "beta": (1.0, 0.5), "steps": range(5),
}  # fmt: skip
_BINARY = "dst:T src0:T src1:T shape &dst &src0 &src1 #T"
_UNARY = "dst:T src:T shape &dst &src #T"
_WITH_C = "dst:T src:T C~T shape &dst &src #T"
_COMPARE = "dst:D src0:S src1:S true~D shape &dst &src0 &src1 #D #S"
_COMPARE_C = "dst:D src:S C~S true~D shape &dst &src #D #S"
_SELECT = "dst=D src0?S src1?S src2?D src3?D shape #S #D"
_INT = "dst:D src0:A src1:B shape &dst &src0 &src1 #D #A #B shift mode saturation"
_INT_C = "dst:D src0:A src1~B shape &dst &src0 #D #A #B shift mode saturation"
_SHIFT = "dst:D src:S by:B shape &dst &src &by #D #S #B mode"
_SHIFT_C = "dst:D src:S by shape &dst &src #D #S mode"
Kinds = Mapping[str, str]
Elements = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """One function: its form, the types to try, and the value of an element; ``near``: steps that it may be off."""

    name: str
    form: str
    kinds: tuple[Kinds, ...]
    value: Callable[[Kinds, Elements], Any]
    near: float = 0
    drawn: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # operand -> values to draw from


def _each(kinds: Sequence[str], variables: str = "T") -> tuple[Kinds, ...]:
    """Each kind for the first variable, and for the others kinds further on in the list."""
    count = len(kinds)
    return tuple(
        {variable: kinds[(at + 5 * step * (1 + at // 3)) % count] for step, variable in enumerate(variables.split())}
        for at in range(count)
    )


def _float(function: Callable[..., float]) -> Callable[[Kinds, Elements], Any]:
    """A function of the sources (and C), rounded once."""

    def value(kinds: Kinds, x: Elements) -> Any:
        kind = kinds.get("T", "float")
        given = [x[name] for name in ("src0", "src", "src1", "C", "x", "beta") if name in x]
        result = _guarded(function, *given)
        return rounded(kind, result) if is_floating(kind) else wrap(int(result), *INTEGERS[kind])

    return value


def _guarded(function: Callable[..., float], *given: float) -> float:
    """A function in IEEE's terms where Python raises."""
    try:
        return function(*given)
    except (ValueError, TypeError):
        return math.nan
    except OverflowError:
        return math.inf


def divided(a: float, b: float) -> float:
    """IEEE's quotient."""
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def _exact(x: float) -> Any:
    """A product of doubles may need more bits than a double has; one of these types' never does."""
    return x


_MAX, _MIN = tensors.BINARY["tpu_bdc_max"], tensors.BINARY["tpu_bdc_min"]


def _bits(kind: str, value: Any) -> int:
    return int.from_bytes(encode(kind, [value]), "little")


def _logic(function: Callable[..., int]) -> Callable[[Kinds, Elements], Any]:
    def value(kinds: Kinds, x: Elements) -> Any:
        kind = kinds["T"]
        given = [_bits(kind, x[name]) for name in ("src0", "src", "src1", "C") if name in x]
        return decode(kind, (function(*given) & (1 << 8 * size_of(kind)) - 1).to_bytes(size_of(kind), "little"))[0]

    return value


_RELATIONS = {
    "equal": operator.eq, "not_equal": operator.ne, "greater": operator.gt, "greater_equal": operator.ge,
    "less": operator.lt, "less_equal": operator.le,
}  # fmt: skip


def _compare(relation: Callable[..., bool]) -> Callable[[Kinds, Elements], Any]:
    def value(kinds: Kinds, x: Elements) -> Any:
        one, other = (x["src0"], x["src1"]) if "src0" in x else (x["src"], x["C"])
        return x["true"] if relation(one, other) else 0

    return value


def _choose(relation: Callable[..., bool]) -> Callable[[Kinds, Elements], Any]:
    return lambda kinds, x: x["src2"] if relation(x["src0"], x["src1"]) else x["src3"]


def _shifted(kind: str, exact: int, shift: int, mode: int, saturation: int) -> int:
    result = round_to(Fraction(exact) * Fraction(2) ** shift, tensors.ROUNDING[mode])
    bits, signed = INTEGERS[kind]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(result, low), high) if saturation else wrap(result, bits, signed)


def _int(function: Callable[[int, int], int]) -> Callable[[Kinds, Elements], Any]:
    return lambda k, x: _shifted(k["D"], function(x["src0"], x["src1"]), x["shift"], x["mode"], x["saturation"])


def _arithmetic_shift(k: Kinds, x: Elements) -> Any:
    return _shifted(k["D"], x["src"], x["by"], x["mode"], 0)


def _logical_shift(k: Kinds, x: Elements) -> Any:
    bits = INTEGERS[k["S"]][0]
    return _shifted(k["D"], x["src"] % (1 << bits), x["by"], 3, 0)


def _rounded_to_whole(k: Kinds, x: Elements) -> Any:
    value = x["src"]
    if not math.isfinite(value) or value == int(value):
        return value
    return rounded(k["T"], math.copysign(float(round_to(Fraction(value), tensors.ROUNDING[x["mode"]])), value))


def _whole(least: Callable[[float], int]) -> Callable[[Kinds, Elements], Any]:
    """The whole number that a function finds; what is none, or infinite, stays."""

    def compute(k: Kinds, x: Elements) -> Any:
        value = x["src"]
        return math.copysign(float(least(value)), value) if math.isfinite(value) else value

    return compute


def _cast(k: Kinds, x: Elements) -> Any:
    return tensors.cast_value(x["src"], k["D"], x["mode"])


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _sqrt(x: float) -> float:
    return math.sqrt(x)


def _power(x: float, y: float) -> float:
    return tensors.power(x, y)


_ARITHMETIC = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
_ALL_FLOATS = _each((*FLOATS, *NARROW))
_ONE: tuple[Kinds, ...] = ({},)
_MIXED = _each(EVERY, "D S")
_INTEGERS = _each(WHOLE, "D A B")
_SHIFTS = tuple({"D": d, "S": s, "B": b} for d, s, b in (
    ("int8", "int8", "int8"), ("int32", "int16", "int8"), ("uint8", "uint16", "int16"), ("int32", "int32", "int32"),
    ("uint32", "uint32", "int8"), ("int16", "uint32", "int16"), ("uint16", "uint8", "int8"),
))  # fmt: skip
_TO_NARROW = quantized.kinds(quantized.NARROW, quantized.WIDE)
_TO_WIDE = quantized.kinds(quantized.WIDE, quantized.NARROW)
ROWS = (
    *(Row(f"fp_{op}", _BINARY, _ALL_FLOATS, _float(f)) for op, f in _ARITHMETIC.items()),
    *(Row(f"fp_{op}_C", _WITH_C, _ALL_FLOATS, _float(f)) for op, f in _ARITHMETIC.items()),
    Row("fp_C_sub", _WITH_C, _ALL_FLOATS, _float(lambda x, c: c - x)),
    Row("fp_div", _BINARY, _each(FLOATS), _float(divided)),
    Row("fp32_div", _BINARY.replace(" #T", ""), ({"T": "float"},), _float(divided)),
    Row("fp32_div_C", "dst:T src:T C shape &dst &src", ({"T": "float"},), _float(divided)),
    Row("fp32_C_div", "dst:T src:T C shape &dst &src", ({"T": "float"},), _float(lambda x, c: divided(c, x))),
    Row("fp32_reciprocal", "dst:T src:T shape &dst &src", ({"T": "float"},), _float(lambda x: divided(1, x))),
    Row(
        "fp32_tunable_reciprocal", "dst:T src:T shape &dst &src steps", ({"T": "float"},),
        _float(lambda x: divided(1, x)),
    ),
    Row("fp_square", _UNARY, _each(FLOATS), _float(lambda x: x * x)),
    Row("max", _BINARY, _each(EVERY), _float(_MAX), 0.5),
    Row("min", _BINARY, _each(EVERY), _float(_MIN), 0.5),
    Row("max_C", _WITH_C, _each(EVERY), _float(_MAX), 0.5),
    Row("min_C", _WITH_C, _each(EVERY), _float(_MIN), 0.5),
    Row("abs", _UNARY, _each(SIGNED), _float(abs)),
    Row("neg", _UNARY, _each(SIGNED), _float(operator.neg)),
    Row("relu", _UNARY, _each(SIGNED), _float(lambda x: x if x > 0 else 0)),
    Row("prelu", "dst=T src=T C~T shape #T", _each(FLOATS), _float(lambda x, a: x if x > 0 else a * x)),
    Row("cpy", _UNARY, _each(EVERY), lambda k, x: x["src"]),
    Row("set_C", "dst:T C~T shape &dst #T", _each(EVERY), lambda k, x: x["C"]),
    *(
        row
        for name, function in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor))
        for row in (
            Row(name, _BINARY, _each((*WHOLE, *FLOATS)), _logic(function)),
            Row(f"{name}_C", _WITH_C, _each((*WHOLE, *FLOATS)), _logic(function)),
        )
    ),
    Row("not", _UNARY, _each((*WHOLE, *FLOATS)), _logic(operator.invert)),
    *(Row(name, _COMPARE, _MIXED, _compare(f)) for name, f in _RELATIONS.items()),
    *(Row(f"{name}_C", _COMPARE_C, _MIXED, _compare(f)) for name, f in _RELATIONS.items()),
    *(Row(f"{name}_select", _SELECT, _MIXED, _choose(_RELATIONS[name])) for name in ("equal", "greater", "less")),
    *(Row(f"int_{op}", _INT, _INTEGERS, _int(f)) for op, f in _ARITHMETIC.items()),
    *(Row(f"int_{op}_C", _INT_C, _INTEGERS, _int(f)) for op, f in _ARITHMETIC.items()),
    Row("int_C_sub", _INT_C, _INTEGERS, _int(lambda x, c: c - x)),
    *(
        row
        for name, function in (("arithmetic", _arithmetic_shift), ("logical", _logical_shift))
        for row in (
            Row(f"{name}_shift", _SHIFT, _SHIFTS, function, drawn={"by": range(-9, 10)}),
            Row(f"{name}_shift_C", _SHIFT_C, _each(WHOLE, "D S"), function),
        )
    ),
    Row("cast", "dst:D src:S shape &dst &src #D #S mode", _MIXED, _cast),
    Row("int_requant", "dst=D src=S shape multiplier shift offset~D #D #S mode", _TO_NARROW, quantized.requantized),
    Row("int_dequant", "dst=D src=S shape offset~S multiplier shift #D #S mode", _TO_WIDE, quantized.dequantized),
    Row("fp32_requant", "dst=D src=S shape scale zero #D #S dst_mode src_mode", _TO_NARROW, quantized.scaled),
    Row(
        "fp32_dequant", "dst=float src=S shape offset~S scale #S src_mode",
        tuple({"S": kind, "float": "float"} for kind in quantized.NARROW), quantized.unscaled,
    ),
    Row("fp_round", f"{_UNARY} mode", _each(FLOATS), _rounded_to_whole),
    Row("fp_ceil", _UNARY, _each(FLOATS), _whole(math.ceil)),
    Row("fp_floor", _UNARY, _each(FLOATS), _whole(math.floor)),
)  # fmt: skip

# --- elementary functions --------------------------------------------------------------------------------------------

_EXP, _LOG, _ERF, _SIN = 32, 64, 16, 32
_POWERS = "coeff@32 log@64 table@192"
_MODERATE = [x / 8 for x in range(-90, 90)] + [0.0, -0.0, 80.0, -80.0, 1e-20]
_UNIT = [x / 64 for x in range(-64, 65)]
_POSITIVE = [x / 16 for x in range(1, 200)] + [2.0**-10, 1000.0]


def _special(name: str, words: str, function: Callable[..., float], drawn: Sequence[float], last: str = "") -> Row:
    form = " ".join(filter(None, ("dst=T src=T", words, "shape", last)))
    kinds = _each(FLOATS) if "#T" in last else ({"T": "float"},)
    return Row(name, form, kinds, _float(function), 1, {"src": drawn})


_WORKS2, _WORKS3 = "w0*T w1*T", "w0*T w1*T w2*T"
_TABLED, _ERFED = f"{_WORKS2} coeff@32 table@192", f"{_WORKS3} coeff@32 erf@16 table@192"
ELEMENTARY = (
    _special("fp32_exp", _TABLED, math.exp, _MODERATE),
    _special("fp_exp", f"{_WORKS2} coeff@16", math.exp, _MODERATE, "#T"),
    _special("fp32_expm1", _TABLED, math.expm1, _MODERATE),
    _special("fp_expm1", f"{_WORKS2} coeff@16", math.expm1, _MODERATE, "#T"),
    _special("fp32_log", "w*T coeff@64", math.log, _POSITIVE),
    _special("fp_log", "w*T coeff@64/16", math.log, _POSITIVE, "#T"),
    _special("fp32_log1p", "w*T coeff@64", math.log1p, _POSITIVE),
    _special("fp32_logx", "w*T coeff@64", lambda a, x: math.log(a) / math.log(x), _POSITIVE, "x"),
    _special("fp32_erf", _ERFED, math.erf, _MODERATE),
    _special("fp_erf", f"{_WORKS3} coeff@16 erf@16", math.erf, _MODERATE, "#T"),
    _special("fp32_erfc", _ERFED, math.erfc, _UNIT),
    _special("fp_erfc", f"{_WORKS3} coeff@16 erf@16", math.erfc, _UNIT, "#T"),
    _special("fp32_arcsin", "w*T coeff@64", math.asin, _UNIT),
    _special("fp32_arccos", "w*T coeff@64", math.acos, _UNIT),
    _special("fp32_sin", "w*T coeff@32", math.sin, _MODERATE),
    _special("fp32_cos", "w*T coeff@32", math.cos, _MODERATE),
    _special("fp32_tan", "w*T coeff@32", math.tan, _UNIT),
    _special("fp32_sigmoid", _TABLED, _sigmoid, _MODERATE),
    _special("fp32_silu", _TABLED, lambda x: x * _sigmoid(x), _MODERATE),
    _special("fp32_tanh", _TABLED, math.tanh, _MODERATE),
    _special(
        "fp32_gelu", "w0*T w1*T w2*T w3*T coeff@32 erf@16 table@192",
        lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2))), [x for x in _MODERATE if x > -4],
    ),
    _special(
        "fp32_softplus", f"{_WORKS2} {_POWERS}", lambda x, b: math.log1p(math.exp(b * x)) / b,
        [x for x in _MODERATE if abs(x) < 20], "beta",
    ),
    Row(
        "fp32_pow", f"dst=T src0=T src1=T {_WORKS2} {_POWERS} shape", ({"T": "float"},), _float(_power), 1,
        {"src0": _POSITIVE[:40], "src1": _UNIT},
    ),
    Row(
        "fp32_pow_C", f"dst=T src=T {_WORKS2} {_POWERS} C shape", ({"T": "float"},), _float(_power), 1,
        {"src": [-1.0, *_POSITIVE[:40]]},
    ),
    Row(
        "fp32_C_pow", f"dst=T src=T {_WORKS2} coeff@32 table@192 C shape", ({"T": "float"},),
        _float(lambda y, c: _power(c, y)), 1, {"src": _UNIT},
    ),
    _special("fp32_sqrt", "", _sqrt, _POSITIVE),
    _special("fp_sqrt", "", _sqrt, _POSITIVE, "#T"),
    _special("fp32_rsqrt", "", lambda x: 1 / math.sqrt(x), _POSITIVE),
    _special("fp_rsqrt", "", lambda x: 1 / math.sqrt(x), _POSITIVE, "#T"),
    _special("fp32_tunable_sqrt", "", _sqrt, _POSITIVE, "steps"),
    _special("fp32_tunable_rsqrt", "", lambda x: 1 / math.sqrt(x), _POSITIVE, "steps"),
)  # fmt: skip
