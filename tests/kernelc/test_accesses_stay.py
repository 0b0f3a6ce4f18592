"""Accesses through a pointer are seen where they stand, also where a compiler would pass what it points to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import KernelError, Run, load

from tests.support.devices import device

BANG_C = """\
#include <mlu.h>
static __attribute__((noinline)) __mlu_func__ int one(const int *from) {
  return *from + 1;  // helper
}
template <typename T>
__mlu_global__ void scaled(T *out, const int *count) {
  const int m = *count;  // count
  if (__is_mpu() || m == 0) return;
  out[0] = m * one(count + 1) + one(count);
}
"""
CUDA = """\
template <typename T>
__global__ void scaled(T *out, const int *count) {
  const int m = *count;  // count
  if (m == 0) return;
  out[threadIdx.x] = m;
}
"""


def line(text: str, mark: str) -> int:
    return next(number for number, one in enumerate(text.splitlines(), 1) if one.endswith(f"// {mark}"))


def loads(run: Run) -> set[int]:
    log = run.log
    names = [op.name for op in log.ops]
    return {
        place.line for index, record in enumerate(log.records)
        if names[record["op"]].endswith(".load") and (place := log.location(index))
    }  # fmt: skip


def test_a_count_of_a_template_that_nothing_else_names(tmp_path: Path) -> None:
    source = tmp_path / "scaled.mlu"
    source.write_text(BANG_C, "utf-8")
    program = load([source], device=device("mlu370-x4"))
    out, count = np.zeros(1, np.float32), np.array([3, 4], np.int32)
    run = program.launch("scaled<float>", args=[out, count])
    assert out[0] == 3 * 5 + 4
    assert loads(run) == {line(BANG_C, "count"), line(BANG_C, "helper")}
    with pytest.raises(KernelError, match="bounds") as raised:
        program.launch("scaled<float>", args=[out, count[:1].copy()])
    assert raised.value.finding.location.line == line(BANG_C, "helper")


def test_a_count_of_a_kernel_in_cuda(tmp_path: Path) -> None:
    source = tmp_path / "scaled.cu"
    source.write_text(CUDA, "utf-8")
    out = np.zeros(4, np.float32)
    run = load([source], device=device("cuda-sm80")).launch(
        "scaled<float>", 1, args=[out, np.array([3], np.int32)], block=4
    )
    assert out.tolist() == [3] * 4
    assert loads(run) == {line(CUDA, "count")}
