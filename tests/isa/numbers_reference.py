"""Floating-point formats in exact arithmetic: the reference of the tests, written without NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: bits of the significand, smallest and largest exponent of normal numbers."""

    precision: int
    emin: int
    emax: int

    @property
    def largest(self) -> Fraction:
        return (2 - Fraction(2) ** (1 - self.precision)) * Fraction(2) ** self.emax

    @property
    def smallest(self) -> Fraction:
        return Fraction(2) ** (self.emin - self.precision + 1)

    def ulp(self, x: float) -> Fraction:
        """Distance of the numbers of the format around ``x``."""
        exponent = math.frexp(x)[1] - 1 if x else self.emin
        return Fraction(2) ** (max(exponent, self.emin) - self.precision + 1)

    def round(self, x: float, suffix: str = "rn") -> float:
        """``x`` in the format, rounded as the suffix of a conversion says; beyond the largest number comes infinity."""
        if x == 0 or not math.isfinite(x):
            return x
        result = round_to(Fraction(x) / self.ulp(x), suffix) * self.ulp(x)
        if abs(result) > self.largest:
            return math.copysign(math.inf, x)
        return math.copysign(float(abs(result)), x)


def round_to(x: Fraction, suffix: str) -> int:
    """``x`` rounded to an integer."""
    low = math.floor(x)
    if x == low:
        return low
    near = low if x - low < Fraction(1, 2) else low + 1
    tie = x - low == Fraction(1, 2)
    zero, away = (low, low + 1) if x > 0 else (low + 1, low)
    return {
        "": zero,
        "tz": zero,
        "oz": away,
        "up": low + 1,
        "dn": low,
        "rd": away if tie else near,
        "rn": low + low % 2 if tie else near,
    }[suffix]


FORMATS = {"half": Format(11, -14, 15), "bfloat16": Format(8, -126, 127), "float": Format(24, -126, 127)}


def edges(kind: str) -> list[float]:
    """Values of a format at which arithmetic goes wrong: specials, denormals, both ends, neighbours of 1."""
    form = FORMATS[kind]
    step = float(form.ulp(1.0))
    positive = [float(form.smallest), 2.0**form.emin, 1.0, 1 + step, 1.5, 3.0, float(form.largest), math.inf]
    return [0.0, -0.0, math.nan, *positive, *(-x for x in positive)]


def wrap(x: int, bits: int, signed: bool) -> int:
    """``x`` modulo 2**bits, as two's complement if signed."""
    x %= 1 << bits
    return x - (1 << bits) if signed and x >> (bits - 1) else x


def same(a: float, b: float, zeros: bool = True) -> bool:
    """Equal, any NaN being equal to any; the sign of a zero counts if ``zeros``."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b and (not zeros or math.copysign(1, a) == math.copysign(1, b))
