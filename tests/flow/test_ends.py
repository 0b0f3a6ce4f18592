"""Waits of tasks that end at a fault, and what is said where the order of accesses cannot be looked at."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from mlusim.simulator.checks.after_run import examine
from mlusim.simulator.findings import BuildError
from mlusim.simulator.flow import causes

from tests.checks.after_run.launched import BYTES, N, rules, run, store, zeros


@pytest.mark.parametrize("faulty", [(), (1,), (0, 1)])
def test_a_task_that_ends_at_a_fault_is_not_asked_for_its_waits(faulty: tuple[int, ...]) -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        piece = m.nram("float", N)
        m.__memcpy_async(piece, source, BYTES, m.GDRAM2NRAM)
        if m.taskId in faulty:
            out[100 * N] = 1.0
        out[m.taskId] = 1.0

    found = run(kernel, zeros(N), zeros(2), tasks=2)
    examined = examine(found.log, found.findings, "collect")
    waits = [finding for finding in examined if finding.rule == "unwaited"]
    assert [finding.tasks for finding in waits] == [task for task in [tuple({0, 1} - set(faulty))] if task]
    assert ("bounds" in rules(found)) == bool(faulty)


def test_without_a_compiler_a_warning_says_once_what_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        piece = m.nram("float", N)
        m.__memcpy_async(piece, source, BYTES, m.GDRAM2NRAM)
        store(m, out, 1.0, N - 1)

    def no_compiler(folder: object) -> None:
        raise BuildError("no C++ compiler is on the path")

    monkeypatch.setattr(causes, "built_folder", no_compiler)
    causes._library.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="hazards, races and missing waits are not looked for"):
            assert rules(run(kernel, zeros(N), zeros(N))) == ["unwritten"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run(kernel, zeros(N), zeros(N))
    finally:
        monkeypatch.undo()
        causes._library.cache_clear()
    assert rules(run(kernel, zeros(N), zeros(N))) == ["unwritten"]
