"""Counts that leave out the end of all that goes in, of what lies there, and of what is used then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, launch

from tests.checks.after_run.launched import BYTES, N, run, zeros


def products(
    m: Any, source: Any, out: Any, count: int, loaded: int = N, used: bool = True, copied: bool = False
) -> None:
    """A tile holds the sum of two others, which is stored or not, and then ``count`` of their products, or of one."""
    one, other, made = (m.nram("float", N) for _ in range(3))
    m.__memcpy(one, source, BYTES, m.GDRAM2NRAM)
    m.__memcpy(other, source + N, BYTES, m.GDRAM2NRAM)
    m.__bang_add(made, one, other, N)
    if used:
        m.__memcpy(out, made, BYTES, m.NRAM2GDRAM)
    m.__memcpy(one, source + N, 4 * loaded, m.GDRAM2NRAM)
    if copied:
        m.__memcpy(made, one, 4 * count, m.NRAM2NRAM)
    else:
        m.__bang_mul(made, one, other, count)
    m.__bang_active_exp(made, made, N)
    m.__memcpy(out + N, made, BYTES, m.NRAM2GDRAM)


@pytest.mark.parametrize(
    ("count", "loaded", "used", "copied", "lost"),
    [
        (N, N, True, False, 0), (N - 1, N, True, False, 4), (N // 4, N, True, False, 3 * N),
        (N - 1, N, False, False, 4), (N // 4, N, False, False, 0), (N - 1, N - 1, True, False, 0),
        (N // 4, N // 4, True, False, 0), (50, N, True, False, 0), (N - 1, N, True, True, 0),
    ],
)  # fmt: skip
def test_a_count_that_leaves_out_an_end(count: int, loaded: int, used: bool, copied: bool, lost: int) -> None:
    """As many as have come are meant, and so may a part be of a tile that is made in two steps, or of the last line."""
    launched = run(lambda m, *arrays: products(m, *arrays, count, loaded, used, copied), zeros(2 * N), zeros(2 * N))
    seen = [f for f in launched.findings if f.rule == "partial"]
    assert [(f.severity, f.instruction, f.region.bytes) for f in seen if f.region] == [
        ("advice", "__bang_active_exp", lost)
    ] * (lost > 0)


@pytest.mark.parametrize(
    ("high", "wide", "pieces", "lost"), [(2, 24, 1, 0), (1, 24, 1, 96), (1, 24, 2, 0), (2, 12, 1, 0), (2, 6, 1, 0)]
)
def test_tensors_across_lanes(high: int, wide: int, pieces: int, lost: int) -> None:
    """Of two rows of each lane a step makes one anew, one after the other, or the beginning of both, which is meant."""
    shape, part, stride = (1, 64, 2, 24), (1, 64, high, wide), (48, 48, 24, 1)

    def kernel(unit: Any, x: Any, out: Any) -> None:
        unit.tpu_gdma_cpy_S2L(0, x, shape, None, None, unit.DT_FP32)
        unit.tpu_bdc_fp_add(8192, 0, 0, shape, None, None, None, unit.DT_FP32)
        for number in range(pieces):
            unit.tpu_bdc_fp_mul(8192 + 96 * number, 0, 0, part, stride, stride, stride, unit.DT_FP32)
        unit.tpu_gdma_cpy_L2S(out, 8192, shape, None, stride, unit.DT_FP32)
        unit.tpu_poll()

    args = [np.zeros(shape, np.float32), np.zeros(shape, np.float32)]
    found = launch(kernel, (1, 1, 1), args=args, device=Device.load("bm1690"), on_finding="collect").findings
    seen = [f for f in found if f.rule == "partial"]
    assert [(f.severity, f.instruction, f.region.bytes) for f in seen if f.region] == [
        ("advice", "tpu_gdma_cpy_L2S", lost)
    ] * (lost > 0)
