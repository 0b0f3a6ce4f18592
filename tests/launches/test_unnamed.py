"""Whole numbers that a launch passes and that the kernel does not name."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Program
from mlusim.simulator.kernelc.bodies import lacks

CHIP = "cuda-sm80"
SOURCE = """
#define AT(row) ((row) * width + left)
namespace crops {
template <typename T> __global__ void crop(T *out, const T *x, int width, int top, int left, int rows, int columns);
template <typename T> __global__ void crop(T *out, const T *x, int width, int top, int left, int rows, int columns) {
  int column = threadIdx.x, row = blockIdx.x;
  if (column < columns) out[row * columns + column] = x[AT(row + top) + column];
}
__global__ void shifted(float *out, const float *x, int width, int top, int left, int rows, int columns) {
  int column = threadIdx.x, row = blockIdx.x;
  if (column < columns) out[row * columns + column] = x[(row + top) * width + top + column];
}
}  // namespace crops
"""


@pytest.mark.parametrize(
    ("kernel", "left", "columns", "said"),
    [
        ("crops::shifted", 3, 5, ["left = 3 is passed, and the kernel does not use it"]),
        ("crops::shifted", 8, 5, []),  # as long as the image is wide
        ("crops::crop<float>", 3, 5, []),  # a macro names it, and the grid says how many rows there are
    ],
)
def test_a_number_without_a_use(program: Program, kernel: str, left: int, columns: int, said: list[str]) -> None:
    x = np.random.default_rng(1).random((8, 20), np.float32)
    args = [np.zeros((4, columns), np.float32), x, 20, 2, left, 4, columns]
    run = program.launch(kernel, 4, args=args, block=32, on_finding="collect", vary=True)
    found = [one for one in run.findings if "the kernel does not use it" in one.message]
    assert [one.message for one in found] == said
    assert {(one.rule, one.severity, one.kernel) for one in found} <= {("ignored", "advice", kernel)}
    plain = program.launch(kernel, 4, args=args, block=32)
    assert not plain.findings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("void k(int n);\nvoid k(int n) { f({n}); }", False),
        ("void k(int n) { if (m) { f(); } }\nint n;", True),
        ("void g() { k(n); }\nvoid k(int n) {}", True),
        ('void k(int n) { f("n"); /* n */ }', True),
        ("void other(int n) {}", False),
        ("void k(int n);", False),
        ("void k(int n) {", False),
    ],
)
def test_the_body_that_is_looked_into(text: str, found: bool) -> None:
    assert lacks(text, "k", "n") is found
