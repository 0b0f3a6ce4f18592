"""Lines of scalar code behind an instruction, found in the text of a source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import load
from mlusim.simulator.checks.results.scalar_code import Code, lines_behind

from tests.support.devices import device

SOURCE = """\
#include <bang.h>
__nram__ float a[64];
__mlu_func__ void other(int each) { each = 3; }
__mlu_entry__ void halves(float *y, const float *x, int n) {
  // each = 5;
  const int each =
      n / taskDim - 1;
  int unused = each;
  const int begin = taskId * each;
  __nram__ float b[32];
  if (n > 0) {
    for (int i = 0; i < each; i += 16) {
      const int count = each - i < 16 ? each - i : 16;
      __memcpy(a, x + begin + i, count * sizeof(float), GDRAM2NRAM);
      __memcpy(b, a, count * sizeof(float), NRAM2NRAM);
      __memcpy(y + begin + i, b,
               count * sizeof(float), NRAM2GDRAM);
    }
  }
}
"""


@pytest.mark.parametrize(
    ("at", "found"),
    [
        ([16], [12, 11, 9, 10, 13, 6]),
        ([17], [12, 11, 9, 10, 13, 6]),  # the last line of a statement is one of it
        ([14], [12, 11, 9, 13, 6]),
        ([9], [6]),
        ([6], []),
        # near misses
        ([3], []),
        ([0, 99], []),
        ([], []),
    ],
)
def test_lines_behind_a_statement(at: list[int], found: list[int]) -> None:
    assert lines_behind(SOURCE, at) == found


def test_a_head_may_have_several_lines() -> None:
    text = SOURCE.replace(
        "for (int i = 0; i < each; i += 16) {", "for (int i = 0;\n         i < each;\n         i += 16) {"
    )
    assert lines_behind(text, [18]) == [12, 11, 9, 14, 10, 15, 6]


def test_a_wrong_result_names_them(tmp_path: Path) -> None:
    path = tmp_path / "halves.mlu"
    path.write_text(SOURCE)
    y, x = np.zeros(64, np.float32), np.arange(64, dtype=np.float32)
    run = load([path], device=device()).launch(
        "halves", (2, 1, 1), args=[y, x, 64], expect={"y": x}, on_finding="collect"
    )
    found = next(f for f in run.findings if f.rule == "wrong-result")
    named = [step.location.line for step in found.trail if step.instruction == "scalar code"]
    assert 6 in named
    assert not set(named) & {2, 3, 5, 8, 14, 15, 16}
    assert "from scalar code at " in str(found)


THREADS = """\
__device__ float summed(float value, const float *more) {
  for (int i = 0; i < 4; i++) {
    value += more[i];
  }
  return value;
}
__global__ void kernel(float *out, const float *x, const float *y, int n) {
  __shared__ float part[64];
  int t = threadIdx.x;
  int at = 2 * t;
  if (t >= n) return;
  at = t + 1;
  float sum = 0;
  for (int i = 0; i < n; i++) sum += x[at + i];
  part[t] = sum;
  part[0] *= 2;
  __syncthreads();
  int unused = n;
  for (int i = 1; i < n; i++) {
    if (part[i] > sum) {
      sum = part[i];
    } else {
      t = i;
    }
  }
  float all = summed(sum, y);
  out[t] = all;
  at = 0;
}
"""


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (15, {15, 9, 11, 13, 14, 12}),  # `at` is set anew before it is used
        (16, {16, 15, 9, 11, 13, 14, 12}),  # what is stored since the last barrier may still be in a register
        (21, {21, 20, 19, 11, 13, 14, 12, 9}),
        (27, {27, 26, 23, 22, 21, 20, 19, 13, 14, 12, 11, 9}),
        (3, {3, 2}),
        # near misses
        (18, {18, 11, 9}),
        (7, set()),
        (99, set()),
    ],
)
def test_what_scalar_code_computes_of_what(line: int, found: set[int]) -> None:
    assert set(Code(THREADS).behind(line)) == found


def test_what_a_line_reads_feeds_others_by_what_is_called() -> None:
    code = Code(THREADS)
    assert [code.feeds(*lines) for lines in ((27, 14), (27, 3), (3, 14), (15, 99))] == [True] * 4
    assert [code.feeds(*lines) for lines in ((15, 3), (15, 20), (15, 16))] == [False] * 3
    assert code.stores(20) == [15, 16]
    assert code.stores(14) == []
