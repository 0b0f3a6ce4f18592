"""Number formats in exact arithmetic and their bytes: the reference of the tests, written without NumPy."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any


@cache
def two_to(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: bits of the significand, smallest and largest exponent of normal numbers."""

    precision: int
    emin: int
    emax: int
    infinite: bool = True  # without infinity, the largest significand is NaN and what is too large becomes that

    @cached_property
    def largest(self) -> Fraction:
        ends = 1 if self.infinite else 2
        return (2 - ends * two_to(1 - self.precision)) * two_to(self.emax)

    @cached_property
    def _largest(self) -> float:
        return float(self.largest)  # exact, and compared sooner

    @property
    def too_large(self) -> float:
        return math.inf if self.infinite else math.nan

    @property
    def smallest(self) -> Fraction:
        return two_to(self.emin - self.precision + 1)

    def ulp(self, x: float) -> Fraction:
        """Distance of the numbers of the format around ``x``."""
        return two_to(self._exponent(x))

    def _exponent(self, x: float) -> int:
        exponent = math.frexp(x)[1] - 1 if x else self.emin
        return max(exponent, self.emin) - self.precision + 1

    def round(self, x: float, suffix: str = "rn") -> float:
        """``x`` in the format, rounded as the suffix of a conversion says; beyond the largest number comes infinity."""
        if x == 0 or not math.isfinite(x):
            return math.copysign(self.too_large, x) if math.isinf(x) else x
        exponent = self._exponent(x)
        # Exact: a double times a power of two that makes no denormal of it.
        units = math.ldexp(x, -exponent) if isinstance(x, float) else Fraction(x) / two_to(exponent)
        result = math.ldexp(abs(round_to(units, suffix)), exponent)
        return math.copysign(self.too_large if result > self._largest else result, x)


#: Whether what lies above the integer ``low`` goes up: ``half`` says how it compares to the middle.
_GOES_UP: dict[str, Callable[[int, int, bool], bool]] = {
    "": lambda low, half, positive: not positive,
    "tz": lambda low, half, positive: not positive,
    "oz": lambda low, half, positive: positive,
    "up": lambda low, half, positive: True,
    "dn": lambda low, half, positive: False,
    "rd": lambda low, half, positive: positive if half == 0 else half > 0,
    "rn": lambda low, half, positive: low % 2 == 1 if half == 0 else half > 0,
    "rm": lambda low, half, positive: half >= 0,
    "half_up": lambda low, half, positive: half >= 0,
    "half_down": lambda low, half, positive: half > 0,
}


def round_to(x: float, suffix: str) -> int:
    """``x`` rounded to an integer."""
    low = math.floor(x)
    if x == low:
        return low
    twice, middle = 2 * x, 2 * low + 1  # exact, of a double too
    return low + _GOES_UP[suffix](low, (twice > middle) - (twice < middle), x > 0)


FORMATS = {
    "half": Format(11, -14, 15), "bfloat16": Format(8, -126, 127), "float": Format(24, -126, 127),
    "float8e5m2": Format(3, -14, 15), "float8e4m3": Format(4, -6, 8, infinite=False),
}  # fmt: skip
#: The upper byte of a half, and four bits of exponent.
BYTES = ("float8e5m2", "float8e4m3")


def edges(kind: str) -> list[float]:
    """Values of a format at which arithmetic goes wrong: specials, denormals, both ends, neighbours of 1."""
    form = FORMATS[kind]
    step = float(form.ulp(1.0))
    positive = [float(form.smallest), 2.0**form.emin, 1.0, 1 + step, 1.5, 3.0, float(form.largest), form.too_large]
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


#: Bits of the integer types, and whether they are signed.
INTEGERS = {
    f"{prefix}int{bits}": (bits, not prefix) for bits in (8, 16, 32, 64) for prefix in ("", "u")
}  # fmt: skip
INTEGERS["bool"] = (8, False)  # a byte in memory
_CODES = {"bool": "B", "half": "e", "float": "f", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
          "uint32": "I", "int64": "q", "uint64": "Q"}  # fmt: skip


def is_floating(kind: str) -> bool:
    """Whether elements of the type are floating-point numbers."""
    return kind in FORMATS


@cache
def size_of(kind: str) -> int:
    """Bytes of one element."""
    return 2 if kind == "bfloat16" else 1 if kind in BYTES else struct.calcsize(_CODES[kind])


def _of_byte(kind: str, byte: int) -> float:
    form = FORMATS[kind]
    fraction_bits = form.precision - 1
    exponent, fraction = (byte & 127) >> fraction_bits, byte & (1 << fraction_bits) - 1
    if exponent == 127 >> fraction_bits and form.infinite:
        value = math.nan if fraction else math.inf
    elif byte & 127 == 127 and not form.infinite:
        value = math.nan
    else:
        significand = fraction | (1 << fraction_bits if exponent else 0)
        value = math.ldexp(significand, max(exponent, 1) - 1 + form.emin - fraction_bits)
    return math.copysign(value, -1.0 if byte & 128 else 1.0)


@cache
def _bytes_of(kind: str) -> dict[float, int]:
    return {value: byte for byte in range(128) if (value := _of_byte(kind, byte)) == value}


def _byte(kind: str, value: float) -> int:
    sign = 128 if math.copysign(1, value) < 0 else 0
    return sign | (127 if value != value else _bytes_of(kind)[abs(value)])


def rounded(kind: str, value: float) -> float:
    """``value`` as an element of the type: floats to nearest even, integers modulo their width."""
    return FORMATS[kind].round(float(value)) if is_floating(kind) else wrap(int(value), *INTEGERS[kind])


def encode(kind: str, values: Iterable[float]) -> bytes:
    """The little-endian bytes of values that the type can hold."""
    if kind == "bfloat16":  # the upper half of a float
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    if kind in BYTES:
        return bytes(_byte(kind, value) for value in values)
    given = list(values)
    return struct.pack(f"<{len(given)}{_CODES[kind]}", *given)


def decode(kind: str, data: bytes) -> list[Any]:
    """The values that little-endian bytes stand for."""
    if kind == "bfloat16":
        return [struct.unpack("<f", b"\0\0" + data[at : at + 2])[0] for at in range(0, len(data), 2)]
    if kind in BYTES:
        return [_of_byte(kind, byte) for byte in data]
    return list(struct.unpack(f"<{len(data) // size_of(kind)}{_CODES[kind]}", data))
