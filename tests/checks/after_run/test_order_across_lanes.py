"""What two engines touch of tensors across lanes in a section: what one leaves out is free for the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Log, Run, launch
from mlusim.simulator.flow import Accesses, Span

LANE = 256 * 1024
Four = tuple[int, int, int, int]


def beside(mine: tuple[int, Four, Four | None], theirs: tuple[int, Four, Four | None]) -> Run:
    """BDC reads a tensor (address, shape, stride) in a section, while GDMA loads another one."""

    def kernel(unit: Any, ones: Any) -> None:
        address, shape, stride = mine
        unit.tpu_bdc_set_C(0, 0, (1, 128, 1, 1024), None, unit.DT_FP32)
        unit.tpu_parallel_start()
        unit.tpu_bdc_cpy(address + 16384, address, shape, None, stride, unit.DT_FP32)
        unit.tpu_gdma_cpy_S2L(theirs[0], ones, theirs[1], theirs[2], None, unit.DT_FP32)
        unit.tpu_parallel_end()
        unit.tpu_poll()

    device = Device.load("bm1690")
    return launch(kernel, (1, 1, 1), args=[np.ones(1 << 14, np.float32)], device=device, on_finding="collect")


#: Two rows of lanes, of which the second ends in lane 5.
RAGGED = (0, (1, 70, 1, 16), None)
#: Three rows of lanes, of which the first begins in lane 60.
LATE = (60 * LANE, (1, 70, 1, 16), None)
#: The left half of rows of 16, in two rows of lanes; a row of a channel begins after 16, a channel after 64.
LEFT = (0, (1, 70, 4, 8), (128, 64, 16, 1))
#: The even columns.
EVEN = (0, (1, 64, 4, 8), (64, 64, 16, 2))
#: Channels of 10 elements, behind each of which 6 are free.
TENS = (0, (1, 128, 1, 10), None)
#: All four dimensions leave something out.
SPARSE = (0, (3, 128, 3, 5), (512, 64, 16, 2))
ONE = ((1, 64, 1, 1), (1, 1, 1, 1))


@pytest.mark.parametrize(
    ("mine", "theirs", "meets"),
    [
        pytest.param(RAGGED, (6 * LANE + 64, (1, 58, 1, 16), None), False, id="the free end of the last row of lanes"),
        pytest.param(RAGGED, (5 * LANE + 64, (1, 58, 1, 16), None), True, id="and one lane more"),
        pytest.param(RAGGED, (6 * LANE + 64, (1, 59, 1, 16), (32, 16, 16, 1)), False, id="round to the first lane"),
        pytest.param(LATE, (0, (1, 60, 1, 16), None), False, id="the free beginning of the first row"),
        pytest.param(LATE, (0, (1, 61, 1, 16), None), True, id="and one lane more behind it"),
        pytest.param(LEFT, (32, *LEFT[1:]), False, id="the right half of rows"),
        pytest.param(LEFT, (28, *LEFT[1:]), True, id="and one column of the left half"),
        pytest.param(EVEN, (4, *EVEN[1:]), False, id="odd columns"),
        pytest.param(EVEN, (8, *EVEN[1:]), True, id="even columns from the second on"),
        pytest.param(RAGGED, (5 * LANE + 32, (1, 1, 1, 4), (4, 4, 4, 1)), True, id="a part of a lane among others"),
        pytest.param(RAGGED, (5 * LANE + 128, (1, 1, 1, 4), (4, 4, 4, 1)), False, id="and behind it"),
        pytest.param(TENS, (40, (1, 128, 1, 6), (32, 16, 6, 1)), False, id="what alignment leaves free"),
        pytest.param(TENS, (40, (1, 128, 1, 7), (32, 16, 7, 1)), True, id="and the next row's first element"),
        pytest.param(SPARSE, (4, *SPARSE[1:]), False, id="between all elements of four axes"),
        pytest.param(SPARSE, (4 * 1110, *ONE), True, id="one element of the last image"),
        pytest.param(SPARSE, (4 * 1111, *ONE), False, id="and what is beside it"),
    ],
)  # fmt: skip
def test_only_bytes_that_both_touch_are_an_order_finding(mine: Any, theirs: Any, meets: bool) -> None:
    run = beside(mine, theirs)
    found = [finding for finding in run.findings if finding.rule == "order"]
    if not meets:
        assert found == []
        return
    (finding,) = found
    assert (finding.instruction, finding.operand) == ("tpu_gdma_cpy_S2L", "dst_addr")
    assert finding.related is not None
    assert finding.related.line == finding.location.line - 1


def test_pieces_say_their_lanes() -> None:
    log: Log = beside(RAGGED, (16, (1, 3, 1, 1), None)).log
    accesses = Accesses(log)
    row = next(int(r["first"]) for r in log.records if log.ops[r["op"]].name == "tpu_bdc_cpy") + 1
    key = int(log.operands["key"][row])
    assert accesses.spans(row) == [Span(key, key + 64, 0, 64), Span(key + 64, key + 128, 0, 6)]
    assert accesses.spans(row - 1)[0].lanes == 64


@pytest.mark.parametrize(("column", "meets"), [(0, True), (1, False)])
def test_what_lies_between_keeps_its_writer(column: int, meets: bool) -> None:
    """A command that writes around some bytes does not hide who has written them before."""

    def kernel(unit: Any, ones: Any) -> None:
        shape, stride = (1, 64, 1, 8), (16, 16, 16, 2)
        unit.tpu_parallel_start()
        unit.tpu_gdma_cpy_S2L(0, ones, shape, stride, None, unit.DT_FP32)
        unit.tpu_bdc_set_C(4, 0, shape, stride, unit.DT_FP32)
        unit.tpu_bdc_cpy(2048, 4 * column, shape, None, stride, unit.DT_FP32)
        unit.tpu_parallel_end()
        unit.tpu_poll()

    args = [np.ones(1 << 14, np.float32)]
    run = launch(kernel, (1, 1, 1), args=args, device=Device.load("bm1690"), on_finding="collect")
    assert [f.instruction for f in run.findings if f.rule == "order"] == ["tpu_bdc_cpy"] * meets
