"""Exponentials that need only round to the same floats as NumPy's do so, wherever they lie."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from mlusim.simulator.core.issue.loops import loop_of
from mlusim.simulator.native.build import RUNTIME, BuildTarget, build
from mlusim.simulator.native.compiler import Compiler

SOURCE = """
#include "exponential.h"
extern "C" void exponential(void* exact, void* data, char* from, char* to, long count) {
  char* places[] = {from, to};
  mlusim::exp_for_floats((mlusim::NumpyLoop)exact, data, places, count);
}
"""
MANY = 1 << 18
#: Beside them: where floats end, begin to lose bits and become 0, and around 0.
RANGES = [(-110, 110), (-20, 0), (-87.1, -86.9), (87.9, 89), (-104.6, -103), (-1e-3, 1e-3), (-3e38, 3e38)]


@pytest.fixture(scope="module", params=["", "-DMLUSIM_PLAIN_EXP"], ids=["vectors", "plain"])
def exponential(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    source = tmp_path_factory.mktemp("exponential") / "exponential_calls.cpp"
    source.write_text(SOURCE)
    sources = (source, RUNTIME / "exponential.cpp")
    made = build(
        Compiler(), BuildTarget("exponential.so", "exponentials", sources, (f"-I{RUNTIME}", *request.param.split()))
    )
    function = ctypes.CDLL(str(made)).exponential
    function.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long]
    exact = loop_of(np.exp, [np.dtype(np.float64)])
    assert exact is not None

    def call(given: np.ndarray) -> np.ndarray:
        out = np.empty_like(given)
        function(exact.function, exact.data, given.ctypes.data, out.ctypes.data, len(given))
        return out

    return call


def as_floats(values: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return values.astype(np.float32).view(np.uint32)


def same_floats(exponential, given: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        wanted = np.exp(given)
    np.testing.assert_array_equal(as_floats(exponential(given)), as_floats(wanted))


@pytest.mark.parametrize("bounds", RANGES, ids=str)
def test_floats_of_a_range(exponential, bounds):
    given = np.random.default_rng(0).uniform(*bounds, MANY)
    same_floats(exponential, given)
    same_floats(exponential, given.astype(np.float32).astype(np.float64))


def test_the_middle_between_two_floats(exponential):
    """Logarithms of middles: without the loop of NumPy's half of them would round to the wrong side."""
    floats = np.random.default_rng(1).uniform(1e-30, 1e30, MANY).astype(np.float32)
    middles = (floats.astype(np.float64) + np.nextafter(floats, np.float32(np.inf)).astype(np.float64)) / 2
    same_floats(exponential, np.log(middles))


def test_no_number_keeps_its_bits(exponential):
    bits = np.random.default_rng(3).integers(1, 1 << 22, MANY, np.uint32) | np.uint32(0x7FC00000)
    bits[::2] |= np.uint32(1 << 31)
    same_floats(exponential, bits.view(np.float32).astype(np.float64))


def test_some_of_a_block_are_in_doubt(exponential):
    """In each of them others: subnormal floats, what is no number, what is beyond all floats."""
    rng = np.random.default_rng(2)
    given = rng.uniform(-20, 20, MANY)
    doubtful = rng.random(MANY) < 0.05
    given[doubtful] = rng.choice([-96.0, -103.9, np.nan, np.inf, 700.0, 800.0], doubtful.sum())
    same_floats(exponential, given)


def test_ends_and_counts_that_are_no_multiple(exponential):
    ends = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 88, -87, -104.5, 1.0, -1e300])
    for count in (1, 10, 63, 64, 65, 129):
        same_floats(exponential, np.resize(ends, count))
        same_floats(exponential, np.full(count, -np.inf))
