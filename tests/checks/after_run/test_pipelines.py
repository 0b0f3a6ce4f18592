"""Pipelined kernels with each sync taken out in turn: there is a finding exactly where a needed one has gone."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Program, Run, launch, load

from tests.support.paths import KERNELS_C

TILE, TILES = 1024, 4
ALL = -1  # of no sync: all are called

#: Kernel, tasks, type; for each sync that is left out the rules that are broken and whether the advice is to leave
#: one out even where all are there.
MLU = [
    ("serial", 2, "block", {0: {"order"}, 1: {"order"}, 2: {"unwaited"}}),
    ("three_stages", 2, "block", {0: {"order"}, 1: {"order"}}),
    (
        "five_stages",
        4,
        "union1",
        {0: {"order"}, 1: {"order"}, 2: set(), 3: {"race"}},
    ),
    ("neighbours", 4, "union1", {0: {"race"}, 1: {"race"}}),
    ("total", 8, "union2", {0: {"race"}}),
]
TPU = [
    ("sections", 1, {0: {"section"}, 1: {"section"}, 2: {"unwaited"}}),
    ("through_hau", 1, {0: {"order"}, 1: {"order"}, 2: {"unwaited"}}),
    ("cores", 4, {0: {"race"}, 1: {"race"}, 2: {"unwaited"}}),
]


@cache
def mlu() -> Program:
    return load([KERNELS_C / "pipelines.mlu"], device=Device.load("mlu590"))


@cache
def tpu() -> Program:
    return load([KERNELS_C / "pipelines.c"], device=Device.load("bm1690"))


def launched(kernel: str, tasks: int, kind: str, drop: int) -> tuple[Run, np.ndarray, np.ndarray]:
    source = np.arange(8 * TILES * TILE, dtype=np.float32)
    given = source[: tasks * TILES * TILE].copy()
    out = np.zeros_like(given)
    match kernel:
        case "neighbours":
            out, arguments = out[: tasks * TILE], [out[: tasks * TILE], given]
        case "total":
            out = out[:1]
            arguments = [out, np.zeros(tasks, np.float32), given]
        case _:
            arguments = [out, given, TILES]
    run = mlu().launch(kernel, (tasks, 1, 1), kind, [*arguments, drop], on_finding="collect")
    return run, out, given


@pytest.mark.parametrize(("kernel", "tasks", "kind"), [row[:3] for row in MLU])
def test_with_all_its_syncs_a_pipeline_is_right(kernel: str, tasks: int, kind: str) -> None:
    run, out, given = launched(kernel, tasks, kind, ALL)
    assert run.findings == []
    tiles = given.reshape(-1, TILE)
    expected = {
        "neighbours": lambda: np.roll(tiles[:tasks], -1, axis=0).ravel(),
        "total": lambda: np.array([tiles[:tasks].sum(dtype=np.float64)], np.float32),
    }.get(kernel, lambda: 2 * given)()
    assert np.allclose(out, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "tasks", "kind", "drop", "rules"),
    [(*row[:3], drop, rules) for row in MLU for drop, rules in row[3].items()],
)
def test_without_one_sync(kernel: str, tasks: int, kind: str, drop: int, rules: set[str]) -> None:
    run, _, _ = launched(kernel, tasks, kind, drop)
    assert {finding.rule for finding in run.findings} == rules


def test_a_store_that_nothing_waits_for_is_a_warning_where_a_processor_commands_it() -> None:
    on_mlu, on_tpus = launched("serial", 2, "block", 2)[0], on_tpu("through_hau", 1, 2)[0]
    (advice,), (warning,) = on_mlu.findings, on_tpus.findings
    assert (advice.rule, advice.severity, warning.rule, warning.severity) == (
        "unwaited",
        "advice",
        "unwaited",
        "warning",
    )


def test_the_sync_that_makes_no_difference_is_advised_against() -> None:
    run, _, _ = launched("five_stages", 4, "union1", ALL)
    source = (KERNELS_C / "pipelines.mlu").read_text().splitlines()
    (advice,) = run.advice
    assert (advice.rule, advice.severity) == ("redundant-sync", "advice")
    assert "UNLESS(2, __sync_move())" in source[advice.location.line - 1]
    assert launched("serial", 2, "block", ALL)[0].advice == []


@pytest.mark.parametrize(("copied", "advised"), [("a copy", 0), ("a copy, waited for", 1), ("an instruction", 1)])
def test_a_wait_behind_a_copy_whose_pipe_is_inferred_may_stay(copied: str, advised: int) -> None:
    """Of copies within NRAM public kernels disagree which pipe they have: a wait for it may stay."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        one, two = m.nram("float", 64), m.nram("float", 64)
        m.__memcpy(one, source, 256, m.GDRAM2NRAM)
        if copied == "an instruction":
            m.__bang_move(two, one, 256)
        else:
            m.__memcpy_async(two, one, 256, m.NRAM2NRAM)
        if copied == "a copy, waited for":
            m.__sync_compute()
            m.__bang_add(two, one, two, 64)
        m.__sync_move()
        m.__sync_compute()
        m.__memcpy(out, two, 256, m.NRAM2GDRAM)

    arrays = [np.zeros(64, np.float32), np.zeros(64, np.float32)]
    found = launch(kernel, args=arrays, device=Device.load("mlu590")).advice
    assert [f.rule for f in found] == ["redundant-sync"] * advised


def on_tpu(kernel: str, tasks: int, drop: int) -> tuple[Run, np.ndarray, np.ndarray]:
    given, out = np.arange(8 * TILE, dtype=np.float32), np.zeros(8 * TILE, np.float32)
    arguments = tpu().structs.Arguments(**{"out": out, "in": given, "tiles": TILES, "drop": drop})
    return tpu().launch(kernel, (tasks, 1, 1), args=[arguments], on_finding="collect"), out, given


@pytest.mark.parametrize(("kernel", "tasks"), [row[:2] for row in TPU])
def test_with_all_its_waits_a_tpu_kernel_is_right(kernel: str, tasks: int) -> None:
    run, out, given = on_tpu(kernel, tasks, ALL)
    assert run.findings == []
    assert run.advice == []
    tiles = given.reshape(-1, TILE)
    expected = {
        "sections": 2 * tiles[:TILES],
        "through_hau": np.sort(tiles[:1]),
        "cores": np.roll(tiles[:tasks], -1, axis=0),
    }[kernel]
    assert np.array_equal(out.reshape(-1, TILE)[: len(expected)], expected)


@pytest.mark.parametrize(
    ("kernel", "tasks", "drop", "rules"), [(*row[:2], drop, rules) for row in TPU for drop, rules in row[2].items()]
)
def test_without_one_wait_of_a_tpu(kernel: str, tasks: int, drop: int, rules: set[str]) -> None:
    run, _, _ = on_tpu(kernel, tasks, drop)
    assert {finding.rule for finding in run.findings} == rules


def test_a_hazard_names_the_wait_and_both_lines() -> None:
    run, _, _ = launched("serial", 2, "block", 1)
    out = next(f for f in run.findings if "NRAM2GDRAM" in line(f.location.line))
    assert out.related is not None
    assert "__bang_add(whole_out" in line(out.related.line)
    assert out.suggestion == "call __sync_compute() between them"
    assert (out.operand, out.count, out.tasks) == (
        "src",
        2 * (2 * TILES - 1),
        (0, 1),
    )  # what comes next lacks the same wait
    assert str(out.region).startswith("nram[0] ")


def line(number: int) -> str:
    return (KERNELS_C / "pipelines.mlu").read_text().splitlines()[number - 1]
