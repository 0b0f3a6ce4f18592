"""Loops that never end: in a launch, and in another one that it is compared with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Run, load
from mlusim.simulator.chip.launch_kinds import BLOCK
from mlusim.simulator.core.execution import Launch
from mlusim.simulator.launches import variants as variants_module
from mlusim.simulator.launches.variants import Variant, Variants

from tests.support.devices import device

ENDLESS = """
#include <bang.h>
__nram__ float tile[64];
__mlu_entry__ void steps(float *out, int n, int step) {
  for (int at = 64 * taskId; at < n; at += 64 * (step ? taskDim : taskDim & ~1)) {
    __bang_write_value(tile, 64, 1.0f);
    __memcpy(out + at, tile, 256, NRAM2GDRAM);
  }
}
"""


def test_what_never_ends_with_other_tasks_is_ended_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants_module, "_SECONDS", 0.5)
    path = tmp_path / "steps.mlu"
    path.write_text(ENDLESS)
    program = load([path], device=device())

    def of_steps(step: int, tasks: int) -> Run:
        args = [np.zeros(640, np.float32), 640, step]
        return program.launch("steps", (tasks, 1, 1), args=args, resplit="few", on_finding="collect")

    (found,) = of_steps(0, 2).findings
    assert found.rule == "time"
    assert found.severity == "warning"
    assert found.location.line in (5, 6, 7)  # of the loop
    assert found.message.startswith("with 1 task: the kernel ran longer than the time limit")
    assert of_steps(1, 2).findings == []


def test_variants_have_many_times_as_long_as_the_launch_itself() -> None:
    own = Launch("k", (1, 1, 1), BLOCK, "collect")
    chosen = [Variant("", "", own, ()), Variant("", "", own._replace(time_limit=15.0), ())]
    limits = [[v.launch.time_limit for v in Variants(tuple(chosen)).ending(took).chosen] for took in (0, 0.1, 2)]
    assert limits == [[None, 15], [10, 10], [40, 15]]


def test_the_log_of_a_loop_that_does_not_end_is_short(tmp_path: Path) -> None:
    path = tmp_path / "adds.mlu"
    path.write_text("""
#include <bang.h>
__nram__ float tile[64];
__mlu_entry__ void adds() {
  __bang_write_value(tile, 64, 1.0f);
  while (true) __bang_add(tile, tile, tile, 64);
}
""")
    run = load([path], device=device()).launch("adds", (1, 1, 1), on_finding="collect", time_limit=1)
    (found,) = run.findings
    assert (found.rule, found.location.line) == ("time", 6)
    assert run.log.left_out
    assert len(run.log) <= 1 << 16
