"""Rounding to narrower floats in exact fractions: one rounding in every mode, at both ends of a format too."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from mlusim.isa.rounding import Rounding, narrow

from tests.isa.references.convert import narrow as exact
from tests.isa.references.numbers import FORMATS

#: The modes in the words of the references.
WORDS = {
    Rounding.NEAREST_EVEN: "rn", Rounding.NEAREST_AWAY: "rd", Rounding.NEAREST_UP: "half_up",
    Rounding.NEAREST_DOWN: "half_down", Rounding.ZERO: "tz", Rounding.AWAY: "oz", Rounding.UP: "up",
    Rounding.DOWN: "dn",
}  # fmt: skip
TYPES = {"half": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16), "float": np.dtype(np.float32)}


def around(kind: str) -> np.ndarray:
    """Numbers of the format, ties between them, and doubles next to the ties, of both signs."""
    form = FORMATS[kind]
    points = [form.smallest, form.smallest * 3, Fraction(2) ** form.emin, Fraction(1), 1 + form.ulp(1.0), form.largest]
    near = [float(point + form.ulp(float(point)) * step / 2) for point in points for step in range(-2, 4)]
    return np.array([sign * np.nextafter(x, to) for x in near for sign in (1, -1) for to in (0, x, np.inf)])


@pytest.mark.parametrize("rounding", WORDS, ids=WORDS.get)
@pytest.mark.parametrize("kind", TYPES)
def test_a_double_is_rounded_once(kind: str, rounding: Rounding) -> None:
    values = around(kind)
    with np.errstate(over="ignore"):
        found = narrow(values, TYPES[kind], rounding).astype(np.float64)
    wrong = [
        (x, y, wanted)
        for x, y in zip(values.tolist(), found.tolist(), strict=True)
        if y != (wanted := exact(x, 0, WORDS[rounding], kind)) or np.signbit(y) != np.signbit(wanted)
    ]
    assert not wrong, f"{len(wrong)} such as {wrong[:3]}: value, result, wanted"
