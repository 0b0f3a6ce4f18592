"""One cause, one finding: what is left out because another finding of the launch has led to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, launch
from mlusim.simulator.checks.consequences import without_consequences
from mlusim.simulator.findings import RULES
from mlusim.simulator.findings.rules import left_out, uninitialized
from mlusim.simulator.log import Location

from tests.checks.after_run.launched import BYTES, N, run
from tests.support.devices import device


@pytest.mark.parametrize(("count", "said"), [(N + 8, ["bounds"]), (N, [])])
def test_variables_that_reach_into_each_other_are_told_by_their_ends(count: int, said: list[str]) -> None:
    """A count that is too large for two tiles lets the operands of everything behind them overlap."""

    def kernel(m: Any, x: Any, y: Any) -> None:
        one = m.nram("float", N)
        two = m.nram("float", N)
        m.__memcpy(one, x, 4 * count, m.GDRAM2NRAM)
        m.__memcpy(two, x, 4 * count, m.GDRAM2NRAM)
        m.__bang_add(one, one, two, count)
        m.__bang_mul(two, one, two, count)
        m.__memcpy(y, two, 4 * N, m.NRAM2GDRAM)

    found = run(kernel, np.ones(2 * N, np.float32), np.zeros(N, np.float32)).findings
    assert [f.rule for f in found if f.severity == "error"] == said


def test_operands_that_overlap_within_their_variable_are_told() -> None:
    def kernel(m: Any, x: Any, y: Any) -> None:
        one, two = m.nram("float", 2 * N), m.nram("float", N)
        m.__memcpy(one, x, 8 * N, m.GDRAM2NRAM)
        m.__memcpy(two, x, 4 * N + 32, m.GDRAM2NRAM)
        m.__bang_add(one + 8, one, one, N)

    found = run(kernel, np.ones(2 * N, np.float32), np.zeros(N, np.float32)).findings
    assert {f.rule for f in found if f.severity == "error"} == {"bounds", "overlap"}


@pytest.mark.parametrize(("waits", "rest", "said"), [
    (False, N, ["race"]), (True, N, []), (True, N - 1, ["uninitialized"]), (False, N - 1, ["race"]),
])  # fmt: skip
def test_what_comes_too_early_is_a_race(waits: bool, rest: int, said: list[str]) -> None:
    """Each task leaves a tile, and takes the next one's: before it is there, it is uninitialized."""

    def kernel(m: Any, x: Any, y: Any) -> None:
        tiles, mine = m.sram("float", 4 * N), m.nram("float", N)
        m.__memcpy(mine, x + m.coreId * N, 4 * rest, m.GDRAM2NRAM)
        m.__memcpy(tiles + m.coreId * N, mine, 4 * N, m.NRAM2SRAM)
        if waits:
            m.__sync_all_ipu()
        m.__memcpy(mine, tiles + (m.coreId + 1) % 4 * N, 4 * N, m.SRAM2NRAM)
        m.__memcpy(y + m.coreId * N, mine, 4 * N, m.NRAM2GDRAM)

    x, y = np.ones(4 * N, np.float32), np.zeros(4 * N, np.float32)
    found = run(kernel, x, y, tasks=4, kind="union1").findings
    assert [f.rule for f in found if f.severity != "advice"] == said


def lines_of(found: Finding) -> int:
    return len({found.location, *found.also})


@pytest.mark.parametrize(("counts", "said"), [((72, 72), [2]), ((72, 80), [1, 1]), ((N, N), [])])
def test_a_count_that_passes_the_ends_of_several_arrays_is_one_finding(counts: tuple[int, int], said: list) -> None:
    def kernel(m: Any, x: Any, y: Any) -> None:
        one, two = m.nram("float", 2 * N), m.nram("float", 2 * N)
        m.__memcpy(one, x, 4 * counts[0], m.GDRAM2NRAM)
        m.__memcpy(two, y, 4 * counts[1], m.GDRAM2NRAM)

    found = run(kernel, np.ones(N, np.float32), np.ones(N, np.float32))
    assert [lines_of(f) for f in found.findings if f.rule == "bounds"] == said
    if said == [2]:
        assert f"also at {found.findings[0].also[0]}" in str(found.findings[0])


@pytest.mark.parametrize(("rests", "said"), [((56, 56), [2]), ((56, 48), [1, 1]), ((N, N), [])])
def test_what_a_loop_leaves_of_several_outputs_is_one_finding(rests: tuple[int, int], said: list[int]) -> None:
    def kernel(m: Any, x: Any, y: Any, z: Any) -> None:
        tile = m.nram("float", N)
        for row in range(4):
            m.__memcpy(tile, x + row * N, 4 * N, m.GDRAM2NRAM)
            m.__memcpy(y + row * N, tile, 4 * (N if row < 3 else rests[0]), m.NRAM2GDRAM)
            m.__memcpy(z + row * N, tile, 4 * (N if row < 3 else rests[1]), m.NRAM2GDRAM)

    found = run(kernel, *(np.ones(4 * N, np.float32) for _ in range(3)))
    assert [lines_of(f) for f in [*found.findings, *found.advice] if f.rule == "unwritten"] == said


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        (["size is 3"] * 4, [4]),
        (["size is 3"] * 3, [1, 1, 1]),
        (["size is 3"] * 3 + ["size is 5"], [1, 1, 1, 1]),
        (["size = 0", "height = 0", "width = 0", "size = 0"], [4]),
    ],
)
def test_what_instructions_say_at_many_lines_is_one_finding(said: list[str], lines: list[int]) -> None:
    found = [
        Finding("length", f"it needs more; got {what}", instruction="__bang_add", location=Location("k.mlu", line))
        for line, what in enumerate(said, 1)
    ]
    assert [lines_of(one) for one in without_consequences(found)] == lines


def test_two_places_that_overlap_at_many_lines_are_one_finding() -> None:
    """Whichever of them is written."""

    def apart(dst: int, src: int, lines: range) -> list[Finding]:
        message = f"dst (64 bytes at nram[0] {dst:#x}) and src0 (64 bytes at nram[0] {src:#x}) overlap"
        return [Finding("overlap", message, location=Location("k.mlu", line), carried_out=True) for line in lines]

    found = [*apart(0x40, 0x60, range(1, 4)), *apart(0x60, 0x40, range(4, 6)), *apart(0x40, 0x80, range(6, 8))]
    assert [lines_of(one) for one in without_consequences(found)] == [5, 1, 1]


@pytest.mark.parametrize(("rule", "makers", "said"), [
    ("uninitialized", (5, 5), [2]), ("uninitialized", (5, 6), [1, 1]),
    ("partial", (5, 5), [2]), ("partial", (5, 6), [1, 1]),
    ("order", (5, 5), [2]), ("order", (5, 6), [1, 1]), ("space", (5, 5), [1, 1]),
])  # fmt: skip
def test_what_one_line_leaves_out_is_one_finding(rule: str, makers: tuple[int, int], said: list[int]) -> None:
    """Whichever lines take it."""
    found = [
        Finding(
            rule, f"taken at {line}; nothing waits", location=Location("k.mlu", line), related=Location("k.mlu", maker)
        )
        for line, maker in zip((8, 9), makers, strict=True)
    ]
    assert [lines_of(one) for one in without_consequences(found)] == said


def absent(line: int, mask: int) -> Finding:
    """What a step of a reduction says whose mask names a thread in vain."""
    said = uninitialized.of_absent_thread("thread", "__shfl_down_sync", line, mask)
    return replace(said, location=Location("k.cu", line))


def overwritten(line: int, maker: int) -> Finding:
    """What is said of a line that overwrites what another has written."""
    places = {"location": Location("k.mlu", line), "related": Location("k.mlu", maker)}
    return Finding("unused", "overwritten", severity="advice", **places)


@pytest.mark.parametrize(("one", "other", "said"), [
    (absent(8, 0xFF), absent(9, 0xFF), [2]), (absent(8, 0xFF), absent(9, 0xF), [1, 1]),
    (overwritten(8, 1), overwritten(8, 2), [2]), (overwritten(8, 1), overwritten(9, 2), [1, 1]),
])  # fmt: skip
def test_what_one_mask_or_one_line_does_is_one_finding(one: Finding, other: Finding, said: list[int]) -> None:
    assert [lines_of(found) for found in without_consequences([one, other])] == said


@pytest.mark.parametrize(("factor", "apart", "said"), [(2.0, False, [2]), (2.0, True, [1, 1]), (1.0, False, [])])
def test_results_that_differ_by_one_step_are_one_finding(factor: float, apart: bool, said: list[int]) -> None:
    """What the division leaves over is made in another way, of two outputs: of one tile, or each of its own."""

    def kernel(m: Any, x: Any, y: Any, z: Any) -> None:
        each = N // m.taskDim
        parts = [(m.taskId * each, each, 1.0)]
        if m.taskId == m.taskDim - 1:
            parts.append((m.taskDim * each, N % m.taskDim, factor))
        for begin, count, by in parts if each else ():
            if not count:
                continue
            one, two = m.nram("float", N), m.nram("float", N)
            m.__memcpy(one, x + begin, 4 * count, m.GDRAM2NRAM)
            m.__bang_mul_scalar(one, one, by, count)
            if apart:
                m.__memcpy(two, x + N + begin, 4 * count, m.GDRAM2NRAM)
                m.__bang_mul_scalar(two, two, by, count)
            else:
                m.__bang_add_scalar(two, one, 1.0, count)
            m.__memcpy(y + begin, one, 4 * count, m.NRAM2GDRAM)
            m.__memcpy(z + begin, two, 4 * count, m.NRAM2GDRAM)

    arrays = np.arange(1, 2 * N + 1, dtype=np.float32), np.zeros(N, np.float32), np.zeros(N, np.float32)
    found = run(kernel, *arrays, tasks=4, resplit=3)
    assert [lines_of(f) for f in found.findings] == said
    assert {f.rule for f in found.findings} == ({"split-dependent"} if said else set())


@pytest.mark.parametrize("in_place", [False, True])
def test_a_kernel_for_one_task_that_several_run(in_place: bool) -> None:
    def kernel(m: Any, x: Any, y: Any) -> None:
        tile = m.nram("float", N)
        m.__memcpy(tile, x, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(x if in_place else y, tile, 4 * N, m.NRAM2GDRAM)

    found = run(kernel, np.ones(N, np.float32), np.zeros(N, np.float32), tasks=4)
    assert {f.rule for f in found.findings} == {"race"}
    assert all(f.suggestion.startswith("launch one task (--dim 1)") for f in found.findings)


@pytest.mark.parametrize(("step", "said"), [(0, ["race"]), (N // 2, ["race"]), (N, [])])
def test_parts_at_a_wrong_place_leave_holes_that_are_not_told(step: int, said: list[str]) -> None:
    def kernel(m: Any, x: Any, y: Any) -> None:
        tile = m.nram("float", N)
        m.__memcpy(tile, x + m.taskId * N, 4 * N, m.GDRAM2NRAM)
        m.__memcpy(y + m.taskId * step, tile, 4 * N, m.NRAM2GDRAM)

    found = run(kernel, np.ones(4 * N, np.float32), np.zeros(4 * N, np.float32), tasks=4)
    assert [f.rule for f in found.findings] == said
    if said:
        assert "check where the share of each task begins and ends" in found.findings[0].suggestion


@pytest.mark.parametrize(("missing", "said"), [((800, 1600), ["warning"]), ((800, 1500), ["warning", "advice"])])
def test_the_same_share_of_arrays_of_different_sizes_is_one_finding(missing: tuple[int, int], said: list[str]) -> None:
    """The one that is sure is told."""
    even = left_out.untouched(True, True, "even", 4000, missing[0], 3200, 1)
    both = left_out.untouched(True, False, "both", 8000, missing[1], 6400, 1)
    found = [replace(one, location=Location("k.mlu", line)) for line, one in ((9, both), (8, even))]
    assert [one.severity for one in without_consequences(found)] == said


@pytest.mark.parametrize(("rest", "said"), [((0, 0), [2]), ((0, 1), [1]), ((1, 1), [])])
def test_what_another_split_writes_of_several_arrays_is_one_finding(rest: tuple[int, int], said: list[int]) -> None:
    """What the division leaves over is left out, of both outputs or of one."""

    def kernel(m: Any, x: Any, y: Any, z: Any) -> None:
        each = N // m.taskDim
        more = m.taskId == m.taskDim - 1 and N % m.taskDim
        tile, begin = m.nram("float", N), m.taskId * each
        m.__memcpy(tile, x + begin, 4 * (each + more), m.GDRAM2NRAM)
        m.__memcpy(y + begin, tile, 4 * (each + more * rest[0]), m.NRAM2GDRAM)
        m.__memcpy(z + begin, tile, 4 * (each + more * rest[1]), m.NRAM2GDRAM)

    found = run(kernel, *(np.ones(N, np.float32) for _ in range(3)), tasks=3, resplit=2)
    assert [lines_of(f) for f in found.findings if f.rule == "split-dependent"] == said


@pytest.mark.parametrize(("loaded", "said"), [("", ["uninitialized"]), ("x", ["unread"]), ("y", [])])
def test_an_array_that_is_not_loaded_is_told_by_what_is_missing(loaded: str, said: list[str]) -> None:
    def kernel(m: Any, x: Any, y: Any, z: Any) -> None:
        one, two = m.nram("float", N), m.nram("float", N)
        m.__memcpy(one, x, 2 * N, m.GDRAM2NRAM)
        m.__memcpy(one + N // 2, x + N // 2, 2 * N, m.GDRAM2NRAM)
        if loaded:
            m.__memcpy(two, {"x": x, "y": y}[loaded], 4 * N, m.GDRAM2NRAM)
        else:
            m.__bang_mul(two, one, one, N // 2)
        m.__bang_add(one, one, two, N)
        m.__memcpy(z, one, 4 * N, m.NRAM2GDRAM)

    x, y = np.ones(N, np.float32), np.ones(N, np.float32)
    y.flags.writeable = False
    found = run(kernel, x, y, np.zeros(N, np.float32))
    assert [f.rule for f in [*found.findings, *found.advice] if f.rule in ("uninitialized", "unread")] == said


@pytest.mark.parametrize("severity", ["error", "warning", "advice"])
def test_a_finding_that_is_alone_is_told_as_it_is(severity: str) -> None:
    for rule in RULES:
        alone = Finding(rule, "", "load", location=Location("k.cu", 8), related=Location("k.cu", 6), severity=severity)
        (told,) = without_consequences([alone])
        assert told is alone


def misaligned(m: Any, x: Any, y: Any, at: int, beside: str) -> None:
    """y = x + 1, by way of an address that an mlu270 allows or not, and what is wrong besides."""
    tile, other, made = m.nram("float", 2 * N), m.nram("float", N), m.nram("float", N)
    m.__memcpy(tile + at, x, BYTES, m.GDRAM2NRAM)
    m.__bang_add_scalar(made, tile + at, 1.0, N)
    if beside == "uninitialized":
        m.__bang_add(made, made, other, N)
    m.__memcpy(y, made, BYTES // 2 if beside == "unwritten" else BYTES, m.NRAM2GDRAM)
    if beside == "redundant-sync":
        m.__sync_io()


@pytest.mark.parametrize("beside", ["", "redundant-sync", "uninitialized", "unwritten"])
@pytest.mark.parametrize("at", [8, 16])
def test_what_is_wrong_beside_an_address_that_the_chip_does_not_allow_is_told(at: int, beside: str) -> None:
    """The instruction has done all that is written: nothing follows from it."""
    arguments = [np.ones(N, np.float32), np.zeros(N, np.float32), at, beside]
    found = launch(misaligned, args=arguments, device=device("mlu270"), on_finding="collect")
    told = [f.rule for f in [*found.findings, *found.advice]]
    assert sorted(told) == ["alignment"] * (at == 8) + [beside] * bool(beside)


@pytest.mark.parametrize(("at", "said"), [(0, []), (1, ["alignment"]), (N, ["uninitialized"])])
def test_what_an_instruction_misses_by_an_address_is_told_as_that(at: int, said: list[str]) -> None:
    def kernel(m: Any, x: Any, y: Any) -> None:
        one, two = m.nram("float", N), m.nram("float", 2 * N)
        m.__memcpy(one, x, BYTES, m.GDRAM2NRAM)
        m.__bang_add_scalar(two + at, one, 1.0, N)
        m.__memcpy(y, two, BYTES, m.NRAM2GDRAM)

    arguments = [np.ones(N, np.float32), np.zeros(N, np.float32)]
    found = launch(kernel, args=arguments, device=device("mlu270"), on_finding="collect").findings
    assert [f.rule for f in found if f.severity != "advice"] == said


@pytest.mark.parametrize(("line", "said"), [(7, ["uninitialized"]), (9, ["unwritten", "uninitialized"])])
def test_what_an_unset_count_leaves_out_is_no_finding_of_its_own(line: int, said: list[str]) -> None:
    """The store whose count is an unset variable passes the end in one run, and leaves out the rest in the other."""
    end = Finding("bounds", "write of 504 bytes passes its end", location=Location("k.mlu", 7))
    rest = Finding("unwritten", "no task writes 84 of the 256 bytes of out", location=Location("k.mlu", line))
    found = [rest, uninitialized.breaking(end, "with other bytes in its local variables")]
    assert [one.rule for one in without_consequences(found)] == said


@pytest.mark.parametrize(("first", "second", "said"), [
    ("advice", "warning", ["count-dependent"]),
    ("warning", "warning", ["order-dependent"]),
    ("warning", "advice", ["order-dependent"]),
])  # fmt: skip
def test_an_array_that_differs_in_two_ways_is_told_by_the_worse_one(first: str, second: str, said: list[str]) -> None:
    """Sums of atomics differ in their last bits in another order; that hides no element that is missing from them."""
    rules = {"order-dependent": first, "count-dependent": second}
    found = [Finding(rule, "y differs", operand="y", severity=severity) for rule, severity in rules.items()]
    assert [one.rule for one in without_consequences(found)] == said
