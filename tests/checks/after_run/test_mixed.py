"""Two loads, of which the second overwrites a part of the first one's tile before it was read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, launch

from tests.checks.after_run.launched import BYTES, N, run, zeros

ROW = 40  # elements of rows that are no whole lines


@pytest.mark.parametrize(
    ("count", "at", "lost"),
    [(ROW, ROW, 0), (ROW, ROW - 1, 4), (ROW, 0, 4 * N // 4), (ROW, 8, 4 * N // 4), (N, ROW, 0), (4 * N, N, 4 * N // 4)],
)
def test_another_tile_over_a_part(count: int, at: int, lost: int) -> None:
    """A tile whose end fills up its last line may reach into the next one."""

    def kernel(m: Any, x: Any, y: Any, out: Any) -> None:
        tiles, made, sums = m.nram("float", 8 * N), m.nram("float", 4 * N), m.nram("float", N)
        m.__memcpy(tiles, x, 4 * count, m.GDRAM2NRAM)
        m.__memcpy(tiles + at, y, 4 * (N // 4), m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tiles, 2.0, count)
        m.__bang_mul_scalar(sums, tiles + at, 3.0, N // 4)
        m.__memcpy(out, made, 4 * count, m.NRAM2GDRAM)
        m.__memcpy(out + count, sums, 4 * (N // 4), m.NRAM2GDRAM)

    found = run(kernel, zeros(count), zeros(N // 4), zeros(count + N // 4)).findings
    seen = [f for f in found if f.rule == "overrun"]
    assert [(f.severity, f.instruction, f.region.bytes) for f in seen if f.region] == [
        ("warning", "__bang_mul_scalar", lost)
    ] * (lost > 0)


@pytest.mark.parametrize("why", ["a patch", "read before", "the same array", "loaded again", "all of it"])
def test_what_may_be_loaded_over_a_tile(why: str) -> None:
    def kernel(m: Any, x: Any, y: Any, out: Any) -> None:
        tile, made = m.nram("float", N), m.nram("float", N)
        few = N if why == "all of it" else 8
        m.__memcpy(tile, x, 4 * ROW, m.GDRAM2NRAM)
        if why == "read before":
            m.__bang_mul_scalar(made, tile, 2.0, ROW)
            m.__memcpy(out, made, 4 * ROW, m.NRAM2GDRAM)
        m.__memcpy(tile, x + 1 if why == "the same array" else y, 4 * few, m.GDRAM2NRAM)
        if why != "a patch":
            m.__bang_mul_scalar(made, tile, 3.0, few)
            m.__memcpy(out, made, 4 * few, m.NRAM2GDRAM)
        if why == "loaded again":
            m.__memcpy(tile, x, 4 * ROW, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tile, 2.0, ROW)
        m.__memcpy(out, made, 4 * ROW, m.NRAM2GDRAM)

    assert "overrun" not in {f.rule for f in run(kernel, zeros(N), zeros(N), zeros(N)).findings}


@pytest.mark.parametrize("computed", [False, True])
def test_a_tile_that_is_put_together(computed: bool) -> None:
    """A patch is loaded into a tile that leaves as it is; what is computed of the whole tile is no such tile."""

    def kernel(m: Any, x: Any, y: Any, out: Any) -> None:
        tile, made = m.nram("float", N), m.nram("float", N)
        m.__memcpy(tile, x, BYTES, m.GDRAM2NRAM)
        m.__memcpy(tile, y, BYTES // 2, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tile, 2.0, N // 2)
        m.__memcpy(out, made, BYTES // 2, m.NRAM2GDRAM)
        m.__memcpy(out + N // 2, tile, BYTES, m.NRAM2GDRAM)
        if computed:
            m.__bang_mul_scalar(made, tile, 3.0, N)
            m.__memcpy(out + 3 * N // 2, made, BYTES, m.NRAM2GDRAM)

    seen = run(kernel, zeros(N), zeros(N // 2), zeros(5 * N // 2 if computed else 3 * N // 2)).findings
    assert [(f.rule, f.severity) for f in seen] == [("overrun", "warning")] * computed


@pytest.mark.parametrize(("at", "lost"), [(1024, 0), (0, 64), (512, 64)])
def test_tensors_across_lanes(at: int, lost: int) -> None:
    shape, few = (1, 64, 16, 16), (1, 64, 1, 16)

    def kernel(unit: Any, x: Any, y: Any, out: Any) -> None:
        unit.tpu_gdma_cpy_S2L(0, x, shape, None, None, unit.DT_FP32)
        unit.tpu_gdma_cpy_S2L(at, y, few, None, None, unit.DT_FP32)
        unit.tpu_bdc_cpy(8192, 0, shape, None, None, unit.DT_FP32)
        unit.tpu_bdc_cpy(4096, at, few, None, None, unit.DT_FP32)
        unit.tpu_gdma_cpy_L2S(out, 8192, shape, None, None, unit.DT_FP32)
        unit.tpu_gdma_cpy_L2S(y, 4096, few, None, None, unit.DT_FP32)
        unit.tpu_poll()

    args = [np.zeros(shape, np.float32), np.zeros(few, np.float32), np.zeros(shape, np.float32)]
    found = launch(kernel, (1, 1, 1), args=args, device=Device.load("bm1690"), on_finding="collect").findings
    seen = [f for f in found if f.rule == "overrun"]
    assert [(f.severity, f.instruction, f.region.bytes) for f in seen if f.region] == [
        ("warning", "tpu_bdc_cpy", lost)
    ] * (lost > 0)
