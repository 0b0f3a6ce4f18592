"""References of TPU-KERNEL's instructions on tensors: element by element, over the lanes of `lanes.Local`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from .convert import narrow
from .lanes import Local, Tensor, system_put, system_raw
from .numbers import FORMATS, INTEGERS, decode, edges, encode, is_floating, round_to, rounded, same
from .values import mixed

#: `rounding_mode_t`, by value, in the words of `numbers.round_to`.
ROUNDING = ("rn", "rd", "tz", "dn", "up", "half_up", "half_down")

#: Of `tpu_bdc_fp32_pow` against float64: what correct arithmetic on floats reaches. No document states it.
POWER_ULPS = 2


#: Functions of two tensors, on Python's floats: a double holds them well enough for one more rounding to be right.
BINARY: Mapping[str, Callable[[float, float], float]] = {
    "tpu_bdc_fp_add": operator.add,
    "tpu_bdc_fp_sub": operator.sub,
    "tpu_bdc_fp_mul": operator.mul,
    "tpu_bdc_max": lambda x, y: y if math.isnan(x) or y > x else x,
    "tpu_bdc_min": lambda x, y: y if math.isnan(x) or y < x else x,
}
EXTREMES = ("tpu_bdc_max", "tpu_bdc_min")
#: Instructions whose references are here.
NAMES = frozenset({*BINARY, "tpu_bdc_cast", "tpu_bdc_fp32_pow", "tpu_gdma_cpy_S2L", "tpu_gdma_cpy_L2S"})


def binary(local: Local, name: str, dst: Tensor, src0: Tensor, src1: Tensor) -> None:
    """One of `BINARY`: one rounding to nearest even; a source stride of 0 broadcasts."""
    pairs = zip(local.read(src0), local.read(src1), strict=True)
    whole = not is_floating(dst.kind)
    results = [BINARY[name](x, y) for x, y in pairs]
    local.write(dst, results if whole else [rounded(dst.kind, value) for value in results])


def cast_value(value: Any, kind: str, mode: int) -> Any:
    """One element in another type.

    To an integer: rounded, then clamped to the range; NaN gives the largest, as the vendor's model of BM1684 does.
    That an integer is clamped, and not cut, when it is too large for a narrower integer is undocumented.
    """
    if is_floating(kind):
        return narrow(float(value), 0, ROUNDING[mode], kind)
    low, high = _limits(kind)
    if math.isnan(value):
        return high
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(round_to(Fraction(value), ROUNDING[mode]), low), high)


def _limits(kind: str) -> tuple[int, int]:
    bits, signed = INTEGERS[kind]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def worth_casting(source: str, target: str) -> list[Any]:
    """Corners of the source; ties, limits of the target and what lies around them; random values."""
    if is_floating(target):
        form = FORMATS[target]
        points = [1.0, 2.0, float(form.smallest), 2.0**form.emin, float(form.largest), 2049.0, 16777217.0, 65520.0]
        around = [float(x + form.ulp(x) * n / 4) for x in points for n in range(-3, 7)]
        around += [2**24 + 2**16 + 1, 2**24 + 2**16 - 1]  # next to a tie of bfloat16, as a float does not tell
    else:
        low, high = _limits(target)
        around = [n / 4 for n in range(15)] + [end + d for end in (low, high) for d in (-1, -0.5, 0, 0.25, 0.5, 1)]
    values = [sign * x for x in around for sign in (1, -1)]
    if is_floating(source):
        return [*edges(source), *(rounded(source, x) for x in values), *mixed(source, 20, target)]
    low, high = _limits(source)
    return [low, high, *(min(max(int(x), low), high) for x in values if abs(x) < 2**40), *mixed(source, 20, target)]


def cast(local: Local, dst: Tensor, src: Tensor, mode: int) -> None:
    """`tpu_bdc_cast`: the two tensors have the types and, with NULL strides, the layouts of their own."""
    local.write(dst, [cast_value(value, dst.kind, mode) for value in local.read(src)])


def power(x: float, y: float) -> float:
    """e**(y * ln x) in float64, as the vendor defines x**y: NaN for a negative x."""
    if math.isnan(x) or math.isnan(y) or x < 0:
        return math.nan
    exponent = y * (-math.inf if x == 0 else math.log(x))
    return math.inf if exponent > 700 else math.exp(exponent) if not math.isnan(exponent) else math.nan


def fp32_pow(local: Local, dst: Tensor, src0: Tensor, src1: Tensor) -> list[float]:
    """`tpu_bdc_fp32_pow`: the exact results, which the elements of dst approach within `POWER_ULPS`."""
    exact = [power(x, y) for x, y in zip(local.read(src0), local.read(src1), strict=True)]
    local.write(dst, [rounded(dst.kind, value) for value in exact])
    return exact


def cpy_s2l(local: Local, system: bytes | bytearray, dst: Tensor, src: Tensor) -> None:
    """`tpu_gdma_cpy_S2L`: system to local memory, every element with its bits."""
    local.put(dst, system_raw(system, src))


def cpy_l2s(system: bytearray, local: Local, dst: Tensor, src: Tensor) -> None:
    """`tpu_gdma_cpy_L2S`: local to system memory."""
    system_put(system, dst, local.raw(src))


def accept(found: Local, wanted: Local, dst: Tensor, ulps: float = 0) -> None:
    """Take over into ``wanted`` the floats of dst that may stand for its own: any NaN, what is within ``ulps``."""
    if not is_floating(dst.kind):
        return
    form, elements = FORMATS[dst.kind], []
    for mine, raw in zip(wanted.read(dst), found.raw(dst), strict=True):
        (other,) = decode(dst.kind, raw)
        near = ulps and math.isfinite(mine) and math.isfinite(other) and abs(other - mine) <= ulps * form.ulp(mine)
        elements.append(raw if near or (math.isnan(mine) and same(mine, other)) else encode(dst.kind, [mine]))
    wanted.put(dst, elements)
