"""Elementwise operators: every operator with every type in every variant, against NumPy."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from mlusim.kernels import elementwise as ew
from mlusim.kernels.elementwise.operators import OPERATORS
from mlusim.simulator import Device

from tests.kernels.elementwise_cases import SHAPES, SPECIAL, run, values
from tests.kernels.elementwise_reference import BFLOAT16, BOOL, FLOATS, INT8, INT32, check

BINARY = [name for name, operator in OPERATORS.items() if operator.inputs == 2]
UNARY = [name for name, operator in OPERATORS.items() if operator.inputs == 1 and name not in ("cast", "clip")]


@pytest.fixture(scope="module")
def random():
    return np.random.default_rng(1)


def types_of(name):
    """The types that an operator takes."""
    operator = OPERATORS[name]
    functions = ("sqrt", "exp", "log", "sigmoid", "gelu", "silu")
    return [*FLOATS, *([INT32] * (name not in functions)), INT8, *([BOOL] * operator.takes_bool)]


@pytest.mark.slow
@pytest.mark.parametrize("name", BINARY)
def test_binary_operators_of_every_type_in_every_variant(device, random, name):
    for dtype, (variant, shapes) in itertools.product(types_of(name), SHAPES.items()):
        if variant == "half8" and dtype != np.float16:
            continue
        if variant == "half8" and OPERATORS[name].rule.name == "TRUTH":
            continue  # its output is no half
        a, b = (values(random, shape, dtype) for shape in shapes)
        for operands in ((a, b), (b, a)):
            found = run(device, name, *operands, variant=variant)
            assert found.plan.variant == variant
            check(name, found.output, operands)


@pytest.mark.parametrize("name", UNARY)
def test_unary_operators_of_every_type_in_every_variant(device, random, name):
    for dtype in types_of(name):
        for variant, shape in (
            ("nobroadcast", (6, 16)), ("limit_nhwc", (2, 3, 4, 5)), ("stride", (3, 4, 5)), ("half8", (3, 16)),
        ):  # fmt: skip
            if variant == "half8" and (dtype != np.float16 or name == "logical_not"):
                continue
            a = values(random, shape, dtype)
            check(name, run(device, name, a, variant=variant).output, (a,))


def test_clip(device, random):
    for dtype in FLOATS:
        a = values(random, (300,), dtype)
        low, high = np.float32(-0.75).astype(dtype), np.float32(2.5).astype(dtype)
        check("clip", run(device, "clip", a).output, (a,))
        for limits in ((None, 0.5), (low, high), (low, None)):
            found = ew.clip(device, a, *limits).output
            wanted = np.clip(a.astype(np.float32), *limits)
            assert found.dtype == dtype
            np.testing.assert_array_equal(found.astype(np.float32), wanted)
    for dtype in (INT32, INT8):
        a = values(random, (300,), dtype)
        np.testing.assert_array_equal(ew.clip(device, a, -7, 20).output, np.clip(a, dtype.type(-7), dtype.type(20)))
        np.testing.assert_array_equal(ew.clip(device, a, low=3).output, np.maximum(a, dtype.type(3)))


@pytest.mark.parametrize("target", [*FLOATS, INT32, INT8, BOOL], ids=str)
def test_casts(device, random, target):
    for source in (*FLOATS, INT32, INT8, BOOL):
        a = values(random, (400,), source)
        found = run(device, "cast", a, target).output
        assert found.dtype == target
        with np.errstate(all="ignore"):
            if target.kind == "i" and source in FLOATS:
                limits = np.iinfo(target)
                wide = np.clip(np.trunc(a.astype(np.float64)), limits.min, limits.max)
                wanted = np.where(np.isnan(wide), 0, wide).astype(target)
            else:
                wanted = a.astype(np.float32).astype(target) if target == BFLOAT16 else a.astype(target)
        np.testing.assert_array_equal(found.astype(np.float64), wanted.astype(np.float64))


def test_sizes(device, random):
    # Around vectors, tiles and slices, prime, empty, and one.
    for size in (0, 1, 2, 3, 5, 63, 64, 65, 1021, 2047, 2048, 4099, 65521, 65535, 65536, 131101):
        a, b = (values(random, (size,), np.dtype(np.float32)) for _ in range(2))
        found = run(device, "add", a, b)
        check("add", found.output, (a, b))
        assert (found.output.shape, found.plan.body + found.plan.remainder) == ((size,), size)
    for shape in ((), (1, 1), (0, 3), (3, 1, 0), (1, 7, 1)):
        a = values(random, shape, np.dtype(np.float32))
        check("mul", run(device, "mul", a, np.float32(3)).output, (a, np.array(3, np.float32)))


def test_seven_axes_of_each_form(device, random):
    a = values(random, (2, 3, 2, 1, 2, 3, 2), np.dtype(np.float32))
    b = values(random, (2, 1, 2, 5, 1, 3, 1), np.dtype(np.float32))
    found = run(device, "sub", a, b)
    assert len(found.plan.shape) == 7
    check("sub", found.output, (a, b))


def test_quotients_next_to_the_middle_between_two_floats(device):
    # a * 2^25 + r = q * b for a small odd r and odd q of 25 bits: a / b is r / (b * 2^25) away from such a middle.
    pairs = []
    for b in range(2**23 + 1, 2**24, 5002):
        for r in (-3, -1, 1, 3):
            q = r * pow(b, -1, 2**25) % 2**25
            a = (q * b - r) >> 25
            if 2**23 <= a < 2**24 and q >= 2**24:
                pairs.append((a, b))
    a, b = np.array(pairs, np.float32).T.copy()
    assert len(pairs) > 1000
    for operands in ((a, b), (-a * np.float32(2**-20), b * np.float32(2**13))):
        check("div", run(device, "div", *operands).output, operands)


@pytest.mark.parametrize("name", ["div", "mod"])
def test_quotients_and_remainders_to_the_last_place(device, random, name):
    bits = random.integers(0, 2**32, (2, 6000), dtype=np.uint32).view(np.float32)
    mantissas = (1 + random.random((2, 30000))).astype(np.float32)
    pairs = np.array(list(itertools.product(SPECIAL, SPECIAL)), np.float32).T
    near = np.nextafter(np.float32(3), np.float32(random.choice([0, 9], 2000))), np.full(2000, 3, np.float32)
    for a, b in (bits, mantissas, pairs, near, (mantissas[0] * np.float32(2**18), mantissas[1])):
        a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
        check(name, run(device, name, a, b).output, (a, b))


def test_functions_over_their_range(device, random):
    grid = np.concatenate([np.linspace(-110, 110, 20011), np.geomspace(1e-38, 3e38, 4001), SPECIAL]).astype(np.float32)
    for name in ("exp", "log", "sigmoid", "gelu", "silu"):
        check(name, run(device, name, grid).output, (grid,))
    base = np.exp2(random.uniform(-126, 127, 20000)).astype(np.float32)
    exponent = (random.uniform(-126, 126, 20000) / np.log2(base)).astype(np.float32)
    pairs = np.array(list(itertools.product(SPECIAL, SPECIAL)), np.float32).T
    for a, b in ((base, exponent), np.ascontiguousarray(pairs)):
        found = run(device, "pow", a, b).output
        check("pow", found, (a, b))
        with np.errstate(all="ignore"):
            wanted = np.power(a, b)
        known = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(wanted[known]))


def test_whole_quotients(device, random):
    a = np.concatenate([random.integers(-(2**31), 2**31, 4000), random.integers(-99, 99, 4000), [-(2**31)] * 4])
    b = np.concatenate([random.integers(-99, 99, 2000), random.integers(-(2**31), 2**31, 2000)] * 2 + [[-1, 0, 1, 7]])
    operands = a.astype(np.int32), b.astype(np.int32)
    for name in ("div", "mod"):
        check(name, run(device, name, *operands).output, operands)


def test_equal_with_a_tolerance(device):
    a = np.array([1, 1, 1, 0, np.inf, np.nan], np.float32)
    b = np.array([1, 1 + 5e-7, 1 + 2e-6, -0.0, np.inf, np.nan], np.float32)
    assert ew.equal(device, a, b, tolerance=1e-6).output.tolist() == [True, True, False, True, False, False]
    assert ew.equal(device, a, b).output.tolist() == [True, False, False, True, True, False]
    least = np.float32([1e-6])
    assert ew.equal(device, least, 0.0, tolerance=1e-6).output.tolist() == [False]
    assert ew.equal(device, least, 0.0, tolerance=1.1e-6).output.tolist() == [True]


def test_numbers_and_mixed_types_are_promoted_as_in_numpy(device, random):
    types = [np.dtype(np.float32), np.dtype(np.float16), INT32, INT8, BOOL]
    for first, second in itertools.product(types, types):
        a, b = values(random, (9,), first), values(random, (9,), second)
        if np.result_type(a, b) not in types or np.result_type(a, b) == BOOL:
            continue
        found = run(device, "add", a, b)
        with np.errstate(all="ignore"):
            wanted = np.add(a, b)
        assert found.output.dtype == wanted.dtype
        np.testing.assert_array_equal(found.output, wanted)
        assert found.plan.policy == ("contiguous_cast" if first != second else "contiguous")
    for number, other, dtype in ((1.5, 2, np.float32), (2, 3, np.int32), (True, 2, np.int32)):
        found = ew.add(device, number, other).output
        assert (found.dtype, found.tolist()) == (dtype, number + other)
    half, brain = values(random, (9,), FLOATS[1]), np.ones(9, BFLOAT16)
    assert ew.mul(device, half, 2.5).output.dtype == np.float16
    assert ew.add(device, brain, 1).output.dtype == BFLOAT16
    np.testing.assert_array_equal(ew.sub(device, 1, brain).output, np.zeros(9))
    assert ew.add(device, brain, np.ones(9, np.float32)).output.dtype == np.float32


def test_half_and_bfloat16_are_rounded_once(device):
    # 2049 + 1.001 is above the middle of 2050 and 2052 only before it is rounded to half.
    for dtype, base in ((np.float16, 2048), (ml_dtypes.bfloat16, 256)):
        a, b = np.array([base, base], dtype), np.array([1.0, 1.5], dtype)
        assert ew.add(device, a, b).output.tolist() == [base, base + 2]
        # The result of halfs is a half, also in an output of floats.
        wide = np.zeros(2, np.float32)
        assert ew.add(device, a, b, out=wide).output.tolist() == [base, base + 2]


@pytest.mark.slow
def test_another_architecture_gives_the_same(random):
    device = Device.load("mlu590")
    for name in ("add", "div", "mod", "pow", "gelu"):
        operands = tuple(values(random, (700,), np.dtype(np.float32)) for _ in range(OPERATORS[name].inputs))
        check(name, run(device, name, *operands).output, operands)
