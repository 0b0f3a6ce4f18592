"""A table look-up of an index that the table does not have, and of the one that looks nothing up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, launch


@pytest.mark.parametrize("wrong", [64, -2])
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


def test_an_index_of_all_bits_keeps_what_is_there() -> None:
    """As public kernels rely on: masks that come from a table of 0 and -1 are looked up in it once more."""

    def kernel(mlu: Any, given: Any, entries: Any, out: Any) -> None:
        src, table, dst = mlu.nram("uint32", 4), mlu.nram("int32", 64), mlu.nram("int32", 4)
        mlu.__memcpy(table, entries, 256, mlu.GDRAM2NRAM)
        mlu.__memcpy(src, given, 16, mlu.GDRAM2NRAM)
        mlu.__memcpy(dst, entries, 16, mlu.GDRAM2NRAM)
        mlu.__bang_lut(dst, src, table, 4, 64)
        mlu.__memcpy(out, dst, 16, mlu.NRAM2GDRAM)

    given, out = np.array([5, 0xFFFFFFFF, 63, 0xFFFFFFFF], np.uint32), np.zeros(4, np.int32)
    run = launch(kernel, args=[given, np.arange(100, 164, dtype=np.int32), out], device=Device.load("mlu590"))
    assert out.tolist() == [105, 101, 163, 103]
    (finding,) = run.findings
    assert (finding.rule, finding.severity, finding.provenance) == ("value", "warning", "inferred")
    assert "src[1] is 4294967295" in finding.message
    assert "stays as it is" in finding.message


def test_what_a_look_up_keeps_is_no_more_initialized_than_before() -> None:
    def kernel(mlu: Any, given: Any, entries: Any, out: Any) -> None:
        src, table, dst = mlu.nram("uint32", 4), mlu.nram("int32", 64), mlu.nram("int32", 4)
        mlu.__memcpy(table, entries, 256, mlu.GDRAM2NRAM)
        mlu.__memcpy(src, given, 16, mlu.GDRAM2NRAM)
        mlu.__bang_lut(dst, src, table, 4, 64)
        mlu.__memcpy(out, dst, 16, mlu.NRAM2GDRAM)

    def findings(*given: int) -> list[str]:
        args = [np.array(given, np.uint32), np.arange(64, dtype=np.int32), np.zeros(4, np.int32)]
        return [f.rule for f in launch(kernel, args=args, device=Device.load("mlu590"), on_finding="collect").findings]

    assert findings(5, 6, 7, 8) == []
    assert findings(5, 0xFFFFFFFF, 7, 8) == ["value", "uninitialized"]


@pytest.mark.parametrize(("name", "kind", "of"), [
    ("__bang_lut", "int32", "uint32"), ("__bang_lut_s32", "int32", "int32"), ("__bang_lut_s16", "int16", "int16"),
])  # fmt: skip
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize(("compared", "stored", "named"), [(True, 5, False), (True, 6, True), (False, 5, True)])
def test_padding_that_a_mask_is_made_of(
    name: str, kind: str, of: str, in_place: bool, compared: bool, stored: int, named: bool
) -> None:
    """Of 8 elements 5 are there. A comparison makes positions of the rest; memory as it is found holds none."""
    size = np.dtype(kind).itemsize

    def kernel(mlu: Any, given: Any, entries: Any, out: Any) -> None:
        src, table, dst = mlu.nram(kind, 8), mlu.nram(kind, 64), mlu.nram(kind, 8)
        mlu.__memcpy(table, entries, 64 * size, mlu.GDRAM2NRAM)
        mlu.__memcpy(src, given, 5 * size, mlu.GDRAM2NRAM)
        if compared:
            mlu.__bang_eq_scalar(src, src, 3, 8)
        found = src if in_place else dst
        getattr(mlu, name)(found, src.cast(of), table, 8, 64)
        mlu.__memcpy(out, found, stored * size, mlu.NRAM2GDRAM)

    args = [np.arange(5, dtype=kind), np.arange(100, 164, dtype=kind), np.zeros(stored, kind)]
    run = launch(kernel, args=args, device=Device.load("mlu590"), on_finding="collect")
    by = ["__memcpy" if compared else name] * named
    assert [f.instruction for f in run.findings if f.rule == "uninitialized"] == by
    assert args[2][:5].tolist() == ([100, 100, 100, 101, 100] if compared else [100, 101, 102, 103, 104])
