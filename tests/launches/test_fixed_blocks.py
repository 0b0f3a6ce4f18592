"""Kernels that are written for blocks of one number of threads, which their source defines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import load

from tests.support.devices import device

#: The sums of all warps of a block are added by its first threads; the number of warps is the place to differ.
SUMS = """
#include <cuda_runtime.h>
{before}
{template}__global__ void sums(float *out, const float *x, int n) {{
  __shared__ float part[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? x[i] : 0;
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffu, sum, apart);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  sum = 0;
  for (int warp = 0; warp < {warps} && warp * 32 < blockDim.x; warp++) sum += part[warp];
  atomicAdd(out, sum);
}}
"""


def severities(tmp_path: Path, before: str, warps: str, template: str = "", kernel: str = "sums") -> set[str]:
    source = tmp_path / "sums.cu"
    source.write_text(SUMS.format(before=before, warps=warps, template=template), "utf-8")
    program = load([source], device=device("cuda-sm80"))
    arrays = np.zeros(1, np.float32), np.arange(500, dtype=np.float32)
    run = program.launch(kernel, 4, args=(*arrays, 500), block=128, on_finding="collect", resplit="few")
    assert {finding.rule for finding in run.findings} <= {"split-dependent"}
    return {finding.severity for finding in run.findings}


@pytest.mark.parametrize(
    ("before", "template", "kernel", "warps"),
    [
        ("constexpr int THREADS = 128;", "", "sums", "THREADS / 32"),
        ("#define THREADS (2 * 64)", "", "sums", "THREADS / 32"),
        ("", "template <int THREADS> ", "sums<128>", "THREADS / 32"),
    ],
)
def test_other_blocks_than_the_source_defines_are_advice(
    tmp_path: Path, before: str, template: str, kernel: str, warps: str
) -> None:
    assert severities(tmp_path, before, warps, template, kernel) == {"advice"}


def test_a_number_of_warps_that_the_source_does_not_define(tmp_path: Path) -> None:
    assert severities(tmp_path, "constexpr int LINE = 64;", "4") == {"warning"}
    assert severities(tmp_path, "constexpr int LINE = 64;", "32") == set()
