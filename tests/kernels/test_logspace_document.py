"""The design document's own listings, assembled unchanged, run and give right results."""

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, load

from tests.support.paths import ROOT

INF, NAN = np.inf, np.nan


@pytest.fixture(scope="module")
def listing():
    """Runs the listings on all cores as one union per cluster, or as a few block tasks."""
    device = Device.load("mlu370-x4")
    program = load(
        [Path(__file__).with_name("document_listing.mlu")], include=[ROOT / "kernels" / "logspace"], device=device
    )

    def run(start, end, steps, base, dim=(4, 8, 1), type="union1"):
        result = np.zeros(steps, np.float32)
        run = program.launch("DocumentLogspace", dim=dim, type=type, args=[start, end, steps, base, result])
        assert run.findings == []
        return result

    return run


@pytest.mark.parametrize(("dim", "type"), [((4, 8, 1), "union1"), ((3, 1, 1), "block")])
@pytest.mark.parametrize("steps", [5, 1001, 20000])
def test_positive_base(listing, steps, dim, type):
    expected = 10.0 ** np.linspace(-3, 4, steps)
    np.testing.assert_allclose(listing(-3, 4, steps, 10, dim, type), expected, rtol=2e-5)


@pytest.mark.parametrize("steps", [9, 15, 4097 * 4 + 1])
def test_negative_base(listing, steps):
    exponents = np.linspace(-4, 4, steps)
    with np.errstate(invalid="ignore"):
        expected = np.float64(-3) ** exponents
    assert np.isnan(expected).any() == (steps != 9)
    for dim, type in (((4, 8, 1), "union1"), ((1, 1, 1), "block")):
        np.testing.assert_allclose(listing(-4, 4, steps, -3, dim, type), expected, rtol=2e-5)


def test_four_segments(listing):
    np.testing.assert_array_equal(listing(0, INF, 6, 2), [NAN, INF, INF, NAN, NAN, NAN])
    np.testing.assert_array_equal(listing(3, 9, 6, 1), np.ones(6))
    np.testing.assert_array_equal(listing(0, 0, 2, NAN), np.ones(2))
