"""The tables in static memory: coefficients of series and a table of powers of e, as sophgo/tpu-mlir publishes them.

Facts of python/debugger/target_1684x/cmodel.py: which series, how many terms, in which order they lie.
"""

from __future__ import annotations

import math
from functools import cache

import ml_dtypes
import numpy as np

#: e ** (i - 103) for 192 of the 256 places.
EXP_TABLE = np.exp(np.arange(-103, 89, dtype=np.float64)).astype(np.float32)
#: Places of a table of 16-bit floats.
PLACES = 16
#: The exponent in erfc x = t * e ** (-x**2 + ...), a polynomial of t = 1 / (1 + x / 2).
_ERF = (-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
        0.17087277, 0, 0, 0, 0, 0, 0)  # fmt: skip


def _zeta(n: int) -> float:
    """The sum of 1 / m**n for even n, but for terms that add up to less than 1e-9."""
    return math.pi**2 / 6 if n == 2 else math.fsum(m**-n for m in range(1, 3 + int(1e9 ** (1 / (n - 1)))))


def _turn(k: int) -> float:
    """A term of the series of sin and cos of 2 * pi * x."""
    return (1, -1)[k // 2 % 2] * (2 * math.pi) ** k / math.factorial(k)


#: The tables by name, as float32.
TABLES = {
    name: np.array(values, np.float64).astype(np.float32)
    for name, values in {
        "exp_table": EXP_TABLE,
        "exp_coeff": [1 / math.factorial(k) for k in range(32)],  # of e ** x
        "log_coeff": [0, *((-1) ** (k + 1) / k for k in range(1, 64))],  # of ln (1 + x)
        "erf_coeff": _ERF,
        "sin_coeff": [_turn(2 * k + 1) for k in range(32)],
        "cos_coeff": [_turn(2 * k) for k in range(32)],
        "arcsin_coeff": [math.comb(2 * k, k) / 4**k / (2 * k + 1) for k in range(64)],  # of odd powers
        "tan_coeff": [(4**n - 1) * 2 * _zeta(2 * n) / math.pi for n in range(1, 33)],  # of tan (pi * x), odd powers
    }.items()
}
#: Of the tables that there are in 16 bits too, how many terms.
_NARROW = {"exp_coeff": 10, "log_coeff": 16, "erf_coeff": 10}


@cache
def placed(table: str, dtype: np.dtype) -> np.ndarray:
    """A table as a command for any type loads it: the first terms, then zeros; of float all, but for exp."""
    values, terms = TABLES[table], _NARROW[table]
    if dtype.itemsize == values.itemsize and table != "exp_coeff":
        return values
    return np.concatenate([values[:terms], np.zeros(PLACES - terms)]).astype(dtype)


@cache
def image() -> bytes:
    """Static memory: the tables one after the other, in the order of the vendor's map."""
    half, bfloat16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
    behind = {"exp_table": np.zeros(64, np.float32), "erf_coeff": np.arange(64, dtype=np.int32)}
    whole = (part.tobytes() for name in TABLES for part in (TABLES[name], behind.get(name, np.zeros(0))))
    narrowed = (
        placed(table, dtype).tobytes().ljust(64, b"\0")
        for table in ("exp_coeff", "log_coeff")
        for dtype in (half, bfloat16)
    )
    return b"".join((*whole, *narrowed))
