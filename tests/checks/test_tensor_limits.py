"""The limits on tensors across lanes: each with a call that breaks it alone, and the nearest call that does not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, launch

CHIP = "bm1690"

LANE = 256 * 1024
#: One row of lanes; the strides of it; an address that no other operand is near.
SHAPE, STRIDE, FREE = (1, 64, 1, 16), (16, 16, 16, 1), 64 * 1024
ONE = (1, 1, 1, 1)
ADD = {"dst_addr": 0, "src0_addr": 1024, "src1_addr": 2048, "shape": SHAPE, "dst_stride": None, "src0_stride": None,
       "src1_stride": None, "dtype": 5}  # fmt: skip
CAST = {"dst_addr": 0, "src_addr": 1024, "shape": SHAPE, "dst_stride": None, "src_stride": None, "dst_dtype": 3,
        "src_dtype": 5, "mode": 0}  # fmt: skip
S2L = {"dst_addr": 0, "src_addr": "system", "shape": SHAPE, "dst_stride": None, "src_stride": None, "dtype": 5}
L2S = {**S2L, "dst_addr": "system", "src_addr": 0}
TENSORS = ("dst_addr", "src0_addr", "src1_addr", "work0_addr", "work1_addr")
TABLES = ("exp_coeff_addr", "log_coeff_addr", "exp_table_addr")
POWER = {name: 1024 * number for number, name in enumerate((*TENSORS, *TABLES))} | {"shape": SHAPE}
CALLS: dict[str, dict[str, Any]] = {
    "tpu_bdc_fp_add": ADD, "tpu_bdc_cast": CAST, "tpu_bdc_fp32_pow": POWER, "tpu_gdma_cpy_S2L": S2L,
    "tpu_gdma_cpy_L2S": L2S,
}  # fmt: skip
#: Instruction, rule, arguments that break it and no other, and arguments that just do not.
Limit = tuple[str, str, dict[str, Any], dict[str, Any]]


def at(axis: int, value: int, others: int = 1) -> tuple[int, ...]:
    """Four numbers, of which one is another one."""
    return tuple(value if number == axis else others for number in range(4))


def lanes() -> Iterator[Limit]:
    """All operands start in one lane; tables in lane 0."""
    for name in TENSORS[1:3]:
        yield "tpu_bdc_fp_add", "lane", {name: FREE + LANE}, {name: FREE}
    for name in (*TENSORS[1:], *TABLES[:2]):  # the last one is not read
        yield "tpu_bdc_fp32_pow", "lane", {name: FREE + LANE}, {name: FREE}
    elsewhere = {name: LANE + 1024 * number for number, name in enumerate(TENSORS)}
    for name in TABLES[:2]:
        yield "tpu_bdc_fp32_pow", "lane", {**elsewhere, name: FREE + LANE}, {**elsewhere, name: FREE}
    yield "tpu_bdc_cast", "lane", {"src_addr": FREE + LANE}, {"src_addr": FREE}


def alignments() -> Iterator[Limit]:
    """The aligned layout begins at multiples of 64 bytes, one with strides at multiples of its element."""
    for name in TENSORS[:3]:
        yield "tpu_bdc_fp_add", "alignment", {name: FREE + 32}, {name: FREE + 64}
        stride = {name.replace("addr", "stride"): STRIDE}
        yield "tpu_bdc_fp_add", "alignment", {name: FREE + 2, **stride}, {name: FREE + 4, **stride}
    for name in (*TENSORS, *TABLES):
        yield "tpu_bdc_fp32_pow", "alignment", {name: FREE + 32}, {name: FREE + 64}
    for name, size in (("dst", 2), ("src", 4)):
        stride = {f"{name}_stride": STRIDE}
        yield (
            "tpu_bdc_cast",
            "alignment",
            {f"{name}_addr": FREE + size // 2, **stride},
            {f"{name}_addr": FREE + size, **stride},
        )
    for call, name in (("tpu_gdma_cpy_S2L", "dst"), ("tpu_gdma_cpy_L2S", "src")):
        stride = {f"{name}_stride": STRIDE}
        yield call, "alignment", {f"{name}_addr": 32}, {f"{name}_addr": 64}
        yield call, "alignment", {f"{name}_addr": 2, **stride}, {f"{name}_addr": 4, **stride}


def sizes() -> Iterator[Limit]:
    """Dimensions of 1 to 65535; a stride below 2 ** 18, and of 0 in a destination where nothing would repeat."""
    for call, axis in itertools.product(CALLS, range(4)):
        yield call, "length", {"shape": at(axis, 0)}, {"shape": ONE}
    for axis in range(4):
        long = {"src_stride": ONE, "dst_stride": ONE, "dtype": 1}  # bytes, one after the other
        yield "tpu_gdma_cpy_S2L", "length", {"shape": at(axis, 65536), **long}, {"shape": at(axis, 65535), **long}
        repeated = {"dst_stride": at(axis, 0, 4)}
        yield "tpu_bdc_fp_add", "argument", {"shape": at(axis, 65), **repeated}, {"shape": ONE, **repeated}
        for name in ("dst", "src0", "src1"):
            wide, fitting = ({f"{name}_stride": at(axis, (1 << 18) - less)} for less in (0, 1))
            yield "tpu_bdc_fp_add", "argument", {"shape": ONE, **wide}, {"shape": ONE, **fitting}
    below = {"shape": ONE, "src0_stride": (1, 1, -1, 1)}
    yield "tpu_bdc_fp_add", "argument", below, {**below, "src0_stride": (1, 1, 0, 1)}


def steps() -> Iterator[Limit]:
    """GDMA takes steps of 1 to 128 bytes from element to element."""
    for call, name, step in itertools.product(("tpu_gdma_cpy_S2L", "tpu_gdma_cpy_L2S"), ("dst", "src"), (0, 33)):
        wrong, right = ({"shape": ONE, f"{name}_stride": (1, 1, 1, w)} for w in (step, 32))
        yield call, "argument", wrong, right


LIMITS = [
    *lanes(), *alignments(), *sizes(), *steps(),
    ("tpu_bdc_cast", "overlap", {"dst_addr": 1024, "dst_dtype": 5, "src_dtype": 3}, {"dst_addr": 1024}),
]  # fmt: skip


def label(value: Any) -> str:
    return " ".join(map(str, value.values())) if isinstance(value, dict) else str(value)


def rules(device: Device, name: str, changed: dict[str, Any]) -> list[tuple[str, str]]:
    """Rule and instruction of the findings of one call; all local memory has been written."""

    def kernel(unit: Any, system: Any) -> None:
        unit.tpu_gdma_cpy_S2L(0, system, (1, 64, 512, 512), None, (0, 0, 0, 1), unit.DT_UINT8)
        values = [system if value == "system" else value for value in {**CALLS[name], **changed}.values()]
        getattr(unit, name)(*values)
        unit.tpu_poll()

    run = launch(kernel, (1, 1, 1), args=[np.zeros(1 << 16, np.float32)], device=device, on_finding="collect")
    return [(finding.rule, finding.instruction) for finding in run.findings]


@pytest.mark.parametrize(("name", "rule", "broken", "legal"), LIMITS, ids=label)
def test_a_limit_and_its_near_miss(
    device: Device, name: str, rule: str, broken: dict[str, Any], legal: dict[str, Any]
) -> None:
    assert set(rules(device, name, broken)) == {(rule, name)}
    assert rules(device, name, legal) == []
