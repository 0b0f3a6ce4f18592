"""Loops that never end: in a launch, and in another one that it is compared with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Run, load
from mlusim.simulator.chip.launch_kinds import BLOCK
from mlusim.simulator.core.execution import Launch
from mlusim.simulator.launches import repeats as repeats_module
from mlusim.simulator.launches.repeats import further

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
    monkeypatch.setattr(repeats_module, "_TIMES", 5)
    monkeypatch.setattr(repeats_module, "_SECONDS", 0.5)
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


def test_further_runs_have_many_times_as_long_as_the_launch_itself() -> None:
    launch = Launch("k", (1, 1, 1), BLOCK, "collect")
    launches = (launch, launch._replace(time_limit=15.0))
    assert [[further(own, took).time_limit for own in launches] for took in (0.1, 2)] == [[10, 10], [40, 15]]


WAITING = """
#include <bang.h>
__nram__ int given[64], seen[64];
__mlu_entry__ void waits(int *flag) {  // task 1 waits for task 0, which comes first in the order of the numbers
  __bang_write_value(given, 64, taskId == 0 ? 1 : 0);
  do {
    __bang_atomic_add(seen, flag, given, 1);
    __sync();
  } while (taskId == 1 && seen[0] == 0);
}
"""


def test_an_order_that_waits_for_a_later_task_is_ended_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeats_module, "_TIMES", 5)
    monkeypatch.setattr(repeats_module, "_SECONDS", 0.5)
    path = tmp_path / "waits.mlu"
    path.write_text(WAITING)
    run = load([path], device=device()).launch(
        "waits", (2, 1, 1), args=[np.zeros(1, np.int32)], orders=2, on_finding="collect"
    )
    (found,) = run.findings
    assert (found.rule, found.location.line in range(6, 10)) == ("time", True)


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
