"""Elementwise operators on int8 with scales, against fractions."""

import itertools

import numpy as np
import pytest
from mlusim.kernels import elementwise as ew
from mlusim.kernels.elementwise.operators import OPERATORS
from mlusim.simulator import Device

from tests.kernels.elementwise_cases import SHAPES, run, values
from tests.kernels.elementwise_reference import INT8, quantized

pytestmark = pytest.mark.slow

SCALABLE = [name for name, operator in OPERATORS.items() if operator.scalable]
#: For operators of two inputs and of one.
SCALES = {
    2: [
        (1, 1, 2),
        (0.1, 0.1, 0.2),
        (0.5, 0.25, 3),
        (0.013, 0.57, 0.11),
        (1, 1, 1),
        (3e-3, 2e-7, 1e-3),
        (1e4, 1e4, 0.3),
        (0.1, 0.3, 0.003),
        (0.3, 0.1, 0.001),
        (0.7, 0.1, 0.002),
    ],
    1: [(1, 2), (0.1, 0.2), (0.013, 0.0117), (0.5, 0.03125), (1, 1)],
}


@pytest.fixture(scope="module")
def random():
    return np.random.default_rng(1)


@pytest.mark.parametrize("name", SCALABLE)
def test_int8_with_scales_is_exact(device, random, name):
    inputs = OPERATORS[name].inputs
    edges = np.array(list(itertools.product((-128, -127, -1, 0, 1, 2, 127), repeat=inputs)), np.int8).T
    operands = [np.concatenate([edge, random.integers(-128, 128, 250).astype(np.int8)]) for edge in edges]
    for scales in SCALES[inputs]:
        output = run(device, name, *operands, scales=scales).output
        wanted = [quantized(name, scales, *map(int, given)) for given in zip(*operands, strict=True)]
        assert output.dtype == np.int8
        wrong = np.nonzero(output != wanted)[0]
        assert not wrong.size, (scales, [o[wrong[0]] for o in operands], output[wrong[0]], wanted[wrong[0]])


@pytest.mark.parametrize(("name", "scales", "a", "b", "wanted"), [
    # Results so near the middle between two integers that a double cannot tell: a sum, a product, a quotient.
    ("add", (1, 1e-20, 2), 1, 1, 1),
    ("add", (1, 1e-20, 2), 1, -1, 0),
    ("sub", (1, 1e-20, 2), 3, 1, 1),
    ("mul", (1.97571337, 1.91491711, 18.6098804), 91, 3, 55),
    ("mul", (1.53266108, 1.74898446, 136.360977), 65, 9, 11),
    ("div", (3.206743, 1.59282529, 1.51205528), 89, 79, 1),
    ("div", (9.61312675, 1.53505242, 1.88517892), 73, 97, 3),
    # Whole numbers too large for a float.
    ("add", (4074005, 4758687, 4310), 125, -107, 17),
    ("add", (1244999, 1360592, 13120), 89, -81, 45),
])  # fmt: skip
def test_results_next_to_the_middle(device, name, scales, a, b, wanted):
    assert quantized(name, scales, a, b) == wanted
    assert run(device, name, np.int8([a]), np.int8([b]), scales=scales).output.tolist() == [wanted]


def test_large_results_next_to_the_middle(device):
    # a * scale is 127.5 or 101.5 but for the last place of a float.
    one = np.int8([1])
    for middle, a in itertools.product((127.5, 101.5), range(3, 128, 4)):
        scale = float(np.float32(middle / a))
        for value in (a, -a):
            output = run(device, "mul", np.int8([value]), one, scales=(scale, 1, 1)).output
            assert output.tolist() == [quantized("mul", (scale, 1, 1), value, 1)]


def test_sums_of_large_terms_that_cancel(device):
    # 0.3 * a + 0.1 * b is 0.1 or -0.1, which is 50.5 times the output's scale; the terms err by more than that shows.
    scales, a = (0.3, 0.1, 0.1 / 50.5), np.arange(-42, 42)
    for sign in (1, -1):
        b = sign - 3 * a
        output = run(device, "add", a.astype(np.int8), b.astype(np.int8), scales=scales).output
        assert output.tolist() == [quantized("add", scales, int(x), int(y)) for x, y in zip(a, b, strict=True)]


def test_an_output_of_another_type_has_the_rounded_result(device):
    a = np.arange(-128, 128).astype(np.int8)
    wanted = [quantized("add", (1, 1, 2), int(x), 0) for x in a]
    for dtype in (np.float32, np.float16, np.int32):
        out = np.zeros(256, dtype)
        assert run(device, "add", a, np.int8(0), scales=(1, 1, 2), out=out).output.tolist() == wanted


def test_scales_as_an_array(device):
    assert ew.mul(device, np.int8([6]), np.int8([5]), scales=np.array([0.5, 1, 2])).output.tolist() == [8]


@pytest.mark.parametrize("variant", [variant for variant in SHAPES if variant != "half8"])
def test_int8_form_of_every_variant(device, random, variant):
    scales = (0.02, 0.3, 0.07)
    a, b = (values(random, shape, INT8) for shape in SHAPES[variant])
    for operands in ((a, b), (b, a)):
        for name in ("add", "mul"):
            found = run(device, name, *operands, scales=scales, variant=variant)
            assert (found.plan.variant, found.plan.int8_form) == (variant, True)
            assert f"{variant}_int8" in str(found.plan)
            pairs = zip(*(operand.ravel() for operand in np.broadcast_arrays(*operands)), strict=True)
            wanted = [quantized(name, scales, int(x), int(y)) for x, y in pairs]
            np.testing.assert_array_equal(found.output.ravel(), wanted)


def test_another_architecture_gives_the_same(random):
    scales, a = (0.3, 0.2, 0.017), random.integers(-128, 128, 300).astype(np.int8)
    output = ew.div(Device.load("mlu590"), a, a[::-1], scales=scales).output
    assert output.tolist() == [quantized("div", scales, int(x), int(y)) for x, y in zip(a, a[::-1], strict=True)]
