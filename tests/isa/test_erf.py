"""The error function of arrays, beside that of the C library, number by number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mlusim.isa.erf import error_function

#: Around 0, around the ends of series, where it becomes 1, and all of it.
RANGES = [(-1e-3, 1e-3), (-1 / 16 - 1e-9, 1 / 16 + 1e-9), (5.5, 6.5), (-7.0, 7.0)]


@pytest.mark.parametrize("bounds", RANGES, ids=str)
def test_it_is_within_a_few_units_of_its_last_place(bounds: tuple[float, float]) -> None:
    x = np.random.default_rng(0).uniform(*bounds, 20000)
    wanted = np.array([math.erf(one) for one in x.tolist()])
    assert (np.abs(error_function(x) - wanted) <= 4 * np.spacing(np.abs(wanted))).all()


def test_ends() -> None:
    ends = [0.0, -0.0, np.inf, -np.inf, 1e300, -5e-324, 1e-310]
    found = error_function(np.array(ends))
    np.testing.assert_array_equal(found[:5], [math.erf(one) for one in ends[:5]])
    np.testing.assert_allclose(found[5:], [math.erf(one) for one in ends[5:]], rtol=0, atol=5e-324)
    assert np.signbit(found).tolist() == [False, True, False, True, False, True, False]
    assert np.isnan(error_function(np.array([np.nan, 1.0]))).tolist() == [True, False]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_narrow_numbers_give_doubles_and_arrays_keep_their_shape(dtype: type) -> None:
    x = np.linspace(-3, 3, 24).astype(dtype).reshape(2, 3, 4)
    found = error_function(x)
    assert (found.dtype, found.shape) == (np.float64, x.shape)
    np.testing.assert_array_equal(found, error_function(x.astype(np.float64)))
