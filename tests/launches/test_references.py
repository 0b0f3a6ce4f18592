"""Results beside those of other functions in a kernel's source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import HostProgram, Program, Run, load
from mlusim.simulator.kernelc.references import host_functions

from tests.support.devices import device
from tests.support.sources import line_of

THREADS, TASKS = (Path(__file__).with_name(f"references.{kind}") for kind in ("cu", "mlu"))


@pytest.fixture(scope="module")
def program() -> Program:
    return load([THREADS], device=device("cuda-sm80"))


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(8).normal(size=shape).astype(np.float32)


def said(run: Run) -> list[tuple[str, str]]:
    """Severity and message of what there is to say of references."""
    return [(one.severity, one.message) for one in run.findings if one.rule == "unlike-reference"]


def scaled(program: Program, kernel: str, **options: Any) -> Run:
    x = numbers(100)
    args = [np.zeros_like(x), x, 100, 3]
    return program.launch(kernel, 2, args=args, block=64, on_finding="collect", references=True, **options)


def test_a_function_of_the_host_is_a_reference(program: Program) -> None:
    right = scaled(program, "scale_by<0>")
    assert said(right) == []
    assert right.variants.tried == (
        "run again with scale_cpu in its place; y is what scale_cpu() computes; "
        "not with verify_scale in its place: it breaks rules"
    )
    (found,) = [one for one in scaled(program, "scale_by<1>").findings if one.rule == "unlike-reference"]
    assert found.severity == "warning"
    assert found.message.startswith("100 of the 100 elements of y differ from those of scale_cpu() in the same source")
    assert found.location.line == line_of(THREADS, "// scaled")
    assert found.other
    assert found.other.said == "with scale_cpu in its place"
    assert found.other.steps[0].location.line == line_of(THREADS, r"y\[i\] = x\[i\] \* by;$")


def test_the_arguments_are_those_of_the_launch(program: Program) -> None:
    """Its array in place begins as it was, and the launch's own results are what is left."""
    x, y = numbers(100), np.ones(100, np.float32)
    program.launch("scale_by<1>", 2, args=[y, x, 100, 3], block=64, on_finding="collect", references=True)
    assert np.allclose(y, 3 * x + 1, atol=1e-6)


def test_a_function_that_is_called_otherwise_says_nothing(program: Program) -> None:
    assert said(scaled(program, "shift_by")) == []


def test_a_reference_refutes_the_name(program: Program) -> None:
    """The name says that the kernel scales: nobody has to be told by what, if a reference does the same."""
    run = scaled(program, "scale_by<0>", named=True)
    assert [one.rule for one in run.findings] == []


def test_parameters_of_the_same_names_may_come_in_another_order(program: Program) -> None:
    def rows(first: int) -> Run:
        x = numbers(7, 5)
        args = [x, np.zeros(7, np.float32), 7, 5]
        return program.launch(f"rows_of_threads<{first}>", args=args, block=8, on_finding="collect", references=True)

    assert "out is what host::rows_reference<float>() computes" in rows(0).variants.tried
    assert [severity for severity, _ in said(rows(1))] == ["warning"]


def test_another_kernel_may_be_written_for_another_grid(program: Program) -> None:
    def steps(kernel: str) -> list[tuple[str, str]]:
        run = program.launch(kernel, 2, args=[numbers(100), 100], block=64, on_finding="collect", references=True)
        return said(run)

    (found,) = steps("steps_with_a_tail")
    assert found[0] == "warning"
    assert found[1].startswith("2 of the 100 elements of x differ from those of steps() in the same source: x[98] is ")
    assert [severity for severity, _ in steps("steps_of_four")] == ["advice"]
    assert steps("steps_from_the_end") == []  # one that leaves the same is enough


@pytest.mark.parametrize("limit", [1, 2])
def test_tasks(limit: int) -> None:
    program = load([TASKS], device=device("mlu370-x4"), define=[f"LIMIT={limit}"])
    run = program.launch("soft_clip", 2, args=[4 * numbers(100), 100], references=True)
    assert [severity for severity, _ in said(run)] == ([] if limit == 1 else ["warning"])
    assert ("x is what soft_clip_cpu() computes" in run.variants.tried) == (limit == 1)


def test_launches_of_host_code() -> None:
    def left(limit: int) -> tuple[list[tuple[str, int]], list[str]]:
        program = HostProgram([TASKS], device=device("mlu370-x4"), define=[f"LIMIT={limit}", "WITH_MAIN"])
        run = program.run(references=True)
        tried = [text for process in run.processes for text in process.tried.values()]
        return [(one.rule, one.location.line) for one in run.findings], tried

    assert left(1) == ([], ["run again with soft_clip_cpu in its place; argument 0 is what soft_clip_cpu() computes"])
    assert left(2)[0] == [("unlike-reference", line_of(TASKS, "// clipped"))]


def test_functions_of_the_host() -> None:
    text = """
    #define DEVICE __device__
    __device__ void a(float *x) {}
    DEVICE void b(float *x) {}
    __global__ void c(float *x) {}
    __host__ __device__ void d(float *x) {}
    __host__ void e(float *x) { int y[] = {1, 2}; if (y[0]) { x[0] = 1; } }
    int f(float *x) { return 1; }
    void g(float *x) { c<<<1, 1>>>(x); }
    struct S { void h(float *x) {} };
    extern "C" { namespace one::two { template <typename T> static void i(T *x, int n = 3) {} } }
    void j(float x[], int) noexcept {}
    // void k(float *x) {}
    void l(float *x);
    """
    assert [str(one) for one in host_functions(text, "x.cu")] == [
        "e(float *x)",
        "one::two::i<typename T>(T *x, int n)",
        "j(float x[], int)",
    ]
