"""Conversions against exact arithmetic: every suffix, ties, saturation, overflow of half, fix positions, strides."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from execute import BANG, execute, newest
from mlusim.simulator import launch
from numbers_reference import FORMATS, edges, round_to, same

SUFFIXES = ("tz", "oz", "up", "dn", "rd", "rn")
LIMITS = {"int8": 2**7, "int16": 2**15, "int32": 2**31}


def convert(name: str, target: str, source: str, given: list[Any], *scalars: Any) -> list[Any]:
    return execute(f"__bang_{name}", target, [(source, given)], *scalars, first_count=True)


def float_to_int(x: float, limit: int, position: int, suffix: str) -> int:
    """round(x / 2**position), saturated; NaN gives 0."""
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return limit - 1 if x > 0 else -limit
    return min(max(round_to(Fraction(x) / Fraction(2) ** position, suffix), -limit), limit - 1)


@pytest.mark.parametrize("suffix", ["", *SUFFIXES])
@pytest.mark.parametrize("target", LIMITS)
@pytest.mark.parametrize("source", ["float", "half"])
def test_float_to_int(source: str, target: str, suffix: str) -> None:
    form, limit = FORMATS[source], LIMITS[target]
    quarters = [sign * n / 4 for n in range(24) for sign in (1, -1)]
    around = [form.round(sign * (limit + d), "tz") for d in (-2, -1, -0.5, 0, 1, 4) for sign in (1, -1)]
    given = [*edges(source), *quarters, *around]
    name = f"{source}2{target}{'_' if suffix else ''}{suffix}"
    for position in (-127, -3, -1, 0, 1, 2, 3, 127):
        found = convert(name, target, source, given, position)
        wanted = [float_to_int(x, limit, position, suffix) for x in given]
        wrong = [row for row in zip(given, found, wanted, strict=True) if row[1] != row[2]]
        assert not wrong, f"{name}, fix_position {position}: (source, found, wanted) {wrong[:5]}"


INT_TO_FLOAT = [
    (o.name.removeprefix("__bang_"), o)
    for o in BANG.overloads
    if o.name.startswith(tuple(f"__bang_{source}2{target}" for source in LIMITS for target in ("float", "half")))
]


@pytest.mark.parametrize("name", [name for name, _ in INT_TO_FLOAT])
def test_int_to_float(name: str) -> None:
    source, rest = name.split("2", 1) if not name.startswith("int32") else ("int32", name.removeprefix("int322"))
    target, _, suffix = rest.partition("_")
    form, limit = FORMATS[target], LIMITS[source]
    # 2**24 + 1 lies between two floats, 2049 between two halves, 65519, 65520 and 65536 on both sides of their end.
    odd = [sign * n for n in (2**24 + 1, 2**24 + 3, 2049, 2051, 65519, 65520, 65536, limit - 1) for sign in (1, -1)]
    given = [0, 1, -1, 77, -limit, *(n for n in odd if -limit <= n < limit)]
    for position in (-3, -2, -1, 0, 1, 2, 3, -24, 10):
        found = convert(name, target, source, given, position)
        wanted = [form.round(n * 2.0**position, suffix or "rn") for n in given]
        assert found == wanted, f"{name}, fix_position {position}: {list(zip(given, found, wanted, strict=True))}"


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("target", ["half", "bfloat16"])
def test_float_to_a_narrower_float(target: str, suffix: str) -> None:
    form, wide = FORMATS[target], FORMATS["float"]
    tiny, step = float(form.smallest), float(form.ulp(1.0))
    points = [1.0, 1 + step, 2.0, tiny, 2 * tiny, 2.0**form.emin, float(form.largest)]
    if target == "half":
        points += [65504.0, 65519.0, 65519.996, 65520.0, 65536.0]
    around = [x + form.ulp(x) * Fraction(n, 4) for x in points for n in range(-3, 4)]
    given = [*edges("float"), *(wide.round(float(s * x)) for x in around for s in (1, -1))]
    found = convert(f"float2{target}_{suffix}", target, "float", given)
    wanted = [form.round(x, suffix) for x in given]
    if suffix in ("tz", "dn", "up"):  # beyond the end: the largest number, where the suffix points back to it
        largest = float(form.largest)
        back = {"tz": (largest, -largest), "dn": (largest, -math.inf), "up": (math.inf, -largest)}[suffix]
        wanted = [
            back[x < 0] if math.isfinite(x) and abs(x) > largest else w for x, w in zip(given, wanted, strict=True)
        ]
    wrong = [row for row in zip(given, found, wanted, strict=True) if not same(*row[1:])]
    assert not wrong, f"(source, found, wanted) {wrong[:5]}"


@pytest.mark.parametrize("source", ["half", "bfloat16"])
def test_widening_is_exact(source: str) -> None:
    given = edges(source)
    assert all(map(same, convert(f"{source}2float", "float", source, given), given))


def test_bfloat16_may_be_widened_from_the_tail_of_the_destination() -> None:
    n, out = 64, np.zeros(64, np.float32)
    given = (np.arange(n) - 20).astype(ml_dtypes.bfloat16)

    def kernel(mlu: Any, x: Any, y: Any) -> None:
        dst = mlu.nram("float", n)
        src = dst.cast("bfloat16") + n
        mlu.__memcpy(src, x, 2 * n, mlu.GDRAM2NRAM)
        mlu.__bang_bfloat162float(dst, src, n)
        mlu.__memcpy(y, dst, 4 * n, mlu.NRAM2GDRAM)

    assert launch(kernel, args=[given, out], device=newest()).findings == []
    assert out.tolist() == [float(i - 20) for i in range(n)]


BLOCKS = [o for o in BANG.overloads if any(p.name == "segnum" for p in o.parameters) and "2" in o.name]


@pytest.mark.parametrize("name", [o.name for o in BLOCKS])
def test_blocks_at_strides(name: str) -> None:
    """Two blocks of three: the source block repeats (stride 0), the targets lie 16 bytes apart."""
    source, target = next((o.parameters[1].type, o.parameters[0].type) for o in BLOCKS if o.name == name)
    size = np.dtype({"half": "e", "float": "f", "int8": "b"}[target]).itemsize
    given = np.array([1.5, -2.25, 3.0], {"half": "e", "float": "f"}[source])
    out = np.zeros(32 // size, {"half": "e", "float": "f", "int8": "b"}[target])

    def kernel(mlu: Any, x: Any, y: Any) -> None:
        src, dst = mlu.nram(source, 3), mlu.nram(target, 32 // size)
        mlu.__memcpy(src, x, given.nbytes, mlu.GDRAM2NRAM)
        mlu.__memcpy(dst, y, 32, mlu.GDRAM2NRAM)
        position = (0,) if target == "int8" else ()
        getattr(mlu, name)(dst, src, 3, *position, 16, 0, 1)
        mlu.__memcpy(y, dst, 32, mlu.NRAM2GDRAM)

    assert launch(kernel, args=[given, out], device=newest()).findings == []
    block = {"float": [1.5, -2.25, 3.0], "half": [1.5, -2.25, 3.0]}.get(
        target, [1, -3, 3] if name.endswith("dn") else [2, -2, 3]
    )
    padded = [*block, *[0] * (16 // size - 3)]
    assert out.tolist() == [*padded, *padded]


def test_cast_takes_its_count_first() -> None:
    given = [1.9, -1.9, 3e9, -3e9, math.inf, math.nan, 2.0**31 - 128]
    out, floats = np.zeros(len(given), np.int32), np.array(given, np.float32)

    def kernel(mlu: Any, x: Any, y: Any) -> None:
        src, dst = mlu.nram("float", 7), mlu.nram("int32", 7)
        mlu.__memcpy(src, x, 28, mlu.GDRAM2NRAM)
        mlu.__cn_vector_cast_f32_to_s32(7, dst, src)
        mlu.__memcpy(y, dst, 28, mlu.NRAM2GDRAM)

    assert launch(kernel, args=[floats, out], device=newest()).findings == []
    assert out.tolist() == [1, -1, 2**31 - 1, -(2**31), 2**31 - 1, 0, 2**31 - 128]
