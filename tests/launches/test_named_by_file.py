"""Results beside the function that the file of a kernel is named after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import load

from tests.support.devices import device

SOURCE = """
__global__ void %s(const float *in, float *out, int rows, int n) {
  const int row = threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = %d; i < n; i++)
    sum += expf(in[row * n + i]);
  for (int i = 0; i < n; i++)
    out[row * n + i] = expf(in[row * n + i]) / sum;
}
"""


@pytest.mark.parametrize(
    ("kernel", "file", "first", "said"),
    [
        ("updateOutput", "SoftMax", 0, "is softmax(in)"),
        ("updateOutput", "SoftMax", 1, "out is not softmax(in)"),
        ("vertical2", "softmax", 0, "is softmax(in)"),
        ("vertical2", "softmax", 1, ""),  # it may be a step
        ("updateOutput", "common", 1, ""),
        ("sqrt_kernel", "softmax", 0, "is not sqrt(in)"),  # its own name says another
    ],
)
def test_a_file_says_what_its_kernel_does_not(tmp_path: Path, kernel: str, file: str, first: int, said: str) -> None:
    source = tmp_path / f"{file}.cu"
    source.write_text(SOURCE % (kernel, first))
    x = np.random.default_rng(5).normal(size=(7, 12)).astype(np.float32)
    program = load([source], device=device("cuda-sm80"))
    run = program.launch(kernel, 1, args=[x, np.zeros_like(x), 7, 12], block=32, on_finding="collect", named=True)
    found = [one.message for one in run.findings if one.rule == "unlike-name"]
    assert len(found) == ("not" in said)
    text = "; ".join((run.variants.tried, *found))
    assert said in text if said else "softmax" not in text
