"""How wrong elements came about: who wrote them, and which elements of which arrays had a part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, Run, launch
from mlusim.simulator.checks.after_run import Given
from mlusim.simulator.checks.results import Expectations, wrong_results
from mlusim.simulator.log import Log, joined

from tests.support.devices import USUAL, device

N = 64


def numbered(*shape: int) -> np.ndarray:
    """An array whose elements are their own numbers."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def ran(kernel: Callable[..., object], arrays: list[Any], expect: dict[Any, Any], **more: Any) -> Run:
    options = {"dim": (1, 1, 1), "type": "block", "device": device(), **more}
    return launch(kernel, args=arrays, on_finding="collect", expect=expect, **options)


def wrong(found: Run) -> list[Finding]:
    return [finding for finding in found.findings if finding.rule == "wrong-result"]


def steps(finding: Finding) -> list[tuple[str, tuple[str, ...]]]:
    return [(step.instruction, step.taken) for step in finding.trail]


def test_the_elements_that_a_wrong_one_was_made_of() -> None:
    """A pipeline in tiles that reads one of its inputs ten elements too early from its third tile on."""

    def kernel(m: Any, out: Any, x: Any, y: Any, n: int) -> None:
        a, b = m.nram("float", N), m.nram("float", N)
        for begin in range(m.taskId * N, n, m.taskDim * N):
            count = min(N, n - begin)
            m.__memcpy(a, x + begin, 4 * count, m.GDRAM2NRAM)
            m.__memcpy(b, y + (begin - 10 if begin > N else begin), 4 * count, m.GDRAM2NRAM)
            m.__bang_add(a, a, b, count)
            m.__bang_mul_scalar(a, a, 2.0, count)
            m.__memcpy(out + begin, a, 4 * count, m.NRAM2GDRAM)

    n = 7 * N + 9
    x, y = np.random.default_rng(1).random((2, n), np.float32)
    arrays = [np.zeros(n, np.float32), x, y, n]
    own = Device.load(USUAL)  # whose memory begins with the array
    (finding,) = wrong(ran(kernel, arrays, {"out": 2 * (x + y)}, dim=(4, 1, 1), device=own))
    assert finding.message.startswith(f"{n - 2 * N} wrong elements among the {n} of out: out[128] is ")
    assert (finding.instruction, finding.core, finding.task) == ("__memcpy", 2, 2)
    assert (finding.count, finding.tasks) == (6, (0, 1, 2, 3))
    assert finding.region is not None
    assert (finding.region.offset, finding.region.bytes) == (4 * 128, 4 * (n - 128))
    assert steps(finding) == [
        ("__bang_mul_scalar", ()), ("__bang_add", ()), ("__memcpy", ("y[118]",)), ("__memcpy", ("x[128]",)),
    ]  # fmt: skip
    lines = [step.location.line for step in finding.trail]
    assert lines == [finding.location.line - 1, *(finding.location.line - back for back in (2, 3, 4))]
    assert f"from __memcpy at {finding.trail[2].location}, of y[118]" in str(finding)


@pytest.mark.parametrize("seed", range(40))
def test_which_bytes_of_copies_become_which(seed: int) -> None:
    """Copies of random places and strides: what has come to the end says itself where it has come from."""
    chosen = np.random.default_rng(seed)
    x = numbered(16, 32)

    def copied(m: Any, target: Any, source: Any, size: int, direction: Any) -> None:
        """Between arrays of 512 elements, at random places: a run, or rows of either side or of both."""
        how = chosen.integers(4)
        run, rows = int(chosen.integers(1, 9)), int(chosen.integers(2, 9))
        steps = [int(chosen.integers(run, 30)) if how & bit else run for bit in (1, 2)]
        spans = [(rows - 1) * step + run for step in steps]
        to, start = (int(chosen.integers(0, 512 - span)) for span in spans)
        if how:
            m.__memcpy(target + to, source + start, 4 * run, direction, 4 * steps[0], 4 * steps[1], rows - 1)
        else:
            m.__memcpy(target + to, source + start, 4 * run * rows, direction)

    def kernel(m: Any, out: Any, x: Any) -> None:
        tiles = [m.nram("float", 512) for _ in range(3)]
        for tile in tiles:
            m.__bang_write_value(tile, 512, -1.0)
        for _ in range(12):
            copied(m, tiles[0], x, 512, m.GDRAM2NRAM)
            copied(m, tiles[1], tiles[0], 512, m.NRAM2NRAM)
            copied(m, tiles[2], tiles[1], 512, m.NRAM2NRAM)
        m.__memcpy(out, tiles[2], 2048, m.NRAM2GDRAM)

    out = np.zeros(512, np.float32)
    chosen = np.random.default_rng(seed)
    ran(kernel, [out, x], {})
    for at in np.random.default_rng(seed).choice(np.flatnonzero(out >= 0), 3) if (out >= 0).any() else ():
        right = out.copy()
        right[at] += 0.5
        chosen = np.random.default_rng(seed)
        (finding,) = wrong(ran(kernel, [out.copy(), x], {0: right}, tolerance=1e-6))
        row, column = divmod(int(out[at]), 32)
        assert [taken for _, taken in steps(finding) if taken] == [(f"x[{row}, {column}]",)]


def test_operands_that_are_repeated_narrow_and_wide() -> None:
    def kernel(m: Any, out: Any, x: Any, h: Any) -> None:
        wide, narrow, short = m.nram("float", 4 * N), m.nram("half", 4 * N), m.nram("float", N)
        m.__memcpy(narrow, h, 8 * N, m.GDRAM2NRAM)
        m.__bang_half2float(wide, narrow, 4 * N)
        m.__memcpy(short, x, 4 * N, m.GDRAM2NRAM)
        m.__bang_cycle_mul(wide, wide, short, 4 * N, N)
        m.__memcpy(out, wide, 16 * N, m.NRAM2GDRAM)

    x, h = numbered(N), np.ones(4 * N, np.float16)
    right = np.tile(x, 4)
    right[3 * N + 5] = 100
    (finding,) = wrong(ran(kernel, [np.zeros(4 * N, np.float32), x, h], {"out": right}))
    assert steps(finding) == [
        ("__bang_cycle_mul", ()), ("__memcpy", ("x[5]",)), ("__bang_half2float", ()), ("__memcpy", ("h[197]",)),
    ]  # fmt: skip


def test_what_meets_other_elements_takes_all_of_them() -> None:
    def kernel(m: Any, out: Any, x: Any) -> None:
        tile, sums = m.nram("float", 4 * N), m.nram("float", N)
        m.__memcpy(tile, x, 16 * N, m.GDRAM2NRAM)
        m.__bang_sumpool(sums, tile, N, 1, 4, 1, 4, 1, 1)
        m.__memcpy(out, sums, 4 * N, m.NRAM2GDRAM)

    x = numbered(4, N)
    (finding,) = wrong(ran(kernel, [np.zeros(N, np.float32), x], {"out": x.sum(0) + (np.arange(N) == 7)}))
    assert finding.message.startswith("1 wrong element among the 64 of out: out[7] is ")
    assert steps(finding) == [("__bang_sumpool", ()), ("__memcpy", ("x[0, 0] to x[3, 63]",))]


def test_scalar_code_and_memory_of_the_device_in_between() -> None:
    def kernel(m: Any, out: Any, scratch: Any, x: Any) -> None:
        tile = m.nram("float", N)
        m.__memcpy(tile, x, 4 * N, m.GDRAM2NRAM)
        value = tile[9]
        scratch[3] = value
        m.__memcpy(tile, scratch, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(out, tile, 4 * N, m.NRAM2GDRAM)

    right = np.zeros(N)
    (finding,) = wrong(ran(kernel, [np.zeros(N, np.float32), np.zeros(N, np.float32), numbered(N)], {"out": right}))
    assert finding.message.endswith("out[3] is 9, not 0")
    assert [name for name, _ in steps(finding)] == ["__memcpy", "scalar.store", "scalar.load", "__memcpy"]
    assert steps(finding)[-1] == ("__memcpy", ("x[9]",))


def test_the_last_writer_counts_and_each_line_is_a_finding() -> None:
    def kernel(m: Any, out: Any) -> None:
        tile = m.nram("float", N)
        m.__bang_write_value(tile, N, 3.0)
        m.__memcpy(out, tile, 4 * N, m.NRAM2GDRAM)
        m.__memcpy(out + N, tile, 4 * N, m.NRAM2GDRAM)
        m.__bang_write_value(tile, N, 4.0)
        m.__memcpy(out + 8, tile, 4, m.NRAM2GDRAM, 16, 4, 3)  # elements 8, 12, 16, 20

    out = np.zeros(3 * N, np.float32)
    first, strided, second, never = wrong(ran(kernel, [out], {"out": np.full(3 * N, 9)}))
    line = kernel.__code__.co_firstlineno
    assert [f.location.line - line for f in (first, strided, second)] == [3, 6, 4]
    assert first.message.startswith(f"{N - 4} of {3 * N} wrong elements among the {3 * N} of out: out[0] is 3, not 9")
    assert strided.message.startswith(f"4 of {3 * N} wrong elements among the {3 * N} of out: out[8] is 4, not 9")
    assert [step.location.line - line for step in strided.trail] == [5]
    assert never.message.endswith("out[128] is 0, not 9; never written, only what lies beside it")
    assert (never.location.line - line, never.related, never.instruction) == (4, None, "")  # what wrote out[127]
    assert never.suggestion.startswith("check the last")


def test_stores_of_a_memory_core_without_effect() -> None:
    def kernel(m: Any, out: Any) -> None:
        out[m.taskId] = 1.0

    found = ran(kernel, [np.zeros(4, np.float32)], {"out": np.zeros(4)}, dim=(4, 1, 1), type="union1")
    (finding,) = wrong(found)
    assert {core for core in found.log.records["core"].tolist() if core >= 32}, "the memory core has executed nothing"
    assert max(finding.cores) < 32


def test_a_kernel_across_lanes() -> None:
    def kernel(m: Any, out: Any, x: Any) -> None:
        m.tpu_initialize()
        m.tpu_gdma_cpy_S2L(0, x, (1, 64, 1, 4), None, None, m.DT_FP32)
        m.tpu_gdma_cpy_L2S(out, 0, (1, 64, 1, 4), None, None, m.DT_FP32)
        m.tpu_poll()

    chip = device("bm1684x")
    x = numbered(64, 4)
    right = x.copy()
    right[40, 2] = 0
    found = ran(kernel, [np.zeros((64, 4), np.float32), x], {"out": right}, device=chip, dim=None, type=None)
    (finding,) = wrong(found)
    assert finding.message.endswith("out[40, 2] is 162, not 0")
    assert [step.instruction for step in finding.trail] == ["tpu_gdma_cpy_S2L"]
    assert finding.trail[0].taken == ("x[0, 0] to x[63, 3]",)


def test_launches_that_follow_one_another() -> None:
    """What the second launch has copied was made by the first, and its other half is uninitialized."""

    def first(m: Any, between: Any, x: Any) -> None:
        tile = m.nram("float", N)
        m.__memcpy(tile, x, 4 * N, m.GDRAM2NRAM)
        m.__bang_mul_scalar(tile, tile, 3.0, N)
        m.__memcpy(between, tile, 4 * N, m.NRAM2GDRAM)

    def second(m: Any, out: Any, between: Any) -> None:
        tile = m.wram("float", N)
        m.__memcpy(tile, between, 4 * N, m.GDRAM2WRAM)
        m.__memcpy(out, tile, 4 * N, m.WRAM2GDRAM)

    x, between, out = (device().array(numbered(N)) for _ in range(3))
    runs = [launch(k, args=[to, of], device=device()) for k, to, of in ((first, between, x), (second, out, between))]
    key = device().memory.memory.key
    arrays = [
        Given(name, name, key(array.address), array.shape, array.dtype, True, False, array.numpy)
        for name, array in (("x", x), ("out", out))
    ]
    right = 3 * numbered(N) + (np.arange(N) == 11)
    (finding,) = wrong_results([run.log for run in runs], arrays, Expectations({"out": right}))
    assert (finding.kernel, finding.instruction) == ("second", "__memcpy")
    assert steps(finding) == [("__memcpy", ()), ("__memcpy", ()), ("__bang_mul_scalar", ()), ("__memcpy", ("x[11]",))]
    (alone,) = wrong_results([runs[1].log], arrays, Expectations({"out": right}))
    assert [name for name, _ in steps(alone)] == ["__memcpy"]


def test_a_writer_that_is_far_back_and_an_operand_with_two() -> None:
    def kernel(m: Any, out: Any, x: Any, y: Any) -> None:
        tile, sums, other = m.nram("float", 2 * N), m.nram("float", N), m.nram("float", N)
        m.__memcpy(tile, x, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(tile + N, y, 4 * N, m.GDRAM2NRAM)
        for _ in range(5000):
            m.__bang_write_value(other, N, 0.0)
        m.__bang_sumpool(sums, tile, N, 1, 2, 1, 2, 1, 1)
        m.__memcpy(out, sums, 4 * N, m.NRAM2GDRAM)

    arrays = [np.zeros(N, np.float32), numbered(N), numbered(N)]
    (finding,) = wrong(ran(kernel, arrays, {"out": 2 * numbered(N) + (np.arange(N) == 9)}))
    assert steps(finding) == [
        ("__bang_sumpool", ()), ("__memcpy", ("y[0] to y[63]",)), ("__memcpy", ("x[0] to x[63]",)),
    ]  # fmt: skip


def test_what_scalar_code_has_of_its_own_task_and_of_instructions() -> None:
    def kernel(m: Any, out: Any, x: Any) -> None:
        tile = m.nram("float", N)
        m.__memcpy(tile, x + N * m.taskId, 4 * N, m.GDRAM2NRAM)
        if m.taskId < 3:
            out[m.taskId] = tile[m.taskId]
        else:
            out[m.taskId] = m.__bang_count(tile, N)

    x = numbered(4, N)
    right = np.array([0, N + 1, 2 * N + 2, N], np.float32)
    for at, made in ((2, ("scalar.load", "x[2, 2]")), (3, ("__bang_count", "x[3, 0] to x[3, 63]"))):
        changed = right.copy()
        changed[at] += 50
        arrays = [np.zeros(4, np.float32), x]
        (finding,) = wrong(ran(kernel, arrays, {"out": changed}, dim=(4, 1, 1), type="union1"))
        assert steps(finding) == [(made[0], ()), ("__memcpy", (made[1],))]


def test_bits_come_of_eight_elements_each() -> None:
    def kernel(m: Any, out: Any, x: Any) -> None:
        tile, bits = m.nram("float", 16 * N), m.nram("uint8", 2 * N)
        m.__memcpy(tile, x, 64 * N, m.GDRAM2NRAM)
        m.__bang_gt_bitindex(bits, tile, tile, 16 * N)
        m.__memcpy(out, bits, 2 * N, m.NRAM2GDRAM)

    arrays = [np.zeros(2 * N, np.uint8), numbered(16 * N)]
    (finding,) = wrong(ran(kernel, arrays, {"out": (np.arange(2 * N) == 100).astype(np.uint8)}))
    assert steps(finding) == [("__bang_gt_bitindex", ()), ("__memcpy", ("x[0] to x[1023]",))]


def test_the_same_address_in_other_lanes() -> None:
    chip = device("bm1684x")
    half = chip.shape.lanes // 2
    step = chip.shape.spaces["local"].bytes // chip.shape.lanes

    def kernel(m: Any, out: Any, x: Any, y: Any) -> None:
        m.tpu_initialize()
        m.tpu_gdma_cpy_S2L(half * step, y, (1, half, 1, 4), None, None, m.DT_FP32)
        m.tpu_gdma_cpy_S2L(0, x, (1, half, 1, 4), None, None, m.DT_FP32)
        m.tpu_gdma_cpy_L2S(out, half * step, (1, half, 1, 4), None, None, m.DT_FP32)
        m.tpu_poll()

    arrays = [np.zeros((half, 4), np.float32), numbered(half, 4), numbered(half, 4)]
    right = numbered(half, 4) + (np.arange(4) == 2)
    (finding,) = wrong(ran(kernel, arrays, {"out": right}, device=chip, dim=None, type=None))
    assert [taken[0][0] for _, taken in steps(finding)] == ["y"]


def test_half_of_the_wrong_elements_elsewhere_is_no_pattern() -> None:
    def kernel(m: Any, out: Any, x: Any) -> None:
        tile = m.nram("float", N)
        m.__memcpy(tile, x, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(out, tile, 4 * N, m.NRAM2GDRAM)

    x = numbered(N)
    right = np.where(np.arange(N) < 40, x + 1, 1000 + x)
    (finding,) = wrong(ran(kernel, [np.zeros(N, np.float32), x], {"out": right}))
    assert finding.message.endswith("out[0] is 0, not 1")


def test_logs_that_are_joined_say_what_each_has_said() -> None:
    def first(m: Any, out: Any) -> None:
        out[1] = 2.0

    def second(m: Any, out: Any) -> None:
        out[0] = 1.0
        tile = m.nram("float", N)
        m.__bang_write_value(tile, N, 2.0)
        m.__memcpy(out + 2, tile, 4, m.NRAM2GDRAM, 8, 4, 3)

    out = device().array(np.zeros(N, np.float32))
    logs = [launch(kernel, args=[out], device=device()).log for kernel in (second, first, second)]
    together = joined(logs)
    assert (together.pipes, len(together)) == (logs[0].pipes, sum(map(len, logs)))

    def said(log: Log) -> list[Any]:
        return [
            (log.ops[row["op"]], log.pipes[row["pipe"]], log.location(at), list(log.regions(at)))
            for at, row in enumerate(log.records)
        ]

    assert said(together) == [row for log in logs for row in said(log)]
    given = [Given("out", "0", device().memory.memory.key(out.address), (N,), out.dtype, True, False, out.numpy)]
    found = wrong_results(logs, given, Expectations({"out": np.full(N, 9)}))
    assert [(finding.kernel, finding.message.partition(" ")[0]) for finding in found] == [
        ("second", "1"), ("first", "1"), ("second", "4"), ("second", "58"),
    ]  # fmt: skip


def test_what_is_added_to_and_what_is_uninitialized() -> None:
    """Two tasks add a tile of which each has loaded a half."""

    def kernel(m: Any, out: Any, x: Any) -> None:
        tile = m.nram("float", N)
        m.__memcpy(tile, x, 2 * N, m.GDRAM2NRAM)
        m.__bang_atomic_reduce_add(out, tile, N)

    arrays = [np.full(N, 0.5, np.float32), numbered(2, N)]

    def trail(at: int) -> list[tuple[str, tuple[str, ...]]]:
        expect = {"out": np.ma.masked_array(np.zeros(N), np.arange(N) != at)}
        (finding,) = wrong(ran(kernel, [array.copy() for array in arrays], expect, dim=(2, 1, 1)))
        assert (finding.instruction, finding.task) == ("__bang_atomic_reduce_add", 1)
        return steps(finding)

    assert trail(5) == [("__bang_atomic_reduce_add", ("out[5]",)), ("__memcpy", ("x[0, 5]",))]
    unset = [f"uninitialized nram[{core}] 0xa0..0xa4" for core in (1, 0)]
    assert trail(40) == [("__bang_atomic_reduce_add", (unset[0], "out[40]", unset[1]))]


@pytest.mark.parametrize("crossed", [False, True])
def test_planes_and_rows_of_one_copy(crossed: bool) -> None:
    """With two strides it is known which bytes become which, unless they lie in an order of their own."""
    inner, outer = (32, 4) if crossed else (4, 32)

    def kernel(m: Any, out: Any, x: Any) -> None:
        tile = m.nram("float", 64)
        m.__memcpy(tile, x, 256, m.GDRAM2NRAM)
        m.__memcpy(out, tile, 4, m.NRAM2GDRAM, inner, 7, outer, 7, 4, 7, 32, 7)

    x, out = numbered(8, 8), np.zeros((8, 8), np.float32)
    right = (x.T if crossed else x) + (np.arange(64).reshape(8, 8) == 10)
    (finding,) = wrong(ran(kernel, [out, x], {"out": right}))
    assert (out == (x.T if crossed else x)).all()
    assert steps(finding) == [("__memcpy", ("x[0, 0] to x[7, 7]" if crossed else "x[1, 2]",))]
