"""Uninitialized elements of tensors that are stored: named is also the line that has left them out."""

from __future__ import annotations

from typing import Any

import pytest
from mlusim.simulator import Device

from tests.support.paths import ROOT
from tests.support.tensors import ROW, add, collect, load, store

HERE = ROOT / "tests" / "checks" / "after_run" / "test_origins_across_lanes.py"
CHIP = "bm1690"


def fewer_columns(unit: Any, out: Any, ones: Any) -> None:
    unit.tpu_gdma_cpy_S2L(0, ones, (1, 64, 1, 12), (64, 16, 16, 1), None, unit.DT_FP32)  # too narrow
    add(unit, 1024, 0, 0)
    unit.tpu_gdma_cpy_L2S(out, 1024, ROW, None, None, unit.DT_FP32)


def columns_from_the_fifth_on(unit: Any, out: Any, ones: Any) -> None:
    unit.tpu_gdma_cpy_S2L(16, ones, (1, 64, 1, 12), (64, 16, 16, 1), None, unit.DT_FP32)  # too late
    add(unit, 1024, 0, 0)
    unit.tpu_gdma_cpy_L2S(out, 1024, ROW, None, None, unit.DT_FP32)


def fewer_channels(unit: Any, out: Any, ones: Any) -> None:
    unit.tpu_gdma_cpy_S2L(0, ones, (1, 60, 1, 16), None, None, unit.DT_FP32)  # too few
    add(unit, 1024, 0, 0)
    add(unit, 1024, 1024, 1024)
    unit.tpu_gdma_cpy_L2S(out, 1024, ROW, None, None, unit.DT_FP32)


def shorter_step(unit: Any, out: Any, ones: Any) -> None:
    load(unit, 0, ones)
    part, rows = (1, 64, 1, 12), (64, 16, 16, 1)
    unit.tpu_bdc_fp_add(1024, 0, 0, part, rows, rows, rows, unit.DT_FP32)  # too narrow
    unit.tpu_bdc_cpy(2048, 1024, ROW, None, None, unit.DT_FP32)
    unit.tpu_gdma_cpy_L2S(out, 2048, ROW, None, None, unit.DT_FP32)


def narrow_and_converted(unit: Any, out: Any, ones: Any) -> None:
    unit.tpu_gdma_cpy_S2L(0, ones, (1, 64, 1, 12), (64, 16, 16, 1), None, unit.DT_FP32)  # too narrow
    unit.tpu_bdc_cast(1024, 0, ROW, None, None, unit.DT_FP16, unit.DT_FP32, unit.RM_HALF_TO_EVEN)
    unit.tpu_bdc_cast(2048, 1024, ROW, None, None, unit.DT_FP32, unit.DT_FP16, unit.RM_HALF_TO_EVEN)
    unit.tpu_gdma_cpy_L2S(out, 2048, ROW, None, None, unit.DT_FP32)


def stored_at_once(unit: Any, out: Any, ones: Any) -> None:
    unit.tpu_gdma_cpy_S2L(0, ones, (1, 64, 1, 12), (64, 16, 16, 1), None, unit.DT_FP32)  # too narrow
    unit.tpu_gdma_cpy_L2S(out, 0, ROW, None, None, unit.DT_FP32)


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (
            fewer_columns,
            "reads 16 uninitialized bytes of lane 0 of 'local memory', from byte 1072 of 262144, and others",
        ),
        (columns_from_the_fifth_on, "16 uninitialized bytes of lane 0 of 'local memory', from byte 1024 of"),
        (fewer_channels, "64 uninitialized bytes of lane 60 of 'local memory', from byte 1024 of 262144, and others"),
        (shorter_step, "16 uninitialized bytes of lane 0 of 'local memory', from byte 2096 of"),
        (narrow_and_converted, "16 uninitialized bytes of lane 0 of 'local memory', from byte 2096 of"),
        (stored_at_once, "16 uninitialized bytes of lane 0 of 'local memory', from byte 48 of"),
    ],
)
def test_across_lanes_it_is_named_too(device: Device, kernel: Any, said: str) -> None:
    (found,) = [f for f in collect(device, kernel)[0] if f.rule == "uninitialized"]
    assert said in found.message
    source = HERE.read_text().splitlines()
    assert found.related
    assert "L2S(" in source[found.location.line - 1]
    assert "  # too " in source[found.related.line - 1]


def test_across_lanes_nothing_is_said_of_what_is_not_used(device: Device) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones, (1, 60, 1, 16))
        add(unit, 1024, 0, 0)
        store(unit, out, 1024, (1, 60, 1, 16))

    assert "uninitialized" not in [f.rule for f in collect(device, kernel)[0]]
