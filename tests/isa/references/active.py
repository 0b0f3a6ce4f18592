"""References of the activation unit: the function itself within 1 or 2 ulp, and what the vendor says of its ends."""

from __future__ import annotations

import math
from collections.abc import Callable

from .arithmetic import UNARY, of_finite, power_of_two, quotient, square_root
from .form import Form
from .numbers import rounded
from .vector import vector

#: "The result is 5.96e-8", the smallest half.
LEAST = 5.96e-8
_SWEEP = [rounded("half", n / 64) for n in range(-1200, 1200, 11)]
#: Around the documented ends of functions.
_AROUND = [rounded("half", x + d) for x in (-15.5, -15, -7.75, -3.875, 7.75, 10.25) for d in (-0.0625, 0, 0.0625)]


def exponential(x: float) -> float:
    """e**x; infinite where a double ends."""
    return math.inf if x > 700 else math.exp(x)


def sigmoid(x: float) -> float:
    """0 below -7.75, 1 above 7.75."""
    return 0.0 if x < -7.75 else 1.0 if x > 7.75 else 1 / (1 + math.exp(-x))


def gelu(x: float) -> float:
    """x times the normal distribution up to x."""
    return x if x == math.inf else x / 2 * math.erfc(-x / math.sqrt(2))


def below(end: float, value: float, function: Callable[[float], float]) -> Callable[[float], float]:
    """``value`` where the argument is below an end."""
    return lambda x: value if x < end else function(x)


def natural(x: float) -> float:
    """The natural logarithm, also of what has none."""
    return -math.inf if x == 0 else math.nan if x < 0 else math.log(x)


def sign(x: float) -> float:
    """-1 or 1; that of a zero is 1, NaN stays."""
    return x if math.isnan(x) else -1.0 if x < 0 else 1.0


def _named(name: str, function: Callable[[float], float], ulps: float = 1) -> Form:
    return vector(f"__bang_active_{name}", UNARY, function, ulps=ulps, extra=[*_SWEEP, *_AROUND])


def _of_half(name: str, single: Callable[[float], float], half: Callable[[float], float]) -> Form:
    """A function whose ends depend on the type."""
    forms = {"float": _named(name, single), "half": _named(name, half)}
    whole = forms["float"]

    def compute(memory: object, *arguments: object) -> None:
        forms["half" if arguments[0].kind == "half" else "float"].compute(memory, *arguments)  # type: ignore[attr-defined]

    return Form(whole.name, whole.roles, compute, whole.calls)


def _reciprocal_root(x: float) -> float:
    return quotient(1.0, square_root(x))


FORMS = [
    _named("abs", abs, 0),
    _named("relu", lambda x: 0.0 if x < 0 else x, 0),
    _named("sign", sign, 0),
    _named("exp", below(-7.75, LEAST, exponential)),
    _of_half("exphp", below(-15, 3e-7, exponential), below(-7.75, LEAST, exponential)),
    _named("exp_less_0", below(-15.5, LEAST, exponential)),
    _named("pow2", power_of_two, 2),
    _named("log", natural),
    _named("loghp", natural),
    _named("sqrt", square_root, 0),
    _named("sqrthp", square_root, 0),
    _named("rsqrt", _reciprocal_root),
    _named("rsqrthp", _reciprocal_root),
    *(_named(name, lambda x: quotient(1.0, x)) for name in ("recip", "reciphp", "recip_greater_1")),
    _named("sin", of_finite(math.sin)),
    _named("cos", of_finite(math.cos)),
    _named("tanh", math.tanh),
    _named("sigmoid", sigmoid),
    _named("sigmoid_hp", sigmoid),
    vector("__bang_sigmoid", UNARY, sigmoid, ulps=1, extra=[*_SWEEP, *_AROUND]),
    _named("gelu", below(-3.875, -LEAST, gelu)),
    _named("gelup", below(-3.875, -LEAST, gelu)),
]
