"""Mistakes of kernels that no single call shows: each is one finding with its line, and none once it is fixed.

What one call shows: tests/isa/stated/test_misuse.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, launch

from tests.isa.lane_cases import device

_SHAPE = (1, 64, 1, 16)
_ROW = (1, 1, 1, 64)
_OTHERS = ("unread", "unwritten", "unused", "unwaited", "bank")
Kernel = Callable[[Any, Any, Any, bool], None]


def findings(kernel: Kernel, fixed: bool, cores: int = 1) -> list[Finding]:
    arrays = [np.ones(4096, np.float32), np.zeros(4096, np.float32)]
    run = launch(
        lambda unit, a, b: kernel(unit, a, b, fixed), (cores, 1, 1), args=arrays, device=device("bm1690"),
        on_finding="collect",
    )  # fmt: skip
    return [finding for finding in run.findings if finding.rule not in _OTHERS]


def work_read(unit: Any, a: Any, b: Any, fixed: bool) -> None:
    for address in (0, 3072):
        unit.tpu_bdc_set_C(address, 0, _SHAPE, None, unit.DT_FP32)
    unit.tpu_bdc_load_fp32_exp_coeff(1024)
    unit.tpu_bdc_fp32_exp(256, 0, 512, 768, 1024, 2048, _SHAPE)
    unit.tpu_gdma_cpy_L2S(b, 256 if fixed else 512, _SHAPE, None, None, unit.DT_FP32)
    unit.tpu_poll()


def load_before_poll(unit: Any, a: Any, b: Any, fixed: bool) -> None:
    unit.tpu_gdma_cpy_S2S(b, a, _ROW, None, None, unit.DT_FP32)
    if fixed:
        unit.tpu_poll()
    unit.tpu_invalidate_cache(b, 256)
    b[0]


def load_before_invalidate(unit: Any, a: Any, b: Any, fixed: bool) -> None:
    b[0]
    unit.tpu_gdma_cpy_S2S(b, a, _ROW, None, None, unit.DT_FP32)
    unit.tpu_poll()
    if fixed:
        unit.tpu_invalidate_cache(b, 256)
    b[0]


def read_before_flush(unit: Any, a: Any, b: Any, fixed: bool) -> None:
    a[0] = 3.0
    if fixed:
        unit.tpu_flush_cache(a, 256)
    unit.tpu_gdma_cpy_S2S(b, a, _ROW, None, None, unit.DT_FP32)
    unit.tpu_poll()


def section(first: str) -> Kernel:
    """BDC and GDMA touch the same bytes between start and end, whichever is issued first."""

    def kernel(unit: Any, a: Any, b: Any, fixed: bool) -> None:
        unit.tpu_bdc_set_C(0, 0, _SHAPE, None, unit.DT_FP32)
        unit.tpu_parallel_start()
        for engine in ("gdma", "bdc") if first == "gdma" else ("bdc", "gdma"):
            if engine == "gdma":
                unit.tpu_gdma_cpy_S2L(1024 if fixed else 0, a, _SHAPE, None, None, unit.DT_FP32)
            else:
                unit.tpu_bdc_fp_add(2048, 0, 0, _SHAPE, None, None, None, unit.DT_FP32)
        unit.tpu_parallel_end()
        unit.tpu_poll()

    return kernel


def sdma(order: str) -> Kernel:
    """SDMA and GDMA in turns: sections and turns mean nothing to SDMA."""

    def kernel(unit: Any, a: Any, b: Any, fixed: bool) -> None:
        for engine in order.split():
            if engine == "sdma":
                unit.tpu_sdma_cpy_S2S(b, a, _ROW, None, None, unit.DT_FP32)
            else:
                unit.tpu_gdma_cpy_S2S(b, a + 64, _ROW, None, None, unit.DT_FP32)
            if fixed:
                unit.tpu_poll()
        unit.tpu_poll()

    return kernel


def cores(unit: Any, a: Any, b: Any, fixed: bool) -> None:
    """One core reads what another has written."""
    if unit.tpu_core_index() == 0:
        unit.tpu_gdma_cpy_S2S(b, a, _ROW, None, None, unit.DT_FP32)
    if fixed:
        unit.tpu_sync_all()
    if unit.tpu_core_index() == 1:
        unit.tpu_gdma_cpy_S2S(b + 64, b, _ROW, None, None, unit.DT_FP32)
    unit.tpu_poll()


def barrier(unit: Any, a: Any, b: Any, fixed: bool) -> None:
    """One core ends without it."""
    if fixed or unit.tpu_core_index():
        unit.tpu_sync_all()


@pytest.mark.parametrize(
    ("kernel", "number", "rules"),
    [
        pytest.param(work_read, 1, {"uninitialized"}, id="a work tensor read"),
        pytest.param(load_before_poll, 1, {"order"}, id="the processor reads before a poll"),
        pytest.param(load_before_invalidate, 1, {"cache"}, id="the processor reads before invalidate"),
        pytest.param(read_before_flush, 1, {"cache"}, id="an engine reads before flush"),
        pytest.param(section("gdma"), 1, {"order"}, id="GDMA, then BDC in a section"),
        pytest.param(section("bdc"), 1, {"order"}, id="BDC, then GDMA in a section"),
        pytest.param(sdma("sdma gdma"), 1, {"order"}, id="SDMA, then GDMA"),
        pytest.param(sdma("gdma sdma"), 1, {"order"}, id="GDMA, then SDMA"),
        pytest.param(cores, 2, {"race"}, id="two cores"),
        pytest.param(barrier, 2, {"barrier"}, id="a barrier that not all reach"),
    ],
)
def test_a_mistake_is_one_finding(kernel: Kernel, number: int, rules: set[str]) -> None:
    found = findings(kernel, False, number)
    assert {finding.rule for finding in found} == rules, [*map(str, found)]
    assert len(found) == 1
    assert found[0].location.line
    assert findings(kernel, True, number) == []
