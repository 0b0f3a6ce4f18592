"""Scales of int8: as small whole numbers where they are in such a ratio, so that the vector unit computes exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from ..quoting import quoted
from .operators import Operator

#: Whole numbers up to this are exact in float32, and sums and products that stay below it.
_EXACT = 2**24
#: A quotient of such numbers by one below this lies off the middle between two integers by more than its error.
_DIVISOR = 2**14
#: Results beyond are saturated.
_RANGE = 130.0


@dataclass(frozen=True)
class Scales:
    """What the kernel multiplies the inputs by and divides the result by, and the distance from the middle between two
    integers within which the scalar unit rounds by exact comparison; 0 where the vector unit itself is exact."""

    values: tuple[float, ...]
    doubt: float


def check_scales(operator: Operator, scales: Any) -> tuple[float, ...]:
    """The scales as float32 numbers, one for each input and one for the output.

    TypeError for another type, ValueError for another number of them and for those that are not positive and finite.
    """
    wanted = operator.inputs + 1
    names = "(s0, s1, s_out)" if operator.inputs == 2 else "(s_in, s_out)"
    if not operator.scalable:
        raise ValueError(f"{operator.name} takes no scales; leave them out")
    if isinstance(scales, np.ndarray):
        scales = scales.tolist()
    if not isinstance(scales, Sequence) or isinstance(scales, str):
        raise TypeError(f"scales is {quoted(scales)}; pass {names}")
    if len(scales) != wanted:
        raise ValueError(f"scales has {len(scales)} numbers; {operator.name} takes {wanted}, {names}")
    found = []
    for scale in scales:
        if isinstance(scale, bool) or not isinstance(scale, (int, float, np.integer, np.floating)):
            raise TypeError(f"scales is {quoted(scales)}; pass {wanted} numbers, {names}")
        with np.errstate(over="ignore", under="ignore"):
            value = float(np.float32(scale))
        if not 0 < value < np.inf:
            raise ValueError(f"scales has {quoted(scale)}; pass numbers above 0 that float32 holds")
        found.append(value)
    return tuple(found)


def plan_scales(operator: Operator, scales: tuple[float, ...]) -> Scales:
    """The scales as the kernel takes them."""
    short = _short(operator, [Fraction(scale) for scale in scales])
    if short is not None:
        return Scales(tuple(map(float, short)), 0.0)
    *of_inputs, of_output = scales
    if operator.name == "mod":  # a remainder jumps where its operands are rounded: by hand, all of it
        return Scales(scales, 1.0)
    reach = _RANGE
    if operator.homogeneous:
        reach = max(reach, 128 * sum(of_inputs) / of_output)
    # Four roundings, the error of the function, and twice as much for safety.
    return Scales(scales, min(1.0, reach * 2 * (operator.error + 4 * 2.0**-24)))


def _short(operator: Operator, scales: list[Fraction]) -> tuple[int, ...] | None:
    """Equivalent scales that are small whole numbers, as (of the inputs..., of the output)."""
    *of_inputs, of_output = scales
    if operator.homogeneous:
        ratios = [scale / of_output for scale in of_inputs]
        divisor = lcm(*(ratio.denominator for ratio in ratios))
        factors = [int(ratio * divisor) for ratio in ratios]
        return (*factors, divisor) if 128 * sum(factors) < _EXACT and divisor < _DIVISOR else None
    if operator.name == "mul":
        ratio = of_inputs[0] * of_inputs[1] / of_output
        whole = 128 * 128 * ratio.numerator < _EXACT and ratio.denominator < _DIVISOR
        return (ratio.numerator, 1, ratio.denominator) if whole else None
    if operator.name == "div":
        ratio = of_inputs[0] / (of_inputs[1] * of_output)
        whole = 128 * ratio.numerator < _EXACT and 256 * ratio.denominator < 2**17
        return (ratio.numerator, ratio.denominator, 1) if whole else None
    return None
