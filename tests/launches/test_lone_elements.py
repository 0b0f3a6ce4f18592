"""Elements and arrays whose numbers have no part in the results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, Program, load

from tests.support.devices import device
from tests.support.sources import line_of

THREADS, TASKS = (Path(__file__).with_name(f"lone.{kind}") for kind in ("cu", "mlu"))
ALONE = "that were tried are read and make no difference, among them"


@pytest.fixture(scope="module")
def program() -> Program:
    return load([THREADS], device=device("cuda-sm80"))


def numbers(count: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=count).astype(np.float32)


def found(program: Program, kernel: str, *args: Any) -> list[Finding]:
    run = program.launch(kernel, 4, args=args, block=64, on_finding="collect", vary=True)
    return list(run.findings)


def said(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(one.severity, one.rule, one.message) for one in findings]


def test_elements_that_are_overwritten_before_they_are_used(program: Program) -> None:
    def back(adds: str) -> list[Finding]:
        return found(program, f"windows_back<{adds}>", numbers(300), np.zeros(201, np.float32), 100, 201)

    (one,) = back("false")
    assert (one.severity, one.rule, one.operand) == ("advice", "ignored", "of_windows")
    assert ALONE in one.message
    assert one.location.line == line_of(THREADS, "// taken$")
    assert back("true") == []


def test_what_the_data_leaves_out_is_as_it_should_be(program: Program) -> None:
    def out() -> np.ndarray:
        return np.zeros(200, np.float32)

    assert found(program, "relu_back", numbers(200), numbers(200), out(), 200) == []
    index = np.where(numbers(200) > 0, 1, -1).astype(np.int32)
    assert found(program, "taken_by_index", numbers(200), index, out(), 200) == []


def test_tasks() -> None:
    def alone(adds: str) -> list[tuple[str, int]]:
        program = load([TASKS], device=device("mlu370-x4"))
        run = program.launch(f"sum_of_tiles<{adds}>", args=[np.zeros(1, np.float32), numbers(83), 83], vary=True)
        return [(one.operand, one.location.line) for one in run.findings if ALONE in one.message]

    assert alone("false") == [("x", line_of(TASKS, "// loaded$"))]
    assert alone("true") == []


def test_numbers_that_are_overwritten_and_never_read(program: Program) -> None:
    def step(reads: str, velocity: np.ndarray) -> list[tuple[str, str, str]]:
        return said(found(program, f"momentum_step<{reads}>", numbers(200), velocity, numbers(200), 200))

    message = "the numbers that velocity held make no difference: all are overwritten, and none is read"
    assert step("false", numbers(200)) == [("advice", "ignored", message)]
    assert step("true", numbers(200)) == []
    assert step("false", np.zeros(200, np.float32)) == []  # which may be a result alone


def test_a_member_that_was_filled_and_is_never_touched(program: Program) -> None:
    def of(kernel: str, b: np.ndarray) -> list[tuple[str, str, str]]:
        members = {"a": numbers(200), "b": b, "out": np.zeros(200, np.float32)}
        return said(found(program, kernel, members, 200))

    message = "no task touches the 800 bytes of of.b"
    assert of("product<false>", numbers(200)) == [("advice", "unwritten", message)]
    assert of("product<true>", numbers(200)) == []
    assert of("product<false>", np.zeros(200, np.float32)) == []
    assert of("doubled", numbers(200)) == []  # it is of use to another kernel
    assert of("added_once<true>", numbers(200)) == [("advice", "unwritten", message)]  # but this one names it
    assert of("added_once<false>", numbers(200)) == []


def test_a_member_that_may_take_the_results(tmp_path: Path) -> None:
    """The results overwrite the input, and nothing touches an array that is like it."""
    source = tmp_path / "members.mlu"
    source.write_text(
        "struct Of { float *x, *out; };\n"
        "template <bool in_place> __mlu_entry__ void doubled(Of of, int n) {\n"
        "  __nram__ float tile[256];\n"
        "  __memcpy(tile, of.x, n * sizeof(float), GDRAM2NRAM);\n"
        "  __bang_mul_scalar(tile, tile, 2.0f, n);\n"
        "  __memcpy(in_place ? of.x : of.out, tile, n * sizeof(float), NRAM2GDRAM);\n"
        "}\n"
    )
    program = load([source], device=device())

    def of(kernel: str, size: int) -> list[str]:
        members = {"x": numbers(200), "out": np.zeros(size, np.float32)}
        run = program.launch(kernel, args=[members, 200], on_finding="collect")
        return [one.message for one in (*run.findings, *run.advice)]

    assert of("doubled<true>", 200) == ["no task touches the 800 bytes of of.out"]
    assert of("doubled<true>", 100) == []
    assert of("doubled<false>", 200) == []
