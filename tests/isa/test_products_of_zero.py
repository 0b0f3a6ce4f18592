"""A factor of 0 on the 2xx, where code of public libraries makes 0 of anything with it, and on later ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, launch

X = np.zeros(64, np.float32)
X[:8] = [0, -0.0, np.nan, np.inf, -np.inf, -2, 3, np.nan]
Y = np.ones(64, np.float32)
Y[:8] = [np.nan, np.inf, 0, 0, -0.0, 0, 2, 1]


@pytest.mark.parametrize("name", ["__bang_mul", "__bang_cycle_mul", "__bang_mul_scalar"])
@pytest.mark.parametrize(("device", "old"), [("mlu270", True), ("mlu370-x4", False)])
def test_products(name: str, device: str, old: bool) -> None:
    out = np.ones(64, np.float32)
    by_value = name.endswith("scalar")

    def kernel(mlu: Any, x: Any, y: Any, out: Any) -> None:
        a, b = mlu.nram("float", 64), mlu.nram("float", 64)
        mlu.__memcpy(a, x, 256, mlu.GDRAM2NRAM)
        mlu.__memcpy(b, y, 256, mlu.GDRAM2NRAM)
        other = {"__bang_mul": (b, 64), "__bang_cycle_mul": (b, 64, 64), "__bang_mul_scalar": (-2.0, 64)}[name]
        getattr(mlu, name)(a, a, *other)
        mlu.__memcpy(out, a, 256, mlu.NRAM2GDRAM)

    launch(kernel, args=[X, Y, out], device=Device.load(device))
    with np.errstate(invalid="ignore"):
        wanted = X * (np.float32(-2) if by_value else Y)
    if old:
        wanted[(X == 0) | ((Y == 0) & (not by_value))] = 0
    numbers = ~np.isnan(wanted)
    assert (np.isnan(out) == ~numbers).all()
    assert out[numbers].tobytes() == wanted[numbers].tobytes()  # the signs of zeros too
