"""What is visible after each wait, and which cores each barrier brings together."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlusim.isa import DIALECTS
from mlusim.simulator import Device, KernelError, Run, launch

from tests.isa.references.waits import ALL_PIPES, BARRIERS, HAU_WAITS, MEMORY_CORE, SECTIONS, WAITS
from tests.isa.run_form import declared

SIX_FLAGS = (0, 0, 1, 1, 0, 0)
#: (name, name that a kernel calls it by, arguments) of every form of a wait.
FORMS = [
    (found.name, found.called, SIX_FLAGS[: len(found.shape)])
    for found in declared()
    if found.name in WAITS or found.name in BARRIERS
]
EVERY_WAIT = pytest.mark.parametrize(("name", "called", "flags"), FORMS, ids=[f"{n}-{len(f)}" for n, _, f in FORMS])


@cache
def mlu() -> Device:
    return Device.load("mlu590")


def promised(name: str) -> frozenset[str]:
    """Pipes that are idle after a wait; a barrier is for all of the core's own."""
    return WAITS.get(name, ALL_PIPES)


@EVERY_WAIT
def test_a_wait_shows_the_copies_of_its_pipes_and_no_others(name: str, called: str, flags: tuple[int, ...]) -> None:
    seen = {}

    def kernel(unit: Any, source: Any) -> None:
        by_io, by_move, zero = (unit.nram("int32", 64) for _ in range(3))
        shared = unit.sram("int32", 64)
        unit.__memcpy(shared, source, 256, unit.GDRAM2SRAM)
        for target in (by_io, by_move, zero):
            unit.__bang_write_value(target, 64, 0)
        unit.__sync_compute()
        unit.__memcpy_async(by_io, source, 256, unit.GDRAM2NRAM)
        unit.__memcpy_async(by_move, shared, 256, unit.SRAM2NRAM)
        getattr(unit, called)(*flags)
        seen.update(io=by_io[5], move=by_move[5])

    data = np.full(64, 7, np.int32)
    run = launch(kernel, args=[data], device=mlu(), on_finding="collect")
    waiting = {"io", "move"} - promised(name)
    assert seen == {pipe: 0 if pipe in waiting else 7 for pipe in ("io", "move")}
    assert {f.rule for f in run.findings} == ({"order"} if waiting else set())


@EVERY_WAIT
def test_a_wait_holds_the_core_until_its_pipes_are_idle(name: str, called: str, flags: tuple[int, ...]) -> None:
    """A wait ends after the end of what it waits for, and before the end of what it does not."""
    count = {pipe: 64 if pipe in promised(name) else 32768 for pipe in ALL_PIPES}

    def kernel(unit: Any, source: Any) -> None:
        by_io, by_move, sums = (unit.nram("float", 32768) for _ in range(3))
        shared = unit.sram("float", 32768)
        unit.__bang_write_value(sums, 32768, 1.0)
        unit.__memcpy(shared, source, 4 * 32768, unit.GDRAM2SRAM)
        unit.__sync()
        unit.__memcpy_async(by_io, source, 4 * count["io"], unit.GDRAM2NRAM)
        for _ in range(count["move"] // 8192 + 1):
            unit.__memcpy_async(by_move, shared, 4 * count["move"], unit.SRAM2NRAM)
        for _ in range(count["compute"] // 8192 + 1):
            unit.__bang_add(sums, sums, sums, count["compute"])
        getattr(unit, called)(*flags)
        unit.__sync()

    run = launch(kernel, args=[np.ones(32768, np.float32)], device=mlu())
    pipes = [run.log.pipes[record["pipe"]] for record in run.log.records]
    ends = {pipe: run.timeline.end[max(i for i, on in enumerate(pipes) if on == pipe)] for pipe in ALL_PIPES}
    _, wait, _ = (i for i, on in enumerate(pipes) if on == "sync")
    assert {pipe for pipe, end in ends.items() if end <= run.timeline.end[wait]} == promised(name)


def everybody(cluster: int, core: int) -> bool:
    return True


def union(barrier: str, present: Callable[[int, int], bool] = everybody) -> tuple[list[Any], Run]:
    """Two clusters run to a barrier and beyond; (step, core) in the order in which the steps were taken."""
    steps: list[Any] = []

    def kernel(unit: Any) -> None:
        core = (unit.clusterId, unit.coreId)
        if not present(*core):
            return
        steps.append(("arrives", core))
        getattr(unit, barrier)()
        steps.append(("leaves", core))

    return steps, launch(kernel, (8, 1, 1), "union2", device=mlu())


@pytest.mark.parametrize("name", BARRIERS)
def test_no_core_leaves_a_barrier_before_its_whole_group_has_come(name: str) -> None:
    steps, run = union(name)
    cores = sorted({core for _, core in steps})
    assert cores == [(cluster, core) for cluster in (0, 1) for core in (0, 1, 2, 3, MEMORY_CORE)]
    assert run.findings == []
    for core in cores:
        group = BARRIERS[name](*core)
        if group is None:
            continue
        leaving = steps.index(("leaves", core))
        mates = [other for other in cores if BARRIERS[name](*other) == group]
        assert all(steps.index(("arrives", other)) < leaving for other in mates), f"{core} left early"


@pytest.mark.parametrize("name", BARRIERS)
def test_who_takes_no_part_in_a_barrier_is_not_waited_for(name: str) -> None:
    steps, run = union(name, lambda *core: BARRIERS[name](*core) is not None)
    assert run.findings == []
    assert len([step for step, _ in steps if step == "leaves"]) == len(steps) // 2


@pytest.mark.parametrize("missing", [(1, 2), (1, MEMORY_CORE)], ids=["core", "memory core"])
@pytest.mark.parametrize("name", BARRIERS)
def test_who_takes_part_is_waited_for_by_its_group_alone(name: str, missing: tuple[int, int]) -> None:
    group = BARRIERS[name](*missing)
    steps: list[Any] = []

    def kernel(unit: Any) -> None:
        core = (unit.clusterId, unit.coreId)
        if core != missing:
            getattr(unit, name)()
            steps.append(core)

    if group is None:
        launch(kernel, (8, 1, 1), "union2", device=mlu())
        return
    with pytest.raises(KernelError) as caught:
        launch(kernel, (8, 1, 1), "union2", device=mlu())
    assert caught.value.finding.rule == "barrier"
    assert not [core for core in steps if BARRIERS[name](*core) == group]
    assert {core[0] for core in steps} >= ({0} if group == 1 else set())


@pytest.mark.parametrize("name", sorted(HAU_WAITS))
def test_a_wait_shows_the_results_of_hau(name: str) -> None:
    seen = {}

    def kernel(unit: Any, out: Any, source: Any) -> None:
        unit.tpu_hau_sort(out, source, 16, 16, True, unit.DT_INT32)
        getattr(unit, name)()
        unit.tpu_invalidate_cache(out, 64)
        seen[unit.tpu_core_index()] = out[0]

    arrays = [np.full(16, -1, np.int32), np.arange(16, dtype=np.int32)]
    assert launch(kernel, (1, 1, 1), args=arrays, device=Device.load("bm1690")).findings == []
    assert seen == {0: 15}


def test_without_a_wait_the_results_of_hau_are_not_there() -> None:
    seen = []

    def kernel(unit: Any, out: Any, source: Any) -> None:
        unit.tpu_hau_sort(out, source, 16, 16, True, unit.DT_INT32)
        unit.tpu_invalidate_cache(out, 64)
        seen.append(out[0])

    arrays = [np.full(16, -1, np.int32), np.arange(16, dtype=np.int32)]
    run = launch(kernel, (1, 1, 1), args=arrays, device=Device.load("bm1690"), on_finding="collect")
    assert seen == [-1]
    assert "order" in {finding.rule for finding in run.findings}


def test_all_cores_of_a_tpu_meet() -> None:
    steps: list[str] = []

    def kernel(unit: Any) -> None:
        steps.append("arrives")
        unit.tpu_sync_all()
        steps.append("leaves")

    launch(kernel, (8, 1, 1), device=Device.load("bm1690"))
    assert steps == ["arrives"] * 8 + ["leaves"] * 8


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_is_open_between_its_two_ends(name: str) -> None:
    seen = []

    def kernel(unit: Any) -> None:
        unit.tpu_parallel_start()
        if not SECTIONS[name]:
            unit.tpu_parallel_end()
            unit.tpu_parallel_start()
            unit.tpu_parallel_end()
        seen.append(unit.tpu_is_parallel_state())
        if SECTIONS[name]:
            unit.tpu_parallel_end()

    run = launch(kernel, (1, 1, 1), device=Device.load("bm1690"))
    assert {finding.rule for finding in run.findings} == {"empty"}
    assert seen == [SECTIONS[name]]


#: Bytes of a range to maintain: both lines of 64 bytes, the first one, none; and whether the second one is stale.
RANGES = pytest.mark.parametrize(("covered", "stale"), [(128, False), (64, True), (0, True)])


@RANGES
def test_an_engine_sees_the_stores_of_the_range_that_was_flushed(covered: int, stale: bool) -> None:
    def kernel(unit: Any, out: Any, source: Any) -> None:
        source[20] = 99
        if covered:
            unit.tpu_flush_cache(source, covered)
        unit.tpu_hau_sort(out, source, 32, 32, True, unit.DT_INT32)
        unit.tpu_poll()

    arrays = [np.zeros(32, np.int32), np.zeros(32, np.int32)]
    run = launch(kernel, (1, 1, 1), args=arrays, device=Device.load("bm1690"), on_finding="collect")
    assert [finding.rule for finding in run.findings] == ["cache"] * stale


@RANGES
def test_the_processor_sees_the_results_of_the_range_that_was_invalidated(covered: int, stale: bool) -> None:
    def kernel(unit: Any, out: Any, source: Any) -> None:
        unit.tpu_hau_sort(out, source, 32, 32, True, unit.DT_INT32)
        unit.tpu_poll()
        if covered:
            unit.tpu_invalidate_cache(out, covered)
        out[20]

    arrays = [np.zeros(32, np.int32), np.arange(32, dtype=np.int32)]
    run = launch(kernel, (1, 1, 1), args=arrays, device=Device.load("bm1690"), on_finding="collect")
    assert [finding.rule for finding in run.findings] == ["cache"] * stale


def test_every_wait_of_the_tables_is_an_instruction() -> None:
    names = {entry.name for dialect in DIALECTS.values() for entry in dialect.instructions}
    assert {*WAITS, *BARRIERS, *HAU_WAITS, *SECTIONS} <= names
