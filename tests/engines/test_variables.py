"""Operands of TPU-KERNEL's ``variable_t``: a tensor across lanes, a vector of its channels, or a value."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.isa import DIALECTS, VARIABLE_TYPES
from mlusim.isa.declare import Completion, Compute, declare
from mlusim.isa.tpu.tensors import variable_lanes
from mlusim.simulator import Device, launch, load

SHAPE = (2, 40, 3, 5)
#: Bytes of local memory in a lane of BM1688.
LANE = 128 * 1024
SOURCES = ("src0", "src1", "src2", "src3")
#: Where the operands begin in a lane; a tensor of SHAPE has 2 * 2 * 64 bytes in one.
DST, PLACES, START = 0, (4096, 8192, 12288, 16384), 5
SELECT = declare(
    "void tpu_bdc_choose(tensor<T> dst_addr[shape], const variable<T> src0[shape], const variable<T> src1[shape],"
    " const variable<T> src2[shape], const variable<T> src3[shape], dim4 *shape, data_type dtype)",
    doc="dst = src2 where src0 equals src1, else src3",
    types="float int16",
    type_arguments={"T": "dtype"},
    space="local",
    pipe="bdc",
    effect=Compute(Completion.QUEUED),
    engine="bdc_ar",
    rules=variable_lanes("dst_addr", *SOURCES),
    work="shape.n * shape.c",
    semantics=lambda src0, src1, src2, src3: np.where(src0 == src1, src2, src3),
)


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    """A device whose dialect has the instruction too."""
    patch = pytest.MonkeyPatch()
    dialect = replace(DIALECTS["tpu"], instructions=(*DIALECTS["tpu"].instructions, SELECT))
    for module in ("core.execution.state", "kernelc.build"):
        patch.setattr(f"mlusim.simulator.{module}.DIALECTS", {"tpu": dialect})
    yield Device.load("bm1688")
    patch.undo()


def stored(random: np.random.Generator, kind: str, dtype: Any) -> np.ndarray:
    """A source of a kind: few values, so that some are equal."""
    shape = {"TENSOR": SHAPE, "VECTOR": (1, SHAPE[1], 1, 1), "SCALAR": (1, 1, 1, 1)}[kind]
    return random.integers(-2, 2, shape).astype(dtype)


def argument(kind: str, value: np.ndarray, place: int) -> tuple[int, int]:
    """Type and contents of a variable: the address of what is in memory, the bits of a value."""
    bits = int.from_bytes(value.reshape(-1)[:1].tobytes(), "little")
    return VARIABLE_TYPES[kind], bits if kind == "SCALAR" else place


COMBINATIONS = list(itertools.product(("TENSOR", "VECTOR", "SCALAR"), repeat=2))
CASES = [(*first, *second) for first, second in zip(COMBINATIONS, reversed(COMBINATIONS), strict=True)]
TYPES = (("float", np.float32, "DT_FP32"), ("int16", np.int16, "DT_INT16"))


@pytest.mark.parametrize("kinds", CASES, ids="-".join)
@pytest.mark.parametrize(("name", "dtype", "code"), TYPES, ids=[name for name, *_ in TYPES])
def test_from_python(device: Device, kinds: tuple[str, ...], name: str, dtype: Any, code: str) -> None:
    random = np.random.default_rng(3)
    sources = [stored(random, kind, dtype) for kind in kinds]

    def kernel(unit: Any, out: Any, *given: Any) -> None:
        start = START * LANE
        for kind, place, source, value in zip(kinds, PLACES, given, sources, strict=True):
            compact = (1, 1, 1, 1) if kind == "VECTOR" else None
            if kind != "SCALAR":
                unit.tpu_gdma_cpy_S2L(start + place, source, value.shape, compact, None, getattr(unit, code))
        passed = [argument(*one) for one in zip(kinds, sources, (start + place for place in PLACES), strict=True)]
        unit.tpu_bdc_choose(start + DST, *passed, SHAPE, getattr(unit, code))
        unit.tpu_gdma_cpy_L2S(out, start + DST, SHAPE, None, None, getattr(unit, code))
        unit.tpu_poll()

    out = np.zeros(SHAPE, dtype)
    run = launch(kernel, (1, 1, 1), args=[out, *sources], device=device)
    first, second, third, fourth = sources
    assert run.findings == []
    np.testing.assert_array_equal(out, np.broadcast_to(np.where(first == second, third, fourth), SHAPE))


KERNEL = """
#include "tpu_kernel.h"
int choose(const void *arguments) {
  const global_addr_t *at = arguments;
  const dim4 shape = {2, 40, 3, 5}, channels = {1, 40, 1, 1}, compact = {1, 1, 1, 1};
  const local_addr_t start = 5 * tpu_local_mem_size_per_npu();
  variable_t tensor = {.type = TENSOR, .context.addr = start + 4096};
  variable_t vector = {.type = VECTOR, .context.addr = start + 8192};
  variable_t one = {.type = SCALAR, .context.scalar.f32 = 1}, less = {.type = SCALAR, .context.scalar.f32 = -1.5};
  tpu_initialize();
  tpu_gdma_cpy_S2L(start + 4096, at[1], &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(start + 8192, at[2], &channels, &compact, NULL, DT_FP32);
  tpu_bdc_choose(start, &tensor, &one, &less, &vector, &shape, DT_FP32);
  tpu_gdma_cpy_L2S(at[0], start, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(choose);
"""


def test_from_c(device: Device, tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(KERNEL)
    random = np.random.default_rng(5)
    tensor, vector = stored(random, "TENSOR", np.float32), stored(random, "VECTOR", np.float32)
    out, *held = (device.array(value) for value in (np.zeros(SHAPE, np.float32), tensor, vector))
    arguments = (ctypes.c_uint64 * 3)(out.address, *(source.address for source in held))
    assert load([path], device=device).launch("choose", (1, 1, 1), args=arguments, isolate=False).findings == []
    np.testing.assert_array_equal(out.numpy(), np.where(tensor == 1, np.float32(-1.5), vector))


def fault(device: Device, passed: Any, unwritten: bool = False) -> list[tuple[str, str]]:
    """Rules and operands of the findings on a call whose last source is `passed`."""

    def kernel(unit: Any, ones: Any) -> None:
        at = START * LANE + PLACES[0]
        if not unwritten:
            unit.tpu_gdma_cpy_S2L(at, ones, SHAPE, None, None, unit.DT_FP32)
        one = (VARIABLE_TYPES["TENSOR"], at)
        unit.tpu_bdc_choose(START * LANE, (VARIABLE_TYPES["SCALAR"], 0), one, one, passed, SHAPE, unit.DT_FP32)
        unit.tpu_poll()

    run = launch(kernel, args=[np.ones(SHAPE, np.float32)], device=device, on_finding="collect")
    return [(finding.rule, finding.operand or "") for finding in run.findings]


AT = START * LANE + PLACES[0]


def test_faults(device: Device) -> None:
    assert fault(device, (VARIABLE_TYPES["SCALAR"], 3)) == []
    assert fault(device, (VARIABLE_TYPES["TENSOR"], AT)) == []
    assert fault(device, (VARIABLE_TYPES["TENSOR"], AT + LANE))[0][0] == "lane"
    assert fault(device, (VARIABLE_TYPES["VECTOR"], AT + PLACES[1])) == []  # the result is not used
    assert fault(device, (3, AT))[0][0] == "argument"
    assert fault(device, (-1, AT))[0][0] == "argument"
    assert ("bounds", "src3") in fault(device, (VARIABLE_TYPES["TENSOR"], 32 * LANE))
    assert fault(device, (VARIABLE_TYPES["SCALAR"], START * LANE + 4)) == []  # not where the destination lies
    assert fault(device, (VARIABLE_TYPES["TENSOR"], START * LANE + 4))[0][0] == "overlap"
    assert fault(device, (VARIABLE_TYPES["SCALAR"], 3), unwritten=True) == []
    with pytest.raises(TypeError, match=r"src3 is 7; pass \(TENSOR or VECTOR, address\) or \(SCALAR, bits\)"):
        fault(device, 7)
