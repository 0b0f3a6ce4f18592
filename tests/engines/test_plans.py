"""Ports of a TPU keep what they found of a call for the next one with the same arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlusim.simulator import Device, launch

TILE, FP32 = (1, 3, 1, 20), 5


def test_a_broken_rule_is_found_every_time() -> None:
    """Nothing is kept of a call that fails, though it goes on."""
    device = Device.load("bm1690")

    def kernel(core: Any, x: Any) -> None:
        core.tpu_initialize()
        core.tpu_gdma_cpy_S2L(0, x, TILE, None, None, FP32)
        for _ in range(3):
            core.tpu_bdc_cpy(1056, 0, TILE, None, None, FP32)  # 1056 is no multiple of 64
        core.tpu_poll()

    found = launch(kernel, (1, 1, 1), args=[np.ones(60, np.float32)], device=device, on_finding="collect").findings
    assert [(f.rule, f.count) for f in found if f.severity == "error"] == [("alignment", 3)]


def test_what_a_plan_leaves_out_is_looked_for_at_every_call() -> None:
    """Arrays of the host in the same commands, memory of a core that is fresh at each launch, and of every core."""
    device = Device.load("bm1690")

    def kernel(core: Any, x: Any, out: Any, load: bool) -> None:
        core.tpu_initialize()
        for number in range(2):
            if load:
                core.tpu_gdma_cpy_S2L(0, x + 60 * number, TILE, None, None, FP32)
            core.tpu_bdc_fp_add(256, 0, 0, TILE, None, None, None, FP32)
            core.tpu_gdma_cpy_L2S(out + 120 * core.tpu_core_index() + 60 * number, 256, TILE, None, None, FP32)
        core.tpu_poll()

    for load in (True, False, True):
        x, out = np.arange(120, dtype=np.float32), np.zeros((2, 120), np.float32)
        run = launch(kernel, (2, 1, 1), args=[x, out, load], device=device, on_finding="collect")
        assert ("uninitialized" in {f.rule for f in run.findings}) is not load
        if load:
            np.testing.assert_array_equal(out, [2 * x, 2 * x])


def test_what_becomes_undefined_is_so_for_a_plan_too() -> None:
    """A work tensor may not be read behind the command that uses it, however often it has been read before."""
    device = Device.load("bm1684")

    def kernel(core: Any, x: Any, out: Any, used: bool) -> None:
        core.okk_initialize()
        core.okk_gdma_32bit_cpy_S2L(0, x, TILE, None, None)
        for _ in range(2):
            core.okk_bdc_32bit_cpy(512, 0, TILE, None, None)
            core.okk_gdma_32bit_cpy_L2S(out, 512, TILE, None, None)
        if used:
            core.okk_bdc_exp(1024, 0, 512, TILE)
        core.okk_gdma_32bit_cpy_L2S(out, 512, TILE, None, None)
        core.okk_poll()

    for used in (False, True):
        arrays = [np.ones(60, np.float32), np.zeros(60, np.float32)]
        run = launch(kernel, (1, 1, 1), args=[*arrays, used], device=device, on_finding="collect")
        assert ("uninitialized" in {f.rule for f in run.findings}) is used, [str(f) for f in run.findings]
