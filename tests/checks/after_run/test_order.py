"""Hazards and races of random kernels, beside a graph of everything that comes before something."""

from __future__ import annotations

import random
from typing import Any

import pytest
from mlusim.simulator import Run, launch

from tests.checks.after_run.happens_before import empty, reported, unordered, without_the_earlier
from tests.support.devices import device

CELL = 64  # floats of a piece of a buffer
CELLS = 3


def steps(rng: random.Random, syncs: float) -> list[tuple[Any, ...]]:
    """A random program of a task: name, and the pieces that it works on."""
    found: list[tuple[Any, ...]] = []
    for _ in range(rng.randrange(4, 14)):
        if rng.random() < syncs:
            found.append((rng.choice(("__sync", "__sync_io", "__sync_move", "__sync_compute")),))
            continue
        name = rng.choice(
            ("load", "load", "store", "store", "rows", "in", "out", "copy", "add", "add", "block", "atomic", "scalar",
             "half", "wide")
        )  # fmt: skip
        found.append((name, rng.randrange(CELLS), rng.randrange(CELLS)))
    return found


def perform(mlu: Any, step: tuple[Any, ...], near: Any, shared: Any, far: Any) -> None:
    name, *pieces = step
    if name.startswith("__"):
        getattr(mlu, name)()
        return
    a, b = (CELL * piece for piece in pieces)
    size = 4 * CELL
    match name:
        case "load":
            mlu.__memcpy_async(near + a, far + b, size, mlu.GDRAM2NRAM)
        case "store":
            mlu.__memcpy_async(far + a, near + b, size, mlu.NRAM2GDRAM)
        case "rows":
            mlu.__memcpy_async(far + 8 * (a // CELL), near + b, 32, mlu.NRAM2GDRAM, 96, 32, 7)
        case "in":
            mlu.__memcpy_async(near + a, shared + b, size, mlu.SRAM2NRAM)
        case "out":
            mlu.__memcpy_async(shared + a, near + b, size, mlu.NRAM2SRAM)
        case "copy":
            mlu.__memcpy_async(near + a, near + b, size, mlu.NRAM2NRAM)
        case "add":
            mlu.__bang_add(near + a, near + b, near + b, CELL)
        case "half":
            mlu.__bang_mul_scalar(near + a, near + a, 2.0, CELL // 2)
        case "wide":
            begin = min(a, CELL * (CELLS - 2))
            mlu.__bang_mul_scalar(near + begin, near + begin, 2.0, CELL + CELL // 2)
        case "block":
            mlu.__memcpy(near + a, far + b, size, mlu.GDRAM2NRAM)
        case "atomic":
            mlu.__bang_atomic_reduce_add(far + a, near + b, CELL)
        case "scalar":
            near[a] = far[b]


def run_random(seed: int, tasks: int, kind: str, syncs: float, meets: bool) -> Run:
    rng = random.Random(seed)
    programs = [[steps(rng, syncs) for _ in range(2)] for _ in range(tasks)]

    def kernel(mlu: Any, far: Any) -> None:
        if mlu.coreId == 0x80:
            return
        near, shared = mlu.nram("float", CELL * CELLS), mlu.sram("float", CELL * CELLS)
        first, second = programs[mlu.taskId]
        for step in first:
            perform(mlu, step, near, shared, far)
        if meets:
            mlu.__sync_all_ipu_within_cluster()
        for step in second:
            perform(mlu, step, near, shared, far)

    return launch(kernel, (tasks, 1, 1), kind, [empty(CELL * CELLS)], device=device(), on_finding="collect")


@pytest.mark.parametrize("seed", range(60))
def test_one_task_against_the_graph(seed: int) -> None:
    run = run_random(seed, 1, "block", 0.4, meets=False)
    expected = without_the_earlier({pair for pair in unordered(run.log) if pair[0] == "order"})
    assert reported(run) <= expected
    assert bool(reported(run)) == bool(expected)


@pytest.mark.parametrize("seed", range(40))
def test_the_cores_of_a_cluster_against_the_graph(seed: int) -> None:
    run = run_random(1000 + seed, 4, "union1", 0.6, meets=seed % 2 == 0)
    expected = without_the_earlier(unordered(run.log))
    assert reported(run) <= expected
    assert bool(reported(run)) == bool(expected)


@pytest.mark.parametrize("seed", range(20))
def test_tasks_that_run_one_after_the_other_against_the_graph(seed: int) -> None:
    run = run_random(2000 + seed, 3, "block", 0.9, meets=False)
    expected = without_the_earlier(unordered(run.log, group_of=lambda task: task))
    assert reported(run) <= expected
    assert bool(reported(run)) == bool(expected)


def test_the_random_kernels_are_of_both_kinds() -> None:
    found = [bool(reported(run_random(seed, 1, "block", 0.4, meets=False))) for seed in range(60)]
    assert 5 < sum(found) < 55
