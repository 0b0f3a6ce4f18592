"""Tensors that lie in no lane: one finding for what is wrong, at whatever addresses."""

from __future__ import annotations

from typing import Any

import pytest
from mlusim.simulator import Device

from tests.support.tensors import LANE, ROW, collect, load, store

CHIP = "bm1690"
NOWHERE = 1 << 30


@pytest.mark.parametrize(
    ("one", "other", "seen"),
    [
        (0, LANE - 64, []),
        (NOWHERE, 0, [1]),
        (NOWHERE, 2 * NOWHERE, [2]),
        (NOWHERE, LANE - 32, [1, 1]),  # and one that passes the end of a lane
    ],
)
def test_tensors_in_no_lane_are_one_finding(device: Device, one: int, other: int, seen: list[int]) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        unit.tpu_bdc_set_C(one, 0, ROW, None, unit.DT_FP32)
        unit.tpu_bdc_set_C(other, 0, ROW, None, unit.DT_FP32)
        load(unit, 0, ones)
        store(unit, out, 0, ROW)

    assert [f.count for f in collect(device, kernel)[0] if f.rule == "bounds"] == seen
