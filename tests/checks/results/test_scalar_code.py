"""Lines of scalar code behind an instruction, found in the text of a source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import load
from mlusim.simulator.checks.results.scalar_code import lines_behind

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
