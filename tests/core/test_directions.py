"""A copy whose direction names the memory beside the one that an address lies in: GDRAM and LDRAM, which one engine
reaches.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Program, load

N = 64
_TEXT = """#include <bang.h>
#define N 64
__mlu_entry__ void moved(float *out, const float *in, int strided) {
  __nram__ float tile[N];
  __mlu_shared__ float kept[4 * N];
  if (__is_ipu()) {
    if (strided) __memcpy(tile, in + coreId * N, 4, LDRAM2NRAM, 4, 4, N - 1);
    else __memcpy(tile, in + coreId * N, N * 4, LDRAM2NRAM);
    __memcpy(kept + coreId * N, tile, N * 4, NRAM2SRAM);
  }
  __sync_cluster();
  __memcpy(out, kept, sizeof(kept), SRAM2LDRAM);
}
__mlu_entry__ void stacked(float *out, const float *in) {
  __nram__ float tile[N];
  __ldram__ float mine[N];
  __memcpy(tile, in, sizeof(tile), GDRAM2NRAM);
  __memcpy(mine, tile, sizeof(tile), NRAM2GDRAM);
  __bang_write_zero(tile, N);
  __memcpy(tile, mine, sizeof(tile), GDRAM2NRAM);
  __memcpy(out, tile, sizeof(tile), NRAM2GDRAM);
}
__mlu_entry__ void elsewhere(float *out, const float *in) {
  __nram__ float tile[N];
  __memcpy(tile, in, sizeof(tile), SRAM2NRAM);
}
"""


@pytest.fixture(scope="module")
def directions(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path: Path = tmp_path_factory.mktemp("directions") / "k.mlu"
    path.write_text(_TEXT)
    return load([path], device=Device.load("mlu370-x4"))


@pytest.mark.parametrize("strided", [0, 1])
def test_the_memory_beside_it_is_meant(directions: Program, strided: int) -> None:
    out, data = np.zeros(4 * N, np.float32), np.arange(4 * N, dtype=np.float32)
    run = directions.launch("moved", (4, 1, 1), "union1", [out, data, strided])
    assert out.tolist() == data.tolist()
    found = [(f.rule, f.severity, f.operand) for f in run.findings]
    assert found == [("space", "advice", "src"), ("space", "advice", "dst")]
    assert all("lies in gdram, not in ldram as the direction" in f.message for f in run.findings)


def test_it_is_so_of_a_task_s_own(directions: Program) -> None:
    out, data = np.zeros(N, np.float32), np.arange(N, dtype=np.float32)
    run = directions.launch("stacked", args=[out, data])
    assert out.tolist() == data.tolist()
    assert [(f.severity, f.operand) for f in run.findings] == [("advice", "dst"), ("advice", "src")]


def test_any_other_memory_is_an_error(directions: Program) -> None:
    run = directions.launch("elsewhere", (4, 1, 1), "union1", [np.zeros(N, np.float32)] * 2, on_finding="collect")
    assert {(f.rule, f.severity) for f in run.errors} == {("space", "error")}
