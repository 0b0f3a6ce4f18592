"""A launch of thread blocks compared with itself: on other grids, in other orders, with smaller counts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, Program, Run
from mlusim.simulator.cli import main
from mlusim.simulator.flow import Accesses
from mlusim.simulator.launches.repeats import DEEP
from mlusim.simulator.launches.watchers import Launches, watchers

from tests.support.documents import document

CHIP = "cuda-sm80"
SOURCE = Path(__file__).with_name("grids.cu")
LINES = SOURCE.read_text("utf-8").splitlines()


def line(mark: str) -> int:
    return next(number for number, text in enumerate(LINES, 1) if text.endswith(f"// {mark}"))


def numbers(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return (np.arange(np.prod(shape)) % 251 + 1).reshape(shape).astype(dtype)


def zeros(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def ran(program: Program, kernel: str, blocks: Any, threads: Any, *args: Any, **how: Any) -> Run:
    how = how or {"orders": 2, "resplit": "few", "smaller": True, "vary": True}
    return program.launch(kernel, blocks, args=args, block=threads, on_finding="collect", **how)


def said(run: Run) -> list[tuple[str, str]]:
    return [(finding.severity, finding.rule) for finding in run.findings]


@pytest.mark.parametrize(
    ("kernel", "blocks", "args"),
    [
        ("doubled", 3, lambda: (zeros(1000), numbers(1000), 1000)),
        ("added_once", 16, lambda: (zeros(1000), numbers(1000), 1000)),
        ("parts", 4, lambda: (zeros(4), numbers(1000), 1000)),
        ("row_by_block", 4, lambda: (zeros(4, 64), numbers(4, 64))),
        ("all_alike", 4, lambda: (zeros(1, dtype=np.int32), numbers(1, dtype=np.int32))),
        ("summed", 4, lambda: (zeros(1), zeros(4), zeros(1, dtype=np.uint32), numbers(1000), 1000)),
        ("picture", (3, 20), lambda: (zeros(20, 192),)),
        ("inside", 16, lambda: (zeros(1000), numbers(1000), 1000)),
        ("chosen", 16, lambda: (zeros(1000), np.random.default_rng(3).normal(size=1000).astype("f"), 1000)),
    ],
)
def test_right_kernels_say_nothing(program: Program, kernel: str, blocks: int, args: Any) -> None:
    assert said(ran(program, kernel, blocks, 64, *args())) == []


def test_each_run_begins_with_what_the_first_one_began_with(program: Program) -> None:
    """Also after a run that was to show what one element is made of, whose log has no more than that."""
    run = ran(program, "last_otherwise", 16, 64, numbers(1000), 0.5, 1000)
    assert said(run) == [("advice", "count-dependent"), ("advice", "ignored")]  # of a single element


def test_results_of_the_parts_of_blocks_are_other_ones_on_other_grids(program: Program) -> None:
    arrays = zeros(2), np.random.default_rng(1).random(1000, np.float32)
    run = ran(program, "part_sums", 2, 64, *arrays, 1000, shared=1024, resplit="few", smaller=True)
    assert said(run) == []


def test_results_of_the_parts_of_blocks_that_are_as_long_as_these(program: Program) -> None:
    def of(kernel: str) -> list[tuple[str, str]]:
        return said(ran(program, kernel, 5, 128, zeros(600), numbers(600), 600, shared=512, resplit="few"))

    assert of("scan_of_each_block") == [("advice", "split-dependent")]
    assert of("first_threads_of_each_block") == [("warning", "split-dependent")]


def test_numbers_of_what_a_smaller_count_leaves_out(program: Program) -> None:
    """An index of what is not there says nothing; how often it was found is another number."""
    x = np.random.default_rng(2).uniform(0, 40, 400).astype(np.float32)
    low = np.arange(36, dtype=np.float32) * 2 + 1
    arrays = zeros(400, dtype=np.int32), zeros(400, dtype=np.int32), x, low
    run = ran(program, "interval_of", 4, 128, *arrays, 400, 18, smaller=True)
    differing = [one.operand for one in (*run.findings, *run.advice) if one.rule == "count-dependent"]
    assert differing == ["count"]


def test_results_of_a_row_for_each_block_agree_on_all_grids(program: Program) -> None:
    arrays = zeros(2), np.random.default_rng(1).random((2, 96), np.float32)
    run = ran(program, "row_sums", 2, 64, *arrays, 96, shared=1024, resplit="few", smaller=True)
    assert ("warning", "split-dependent") in said(run)


def test_blocks_that_repeat_the_work_of_the_only_one(program: Program) -> None:
    assert said(ran(program, "halved_in_place", 1, 64, numbers(64))) == []
    assert ("warning", "split-dependent") in said(ran(program, "halved_twice", 1, 64, numbers(64)))


def test_threads_of_the_only_block_may_work_together(program: Program) -> None:
    def shares(blocks: int) -> list[tuple[str, str]]:
        return said(
            ran(program, "shares_of_a_block", blocks, 128, zeros(4), numbers(100), 100, shared=1024, resplit="few")
        )

    assert shares(1) == [("advice", "split-dependent")]
    assert shares(2) == [("warning", "split-dependent")]


def test_steps_that_leave_elements_out_on_one_grid_only(program: Program) -> None:
    run = ran(program, "wide_steps", 3, 64, zeros(1000), numbers(1000), 1000)
    assert said(run)[0] == ("warning", "split-dependent")
    assert "are written with 2 blocks and not with 3 blocks" in run.findings[0].message


def test_parts_of_blocks_that_overlap(program: Program) -> None:
    run = ran(program, "added_twice", 16, 64, zeros(1000), numbers(1000), 1000, resplit="few")
    (found,) = [finding for finding in run.findings if finding.rule == "split-dependent"]
    assert found.severity == "warning"
    assert "of 128 threads" in found.message
    assert found.other is not None


def test_numbers_that_each_thread_draws_are_advice(program: Program) -> None:
    run = ran(program, "drawn", 3, 64, zeros(1000), 1000, resplit="few")
    assert {severity for severity, _ in said(run)} <= {"advice"}
    assert run.findings


def test_numbers_of_blocks_that_are_asked_for(program: Program) -> None:
    def with_seven(kernel: str, *args: Any) -> list[tuple[str, str]]:
        return said(ran(program, kernel, 4, 64, *args, resplit=7))

    assert with_seven("doubled", zeros(1000), numbers(1000), 1000) == []
    assert ("error", "bounds") in with_seven("row_by_block", zeros(4, 64), numbers(4, 64))
    with pytest.raises(ValueError, match="blocks of threads are of one"):
        ran(program, "doubled", 4, 64, zeros(1000), numbers(1000), 1000, resplit=[(8, "union2")])
    with pytest.raises(ValueError, match="retile: in smaller tiles: the tiles of thread blocks go with"):
        ran(program, "doubled", 4, 64, zeros(1000), numbers(1000), 1000, retile=True)


def test_a_result_of_the_last_block_that_comes(program: Program) -> None:
    run = ran(program, "last_wins", 4, 1, zeros(1, dtype=np.int32), numbers(4, dtype=np.int32), orders=1)
    (found,) = run.findings
    assert (found.rule, found.severity, found.location.line) == ("order-dependent", "warning", line("last"))


def test_a_list_in_the_order_of_turns_is_advice(program: Program) -> None:
    arrays = zeros(256, dtype=np.int32), zeros(1, dtype=np.int32), numbers(256, dtype=np.int32)
    run = ran(program, "listed", 4, 64, *arrays, 256, orders=2)
    assert said(run) == [("advice", "order-dependent")]


def test_a_block_that_waits_for_one_before_it_is_in_no_other_order(program: Program) -> None:
    arrays = zeros(4, dtype=np.int32), zeros(1, dtype=np.int32)
    assert said(ran(program, "waits_for_the_first", 4, 1, *arrays, orders=1, time_limit=1.0)) == []


def test_the_only_input_without_a_part_in_any_result(program: Program) -> None:
    def ignored(limit: float, dtype: type = np.float32) -> list[str]:
        kernel = "at_least<float>" if dtype is np.float32 else "at_least<int>"
        run = ran(program, kernel, 4, 64, zeros(250, dtype=dtype), numbers(250), limit, 250, vary=True)
        return [one.severity for one in run.findings if one.rule == "ignored" and one.operand == "x"]

    assert (ignored(1e6), ignored(0.5)) == (["advice"], [])
    assert ignored(1e6, dtype=np.int32) == []  # that all of the input is as it should be, maybe


def test_blocks_of_a_triangle(program: Program) -> None:
    """Rows of the first block have no holes; where all of them have one, a column is missing."""
    for slip, severity in ((0, "advice"), (1, "warning")):
        (found,) = ran(program, "later_blocks", (2, 2, 1), 32, zeros(40, 2), numbers(40), 40, slip).findings
        assert (found.rule, found.severity) == ("unwritten", severity)


def test_rows_that_are_longer_than_what_is_made_of_them(program: Program) -> None:
    """The launch passes both lengths. One element less is a fault."""
    for slip, expected in ((0, []), (1, [("warning", "no task writes 80 ")])):
        run = ran(program, "padded_rows", 4, 64, zeros(160), numbers(160), 36, 40, slip, orders=1)
        found = [(f.severity, f.message.partition("of")[0]) for f in run.findings if f.rule == "unwritten"]
        assert found == expected


def test_a_result_of_each_block_in_place_of_its_elements(program: Program) -> None:
    for out in (None, zeros(100)):
        run = ran(program, "sums_in_place", 2, 64, out, numbers(100), 100, orders=1)
        found = [(one.severity, one.message.partition(",")[0]) for one in run.findings if one.rule == "unwritten"]
        assert found == ([] if out is None else [("warning", "no task writes 392 of the 400 bytes of out")])


@pytest.mark.parametrize(
    ("length", "passed", "slip", "found"),
    [
        (1000, 1000, 1, [("warning", "unread")]),
        (1000, 1000, 0, []),
        (1000, 1000, 64, [("advice", "unread")]),  # so many are to be skipped
        (1030, 1000, 0, []),  # the list is longer than anything that is passed
    ],
)
def test_an_end_of_a_list_that_no_thread_reads(
    program: Program, length: int, passed: int, slip: int, found: list[tuple[str, str]]
) -> None:
    threads = 1 if slip == 64 else 64
    run = ran(
        program, "sum_of_list", -(-passed // threads), threads, zeros(1), numbers(length), passed, slip, vary=True
    )
    assert said(run) == found


@pytest.mark.parametrize(
    ("length", "mode", "found"),
    [
        (1000, 1, [("warning", "unwritten")]),
        (1000, 2, []),
        (1000, 0, [("advice", "unwritten")]),  # which may say that there is no bias
        (1030, 1, [("advice", "unwritten")]),
    ],
)
def test_an_array_that_no_thread_touches(
    program: Program, length: int, mode: int, found: list[tuple[str, str]]
) -> None:
    run = ran(program, "biased", 16, 64, zeros(1000), numbers(1000), numbers(length), 1000, mode, vary=True)
    assert said(run) == found


def test_an_array_that_is_longer_than_the_launch_says(program: Program) -> None:
    """It has an element for each thread, and the launch passes how many of them count."""
    for slip, severity in ((0, "advice"), (1, "warning")):
        run = ran(program, "of_rows", 4, 64, zeros(256), numbers(250 * 64), 250, 64, slip, orders=1)
        assert [one.severity for one in run.findings if one.rule == "unwritten"] == [severity]


def test_elements_that_no_thread_takes(program: Program) -> None:
    def left(kernel: str, out: np.ndarray, x: np.ndarray, *counts: int) -> list[Finding]:
        return list(ran(program, kernel, 16, 64, out, x, *counts, smaller=True).findings)

    (found,) = left("one_less", zeros(1000), numbers(1000), 1000)
    assert (found.rule, found.severity, found.location.line) == ("unwritten", "warning", line("less"))
    assert "no task writes 4 of the 4000 bytes of out, from byte 3996 on" in found.message
    columns = program.launch("first_lanes", 6, args=[zeros(6, 50), numbers(6, 50), 6, 50], block=32, smaller=True)
    assert said(columns) == [("warning", "unwritten")]
    assert [f.severity for f in left("first_rows", zeros(10, 50), numbers(10, 50), 10, 50)] == ["warning"]
    # Of arrays that are longer than anything that is passed nothing is said.
    assert left("one_less", zeros(1040), numbers(1040), 1000) == []


def test_a_column_that_no_thread_reads(program: Program) -> None:
    run = ran(program, "short_rows", 2, 16, zeros(20), numbers(20, 9), 20, 9, smaller=True)
    (found,) = run.findings
    assert (found.rule, found.severity, found.location.line) == ("unread", "advice", line("short"))
    chosen = np.array([3, 0, 7, 7, 11], np.int32)
    assert said(ran(program, "some_rows", 2, 64, zeros(5, 9), numbers(20, 9), chosen, 5, 9)) == []


def test_elements_that_are_read_and_make_no_difference(program: Program) -> None:
    vector = ran(program, "three_of_four", 4, 64, zeros(250), numbers(1000), 1000, vary=True)
    (found,) = vector.findings
    assert (found.rule, found.severity, found.location.line) == ("ignored", "advice", line("four"))
    assert "250 elements of x are read and make no difference, the first of them x[1], x[5], x[9]" in found.message
    assert said(ran(program, "four_of_four", 4, 64, zeros(250), numbers(1000), 1000, vary=True)) == []

    def tree(last: int) -> Run:
        out, x = zeros(20, dtype=np.uint32), numbers(70, 20, dtype=np.uint32)
        return ran(program, "tree_of_rows", 20, 64, out, x, 70, last, vary=True)

    (found,) = tree(2).findings
    assert (found.rule, found.location.line) == ("ignored", line("rows"))
    assert "700 elements of x" in found.message
    assert tree(1).findings == []
    assert said(ran(program, "largest", 4, 64, zeros(250), numbers(1000), 1000, vary=True)) == []


@pytest.mark.parametrize(
    ("kernel", "outputs", "wrong", "right", "found"),
    [
        ("tree_sums", 16, 16, 32, "15 elements of x are read and make no difference, the first of them x[63], x[127]"),
        ("warp_sums", 32, "false", "true", "969 elements of x are read and make no difference, the first of them x[0]"),
    ],
)
def test_elements_that_only_some_threads_of_a_block_or_warp_have_a_part_of(
    program: Program, kernel: str, outputs: int, wrong: str, right: str, found: str
) -> None:
    def ignored(argument: str, passed: int = 1000) -> list[tuple[str, str]]:
        args = zeros(outputs), numbers(1000), passed
        run = ran(program, f"{kernel}<{argument}>", 16, 64, *args, vary=True)
        return [(one.severity, one.message[: len(found)]) for one in run.findings if one.rule == "ignored"]

    assert ignored(wrong) == [("warning", found)]
    assert ignored(right) == []


def test_a_few_indices_of_rows_that_are_alike_are_no_ignored_part(program: Program) -> None:
    """Unlike every other index that a kernel has no use for."""
    rows, chosen = np.zeros((10, 2), np.float32), np.random.default_rng(1).integers(10, size=1000).astype(np.int32)
    rows[5], chosen[::64] = 1, 0

    def ignored(kernel: str) -> list[str]:
        run = ran(program, kernel, 32, 64, zeros(1000, 2), rows, chosen, 1000, 2, vary=True)
        return [finding.message[:42] for finding in run.findings if finding.rule == "ignored"]

    assert ignored("some_rows") == []
    assert ignored("every_other_index") == ["500 elements of chosen are read and make n"]


def test_numbers_in_parts_of_an_input_are_taken_back(program: Program) -> None:
    out, x = zeros(250), numbers(1000)
    run = ran(program, "three_of_four", 4, 64, out, x, 1000, vary=True)
    assert "with other numbers in its inputs" in run.variants.tried
    assert (x == numbers(1000)).all()
    assert (out == numbers(1000).reshape(-1, 4)[:, [0, 2, 3]].sum(1)).all()


def test_elements_that_others_are_read_for(program: Program) -> None:
    def apart(slip: int) -> Run:
        parts = [zeros(5, 48) for _ in range(3)]
        return ran(program, "apart", 5, 64, *parts, numbers(5, 144), 5, 48, slip, resplit="few")

    (found,) = apart(1).findings
    assert (found.rule, found.severity) == ("unread", "warning")
    assert "20 of 2880 bytes" in found.message.replace("the ", "")
    assert "others are read repeatedly" in found.message
    assert apart(0).findings == []
    # Which rows are read, and how often, data says.
    chosen = np.array([0, 1, 2, 2, 4, 5, 6, 6, 8, 9, 10, 10], np.int32)[:11]
    assert said(ran(program, "some_rows", 2, 64, zeros(11, 9), numbers(11, 9), chosen, 11, 9, resplit="few")) == []


def test_a_launch_that_is_told_the_lengths_of_all_axes(program: Program) -> None:
    def upper(slip: int) -> list[tuple[str, str]]:
        return said(ran(program, "upper", 10, 64, zeros(2, 10, 3, 10), numbers(1), 2, 10, 3, slip, resplit="few"))

    assert upper(0) == []
    assert upper(1) == [("warning", "unwritten")]


@pytest.mark.parametrize(("step", "threads", "rules"), [(1, 16, []), (2, 16, []), (8, 16, ["unread"]), (8, 8, [])])
def test_most_of_an_input_at_equal_distances(program: Program, step: int, threads: int, rules: list[str]) -> None:
    """Rows are as many as threads, or nothing says how many there are."""
    run = ran(program, "some_columns", 2, threads, zeros(32), numbers(32, 48), 48, step, resplit="few")
    assert [finding.rule for finding in run.findings if finding.rule == "unread"] == rules


def test_a_tail_in_another_way(program: Program) -> None:
    run = ran(program, "tail_otherwise", 16, 64, zeros(1000), numbers(1000), 1000, smaller=True)
    found = run.findings[0]
    assert (found.rule, found.severity, found.location.line) == ("count-dependent", "warning", line("tail"))


def test_a_log_says_to_the_byte_what_is_touched(program: Program) -> None:
    out, x = zeros(4, 100), numbers(200)
    asked, plain = (
        ran(program, "mixed", 4, 60, out, x, 100, **how).log for how in ({"smaller": True}, {"smaller": False})
    )
    assert (asked.exact, plain.exact) == (True, False)
    read, written = (ranges - ranges[0, 0] for ranges in Accesses(asked).touched)
    assert written.tolist() == [[400 * row, 400 * row + 240] for row in range(4)]
    assert read.tolist() == [[12 * thread, 12 * thread + 4] for thread in range(60)]
    # Nothing else of it is otherwise: the same transactions, the same bytes asked for.
    assert [(r["work"], r["core"], r["loc"]) for r in asked.records] == [
        (r["work"], r["core"], r["loc"]) for r in plain.records
    ]


def test_deep_checks_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "check", str(SOURCE), "--device", "cuda-sm80", "--kernel", "doubled", "--dim", "3", "--block", "64", "--deep",
        "--arg", "zeros:float32:1000", "zeros:float32:1000", "1000",
    ]  # fmt: skip
    assert main(command) == 0
    shown = capsys.readouterr().err
    assert "in 2 other orders of its blocks and threads, with 2 blocks, with 1 block, with 4 blocks" in shown
    assert "not in smaller tiles" in shown
    assert main([*command, "--json"]) == 0
    (tried,) = document(capsys.readouterr().out, "check")["tried"]
    assert f"{tried['checked']}: {tried['tried']}" in shown


def test_programs_that_are_checked_deeply(program: Program) -> None:
    launches = Launches(repeats=DEEP)

    with watchers(os.getpid()).watching(launches):
        program.launch("doubled", 3, args=(zeros(1000), numbers(1000), 1000), block=64)
    (tried,) = launches.tried.values()
    assert "with 1 block" in tried
    assert launches.checked[0].findings == ()


def test_rows_that_a_list_of_indices_chooses(program: Program) -> None:
    """The rows between are left; without the list nothing says so."""
    chosen = np.array([0, 4, 8], np.int32)
    for slip, severity in ((0, ["advice"]), (1, ["warning"])):
        arrays = zeros(13, 16), numbers(3, 16), chosen
        run = ran(program, "copied_rows", 3, 16, *arrays, 13, 3, 16, slip)
        assert [one.severity for one in run.findings if one.rule == "unwritten"] == severity
