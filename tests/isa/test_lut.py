"""A table look-up of an index that the table does not have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, launch


@pytest.mark.parametrize("wrong", [64, -1])
def test_an_index_outside_the_table_is_a_finding(wrong: int) -> None:
    def kernel(mlu: Any, given: Any) -> None:
        src, table, dst = mlu.nram("int32", 2), mlu.nram("int32", 64), mlu.nram("int32", 2)
        mlu.__memcpy(src, given, 8, mlu.GDRAM2NRAM)
        mlu.__bang_write_zero(table, 64)
        mlu.__bang_lut_s32(dst, src, table, 2, 64)

    with pytest.raises(KernelError) as caught:
        launch(kernel, args=[np.array([3, wrong], np.int32)], device=Device.load("mlu590"))
    finding = caught.value.finding
    assert (finding.rule, finding.operand) == ("value", "src")
    assert f"src[1] is {wrong}" in finding.message
