"""Whether a kernel knows that `__bang_log` is the binary logarithm: it has the factor between two bases near it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, load

SOURCE = """{before}
__nram__ float a[64];
__mlu_entry__ void k(float *x) {{
  __memcpy(a, x, sizeof(a), GDRAM2NRAM);
  __bang_log(a, a, 64);
  {behind}
  __memcpy(x, a, sizeof(a), NRAM2GDRAM);
}}
"""


@pytest.mark.parametrize(("before", "behind", "found"), [
    ("", "", ["meaning"]),
    ("", "__bang_mul_scalar(a, a, 2.0f, 64);", ["meaning"]),
    ("", "__bang_mul_scalar(a, a, 0.69314718f, 64);", []),
    ("const float kLn2 = 0.69314718f;" + 8 * "\n", "__bang_mul_scalar(a, a, kLn2, 64);", []),
    ("", "__bang_mul_scalar(a, a, 1 / 1.44269504f, 64);", []),
    ("const float ln2 = 0.69314718f;" + 8 * "\n", "", ["meaning"]),  # too far away
])  # fmt: skip
def test_the_factor_is_near(tmp_path: Path, before: str, behind: str, found: list[str]) -> None:
    path = tmp_path / "k.mlu"
    path.write_text(SOURCE.format(before=before, behind=behind))
    program = load([path], device=Device.load("mlu370-x4"))
    run = program.launch("k", args=[np.ones(64, np.float32)], on_finding="collect")
    assert [one.rule for one in run.findings if one.rule == "meaning"] == found
