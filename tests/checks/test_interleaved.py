"""Operands at strides that interleave: they share no byte, and one step further they do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, launch

COLUMNS = (32, 16, 16, 1)  # strides of [1, 70, 1, 16], aligned


@pytest.mark.parametrize(
    ("right", "shape", "strides", "legal"),
    [
        (32, (1, 70, 1, 8), COLUMNS, True),  # the halves of every row
        (28, (1, 70, 1, 8), COLUMNS, False),
        (32, (1, 70, 1, 9), COLUMNS, False),
        (4, (1, 70, 1, 8), (32, 16, 16, 2), True),  # even and odd columns
        (8, (1, 70, 1, 7), (32, 16, 16, 2), False),
        (64, (1, 1, 1, 8), (0, 0, 0, 1), True),  # the second row of lanes
        (65 * 4, (1, 1, 1, 8), (0, 0, 0, 1), True),
    ],
)
def test_tensors(right: int, shape: tuple[int, ...], strides: tuple[int, ...], legal: bool) -> None:
    whole = (1, 70, 1, 16)
    given = np.arange(70 * 16, dtype=np.float32)
    out = np.zeros_like(given)

    def kernel(unit: Any, source: Any, target: Any) -> None:
        unit.tpu_gdma_cpy_S2L(0, source, whole, None, None, unit.DT_FP32)
        unit.tpu_gdma_cpy_S2L(256, source, whole, None, None, unit.DT_FP32)
        unit.tpu_bdc_fp_add(0, 0, right, shape, strides, strides, strides, unit.DT_FP32)
        unit.tpu_gdma_cpy_L2S(target, 0, whole, None, None, unit.DT_FP32)
        unit.tpu_poll()

    run = launch(kernel, (1, 1, 1), args=[given, out], device=Device.load("bm1690"), on_finding="collect")
    assert [f.rule for f in run.findings if f.severity == "error"] == ([] if legal else ["overlap"])
    if legal and shape[1] == 70:
        wanted, step = given.reshape(70, 16).copy(), strides[3]
        wanted[:, : 8 * step : step] += wanted[:, right // 4 :: step][:, :8]
        assert out.tolist() == wanted.ravel().tolist()


@pytest.mark.parametrize(("behind", "legal"), [(256, True), (128, False), (384, True), (512 - 64, False)])
def test_segments(behind: int, legal: bool) -> None:
    """Rows of halves at every 512 bytes, made of rows of bytes between them."""
    given = np.arange(4096, dtype=np.int8)

    def kernel(mlu: Any, source: Any) -> None:
        room = mlu.nram("int8", 4096)
        rows = mlu.nram("half", 64)
        mlu.__memcpy(room, source, 4096, mlu.GDRAM2NRAM)
        mlu.__bang_int82half(rows + (room.address - rows.address) // 2, room + behind, 128, 0, 512, 512, 3)

    run = launch(kernel, (1, 1, 1), args=[given], device=Device.load("mlu270"), on_finding="collect")
    assert [f.rule for f in run.findings if f.severity == "error"] == ([] if legal else ["overlap"])
