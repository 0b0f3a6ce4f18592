"""What the arrays of a launch are expected to hold when it is done."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ...log import Log
from ...text import nearest, quoted
from ..after_run import Given
from ..deviation import deviation, roundoff

#: How instructions name types that are less precise than float.
_NARROW = {np.float16: ("half", "fp16"), ml_dtypes.bfloat16: ("bfloat", "bf16", "bfp16")}
_KINDS = "biufcV"  # V: the small floats of ml_dtypes


class Expectations:
    """Arrays that are right, by what the user calls them, and how far from them results may be."""

    def __init__(self, expect: Any, tolerance: Any = None) -> None:
        """``expect`` is a mapping from names or numbers of arguments to arrays; ``tolerance`` as `deviation` counts.

        Without one, floats may lose half of their digits: 2.4e-4 of float, 2.2e-2 of half, 6.3e-2 of bfloat16.
        TypeError or ValueError for anything else.
        """
        if expect is None:
            expect = {}
            if tolerance is not None:
                raise ValueError("tolerance says how near a result is to what is expected; pass expect, too")
        if not isinstance(expect, Mapping):
            raise TypeError(f"expect is {quoted(expect)}; pass a mapping such as {{'out': right}}")
        if tolerance is not None and (
            isinstance(tolerance, bool)
            or not isinstance(tolerance, (int, float, np.number))
            or not 0 <= tolerance < np.inf
        ):
            raise ValueError(f"tolerance is {quoted(tolerance)}; pass a relative difference, such as 1e-4")
        self.tolerance = None if tolerance is None else float(tolerance)
        self._right = {str(name): _as_array(name, right) for name, right in expect.items()}

    def __bool__(self) -> bool:
        return bool(self._right)

    def matched(self, arrays: Iterable[Given]) -> list[tuple[Given, np.ndarray]]:
        """The arrays that something is expected of, with that; ValueError for what is none, or has another shape."""
        if not self:
            return []  # no need to list the arrays then
        known: dict[str, Given] = {}
        for array in arrays:
            known.setdefault(array.name, array)
            known.setdefault(array.title, array)
        found = []
        for name, right in self._right.items():
            if name not in known:
                listed = ", ".join(dict.fromkeys(array.name for array in known.values())) or "none"
                raise ValueError(
                    f"expect: no argument {quoted(name)} is an array{nearest(name, known)}; the arrays are {listed}"
                )
            array = known[name]
            if right.shape != array.shape:
                raise ValueError(
                    f"expect: {name} has shape {list(array.shape)}, and what is expected {list(right.shape)}"
                )
            found.append((array, right))
        return found

    def limit(self, dtype: np.dtype) -> float:
        """How far from right an element of a type may be."""
        if self.tolerance is not None:
            return self.tolerance
        return 0.0 if dtype.kind in "iub" else math.sqrt(_roundoff(dtype))

    def wrong(self, got: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The numbers, in C order, of the elements that are further from right; those that it masks may be anything."""
        looked_at = np.flatnonzero(~np.ma.getmaskarray(right))
        real, precise = (np.ma.getdata(part).ravel()[looked_at] for part in (got, right))
        kinds = {real.dtype.kind, precise.dtype.kind}
        if kinds <= set("iub") and not self.limit(got.dtype):
            far = real != precise
        else:
            wide = np.complex128 if "c" in kinds else np.float64
            with np.errstate(invalid="ignore"):  # a signalling NaN is not a number like another
                real, precise = real.astype(wide), precise.astype(wide)
            off = deviation(real, precise)
            far = off > self.limit(got.dtype)
        wrong: np.ndarray = looked_at[far]
        return wrong


def limit_of(array: Given, arrays: Sequence[Given], log: Log) -> float:
    """How far elements may be off: as far as those of the least precise type that has a part in them."""
    if array.dtype.kind in "iub":
        return 0.0
    kinds = {one.dtype for one in arrays if one.dtype.kind not in "iub"}
    named = " ".join(op.dtypes for op in log.ops).lower()
    kinds |= {np.dtype(kind) for kind, names in _NARROW.items() if any(name in named for name in names)}
    return max(Expectations({}).limit(kind) for kind in kinds)


def _roundoff(dtype: np.dtype) -> float:
    """The unit roundoff of a type, of a complex one that of its parts."""
    if dtype.kind == "c":
        dtype = np.dtype(f"f{dtype.itemsize // 2}")
    return 2.0**-53 if dtype == np.float64 else roundoff(dtype)


def _as_array(name: Any, right: Any) -> np.ndarray:
    array = np.asanyarray(right) if isinstance(right, np.ma.MaskedArray) else np.asarray(right)
    if array.dtype.kind not in _KINDS or array.dtype.hasobject or (array.dtype.kind == "V" and array.dtype.names):
        raise TypeError(f"expect: {name} is {quoted(right)}; pass an array of numbers")
    return array
