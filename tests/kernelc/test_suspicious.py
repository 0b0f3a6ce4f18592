"""Code that cannot be meant, in the text of functions: what is overwritten, and what is taken twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import load
from mlusim.simulator.kernelc.build import Builder
from mlusim.simulator.kernelc.conversions import conversions
from mlusim.simulator.kernelc.odd_lines import odd_lines
from mlusim.simulator.kernelc.options import Options
from mlusim.simulator.kernelc.overwritten import overwritten
from mlusim.simulator.kernelc.repeated import repeated
from mlusim.simulator.kernelc.truncated import truncated

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


def of_floats(*lines: str) -> str:
    head = "__global__ void k(const float *x, float *__restrict__ y, const int *at, int n, float scale) {\n"
    return head + "\n".join(lines) + "\n}\n"


def lost(text: str, folder: Path) -> list[tuple[str, int, bool]]:
    """Name and line of what loses fractions, and whether that is sure, as the compiler tells."""
    source = folder / "k.cu"
    source.write_text(text)
    builder = Builder(device("cuda-sm80").shape, Options())
    found = truncated(text, builder.conversions(builder.read(source), "k"))
    return [(one.name, one.line, one.sure) for one in found]


@pytest.mark.parametrize(
    ("lines", "name", "line", "sure"),
    [
        (("int sum = 0;", "for (int i = 0; i < n; i++) sum += x[i] * x[i];", "y[0] = sum;"), "sum", 3, True),
        (("int sum = 0;", "sum -= expf(x[at[0]] - scale);"), "sum", 3, True),
        (("int i = at[0], d = x[i] - x[i + 1];", "y[i] = d * d * scale;"), "d", 2, True),
        (("long const d = scale * x[0];", "if (d > 0) y[0] = tanhf(d);"), "d", 2, True),
        (("short near = x[0] - floorf(x[0]);", "float far = 1.0f - near;"), "near", 2, True),
        (
            ("int wide; float far = x[1];", "wide = expf(x[0])", "    * scale;", "y[0] = far - wide / 2;"),
            "wide",
            3,
            True,
        ),
        (("long most = -1;", "for (int i = 0; i < n; i++)", "  if (x[i] > most) most = x[i];"), "most", 4, False),
        (("int p = x[0];", "y[0] = p - 1.0f;"), "p", 2, False),
        (("int i = x[0];", "y[0] = i * scale;"), "i", 2, False),  # cut off, not computed
        (("y[0] = powf(x[0], -1 / 2);",), "1/2", 2, True),
        (("y[0] = 1 / 3 * x[0];",), "1/3", 2, True),
    ],
)
def test_fractions_that_are_lost(lines: tuple[str, ...], name: str, line: int, sure: bool, tmp_path: Path) -> None:
    assert lost(of_floats(*lines), tmp_path) == [(name, line, sure)]


@pytest.mark.parametrize(
    "lines",
    [
        ("int i = x[0] * scale;", "y[i] = i * scale;"),  # an index
        ("int i = x[0] * scale;", "for (int k = 0; k < i; k++) y[k] = i * scale;"),  # a bound
        ("int i = x[0] * scale;", "y[0] = x[0] * scale - i;"),  # the fraction of a number
        ("int i = x[0] * scale, k = i / 2;", "y[k] = i * scale;"),  # what an index is made of
        ("int q = (int)(x[0] * scale);", "y[0] = q / scale;"),
        ("int q = __float2int_rn(x[0] * scale);", "y[0] = q / scale;"),
        ("int q = x[0] * scale + 0.5f;", "y[0] = q / scale;"),
        ("int q = floorf(x[0] * scale);", "y[0] = q / scale;"),
        ("int q = x[0] * scale;", "y[0] = (q & 15) * scale;"),
        ("int count = 0;", "count += x[0] > scale;", "y[0] = count * scale;"),
        ("int sum = 0;", "sum += (int)x[0];", "sum += at[0] * 2;", "y[0] = sum * scale;"),
        ("int half = n / 2;", "y[half] = x[half] * 3 / 4;", "y[n * 1 / 2] = scale;"),
        ("float sum = 0;", "sum += x[0];", "y[0] = 4 / 2 * sum;"),
        ("int d = at[0] - at[1];", "y[0] = d * scale;"),
        ("size_t n_elements = scale * x[0];", "y[0] = n_elements * scale;"),  # a count
        ("unsigned char dot = x[0] * scale;", "y[0] = dot * scale;"),  # of an image
        ("int z = n / scale;", "y[0] = *(const float *)((const char *)x + z * n);"),  # a distance
    ],
)
def test_fractions_that_are_not_meant(lines: tuple[str, ...], tmp_path: Path) -> None:
    assert lost(of_floats(*lines), tmp_path) == []


@pytest.mark.parametrize(
    "said",
    [
        "conversion from 'float' to 'int64_t' {aka 'long int'} may change value [-Wfloat-conversion]",
        "conversion from 'T' {aka 'double'} to 'int' changes value from '2.5e+0' to '2' [-Wfloat-conversion]",
        "implicit conversion turns floating-point number into integer: 'float' to 'int' [-Wfloat-conversion]",
        "implicit conversion from 'double' to 'unsigned int' changes value from 2.5 to 2 [-Wliteral-conversion]",
    ],
)
def test_what_compilers_say_of_a_conversion(said: str) -> None:
    for path, lines in (("/k.cu", frozenset({3})), ("/other.cu", frozenset())):
        assert conversions(f"/k.cu:3:7: warning: {said}\n", path) == (lines, frozenset())


VECTOR = [f"state.{c} = state.{c} * decay.{c} + x[i].{c};" for c in "xyzw"]
CORNERS = [f"float w{a}{b}{c} = p{a} * q{b} * r{c};" for a in "01" for b in "01" for c in "01"]


def changed(lines: list[str], at: int, old: str, new: str) -> list[str]:
    assert old in lines[at]
    return [*lines[:at], lines[at].replace(old, new, 1), *lines[at + 1 :]]


@pytest.mark.parametrize(
    ("lines", "operand", "line"),
    [
        (changed(VECTOR, 2, "decay.z", "decay.w"), "decay.w", 4),
        (changed(VECTOR, 1, "= state.y", "= state.x"), "state.x", 3),
        (changed(CORNERS, 3, "r1", "r0"), "r0", 5),
        ([f"a{n} += b[{n}] * c[{n if n != 2 else 3}];" for n in range(4)], "3", 4),
    ],
)
def test_a_line_that_takes_what_is_of_another(lines: list[str], operand: str, line: int) -> None:
    assert [(one.operand, one.line) for one in odd_lines(of_floats(*lines))] == [(operand, line)]


@pytest.mark.parametrize(
    "lines",
    [
        VECTOR,
        CORNERS,
        changed(VECTOR, 2, "decay.z", "decay.w")[1:],  # three lines may be of a symmetric matrix
        [*VECTOR[:3], "other = 3;", VECTOR[2]],
        ["a0 = b[0];", "a1 = b[1];", "a2 = b[2];", "a3 = b[0];"],  # nothing else says that they are alike
        ["if (n > 0) y[0] = x[0] * s0;", *(f"else if (n > {n}) y[{n}] = x[{n}] * s{min(n, 2)};" for n in (1, 2, 3))],
        [f"a{n} = b{n} * c{'0112'[n]};" for n in range(4)],  # two lines differ
    ],
)
def test_lines_that_are_alike_or_not(lines: list[str]) -> None:
    assert odd_lines(of_floats(*lines)) == []


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
