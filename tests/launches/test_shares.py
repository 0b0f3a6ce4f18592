"""What each block leaves unread of its share of an input."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Program

CHIP = "cuda-sm80"
#: Each thread adds up some of the elements that lie a block of threads apart, and a block its threads' sums.
SOURCE = """
template <int THREADS, int EACH, int TAKEN>
__global__ void sums(float *out, const float *x, int n) {
  __shared__ float part[THREADS];
  int first = blockIdx.x * THREADS * EACH + threadIdx.x;
  part[threadIdx.x] = 0;
  for (int k = 0; k < TAKEN; k++) part[threadIdx.x] += first + k * THREADS < n ? x[first + k * THREADS] : 0;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
"""


@pytest.mark.parametrize(
    ("kernel", "length", "passed", "severity", "left"),
    [
        ("sums<64, 4, 4>", 768, 768, "", ""),
        (
            "sums<64, 4, 3>",
            768,
            768,
            "warning",
            "no task reads 768 of the 3072 bytes of x, in 3 gaps, the first at byte 768",
        ),
        (
            "sums<64, 4, 3>",
            768,
            800,
            "advice",
            "no task reads 768 of the 3072 bytes of x, in 3 gaps, the first at byte 768",
        ),
        (
            "sums<64, 2, 1>",
            384,
            400,
            "advice",
            "no task reads 768 of the 1536 bytes of x, in 3 gaps, the first at byte 256",
        ),
        (
            "sums<64, 4, 3>",
            600,
            600,
            "advice",
            "no task reads 512 of the 2400 bytes of x, in 2 gaps, the first at byte 768",
        ),
        ("sums<16, 4, 3>", 192, 200, "", ""),  # fewer elements than a warp takes: rows may be padded so
        ("sums<64, 4, 3>", 768, 192, "", ""),  # so many of each share are to be read
    ],
)
def test_parts_of_the_shares_of_blocks(
    program: Program, kernel: str, length: int, passed: int, severity: str, left: str
) -> None:
    x = np.arange(length, dtype=np.float32) + 1
    threads = int(kernel.partition("<")[2].partition(",")[0])
    run = program.launch(
        kernel, 3, args=[np.zeros(3, np.float32), x, passed], block=threads, on_finding="collect", vary=True
    )
    found = [(one.severity, one.message) for one in run.findings if one.rule == "unread"]
    assert found == ([(severity, left)] if left else [])
