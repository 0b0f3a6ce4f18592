"""Mistakes that one call shows: each is one finding with file and line, nothing is written, and its near miss runs.

What several calls make together: test_mistakes.py. That every rule of every function is held: test_rules.py,
tests/isa/stated/test_misuse.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, KernelError, launch

from tests.isa.lane_cases import LANE_BYTES, device

FILLED = 7.0
CHIPS = ("bm1690", "bm1684x", "bm1688")
_SHAPE = (1, 64, 1, 16)
_QUIET = ("unread", "unwritten", "unused", "unwaited", "bank", "note")
#: A call in a kernel, as it should not be, or as it may just be; of chips, by their lanes.
Call = Callable[[Any, Any, bool], None]


def launched(chip: str, call: Call, fixed: bool, on_finding: str, system: np.ndarray) -> list[Finding]:
    """What is found when a core whose memory is full of sevens makes the call."""
    everything = (1, device(chip).shape.lanes, 1, LANE_BYTES // 4)

    def kernel(unit: Any, given: Any) -> None:
        unit.tpu_bdc_set_C(0, int(np.float32(FILLED).view(np.uint32)), everything, None, unit.DT_FP32)
        call(unit, given, fixed)
        unit.tpu_poll()

    run = launch(kernel, (1, 1, 1), args=[system], device=device(chip), on_finding=on_finding)
    return [finding for finding in run.findings if finding.rule not in _QUIET]


def add(dst: Any = 0, src0: Any = 256, src1: Any = 512, shape: Any = _SHAPE, strides: Any = (None,) * 3) -> Call:
    """An addition whose arguments depend on whether it is fixed: pairs say (wrong, right)."""

    def call(unit: Any, given: Any, fixed: bool) -> None:
        values = [value[fixed] if isinstance(value, Both) else value for value in (dst, src0, src1, shape, *strides)]
        unit.tpu_bdc_fp_add(*values, unit.DT_FP32)

    return call


class Both(tuple[Any, Any]):
    """What is wrong, and what is right."""


def far_step(unit: Any, given: Any, fixed: bool) -> None:
    unit.tpu_gdma_cpy_S2L(0, given, (1, 8, 1, 8), None, (1024, 256, 256, 32 if fixed else 33), unit.DT_FP32)


def halves(unit: Any, given: Any, fixed: bool) -> None:
    width, dtype = (8, unit.DT_UINT8) if fixed else (16, unit.DT_INT4)
    unit.tpu_gdma_cpy_S2L(0, given, (1, 64, 1, width), None, None, dtype)


def filled_with_halves(unit: Any, given: Any, fixed: bool) -> None:
    unit.tpu_gdma_set_C_local(0, 0, _SHAPE, None, unit.DT_UINT8 if fixed else unit.DT_UINT4)


def stored_twice(unit: Any, given: Any, fixed: bool) -> None:
    unit.tpu_bdc_set_C(0, 0, _SHAPE, None, unit.DT_FP32)
    unit.tpu_gdma_cpy_L2S(given, 0, (1, 1, 2, 8), (0, 0, 8 if fixed else 0, 1), None, unit.DT_FP32)


def broadcast(unit: Any, given: Any, fixed: bool) -> None:
    unit.tpu_gdma_set_C_local(256, 0, (1, 1, 1, 16), None, unit.DT_FP32)
    left = unit._machine.map.lanes.count - 3
    unit.tpu_bdc_npu_bcast(3 * LANE_BYTES, 256, (1, left if fixed else left + 1, 1, 16), unit.DT_FP32)


def factor(unit: Any, given: Any, fixed: bool) -> None:
    unit.tpu_bdc_fp_mm(0, 256, 512 + (0 if fixed else LANE_BYTES), 4, 4, 4, unit.DT_FP32, unit.DT_FP16, False)


def pool(unit: Any, given: Any, fixed: bool) -> None:
    stride = (1, 15 if fixed else 16)
    unit.tpu_bdc_fp_avg_pool2d(
        0, 256, (1, 8, 1, 64), (1, 16), (0, 0, 0, 0), stride, (1, 1), unit.DT_FP32, 0x3F800000
    )  # fmt: skip


def works(unit: Any, given: Any, fixed: bool) -> None:
    unit.tpu_bdc_load_fp32_exp_coeff(2048)
    unit.tpu_bdc_fp32_exp(0, 256, 512 if fixed else 256, 768, 2048, 2560, _SHAPE)


def same_works(unit: Any, given: Any, fixed: bool) -> None:
    unit.tpu_bdc_load_fp32_exp_coeff(2048)
    unit.tpu_bdc_fp32_exp(0, 256, 512, 768 if fixed else 512, 2048, 2560, _SHAPE)


def widened(unit: Any, given: Any, fixed: bool) -> None:
    """A cast to a narrower type may be done in place."""
    types = (unit.DT_FP16, unit.DT_FP32) if fixed else (unit.DT_FP32, unit.DT_FP16)
    unit.tpu_bdc_cast(256, 256, _SHAPE, None, None, *types, unit.RM_HALF_TO_EVEN)


def _index(unit: Any, value: int, address: int = 1024, kind: str = "DT_UINT16") -> None:
    unit.tpu_bdc_set_C(address, value, (1, 4, 1, 4), None, getattr(unit, kind))


def gathered(unit: Any, given: Any, fixed: bool) -> None:
    _index(unit, 7 if fixed else 8)
    unit.tpu_gdma_set_C_local(256, 0, (1, 4, 1, 8), None, unit.DT_FP32)
    unit.tpu_bdc_batch_bcast_w_gather(0, 256, 1024, (1, 4, 1, 4), 8, unit.DT_FP32, unit.DT_UINT16, False)


def scattered(unit: Any, given: Any, fixed: bool) -> None:
    _index(unit, 15 if fixed else 16)
    unit.tpu_gdma_set_C_local(256, 0, (1, 4, 1, 4), None, unit.DT_FP32)
    unit.tpu_bdc_batch_bcast_w_scatter(0, 256, 1024, (1, 4, 1, 16), 4, unit.DT_FP32, unit.DT_UINT16, False)


def scattered_lines(unit: Any, given: Any, fixed: bool) -> None:
    unit.tpu_bdc_set_C(1024, 3 if fixed else 4, (1, 1, 1, 1), None, unit.DT_UINT32)
    unit.tpu_gdma_set_C_local(256, 0, (1, 1, 1, 8), None, unit.DT_FP32)
    unit.tpu_gdma_h_scatter_L2S(given, 256, 1024, True, (1, 1, 4, 8), 1, None, None, None, unit.DT_FP32)


def wait(name: str) -> Call:
    def call(unit: Any, given: Any, fixed: bool) -> None:
        unit.tpu_parallel_start()
        unit.tpu_bdc_set_C(0, 0, _SHAPE, None, unit.DT_FP32)
        if fixed:
            unit.tpu_parallel_end()
        getattr(unit, name)()
        if not fixed:
            unit.tpu_parallel_end()

    return call


@pytest.mark.parametrize(
    ("call", "rule", "what"),
    [
        pytest.param(add(src0=Both((256 + LANE_BYTES, 256))), "lane", "lane", id="another start lane"),
        pytest.param(add(src0=Both((264, 256))), "alignment", "src0_addr", id="a null stride at an unaligned address"),
        pytest.param(add(shape=Both(((1, 64, 0, 16), _SHAPE))), "length", "shape.h", id="a dimension of 0"),
        pytest.param(
            add(0, 256, 512, Both(((1, 1, 1, 65536), (1, 1, 1, 16))), [(0, 0, 0, 1)] * 3), "length", "shape.w",
            id="a dimension of 65536",
        ),
        pytest.param(add(dst=Both((LANE_BYTES - 64, LANE_BYTES - 128)), shape=(1, 32, 1, 32)), "bounds", "4096",
                     id="a lane passed"),
        pytest.param(far_step, "argument", "128", id="a step of 132 bytes"),
        pytest.param(
            add(strides=[Both(((16, 16, 16, 0), (16, 16, 16, 1))), None, None]), "argument", "dst_stride.w",
            id="a stride of 0 where BDC writes",
        ),
        pytest.param(halves, "dtype", "copy half as many columns of DT_UINT8", id="a copy of integers of 4 bits"),
        pytest.param(filled_with_halves, "dtype", "pass one of DT_UINT8, ", id="a fill with integers of 4 bits"),
        pytest.param(stored_twice, "argument", "dst_stride.h", id="a stride of 0 where GDMA writes"),
        pytest.param(broadcast, "lane", "lanes", id="a broadcast past the last lane"),
        pytest.param(factor, "lane", "right_addr", id="a factor outside lane 0"),
        pytest.param(pool, "argument", "stride.w", id="a pooling stride of 16"),
        pytest.param(works, "overlap", "src_addr", id="a work tensor that is the source"),
        pytest.param(same_works, "overlap", "work", id="two work tensors in one place"),
        pytest.param(widened, "overlap", "dst_addr", id="a cast to a wider type in place"),
        pytest.param(gathered, "value", "index_addr", id="an index past the row"),
        pytest.param(scattered, "value", "index_addr", id="an index past the result"),
        pytest.param(scattered_lines, "value", "index_addr", id="an index past the lines"),
        *(pytest.param(wait(name), "section", name, id=f"{name} inside of a section")
          for name in ("tpu_poll", "tpu_hau_poll", "tpu_sync_all", "tpu_poll_descriptor")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("chip", CHIPS)
def test_a_mistake_of_one_call(chip: str, call: Call, rule: str, what: str) -> None:
    system = np.full(4096, FILLED, np.float32)
    found = launched(chip, call, False, "collect", system.copy())
    assert [finding.rule for finding in found] == [rule], [*map(str, found)]
    assert what in str(found[0])
    assert found[0].location.file.endswith("test_single_mistakes.py")
    assert found[0].location.line
    with pytest.raises(KernelError) as caught:
        launched(chip, call, False, "raise", system)
    assert caught.value.finding.message == found[0].message
    assert (system == FILLED).all()
    assert launched(chip, call, True, "raise", system) == []
