"""One missing barrier is one finding: several races, and memory that is read before it is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, load

THREADS = """
__global__ void k(float *out, const float *in) {
  __shared__ float a[64], b[64];
  int t = threadIdx.x;
  a[t] = in[t];
  b[t] = in[t] * 2;
  BARRIER;
  float x = a[63 - t];
  float y = b[63 - t];
  out[t] = x + y + a[(t + 1) % 64] + b[(t + 2) % 64];
}
"""
#: Each round uses other pairs of elements.
ROUNDS = """
__global__ void k(float *out, const float *in) {
  __shared__ float a[128];
  int t = threadIdx.x;
  a[t] = in[t], a[t + 64] = in[t];
  __syncthreads();
  for (int step = 1; step < 64; step *= 2) {
    int low = 2 * t - t % step, high = low + step; float x = a[low];
    float y = a[high];
    a[low] = x + y;
    a[high] = x - y;
    BARRIER;
  }
  __syncthreads();
  out[t] = a[t];
}
"""
#: What each task stores, another one reads at two lines.
TASKS = """#include <bang.h>
__mlu_shared__ float s[256];
__nram__ float c[64];
__mlu_entry__ void k(float *out, const float *in) {
  __memcpy(c, in + taskId * 64, 256, GDRAM2NRAM);
  __memcpy(s + taskId * 64, c, 256, NRAM2SRAM);
  BARRIER;
  __memcpy(c, s + (taskId + 1) % 4 * 64, 256, SRAM2NRAM);
  __memcpy(out + taskId * 64, c, 256, NRAM2GDRAM);
  __memcpy(c, s + (taskId + 2) % 4 * 64, 256, SRAM2NRAM);
  __memcpy(out + 256 + taskId * 64, c, 256, NRAM2GDRAM);
}
"""


def of_threads(barrier: str, source: str, folder: Path) -> list[Finding]:
    path = folder / "k.cu"
    path.write_text(source)
    program = load([path], device=Device.load("cuda-sm80"), define={"BARRIER": barrier})
    arguments = [np.zeros(64, np.float32), np.ones(64, np.float32)]
    return program.launch("k", 1, block=64, args=arguments, on_finding="collect").findings


def of_tasks(barrier: str, source: str, folder: Path) -> list[Finding]:
    path = folder / "k.mlu"
    path.write_text(source)
    program = load([path], device=Device.load("mlu370-x4"), define={"BARRIER": barrier})
    arguments = [np.zeros(512, np.float32), np.ones(256, np.float32)]
    return program.launch("k", (4, 1, 1), "union1", arguments, on_finding="collect").findings


def test_threads_without_a_barrier(tmp_path: Path) -> None:
    (race,) = of_threads("", THREADS, tmp_path)
    assert (race.rule, race.severity) == ("race", "error")
    lines = [race.location, race.related, *race.also]
    assert sorted(place.line for place in lines if place) == [5, 6, 8, 9, 10]


def test_races_of_the_rounds_of_a_loop(tmp_path: Path) -> None:
    """One barrier in each round ends them all, also those of a line with itself. Those of another loop stay."""
    (race,) = of_threads("", ROUNDS, tmp_path)
    lines = [race.location, race.related, *race.also]
    assert sorted({place.line for place in lines if place}) == [8, 9, 10, 11]
    assert race.location != race.related
    assert of_threads("__syncthreads()", ROUNDS, tmp_path) == []
    twice = ROUNDS.replace("  out[t]", ROUNDS[ROUNDS.index("  for") : ROUNDS.index("  out[t]")] + "  out[t]")
    assert len(of_threads("", twice, tmp_path)) == 2


def test_tasks_without_a_barrier(tmp_path: Path) -> None:
    (race,) = of_tasks("", TASKS, tmp_path)
    lines = [race.location, race.related, *race.also]
    assert sorted(place.line for place in lines if place) == [6, 8, 10]


@pytest.mark.parametrize(("launched", "barrier", "source", "read"), [
    (of_threads, "__syncthreads()", THREADS.replace("b[t] = in[t] * 2", "if (t < 63) b[t] = in[t] * 2"), 9),
    (of_tasks, "__sync_cluster()", TASKS.replace("__memcpy(s", "if (taskId < 3) __memcpy(s"), 9),
])  # fmt: skip
def test_what_nobody_has_written_is_told_beside_a_barrier(launched, barrier, source, read, tmp_path: Path) -> None:
    found = launched(barrier, source, tmp_path)
    assert {one.rule for one in found} == {"uninitialized"}
    assert read in {one.location.line for one in found}


@pytest.mark.parametrize(
    ("launched", "barrier", "source"), [(of_threads, "__syncthreads()", THREADS), (of_tasks, "__sync_cluster()", TASKS)]
)
def test_with_the_barrier(launched, barrier, source, tmp_path: Path) -> None:
    assert launched(barrier, source, tmp_path) == []
