"""Elementwise operators on MLU: arithmetic, logic, comparison and functions of one input; see docs/elementwise.md.

Every operator takes arrays of the host or of the device, of any strides, broadcasts and promotes them as NumPy does,
and gives a `Run` with ``output`` and ``plan``. Types: float32, float16, bfloat16, int32, int8, bool.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mlusim.simulator import Device

from .engine import Call
from .launching import ElementwiseRun
from .operators import OPERATORS, Operator
from .plan import Plan
from .types import named_type

__all__ = [
    "FUNCTIONS", "ElementwiseRun", "Plan", "abs", "add", "cast", "clip", "div", "equal", "exp", "gelu", "greater",
    "greater_equal", "less", "less_equal", "log", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum",
    "minimum", "mod", "mul", "neg", "not_equal", "plan", "pow", "prelu", "relu", "sigmoid", "silu", "sqrt", "sub",
    "zero",
]  # fmt: skip

_ABOUT = """

    {inputs} ``out`` receives the result: an array of any layout, of its shape and of a type that "same_kind" casts it
    to; a device array stays where it is. It may be an input itself, but not overlap one in part.{scales} ``variant``
    forces one of the variants of docs/elementwise.md. Raises TypeError or ValueError for wrong arguments, before
    anything runs; KernelError as `Program.launch` does.
    """
_SCALES = """
    ``scales`` makes int8 fixed-point numbers: {formula}, rounded to nearest even and saturated."""
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _own_parameters(operator: Operator) -> list[inspect.Parameter]:
    """The parameters of an operator besides the device."""
    names = {"cast": ("a", "dtype")}.get(operator.name, ("a", "b")[: operator.inputs])
    found = [inspect.Parameter(name, _POSITIONAL) for name in names]
    if operator.name == "clip":
        found += [inspect.Parameter(name, _POSITIONAL, default=None) for name in ("low", "high")]
    optional = ["out"]
    if operator.scalable:
        optional.append("scales")
    if operator.name == "equal":
        optional.append("tolerance")
    found += [inspect.Parameter(name, _KEYWORD, default=None) for name in (*optional, "variant")]
    return [*found, inspect.Parameter("on_finding", _KEYWORD, default="raise")]


def _function(operator: Operator) -> Callable[..., ElementwiseRun]:
    """The public function of an operator, with a signature and a docstring of its own."""
    parameters = [inspect.Parameter("device", _POSITIONAL), *_own_parameters(operator)]
    signature = inspect.Signature(parameters, return_annotation="ElementwiseRun")

    def call(*args: Any, **kwargs: Any) -> ElementwiseRun:
        bound = _bind(operator, signature, args, kwargs)
        on_finding = bound.pop("on_finding", "raise")
        return Call.prepare(operator, **bound).run(on_finding)

    inputs = "``a`` and ``b`` are arrays or numbers." if operator.inputs == 2 else "``a`` is an array or a number."
    formula = "(a * s0 op b * s1) / s_out" if operator.inputs == 2 else "op(a * s_in) / s_out"
    call.__name__ = call.__qualname__ = operator.name
    call.__doc__ = f"{operator.doc}." + _ABOUT.format(
        inputs=inputs, scales=_SCALES.format(formula=formula) if operator.scalable else ""
    )
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _bind(
    operator: Operator, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call as those of `Call.prepare`; TypeError for arguments that do not fit."""
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"{operator.name}{signature}: {error}") from None
    bound["operands"] = tuple(bound.pop(name) for name in ("a", "b") if name in bound)
    if "dtype" in bound:
        bound["dtype"] = named_type(bound["dtype"])
    return bound


def plan(device: Device, name: str, *args: Any, **kwargs: Any) -> Plan:
    """The plan that an operator would follow; nothing runs.

    ``name`` is the operator's; the further arguments are those of its function but ``on_finding``. Raises as that does.
    """
    if name not in OPERATORS:
        raise ValueError(f"no operator {name!r}; there are {', '.join(OPERATORS)}")
    operator = OPERATORS[name]
    bound = _bind(operator, inspect.signature(FUNCTIONS[name]), (device, *args), kwargs)
    return Call.prepare(operator, **bound).plan


#: Every operator's function by its name.
FUNCTIONS: Mapping[str, Callable[..., ElementwiseRun]] = MappingProxyType(
    {name: _function(operator) for name, operator in OPERATORS.items()}
)
add, sub, mul, div = (FUNCTIONS[name] for name in ("add", "sub", "mul", "div"))
maximum, minimum, pow, prelu, mod = (FUNCTIONS[name] for name in ("maximum", "minimum", "pow", "prelu", "mod"))
logical_and, logical_or = FUNCTIONS["logical_and"], FUNCTIONS["logical_or"]
logical_xor, logical_not = FUNCTIONS["logical_xor"], FUNCTIONS["logical_not"]
equal, not_equal = FUNCTIONS["equal"], FUNCTIONS["not_equal"]
greater, greater_equal = FUNCTIONS["greater"], FUNCTIONS["greater_equal"]
less, less_equal = FUNCTIONS["less"], FUNCTIONS["less_equal"]
cast, clip, relu, neg, abs, sqrt = (FUNCTIONS[name] for name in ("cast", "clip", "relu", "neg", "abs", "sqrt"))
exp, log, sigmoid, gelu, silu, zero = (FUNCTIONS[name] for name in ("exp", "log", "sigmoid", "gelu", "silu", "zero"))
