"""How wrong elements of kernels of thread blocks came about: in which threads, of what, at which lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import Finding, Program

CHIP = "cuda-sm80"
SOURCE = Path(__file__).with_name("threads.cu")
LINES = SOURCE.read_text("utf-8").splitlines()


def line(mark: str) -> int:
    return next(number for number, text in enumerate(LINES, 1) if text.endswith(f" // {mark}"))


def marks(numbers: list[int]) -> list[str]:
    return [LINES[number - 1].rpartition(" // ")[2] if number else "" for number in numbers]


def numbers(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def zeros(count: int) -> np.ndarray:
    return np.zeros(count, np.float32)


def wrong(program: Program, kernel: str, dim: int, block: int, right: Any, *args: Any, **how: Any) -> Finding:
    """The one finding of the first array, which is not what is right."""
    run = program.launch(
        kernel, dim, block=block, args=args, on_finding="collect", expect={0: np.array(right, np.float32)}, **how
    )
    (found,) = [finding for finding in run.findings if finding.rule == "wrong-result"]
    return found


def steps(finding: Finding) -> list[tuple[str, str, tuple[str, ...]]]:
    """What was done, at which line, of what."""
    places = marks([step.location.line for step in finding.trail])
    return [(s.instruction, place, s.taken) for s, place in zip(finding.trail, places, strict=True)]


def scalar(finding: Finding) -> list[str]:
    return [place for name, place, _ in steps(finding) if name == "scalar code"]


def test_an_element_is_of_what_its_thread_has_read(program: Program) -> None:
    x = numbers(1000)
    found = wrong(program, "late", 8, 128, x, zeros(1000), x, 1000)
    assert found.message.startswith("299 wrong elements among the 1000 of out: out[701] is 700, not 701")
    assert (found.location.line, found.task) == (line("late"), 5)
    assert steps(found) == [
        ("global.store and global.load", "late", ("x[700]",)), ("scalar code", "late index", ()),
    ]  # fmt: skip
    assert "uninitialized" not in str(found)


def test_through_shared_memory_to_what_other_threads_have_read(program: Program) -> None:
    x = numbers(130)
    sums = [*x[:128].reshape(2, 64).sum(1), 65, 65]
    found = wrong(program, "tree", 2, 64, sums, zeros(4), x, 1)
    assert steps(found)[:3] == [
        ("global.store and shared.load", "sum", ()),
        ("shared.store and shared.load", "tree", ()),
        ("shared.store and global.load", "kept", ("x[0] to x[31]", "x[33] to x[64]")),
    ]
    assert {"at", "t", "steps"} <= set(scalar(found))
    assert found.other is None  # no right element is stored by that line


def test_through_registers_of_a_warp(program: Program) -> None:
    x, y = numbers(64), 100 + numbers(32)
    sums, own = x.reshape(2, 32).sum(1), [101.0, 101.0]
    of_a_warp = wrong(program, "in_registers", 2, 32, [sums[0], sums[1] + 1, *own], zeros(4), x, y)
    assert [(name, place, taken) for name, place, taken in steps(of_a_warp) if name != "scalar code"] == [
        ("exchange", "shuffle", ()), ("global.load", "mine", ("x[32] to x[63]",)),
    ]  # fmt: skip
    assert {"by", "call"} <= set(scalar(of_a_warp))
    of_itself = wrong(program, "in_registers", 2, 32, [*sums, *own[:1], 102], zeros(4), x, y)
    taken = [(place, taken) for name, place, taken in steps(of_itself) if taken]
    assert taken == [("other", ("y[1]",))]


def test_of_a_shuffle_the_lane_that_is_taken(program: Program) -> None:
    x = numbers(32)
    right = np.append(2 * x[:-1] + 1, 62) + (x == 3)
    found = wrong(program, "shifted", 1, 32, right, zeros(32), x)
    assert ("global.load", "own", ("x[3] to x[4]",)) in steps(found)


def test_all_blocks_that_have_added_something(program: Program) -> None:
    x = numbers(6, 32)
    found = wrong(program, "added", 3, 32, x.sum(0) + (np.arange(32) == 3), zeros(32), x, 32)
    assert [taken for _, _, taken in steps(found) if taken] == [
        ("out[3]",), ("x[0, 3]", "x[1, 3]", "x[2, 3]", "x[3, 3]"),
    ]  # fmt: skip


def test_of_elements_never_written_the_conditions_of_those_beside(program: Program) -> None:
    found = wrong(program, "some", 2, 64, np.ones(128), zeros(128), np.ones(128, np.float32), 128, 62)
    assert (found.location.line, scalar(found)) == (line("some"), ["guard", "leaves", "i"])


def test_what_was_not_done_is_named_beside_a_right_element(program: Program) -> None:
    x = np.ones(64, np.float32)
    found = wrong(program, "doubled", 1, 64, np.full(64, 2), zeros(64), x, 32)
    assert scalar(found)[-2:] == ["twice", "which"]
    assert found.other is not None
    assert found.other.said == "out[32] is right, and differs"
    assert [(s.instruction, s.location.line) for s in found.other.steps] == [
        ("shared.store (once, here never)", line("twice"))
    ]


def test_through_a_variable_of_the_module(program: Program) -> None:
    found = wrong(program, "turned", 1, 64, numbers(64)[::-1] + (numbers(64) == 3), zeros(64), numbers(64))
    assert steps(found) == [
        ("global.store and global.load", "out of it", ()), ("global.store and global.load", "into it", ("x[60]",)),
    ]  # fmt: skip


def test_the_last_events_of_many_are_kept(program: Program) -> None:
    x = np.ones(1024, np.float32)
    found = wrong(program, "long_sums", 1, 64, np.full(64, 1.0), zeros(64), x, 1024, 20)
    assert ("global.load", "long", ("x[0] to x[1023]",)) in steps(found)


def test_right_results_are_not_followed_and_arrays_are_left_as_they_were_computed(program: Program) -> None:
    x, out = numbers(130), zeros(4)
    wrong(program, "tree", 2, 64, [0, 6112, 65, 65], out, x, 0)
    assert out.tolist() == [*x[:128].reshape(2, 64).sum(1), 65, 65]
    out[:] = 0
    assert not program.launch("tree", 2, block=64, args=[out, x, 0], expect={0: [2016, 6112, 65, 65]}).findings


def test_an_error_beside_it_does_not_keep_it_from_being_followed(program: Program) -> None:
    found = wrong(program, "tree", 2, 64, [2016, 6112, 65, 65], zeros(4), numbers(128), 1)
    assert ("shared.store and global.load", "kept", ("x[0] to x[31]", "x[33] to x[64]")) in steps(found)
