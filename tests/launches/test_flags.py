"""Flags that are set by data, whatever they were before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mlusim.simulator import load

from tests.support.devices import device


def test_a_flag_that_is_set_makes_no_difference(tmp_path: Path) -> None:
    """What it was is seen where nothing sets it: an input of another kind has to be seen."""
    source = tmp_path / "unscale.cu"
    source.write_text(
        "__global__ void unscale_and_check(float *x, const float *was, const float *by, float *found, int n) {\n"
        "  const int i = threadIdx.x;\n"
        "  if (i == 0 && *was == 1) *found = 1;\n"
        "  if (i < n && isinf(x[i])) *found = 1;\n"
        "  if (i < n) x[i] *= *by;\n"
        "}\n"
    )
    program = load([source], device=device("cuda-sm80"))

    def said(before: float) -> list[str]:
        x = np.linspace(1, 2, 64, dtype=np.float32)
        x[5] = np.inf
        one = [np.array([value], np.float32) for value in (before, 0.5, 0)]
        run = program.launch("unscale_and_check", 1, args=[x, *one, 64], block=64, on_finding="collect", vary=True)
        return [finding.message for finding in run.findings if finding.rule == "ignored"]

    assert said(0) == []
    assert said(0.25) != []
