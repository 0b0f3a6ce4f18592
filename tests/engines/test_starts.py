"""Tasks that native code begins by itself come to what those come to that the machine begins one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, Program, load
from mlusim.simulator.core.machine import Begun, TaskQueue
from mlusim.simulator.engines.tasks.runner import NativeRunner

from tests.support.paths import KERNELS_C

#: Kernel, tasks on 32 cores, and what follows the array of 64 floats for each.
CASES = [
    ("nothing", 100, None), ("writes", 100, ()), ("scalars", 70, ()), ("reads", 40, (0, 1)), ("reads", 70, (33, 5)),
    ("reads", 3, (9, 9)), ("late", 40, ()), ("holds", 70, (3,)), ("ends", 40, (35,)), ("ends", 1, (0,)),
    ("counts", 70, ()), ("writes", 1500, ()), ("in_disorder", 70, ()), ("after_disorder", 40, ()),
]  # fmt: skip


#: The same of tasks that run together, with the type of their launch.
TOGETHER = [
    ("nothing", 40, "union1", None), ("writes", 80, "union1", ()), ("scalars", 64, "union4", ()),
    ("reads", 40, "union1", (7, 9)), ("reads", 64, "union2", (0, 1)), ("late", 40, "union1", ()),
    ("holds", 80, "union2", (3,)), ("ends", 40, "union1", (22,)), ("ends", 32, "union4", (0,)),
    ("counts", 72, "union1", ()), ("in_disorder", 72, "union2", ()), ("after_disorder", 40, "union1", ()),
    ("writes", 1600, "union4", ()),
    *(("share", 40, kind, (how,)) for kind in ("union1", "union2") for how in range(4)),
    ("share_flags", 40, "union1", ()), ("left_over", 40, "union1", (32,)), ("left_over", 80, "union4", (48,)),
    ("meet", 40, "union1", (8, 3)), ("meet", 32, "union4", (2, 2)), ("meet", 32, "union2", (0, 1)),
    ("meet", 40, "union1", (8, 0)),
    ("miss", 40, "union1", (-1,)), ("miss", 40, "union1", (17,)), ("miss", 32, "union4", (3,)),
    *(("fall", 40, kind, (who, behind)) for kind in ("union1", "union2") for who in (0, 18) for behind in (0, 1)),
    ("count", 40, "union1", (0,)), ("count", 32, "union4", (3,)), ("unguarded", 40, "union1", ()),
]  # fmt: skip


@pytest.fixture(scope="module")
def programs(device: Device) -> Program:
    names = ("starts", "starts_initial", "starts_unions", "memory_core")
    return load([KERNELS_C / f"{name}.mlu" for name in names], device=device)


def outcome(program: Program, kernel: str, tasks: int, further: tuple[Any, ...] | None, **options: Any) -> Any:
    """What a launch comes to: the bytes of its array, its log and its findings."""
    x = np.zeros((tasks, 64), np.float32)
    args = [] if further is None else [x, *further]
    options = {"on_finding": "collect", **options}
    try:
        run = program.launch(kernel, (tasks, 1, 1), args=args, isolate=False, **options)
    except KernelError as error:
        run = error.run
    return x.tobytes(), run.log, run.findings


@pytest.mark.parametrize(("kernel", "tasks", "further"), CASES)
def test_both_ways_come_to_the_same(programs, kernel, tasks, further):
    one_by_one = outcome(programs, kernel, tasks, further, progress=lambda done, total: None)
    for _ in range(2):
        x, log, findings = outcome(programs, kernel, tasks, further)
        assert x == one_by_one[0]
        assert log == one_by_one[1]
        assert findings == one_by_one[2]


def test_the_log_has_all_accesses_of_tasks_without_variables(device, tmp_path):
    """Many places of each: more than wait in native code, with nothing between that would hand them over."""
    path = tmp_path / "many.mlu"
    adds = "\n".join(f"  x[{number % 64}] += 1;" for number in range(120))
    path.write_text(
        f"#include <bang.h>\n__mlu_entry__ void many(volatile float *x) {{\n  x += 64 * taskId;\n{adds}\n}}\n"
    )
    program = load([path], device=device)
    one_by_one = outcome(program, "many", 40, (), progress=lambda done, total: None)
    assert outcome(program, "many", 40, ()) == one_by_one
    log = one_by_one[1]
    assert np.bincount(log.records["task"]).tolist() == [len(log) // 40] * 40
    assert len(log) >= 8000


@pytest.mark.parametrize(("kernel", "tasks", "kind", "further"), TOGETHER)
def test_tasks_that_run_together_come_to_the_same(programs, kernel, tasks, kind, further):
    for way in ("collect", "raise"):
        one_by_one = outcome(
            programs, kernel, tasks, further, type=kind, on_finding=way, progress=lambda done, total: None
        )
        for _ in range(2):
            x, log, findings = outcome(programs, kernel, tasks, further, type=kind, on_finding=way)
            assert x == one_by_one[0]
            assert log == one_by_one[1]
            assert findings == one_by_one[2]


def test_progress_is_told_of_tasks_and_not_of_memory_cores(programs):
    told: list[tuple[int, int]] = []
    programs.launch("nothing", (40, 1, 1), "union1", on_finding="collect", progress=lambda *at: told.append(at))
    assert told == [(done, 40) for done in range(4, 41, 4)]


def test_what_needs_no_python_begins_without_it(device, monkeypatch):
    runs: list[Begun] = []
    run_tasks = NativeRunner.run_tasks

    def noted(self: NativeRunner, queue: TaskQueue, places: range, reused: bool, seen: int) -> Begun:
        runs.append(run_tasks(self, queue, places, reused, seen))
        return runs[-1]

    monkeypatch.setattr(NativeRunner, "run_tasks", noted)
    program = load([KERNELS_C / "starts.mlu"], device=Device.load(device.name))
    for kernel, tasks, counts in (
        ("nothing", 100, [100]),
        ("writes", 100, [100]),
        ("scalars", 40, [40]),
        ("in_disorder", 40, [32, 8]),
    ):
        runs.clear()
        outcome(program, kernel, tasks, None if kernel == "nothing" else ())
        assert [begun.tasks for begun in runs] == counts
        assert not any(begun.ended for begun in runs)
    together = load([KERNELS_C / "starts_unions.mlu"], device=Device.load(device.name))
    runs.clear()
    outcome(together, "share", 40, (0,), type="union1")
    assert [begun.tasks for begun in runs] == [40, 10]


def test_what_python_is_asked_of_is_the_task_that_asks(programs):
    _, _, findings = outcome(programs, "reads", 70, (33, 5))
    assert [(f.rule, f.tasks, f.count) for f in findings] == [("uninitialized", tuple(range(33, 70, 5)), 8)]
    assert findings[0].cores == tuple(sorted({task % 32 for task in range(33, 70, 5)}))


def test_a_task_that_does_not_end_is_the_one_that_is_named(programs):
    run = programs.launch("waits_for_ever", (40, 1, 1), args=[37], on_finding="collect", time_limit=0.3)
    assert [(f.rule, f.tasks, f.cores) for f in run.findings if f.severity == "error"] == [("time", (37,), (5,))]
