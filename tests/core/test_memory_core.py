"""The memory core of a cluster beside its four cores: what it has, and that its scalar stores have no effect."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Program, Run, launch, load

from tests.support.paths import CHIPS, KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "memory_core.mlu"
N, UNION = 64, ((4, 1, 1), "union1")


def named(run: Run) -> list[tuple[str, str, str]]:
    return [(f.rule, f.severity, f.region.space if f.region else "") for f in run.findings]


@pytest.mark.parametrize("how", [0, 1, 2, 3])
def test_a_store_that_it_repeats(program: Program, how: int) -> None:
    counters = np.zeros(4, np.float32)
    run = program.launch("count", *UNION, args=[counters, how])
    assert counters.tolist() == ([1, 0, 0, 0] if how == 3 else [1, 1, 1, 1])
    assert named(run) == ([] if how else [("memory-core", "advice", "gdram")])
    assert all("__is_mpu" in f.suggestion and f.core == 32 for f in run.findings)


def test_one_task_a_core_has_no_memory_core(program: Program) -> None:
    counters = np.zeros(4, np.float32)
    assert program.launch("count", (4, 1, 1), "block", [counters, 0]).findings == []
    assert counters.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("bytes_", [4, 16, 20, 4 * N])
def test_blocks_and_atomics_have_no_effect_either(program: Program, bytes_: int) -> None:
    out, data, counter = np.zeros(4 * N, np.float32), np.arange(4 * N, dtype=np.float32), np.zeros(1, np.int32)
    run = program.launch("move", *UNION, args=[out, data, counter, bytes_])
    assert (out.reshape(4, N)[:, : bytes_ // 4] == data.reshape(4, N)[:, : bytes_ // 4]).all()
    assert counter[0] == 4
    assert {rule for rule, _, _ in named(run)} == {"memory-core"}


@pytest.mark.parametrize("guarded", [0, 1])
def test_what_it_loads_from_memory_that_it_does_not_have(program: Program, guarded: int) -> None:
    out, data = np.zeros(4 * N, np.float32), np.random.default_rng(1).random(4 * N, np.float32)
    run = program.launch("from_nram", *UNION, args=[out, data, guarded])
    assert out.tolist() == (2 * data).tolist()
    assert named(run) == ([] if guarded else [("memory-core", "advice", "nram")])


def test_shared_memory_is_its_own(program: Program) -> None:
    out = np.zeros(N, np.float32)
    assert named(program.launch("through_sram", *UNION, args=[out])) == []
    assert out.tolist() == list(range(N))


def test_the_device_file_decides(tmp_path: Path) -> None:
    """With 1 the stores take effect: the counter of core 0 is one too high."""
    text = (CHIPS / "mlu370-x4.toml").read_text(encoding="utf-8")
    changed, times = re.subn(r"memory_core_stores = \{ value = 0", "memory_core_stores = { value = 1", text)
    assert times == 1
    (tmp_path / "other.toml").write_text(changed, encoding="utf-8")
    counters = np.zeros(4, np.float32)
    other = load([SOURCE], device=Device.load(str(tmp_path / "other.toml")))
    run = other.launch("count", *UNION, args=[counters, 0])
    assert counters.tolist() == [2, 1, 1, 1]
    assert [f.rule for f in run.findings] == ["memory-core"]
    assert "repeats" in run.findings[0].message


@pytest.mark.parametrize(("given", "tasks"), [(0, {0, 4}), (3, {3, 7})])
def test_the_number_that_it_has_is_that_of_a_task_of_its_cluster(tmp_path: Path, given: int, tasks: set[int]) -> None:
    device = Device.load("mlu370-x4")
    assert device.shape.memory_core_task == 0
    other = device.replace({"shape.memory_core_task": given})
    run = load([SOURCE], device=other).launch("count", (8, 1, 1), "union2", [np.zeros(8, np.float32), 0])
    assert {f.task for f in run.findings} <= tasks
    assert run.findings
    with pytest.raises(ValueError, match="memory_core_task is 4; a cluster has 4 tasks"):
        device.replace({"shape.memory_core_task": 4})


def test_in_a_python_kernel() -> None:
    counters = np.zeros(4, np.float32)

    def kernel(mlu, out):  # type: ignore[no-untyped-def]
        out[mlu.taskId] = out[mlu.taskId] + 1

    run = launch(kernel, *UNION, [counters], device=Device.load("mlu370-x4"))
    assert counters.tolist() == [1, 1, 1, 1]
    assert named(run) == [("memory-core", "advice", "gdram")]


def test_what_lacks_a_guard_is_one_finding(program: Program) -> None:
    """Two loads, of two memories, before a store that reaches the others where stores have an effect."""
    run = program.launch("unguarded", *UNION, args=[np.zeros(4, np.float32)], on_finding="collect")
    assert named(run) == [("memory-core", "advice", "nram")]
    (first,) = run.findings
    assert (first.instruction, first.count, first.location.line) == ("scalar.load", 2, line_of(SOURCE, "the first"))


@pytest.mark.parametrize("device", ["mlu370-x4", "mlu590"])
@pytest.mark.parametrize("kernel", ["plain", "on_chip"])
def test_what_is_harmless_needs_no_guard(kernel: str, device: str) -> None:
    out, data = np.zeros(4 * N, np.float32), np.arange(4 * N, dtype=np.float32)
    run = load([SOURCE], device=Device.load(device)).launch(kernel, *UNION, args=[out, data, 4 * N])
    assert run.log.records["core"].max() == Device.load(device).shape.cores
    assert (run.findings, out.tolist()) == ([], (2 * data).tolist())


@pytest.mark.parametrize("how", [0, 1])
def test_a_store_that_no_other_core_makes(program: Program, how: int) -> None:
    out, data = np.zeros(5, np.float32), np.arange(5, dtype=np.float32)
    assert named(program.launch("alone", *UNION, args=[out, data, how])) == [("memory-core", "advice", "gdram")]


def test_in_place_is_not_harmless(program: Program) -> None:
    """Where the store has an effect, the other core may load what it has stored."""
    data = np.arange(4 * N, dtype=np.float32)
    assert named(program.launch("plain", *UNION, args=[data, data, 4 * N])) == [("memory-core", "advice", "gdram")]


def test_loads_for_stores_that_have_no_effect_race_with_none(program: Program) -> None:
    """Where a memory core stores to SRAM, what it loads reaches others: that is a race."""
    x, y = np.arange(N, dtype=np.float32), np.arange(N, dtype=np.float32) + 100
    run = program.launch("swap", *UNION, args=[N, x, y, 0], on_finding="collect")
    assert named(run) == [("memory-core", "advice", "gdram")]
    assert (x.tolist(), y.tolist()) == ([100 + n for n in range(N)], list(range(N)))
    run = program.launch("swap", *UNION, args=[N, x, y, 1], on_finding="collect")
    assert {f.rule for f in run.errors} == {"race"}
    assert "scalar.load of the memory core of cluster 0 and scalar.store of core 0 use" in run.errors[0].message
    assert x.tolist() == list(range(N))


def test_nor_do_those_of_one_that_copies_to_shared_memory_besides() -> None:
    def kernel(m, x, y):  # type: ignore[no-untyped-def]
        shared = m.sram("float", N)
        m.__memcpy(shared, y, 4 * N, m.GDRAM2SRAM)
        m.__sync_cluster()
        before = x[m.taskId]
        x[m.taskId] = before + 1

    x, y = np.arange(4, dtype=np.float32), np.zeros(N, np.float32)
    run = launch(kernel, *UNION, [x, y], device=Device.load("mlu370-x4"), on_finding="collect")
    assert [f for f in named(run) if f[0] == "memory-core"] == [("memory-core", "advice", "gdram")]
    assert run.log.records["core"].max() == 32
    assert x.tolist() == [1, 2, 3, 4]


def test_a_store_past_the_end_of_shared_memory_is_passed_over(program: Program) -> None:
    """The memory core, which is no core 0 to 3, reaches the barrier, and passes over its load as well."""
    x, out = np.arange(4, dtype=np.float32), np.zeros(2, np.float32)
    run = program.launch("sum", *UNION, args=[x, out], on_finding="collect")
    (found,) = run.findings  # the store and the load pass the end of one variable
    assert (found.rule, found.instruction, found.cores, found.count) == ("bounds", "scalar.store", (32,), 2)
    assert out.tolist() == [6, 3]


def test_such_a_store_keeps_no_launch_from_being_compared(program: Program) -> None:
    """Cores miss nothing then; if a core passes the end as well, they do."""
    x, out = np.arange(4, dtype=np.float32), np.zeros(2, np.float32)
    run = program.launch("sum", *UNION, args=[x, out], on_finding="collect", orders=2)
    assert run.variants.tried == "run again in 2 other orders of its tasks"
    run = program.launch("sum", *UNION, args=[x[:3], out], on_finding="collect", orders=2)
    assert "breaks rules" in run.variants.tried


def test_an_index_that_is_its_core_id(tmp_path: Path) -> None:
    text = """__mlu_shared__ float shared[256];
__mlu_entry__ void k(float *x) { __memcpy(shared + coreId * 64, x, 256, GDRAM2SRAM); }
__mlu_entry__ void past(float *x) { __memcpy(shared + 224, x, 256, GDRAM2SRAM); }
"""
    (tmp_path / "k.mlu").write_text(text)
    program = load([tmp_path / "k.mlu"], device=Device.load("mlu370-x4"))
    for kernel, is_index in (("k", True), ("past", False)):
        (found,) = program.launch(kernel, *UNION, args=[np.zeros(64, np.float32)], on_finding="collect").findings
        assert (found.rule, found.core) == ("bounds", 32)
        assert ("coreId is 0x80" in found.suggestion) == is_index
