"""Code that cannot be meant, in the text of functions: what is overwritten, and what is taken twice."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import load
from mlusim.simulator.kernelc.overwritten import overwritten
from mlusim.simulator.kernelc.repeated import repeated

from tests.support.devices import device


def loop(body: str, head: str = "for (int i = 0; i < n; i++)", before: str = "float sum = 0;") -> str:
    return f"void k(float *x, float *y, int n, int m) {{\n{before}\n{head} {body}\ny[0] = sum;\n}}\n"


@pytest.mark.parametrize(
    "text",
    [
        loop("sum = x[i];"),
        loop("{ sum = x[i] * x[i]; }"),
        loop("{ float one = x[i]; sum = one; y[i] = one; }"),
        loop("sum = fmaxf(x[i], 0.0f) + (float)m;"),
        loop("sum = x[i];", before="float other = 1, sum = x[0];"),
        loop("{ sum = x[n]; }", head="while (n--)"),
        loop("for (int j = 0; j < m; j++) sum = x[i * m + j];"),
        loop("if (m > 0) { for (int j = 0; j < m; j++) { sum = x[i * m + j]; } }"),
        loop("y[m] = x[i];", head="for (int i = max(0, m); i < n; i++)", before="y[m] = 0; float sum = 0;").replace(
            "y[0] = sum;", ""
        ),
        loop("sum = x[i];").replace("void k(", "template <typename T> __global__ void __launch_bounds__(64) k("),
        "#define N 4\nvoid k(float *x, float *y) {\n  float c[4] = {0};\n  for (int j = 0; j < N; j++) "
        "for (int i = 0; i < N; i++)\nc[j] = x[i * N + j];\n  y[0] = c[0];\n}\n",
    ],
)
def test_rounds_of_which_only_the_last_counts(text: str) -> None:
    (found,) = overwritten(text)
    assert found == (("c", 5, True) if "#define" in text else ("y" if "y[m]" in text else "sum", 3, True))


@pytest.mark.parametrize(
    "text",
    [
        loop("sum += x[i];"),
        loop("sum = sum + x[i];"),
        loop("{ y[i] = sum; sum = x[i]; }"),  # the one before
        loop("{ sum = x[i]; y[i] = sum; }"),
        loop("if (x[i] > 0) sum = x[i];"),  # the last that is positive
        loop("{ sum = x[i]; if (x[i] > m) break; }"),
        loop("{ if (i == m) continue; sum = x[i]; }"),
        loop("sum = i;"),  # how far it went
        loop("{ last = i; sum = last; }", before="int last = 0; float sum = 0;"),
        loop("sum = next(x[i]);"),  # which may do something else
        loop("sum = x[m++];"),
        loop("sum = m;"),
        loop("x[i] = 1;"),
        loop("sum = x[i];", before="").replace("y[0] = sum", "return"),
        loop("sum = x[i];").replace("y[0] = sum", "y[0] = 1"),
        loop("{ n /= 2; sum = n * x[0]; }", head="while (size(n) > m)"),  # until it fits
        loop("c[m] = x[i++]; ", before="float c[4] = {0}; float sum = 0; m++;", head="for (;;)").replace(
            "= sum", "= c[0]"
        ),
        loop("{ c[m] = x[i]; m++; }", before="float c[4] = {0}; float sum = 0;").replace("= sum", "= c[0]"),
        loop("{ float sum = x[i]; y[i] = sum; }"),
        loop("seen[one] = x[one];", head="for (auto &[one, other] : all)", before="seen[0] = 0; float sum = 0;"),
        "void k(float *x { if ((x[0]) }\n",  # no function
    ],
)
def test_what_counts_of_each_round_or_of_the_last(text: str) -> None:
    assert overwritten(text) == []


def test_results_that_nothing_has_used() -> None:
    text = "void k(float *x, float *y) {\nfloat sum = x[0];\nsum += x[1];\nsum = x[2];\ny[0] = sum;\n}\n"
    assert [(one.name, one.line, one.rounds) for one in overwritten(text)] == [("sum", 4, False)]
    for right in ("sum = sum + x[2];", "sum += x[2];", "y[1] = sum;\nsum = x[2];", "if (y[0] > sum) sum = x[2];"):
        assert overwritten(text.replace("sum = x[2];", right)) == []


@pytest.mark.parametrize(
    ("line", "operand"),
    [
        ("y[i] = x[i - 1] - 2 * x[i] + x[i - 1];", "x[i - 1]"),
        ("y[i] = (float)x[i] + x[j] + (float)x[i];", "x[i]"),
        ("y[i] = 0.25f * (x[i] + x[i]);", "x[i]"),
        ("y[i] = -x[i] - y[j] - x[j] - x[j];", "x[j]"),
        ("if (x[i] > x[i]) y[i] = 1;", "x[i]"),
        ("y[i] = fmaxf(x[i], x[i]);", "x[i]"),
        ("y[i] = (x[i].re - x[i].re) * 2;", "x[i].re"),
        ("if (i < n && i < n) y[i] = 1;", ""),  # of what is longer than an operand nothing is said
        ("y[i] = x[i] + x[j];", ""),
        ("y[i] = x[i] * x[i] + x[j] * x[j];", ""),
        ("y[i] = x[i] - 2 * x[i + 1] + x[i + 2] + x[j] - 2 * x[i + 1];", ""),  # has a factor
        ("y[i] = x[i] + y[i] - x[i];", ""),  # of another sign
        ("y[i] = i + i;", ""),
        ("y[i] = x[i] != x[i] ? 0 : max(x[i], x[j]);", ""),  # is it NaN?
        ("y[i] = a * b - b * a;", ""),
        ("y[i++] = x[i] ? x[j] : x[j];", ""),
        ("f(x[i], x[i]);", ""),
    ],
)
def test_operands_that_are_taken_twice(line: str, operand: str) -> None:
    text = f"void k(float *x, float *y, int i, int j, int n) {{\n{line}\n}}\n"
    assert [(one.operand, one.line) for one in repeated(text)] == ([(operand, 2)] if operand else [])


def test_the_kernel_and_what_it_calls(tmp_path) -> None:
    """Functions of the host, and those that other kernels call, are not the kernel's."""
    source = tmp_path / "sums.mlu"
    source.write_text(
        "__nram__ float tile[64];\n"
        "void on_host(float *x, int n) { float sum = 0; for (int i = 0; i < n; i++) sum = x[i]; x[0] = sum; }\n"
        "__mlu_func__ float total(float *x, int n) {\n"
        "  float sum = 0;\n"
        "  for (int i = 0; i < n; i++) sum = x[i];\n"
        "  return sum;\n"
        "}\n"
        "__mlu_entry__ void summed(float *x, int n) {\n"
        "  __memcpy(tile, x, n * sizeof(float), GDRAM2NRAM);\n"
        "  x[0] = total(tile, n);\n"
        "}\n"
        "__mlu_entry__ void doubled(float *x, int n) { x[0] = 2 * x[1]; }\n"
    )
    program = load([source], device=device())
    x = np.arange(64, dtype=np.float32)
    run = program.launch("summed", args=[x, 64], on_finding="collect", vary=True)
    (found,) = (one for one in run.findings if one.rule == "suspicious")
    assert (found.severity, found.location.file, found.location.line) == ("warning", str(source), 5)
    assert found.message == "each round of the loop overwrites sum, and only the last one counts"
    for kernel, how in (("summed", {}), ("doubled", {"vary": True})):
        run = program.launch(kernel, args=[x, 64], on_finding="collect", **how)
        assert not [one for one in run.findings if one.rule == "suspicious"]
