"""Launches with other bytes in uninitialized memory: a read of it is a warning where a result depends on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Program, Run, launch, load
from mlusim.simulator.core.execution import Launch
from mlusim.simulator.core.memory import POISON
from mlusim.simulator.engines.worker.isolated import IsolatedEngine
from mlusim.simulator.launches.poisons import POISONS

from tests.support.tensors import ROW
from tests.support.tensors import load as load_tensor
from tests.support.tensors import store as store_tensor

N = 64
#: 1.0 as scalar operands take it.
ONE = 0x3F800000
SOURCE = """#include <bang.h>
#define N 64
__nram__ float tile[N], mask[N], limit[N], out_of[4 * N];
__nram__ int index[N];
// Squares below 2 among the first `loaded` elements of a tile, of which `valid` are kept.
__mlu_entry__ void below(float *out, const float *in, int loaded, int valid) {
  __bang_write_value(limit, N, 2.0f);
  __memcpy(tile, in, loaded * sizeof(float), GDRAM2NRAM);
  __bang_mul(mask, tile, tile, N);
  __bang_lt(mask, mask, limit, N);
  __bang_write_value(limit, N, 0.0f);
  __bang_write_value(limit, valid, 1.0f);
  __bang_mul(mask, mask, limit, N);
  __memcpy(out, mask, N * sizeof(float), NRAM2GDRAM);
}
// The largest of `valid` elements, of which `loaded` come from outside.
__mlu_entry__ void largest(float *out, const float *in, int loaded, int valid) {
  float most = 0;
  __memcpy(tile, in, loaded * sizeof(float), GDRAM2NRAM);
  for (int i = 0; i < valid; i++)
    if (tile[i] > most) most = tile[i];
  out[0] = most;
}
// An element at an index of which `bits` bits count, where it is not negative.
__mlu_entry__ void at_index(float *out, const float *in, int loaded, int bits) {
  if (loaded) index[0] = 3;
  const int at = index[0];
  out[0] = in[bits < 32 ? at & ((1 << bits) - 1) : at > 0 ? at : 0];
}
// A result that no argument leads to.
__mlu_entry__ void elsewhere(float **outs, const float *in, int loaded, int valid) {
  __memcpy(tile, in, loaded * sizeof(float), GDRAM2NRAM);
  float *out = outs[0];
  out[0] = tile[valid - 1];
}
"""
CUDA = """
// Each thread takes what its neighbour has loaded; the last of `valid` takes 0.
__global__ void shifted(float *out, const float *in, int loaded, int valid) {
  __shared__ float part[64];
  if (threadIdx.x < loaded) part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float next = part[(threadIdx.x + 1) % 64];
  out[threadIdx.x] = threadIdx.x + 1 < valid ? next : 0;
}
// Sums by shuffles that name all threads of a warp, of which the last `absent` have returned.
__global__ void pairs(float *out, const float *in, int absent, int valid) {
  if (threadIdx.x >= 32 - absent) return;
  float other = __shfl_down_sync(0xffffffff, in[threadIdx.x], 1);
  out[threadIdx.x] = threadIdx.x + 1 < valid ? other : 0;
}
"""
DATA = np.random.default_rng(5).random(N).astype(np.float32) + 0.25
SAME = "the results are the same with 4 other contents of uninitialized memory"


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> Program:
    source = tmp_path_factory.mktemp("threads") / "k.cu"
    source.write_text(CUDA)
    return load([source], device=Device.load("cuda-sm80"))


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """What fresh memory has held in each launch that was carried out with other bytes there."""
    held: list[int] = []
    run = IsolatedEngine.run

    def counted(self: IsolatedEngine, launch: Launch, *rest: Any) -> Any:
        held.extend({launch.poison} - {POISON})
        return run(self, launch, *rest)

    monkeypatch.setattr(IsolatedEngine, "run", counted)
    return held


def ran(program: Program, kernel: str, *numbers: int, **how: Any) -> Run:
    how = {"poison": True, "on_finding": "collect", **how}
    return program.launch(kernel, (1, 1, 1), args=[np.zeros(N, np.float32), DATA, *numbers], **how)


def said(run: Run) -> list[tuple[str, str]]:
    """Of what is read of uninitialized memory: the severity, and what has come of it."""
    found = [one for one in run.findings if one.rule == "uninitialized"]
    return [(one.severity, one.message.partition("; ")[2]) for one in found]


def test_what_is_masked_away_is_advice(program: Program, launches: list[int]) -> None:
    run = ran(program, "below", 40, 40)
    assert said(run) == [("advice", SAME)]
    assert {one.severity for one in run.findings} == {"advice"}
    assert launches == [*POISONS]
    assert "with other bytes in uninitialized memory" in run.variants.tried


def test_what_a_result_depends_on_is_a_warning(program: Program, launches: list[int]) -> None:
    """Padding that is NaN is no square below 2; zeros are."""
    run = ran(program, "below", 40, 44)
    reached = "4 of the 64 elements of out depend on uninitialized memory: out[40] is 0, and 1 where its bytes are 0x00"
    assert said(run) == [("warning", reached)]
    assert launches == [0x00]  # which is enough


@pytest.mark.parametrize("kernel", ["below", "largest"])
def test_a_kernel_that_writes_all_is_not_run_again(program: Program, launches: list[int], kernel: str) -> None:
    run = ran(program, kernel, N, N)
    assert said(run) == []
    assert launches == []
    assert "uninitialized" not in run.variants.tried


def test_one_content_that_shows_it_is_enough(program: Program) -> None:
    """NaN is never the largest, nor are zeros: a large number is."""
    ((severity, message),) = said(ran(program, "largest", 40, N))
    assert severity == "warning"
    assert message.startswith("1 of the 64 elements of out depends on uninitialized memory: out[0] is ")
    assert message.endswith(" where its bytes are 0x7b")
    assert said(ran(program, "largest", 40, 40)) == []


@pytest.mark.parametrize(
    ("bits", "severity", "message"),
    [
        (0, "advice", SAME),
        (3, "warning", f"out[0] is {DATA[7]:.9g}, and {DATA[0]:.9g} where its bytes are 0x00"),
        (32, "warning", "where the bytes of uninitialized memory are 0x3f, bounds: "),
    ],
)
def test_an_index(program: Program, bits: int, severity: str, message: str) -> None:
    ((found, text),) = said(ran(program, "at_index", 0, bits))
    assert found == severity
    assert message in text
    assert said(ran(program, "at_index", 1, bits)) == []


def test_results_that_are_not_compared_keep_the_warning(program: Program, device: Device, launches: list[int]) -> None:
    out = device.array(np.zeros(N, np.float32))
    args = [np.array([out.address], np.uint64), DATA, 40, 41]
    run = program.launch("elsewhere", (1, 1, 1), args=args, on_finding="collect", poison=True)
    assert said(run) == [("warning", "")]
    assert launches == []


def test_arrays_keep_what_the_launch_itself_has_left(program: Program) -> None:
    """Also those that later launches read: nothing of other contents stays."""
    out = np.zeros(N, np.float32)
    for _ in range(2):
        program.launch("largest", (1, 1, 1), args=[out, DATA, 40, N], on_finding="collect", poison=True)
        assert out[0] == DATA[:40].max()
    run = ran(program, "largest", 40, N, poison=False)
    assert said(run) == [("warning", "")]


@pytest.mark.parametrize(
    ("kernel", "first", "fault", "masked", "harmless", "right"),
    [
        ("shifted", 40, (40, 41), (40, 40), ("advice", SAME), (64, 64)),
        ("pairs", 31, (1, 32), (1, 31), ("warning", ""), (0, 32)),  # a mask that names threads which have ended
    ],
)
def test_blocks_of_threads(
    threads: Program, launches: list[int], kernel: str, first: int, fault: Any, masked: Any,
    harmless: tuple[str, str], right: Any,
) -> None:  # fmt: skip
    block = {"block": 64 if kernel == "shifted" else 32}
    ((severity, message),) = said(ran(threads, kernel, *fault, **block))
    assert severity == "warning"
    assert f"out[{first - 1}] is nan, and 0 where its bytes are 0x00" in message
    assert said(ran(threads, kernel, *masked, **block)) == [harmless]
    launches.clear()
    assert said(ran(threads, kernel, *right, **block)) == []
    assert launches == []


@pytest.mark.parametrize(
    ("limited", "expected"),
    [
        (3, [("advice", SAME)]),
        (4, [("warning", "16 of the 1024 elements of out depend on uninitialized memory: out[48] is 0, and 1 where its"
              " bytes are 0x00")]),
    ],
)  # fmt: skip
def test_tensors_across_lanes(limited: int, expected: list[tuple[str, str]]) -> None:
    """A row of lanes of which three are loaded is compared with 1 in some, in others with what nothing is below.

    What a comparison has made of fresh memory stays until it is used.
    """

    def kernel(unit: Any, out: Any, ones: Any, least: Any) -> None:
        load_tensor(unit, 0, least, (1, 3, 1, 16))
        load_tensor(unit, 1024, least)
        load_tensor(unit, 1024, ones, (1, limited, 1, 16))
        unit.tpu_bdc_less(2048, 0, 1024, ONE, ROW, None, None, None, unit.DT_FP32, unit.DT_FP32)
        store_tensor(unit, out, 2048)
        unit.tpu_poll()

    arrays = [np.full(1024, value, np.float32) for value in (5, 1, -np.inf)]
    run = launch(kernel, (1, 1, 1), args=arrays, device=Device.load("bm1690"), on_finding="collect", poison=True)
    assert said(run) == expected
