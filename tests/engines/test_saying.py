"""What kernels say for themselves: output, assertions, and inline assembly that is no instruction of its own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from mlusim.simulator import Program

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "saying.mlu"


def test_output_comes_in_the_order_of_tasks(program: Program) -> None:
    script = (
        "import numpy as np\nfrom mlusim.simulator import Device, load\n"
        f"program = load([{str(SOURCE)!r}], device=Device.load('mlu370-x4'))\n"
        "program.launch('say', (3, 1, 1), 'block', [np.array([0.5, -1, 22.25], np.float32)])\n"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == [
        f"task {task}: {value:5.2f}|text|1.500000|2.5|q|ff|{1 << 40}|7     |%"
        for task, value in enumerate((0.5, -1, 22.25))
    ]


def test_an_assertion_that_fails_ends_the_task_at_its_line(program: Program) -> None:
    x = np.array([0, 3], np.int32)
    run = program.launch("check", args=[x], on_finding="collect")
    line = next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if "assert(x" in text)
    assert [(f.rule, f.location.line) for f in run.findings if f.location] == [("assert", line)]
    assert "x[0] == 1" in run.findings[0].message
    assert x.tolist() == [0, 3]


def test_an_assertion_that_holds_is_silent(program: Program) -> None:
    x = np.array([1, 3], np.int32)
    assert program.launch("check", args=[x]).findings == []
    assert x.tolist() == [1, 5]


@pytest.mark.parametrize(("bits", "position"), [(1, 0), (0x80000000, 31), (96, 6), (0, 0xFFFFFFFF)])
def test_the_highest_bit(program: Program, bits: int, position: int) -> None:
    x = np.array([bits, 0], np.uint32)
    program.launch("highest_bit", args=[x])
    assert int(x[1]) == position


def test_barriers_are_those_of_as_many_cores(program: Program) -> None:
    log = program.launch("meet", (8, 1, 1), "union2").log
    names = [log.ops[op].name for op in log.records["op"]]
    cores, memory_cores = 8, 2
    assert {name: names.count(name) for name in names if name.startswith("__sync")} == {
        "__sync_cluster": cores + memory_cores,
        "__sync_all_ipu_within_cluster": cores,
        "__sync_all": cores + memory_cores,
        "__sync_all_ipu": cores,
    }


@pytest.mark.parametrize(("kernel", "rule"), [("meet_two", "not-modelled"), ("meet_not", "barrier")])
def test_a_barrier_of_some_of_the_cores_is_a_finding_at_its_line(program: Program, kernel: str, rule: str) -> None:
    run = program.launch(kernel, (4, 1, 1), "union1", on_finding="collect")
    lines = SOURCE.read_text().splitlines()
    first = next(number for number, text in enumerate(lines, 1) if f"void {kernel}(" in text)
    line = next(number for number, text in enumerate(lines, 1) if number >= first and "barrier" in text)
    assert {f.location.line for f in run.findings if f.location and f.rule == rule} == {line}


def test_the_memory_of_an_address(program: Program) -> None:
    x = np.zeros((4, 5), np.int32)
    program.launch("where", (4, 1, 1), "union1", [x])
    assert x.tolist() == [[1, 2, 4, 8, 8]] * 4
