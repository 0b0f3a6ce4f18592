"""Launches of host code that read arrays which nothing has filled: whether what they leave depends on that."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlusim.simulator import Device, HostProgram

SOURCE = """#include <bang.h>
#include <cnrt.h>

#include <cstdio>

#define N 64
__nram__ float tile[N], limit[N];

// Whether elements are below 50, of the first `count`.
__mlu_entry__ void below(float *out, const float *in, int count) {
  __memcpy(tile, in, N * sizeof(float), GDRAM2NRAM);
  __bang_write_value(limit, N, 50.0f);
  __bang_lt(tile, tile, limit, N);
  __bang_write_value(limit, N, 0.0f);
  __bang_write_value(limit, count, 1.0f);
  __bang_mul(tile, tile, limit, N);
  __memcpy(out, tile, N * sizeof(float), NRAM2GDRAM);
}

int main() {
  float *in, *out, host[N];
  for (int i = 0; i < N; i++) host[i] = i + 1;
  cnrtQueue_t queue;
  cnrtQueueCreate(&queue);
  cnrtMalloc((void **)&in, sizeof host);
  cnrtMalloc((void **)&out, sizeof host);
  cnrtMemset(out, 0, sizeof host);
  cnrtMemcpy(in, host, FILLED * sizeof(float), cnrtMemcpyHostToDev);
  cnrtDim3_t dim = {1, 1, 1};
  below<<<dim, cnrtFuncTypeBlock, queue>>>(out, in, COUNT);
  cnrtQueueSync(queue);
  cnrtMemcpy(host, out, sizeof host, cnrtMemcpyDevToHost);
  printf("%g %g\\n", host[0], host[39]);
  cnrtFree(in), cnrtFree(out);
  cnrtQueueDestroy(queue);
}
"""
SAME = "the results are the same with 4 other contents of uninitialized memory"


@pytest.mark.parametrize(("filled", "count", "severity"), [(40, 41, "warning"), (40, 40, "advice"), (64, 64, "")])
def test_an_array_that_is_filled_in_part(tmp_path: Path, filled: int, count: int, severity: str) -> None:
    (tmp_path / "k.mlu").write_text(SOURCE)
    define = {"FILLED": filled, "COUNT": count}
    run = HostProgram([tmp_path / "k.mlu"], device=Device.load("mlu370-x4"), define=define).run(poison=True)
    found = [one for one in run.findings if one.rule == "uninitialized"]
    assert [one.severity for one in found] == [severity] * (filled < 64)
    assert all((SAME in one.message) == (severity == "advice") for one in found)
    assert all(("depend" in one.message) == (severity == "warning") for one in found)
