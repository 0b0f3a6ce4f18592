"""Rounding of numbers to whole ones and to narrower floating-point types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np


class Rounding(StrEnum):
    """Where a number goes that lies between two representable ones."""

    NEAREST_EVEN = "nearest, ties to even"
    NEAREST_AWAY = "nearest, ties away from zero"
    NEAREST_UP = "nearest, ties up"
    NEAREST_DOWN = "nearest, ties down"
    ZERO = "toward zero"
    AWAY = "away from zero"
    UP = "up"
    DOWN = "down"


def _away(x: np.ndarray) -> Any:
    return np.copysign(np.ceil(np.abs(x)), x)


def _nearest_away(x: np.ndarray) -> Any:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(np.ones_like(x), x), whole)


def _nearest_up(x: np.ndarray) -> Any:
    whole = np.floor(x)
    return np.where(x - whole >= 0.5, whole + 1, whole)


def _nearest_down(x: np.ndarray) -> Any:
    whole = np.ceil(x)
    return np.where(whole - x >= 0.5, whole - 1, whole)


_WHOLE: Mapping[Rounding, Callable[[np.ndarray], Any]] = MappingProxyType(
    {
        Rounding.NEAREST_EVEN: np.rint,
        Rounding.NEAREST_AWAY: _nearest_away,
        Rounding.NEAREST_UP: _nearest_up,
        Rounding.NEAREST_DOWN: _nearest_down,
        Rounding.ZERO: np.trunc,
        Rounding.AWAY: _away,
        Rounding.UP: np.ceil,
        Rounding.DOWN: np.floor,
    }
)


def single(x: np.ndarray) -> np.ndarray:
    """The floats in which units compute: 16-bit ones as float32, wider ones as they are."""
    return x.astype(np.float32) if x.dtype.itemsize < 4 else x


def to_whole(x: np.ndarray, rounding: Rounding) -> Any:
    """Whole numbers, in the type of ``x``."""
    return _WHOLE[rounding](x)


def shifted_right(x: np.ndarray, count: Any, rounding: Rounding) -> np.ndarray:
    """Integers without their last ``count`` bits (a number, or one for each), rounded."""
    count = np.asarray(count).astype(x.dtype)
    one = x.dtype.type(1)
    whole = x >> count
    cut, half = x - (whole << count), (one << count) >> one
    some = cut > 0
    tie, more = (cut == half) & some, cut > half
    up = {
        Rounding.NEAREST_EVEN: more | (tie & ((whole & one) == 1)),
        Rounding.NEAREST_AWAY: more | (tie & (x >= 0)),
        Rounding.NEAREST_UP: more | tie,
        Rounding.NEAREST_DOWN: more,
        Rounding.ZERO: some & (x < 0),
        Rounding.AWAY: some & (x >= 0),
        Rounding.UP: some,
        Rounding.DOWN: np.zeros_like(some),
    }[rounding]
    made: np.ndarray = whole + up
    return made


def to_int(x: np.ndarray, dtype: np.dtype, rounding: Rounding, nan: int = 0) -> np.ndarray:
    """Integers of ``dtype``, saturated; NaN becomes ``nan``. The floats must be wide enough to hold the integers."""
    limits = np.iinfo(dtype)
    whole = np.minimum(np.maximum(to_whole(x, rounding), limits.min), limits.max)
    made: np.ndarray = np.where(np.isnan(whole), nan, whole).astype(dtype)
    return made


def narrow(x: np.ndarray, dtype: np.dtype, rounding: Rounding) -> np.ndarray:
    """Floats as narrower floats; inf and NaN stay what they are."""
    if dtype.itemsize == 1:
        return _byte_float(x, dtype, rounding)
    near = _nearest(x, dtype)
    if rounding is Rounding.NEAREST_EVEN:
        return near
    back = near.astype(x.dtype)
    lower, upper = np.nextafter(near, dtype.type(-np.inf)), np.nextafter(near, dtype.type(np.inf))
    down = np.where(back > x, lower, near)
    up = np.where(back < x, upper, near)
    if rounding is Rounding.DOWN:
        return down
    if rounding is Rounding.UP:
        return up
    toward = np.where(x < 0, up, down)
    if rounding is Rounding.ZERO:
        return toward
    away = np.where(x < 0, down, up)
    if rounding is Rounding.AWAY:
        return away
    # The number behind the largest one is infinity, yet a tie lies halfway to where it would be.
    largest = np.nextafter(dtype.type(np.inf), dtype.type(0))
    end = 2 * float(largest) - float(np.nextafter(largest, dtype.type(0)))
    below, above = (np.minimum(np.maximum(one.astype(np.float64), -end), end) for one in (down, up))
    middle = (below + above) / 2
    tie = {Rounding.NEAREST_AWAY: away, Rounding.NEAREST_UP: up, Rounding.NEAREST_DOWN: down}[rounding]
    return np.where(x == middle, tie, near)


def _byte_float(x: np.ndarray, dtype: np.dtype, rounding: Rounding) -> np.ndarray:
    """As floats of 8 bits; what rounds to more than their largest is infinity, or NaN where they have none."""
    wide, form = x.astype(np.float64), ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    finite = np.isfinite(wide)
    unit = np.ldexp(1.0, np.maximum(np.frexp(wide)[1] - 1, int(form.minexp)) - int(form.nmant))
    rounded = np.where(finite, to_whole(np.where(finite, wide, 0) / unit, rounding) * unit, wide)
    most = float(form.max)
    inward = {Rounding.ZERO: finite, Rounding.DOWN: finite & (wide > 0), Rounding.UP: finite & (wide < 0)}
    if rounding in inward:
        rounded = np.where(inward[rounding], np.clip(rounded, -most, most), rounded)
    return np.copysign(rounded, wide).astype(dtype)


def _nearest(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """To nearest, ties to even, in one step."""
    if x.dtype != np.float64 or dtype != ml_dtypes.bfloat16:
        return x.astype(dtype)
    # ml_dtypes goes by way of float32. A last bit that says whether anything was cut off makes the second step right.
    cut = narrow(x, np.dtype(np.float32), Rounding.ZERO)
    inexact = np.isfinite(x) & (cut != x)
    result: np.ndarray = (cut.view(np.uint32) | inexact).view(np.float32).astype(dtype)
    return result


@cache
def _smallest_normal(dtype: np.dtype) -> Any:
    return np.finfo(dtype).smallest_normal


def flushed(values: Any, dtype: np.dtype | None = None) -> Any:
    """The values, as floats of ``dtype``, with a zero of its sign for every subnormal one; as they are without any."""
    array = values = np.asarray(values, dtype)
    small = np.abs(array) < _smallest_normal(array.dtype)
    if not np.count_nonzero(small) or not array[small].any():  # zeros are not subnormal
        return values
    return np.where(small, np.copysign(array.dtype.type(0), array), array)
