"""Launches of host code that are compared with themselves: `programs/repeated.mlu`, operators and their cases."""

from __future__ import annotations

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, HostProgram, KernelError, load
from mlusim.simulator.chip.launch_kinds import CORES
from mlusim.simulator.cli import main
from mlusim.simulator.core.execution import Launch
from mlusim.simulator.host.programs.environment import Asked
from mlusim.simulator.host.programs.repeating import _bytes_of, _part, _value
from mlusim.simulator.launches.arguments import parse_signature
from mlusim.simulator.launches.repeats import DEEP, NONE

from tests.support.documents import document

SOURCE = Path(__file__).parent / "programs" / "repeated.mlu"
OPERATORS = Path(__file__).parent / "operators"
SOURCES = [OPERATORS / "vec.cpp", OPERATORS / "vec_kernels.mlu"]
CASE = """
input { id: "first" shape { dims: 15 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT random_data: { seed: 5 } }
output { id: "result" shape: { dims: 15 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT }
scale_param: { factor: 2 }
test_param { error_func: DIFF1 error_threshold: 1 }
"""
#: With three tasks the last element is of the remainder.
WRONG_REST = "1 of the 1000 elements of argument 0 differs with 3 tasks: argument 0[999] is 1000 with 4 tasks and 1001"


def _said(messages: str) -> list[str]:
    """What the command has written, line by line, without its own name."""
    return [line.removeprefix("mlusim check: ") for line in messages.splitlines()]


def program(rest: int) -> HostProgram:
    return HostProgram([SOURCE], device=Device.load("mlu370-x4"), define={"REST": rest})


def test_a_fault_in_the_remainder_that_the_launch_has_not(capfd: pytest.CaptureFixture[str]) -> None:
    run = program(2).run(resplit=3)
    (found,) = (f for f in run.findings if "[999]" in f.message)
    assert (found.rule, found.severity, found.kernel) == ("split-dependent", "error", "even")
    assert found.message.startswith(WRONG_REST)
    assert found.trail[-1].taken == ("argument 1[999]",)
    assert run.processes[0].tried["even"] == "run again with 3 tasks"
    assert capfd.readouterr().out == "1 1000 500500\n"  # what the launch itself has left


def test_what_is_chosen_for_a_launch_says_nothing_of_a_right_program(capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--deep", "-D", "REST=1", str(SOURCE)]
    assert main(["check", *options]) == 0
    out, err = capfd.readouterr()
    assert "no findings" in out
    assert "even: run again in 2 other orders of its tasks, with 1 task, with 3 tasks, with argument 3 = 999" in err
    more = "with other bytes in its local variables, with other numbers in its inputs, with places along axes exchanged"
    assert f"with N = 500, {more}; argument 0 is parts of sum(argument 1) along 1000 elements\n" in err
    assert "sums: run again in 2" in err  # whose results are other ones with other tasks
    assert main(["check", "--json", *options]) == 0
    tried = document(capfd.readouterr().out, "check")["tried"]
    assert {f"{one['checked']}: {one['tried']}" for one in tried} <= {f"kernel {line}" for line in _said(err)}
    assert {one["checked"] for one in tried} == {"kernel even", "kernel sums"}
    assert main(["check", *options[:2], "REST=2", options[3]]) == 1
    assert WRONG_REST in capfd.readouterr().out


@pytest.mark.parametrize(("first", "rules"), [(1, ["place-dependent"]), (0, [])])
def test_rows_of_flat_arrays(first: int, rules: list[str], capfd: pytest.CaptureFixture) -> None:
    device = Device.load("mlu370-x4")
    run = HostProgram([SOURCE.with_name("rows.mlu")], device=device, define={"FIRST": first}).run(vary=True)
    assert [one.rule for one in run.findings] == rules
    assert float(capfd.readouterr().out) == pytest.approx(sum(math.sin(at) for at in range(first, 20)), 1e-3)


def test_a_result_for_each_task_is_one_where_the_user_asks_for_another_number(capfd: pytest.CaptureFixture) -> None:
    del capfd
    (found,) = program(1).run(resplit=2).findings
    assert (found.rule, found.kernel) == ("split-dependent", "sums")


ALONE = """#include <bang.h>
#include <cnrt.h>
__mlu_global__ void fill(float *x) {
  __nram__ float a[64];
  __bang_write_value(a, 64, 1.0f);
  if (taskId < TASKS) x += 64 * taskId;
  __memcpy(x, a, 256, NRAM2GDRAM);
}
int main() {
  float *x;
  cnrtMalloc((void **)&x, TASKS * 256);
  fill<<<cnrtDim3_t{TASKS, 1, 1}, cnrtFuncTypeBlock, nullptr>>>(x);
  return cnrtQueueSync(nullptr);
}
"""


@pytest.mark.parametrize(("tasks", "severity"), [(1, "advice"), (2, "error")])
def test_a_kernel_that_is_launched_with_one_task_may_be_written_for_one(
    tasks: int, severity: str, tmp_path: Path
) -> None:
    source = tmp_path / "alone.mlu"
    source.write_text(ALONE)
    run = HostProgram([source], device=Device.load("mlu370-x4"), define={"TASKS": tasks}).run(resplit="few")
    (race,) = (found for found in run.findings if found.rule == "race")
    assert (race.severity, race.message.partition(":")[0]) == (severity, "with 3 tasks")


def test_a_setting_asks_a_program_that_runs_by_itself(sdk: Path, tmp_path: Path) -> None:
    made = tmp_path / "repeated"
    subprocess.run([sdk / "bin" / "cncc", "-g", "-DREST=2", SOURCE, "-o", made], check=True)
    for setting, fails in (({"MLUSIM_DEEP": "1"}, 1), ({"MLUSIM_RESPLIT": "3"}, 1), ({"MLUSIM_DEEP": "0"}, 0)):
        done = subprocess.run([made], env={**os.environ, "MLUSIM_STRICT": "1", **setting}, capture_output=True)
        assert (done.returncode, WRONG_REST in done.stderr.decode()) == (fails, bool(fails)), setting


@pytest.mark.parametrize(
    ("variables", "asked"),
    [({}, NONE), ({"MLUSIM_DEEP": "1"}, DEEP), ({"MLUSIM_RESPLIT": "few"}, "few"), ({"MLUSIM_RESPLIT": "x,y"}, None)],
)
def test_what_settings_ask_for(variables: dict[str, str], asked: Any) -> None:
    if asked is None:
        with pytest.raises(ValueError, match="MLUSIM_RESPLIT is 'x,y'; write numbers of tasks"):
            Asked.of(variables)
    else:
        found = Asked.of(variables).repeats
        assert (found.resplit if asked == "few" else found) == asked


@pytest.mark.parametrize(("slip", "result", "code"), [([], "passed", 0), (["-D", "SLIP"], "failed", 1)])
def test_launches_of_a_case_are_compared(slip: list[str], result: str, code: int, tmp_path: Path, capsys: Any) -> None:
    case, reference = tmp_path / "case.prototxt", tmp_path / "reference.py"
    case.write_text(CASE)
    reference.write_text("def right(inputs, params, outputs): return inputs['first'] * 2\n")
    words = ["--sources", *map(str, SOURCES), "-I", str(OPERATORS), "--entry", "vecScale", "--resplit", "2,3", *slip]
    assert main(["cases", str(case), *words, "--reference", f"{reference}:right", "--json"]) == code
    (found,) = json.loads(capsys.readouterr().out)["cases"]
    assert found["result"] == result
    assert [finding["rule"] for finding in found["findings"]] == ["split-dependent"] * bool(slip)


@pytest.mark.parametrize(("how", "found"), [("--deep", ["split-dependent"]), ("--smaller", [])])
def test_a_case_says_what_was_tried_and_names_the_rule(how: str, found: list[str], tmp_path: Path, capsys: Any) -> None:
    case = tmp_path / "case.prototxt"
    case.write_text(CASE)
    words = ["--sources", *map(str, SOURCES), "-I", str(OPERATORS), "--entry", "vecScale", "-D", "SLIP", how]
    assert main(["cases", str(case), *words]) == bool(found)
    out, err = capsys.readouterr()
    tried = "with 1 task, with 3 tasks, " * bool(found) + "with argument 3 = 14, with argument 3 = 12"
    assert tried in err
    (row,) = (line for line in out.splitlines() if line.startswith("/case "))
    assert ("failed: split-dependent  " in row) == bool(found)


def test_a_call_of_an_operator_is_compared() -> None:
    x, y = np.arange(15, dtype=np.float32), np.zeros(15, np.float32)
    with load(SOURCES, [OPERATORS], device=Device.load("mlu370-x4"), define=["SLIP"]) as vec:
        assert vec.call("vecScale", factor=2, x=x, y=y).findings == ()
        with pytest.raises(KernelError, match="split-dependent: 7 of the 15 elements"):
            vec.call("vecScale", factor=2, x=x, y=y, resplit=3)


PARAMETERS = "Pf,Pv,i4,f4,s24,"


def made(arguments: tuple[bytes, ...], tasks: int = 1, each: bool = False) -> Launch:
    return Launch("k", (tasks, 1, 1), CORES, arguments=arguments, each=each)


def test_numbers_are_read_and_written_as_parameters_hold_them() -> None:
    address, number, real = bytes(8), (70000).to_bytes(4, "little"), np.float32(2.5).tobytes()
    launch = made((address, address, number, real, bytes(24)))
    values = [_value(*pair) for pair in zip(parse_signature(PARAMETERS), launch.arguments, strict=True)]
    assert values == [address, address, 70000, 2.5, bytes(24)]
    changed = [*values[:2], 69999, -1.25, values[4]]
    passed = _bytes_of(launch, launch, PARAMETERS, values, changed)
    assert passed == (address, address, (69999).to_bytes(4, "little"), np.float32(-1.25).tobytes(), bytes(24))


@pytest.mark.parametrize(("parts", "alike"), [((b"ab", b"ab"), True), ((b"ab", b"ac"), False)])
def test_parts_of_one_argument_are_those_of_more_tasks_if_they_are_alike(parts: tuple[bytes, ...], alike: bool) -> None:
    launch = made((b"".join(parts),), tasks=2, each=True)
    assert _part(launch) == (b"ab" if alike else None)
    if alike:
        assert _bytes_of(launch, made(()), "Ps,", [], []) == (b"ab",)
        assert _bytes_of(launch, made((), tasks=3), "Ps,", [], []) == (b"ababab",)
