"""Results beside the function that a kernel is named after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Program, launch, load
from mlusim.simulator.checks.functions import Problem
from mlusim.simulator.checks.functions.problem import FUNCTIONS, Formula

from tests.support.devices import device
from tests.support.sources import line_of

SOURCE = Path(__file__).with_name("named.cu")


@pytest.fixture(scope="module")
def program() -> Program:
    return load([SOURCE], device=device("cuda-sm80"))


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=shape).astype(np.float32)


def unlike(program: Program, kernel: str, *args: Any) -> tuple[list[tuple[str, str, int]], str]:
    """Severity, what is said of the array, and the line; and what was tried."""
    run = program.launch(kernel, 1, args=args, block=64, on_finding="collect", named=True)
    found = [
        (one.severity, one.message.partition(":")[0], one.location.line)
        for one in run.findings
        if one.rule == "unlike-name"
    ]
    return found, run.variants.tried


def test_another_formula(program: Program) -> None:
    def softmax(first: int) -> tuple[list[tuple[str, str, int]], str]:
        x = numbers(7, 12)
        return unlike(program, f"softmax_rows<{first}>", np.zeros_like(x), x, 7, 12)

    said = (
        "the kernel is named softmax, and out is not softmax(in) along 12 elements, nor any other softmax of its arrays"
    )
    assert softmax(1) == ([("warning", said, line_of(SOURCE, "// softmax$"))], "run once")
    assert softmax(0) == ([], "run once; out is softmax(in) along 12 elements")


def test_a_flag_that_is_named_after_another_function(program: Program) -> None:
    """What it adds is not known: nothing is said unless it is off."""

    def added(use_relu: bool, log: int) -> int:
        found, _ = unlike(program, "add_kernel", numbers(40), numbers(40), numbers(40), 40, use_relu, log)
        return len(found)

    assert [added(True, 0), added(False, 1), added(False, 0)] == [0, 0, 1]


def test_a_function_that_the_name_does_not_say(program: Program) -> None:
    x = numbers(7, 12)

    def left(kernel: str, function: str) -> tuple[list[tuple[str, str]], str]:
        run = program.launch(
            kernel, 1, args=[np.zeros_like(x), x, 7, 12], block=64, on_finding="collect", named=function
        )
        return [(one.severity, one.message.partition(" along")[0]) for one in run.findings], run.variants.tried

    assert left("softmax_loss", "softmax") == ([("warning", "out is not softmax(in)")], "run once")
    assert left("softmax_rows<0>", "Soft Max") == ([], "run once; out is softmax(in) along 12 elements")
    assert left("softmax_rows<0>", "gaussian")[0][0][0] == "advice"
    none = "not compared with matmul: no form of it has as many elements as an array that is written"
    assert left("softmax_rows<0>", "matmul") == ([], f"run once; {none}")
    for wrong in ("sotfmax", "softmax_loss", ""):
        with pytest.raises(ValueError, match="no function is called"):
            left("softmax_rows<0>", wrong)
    with pytest.raises(ValueError, match=r"did you mean 'softmax'\?"):
        left("softmax_rows<0>", "sotfmax")


def test_a_few_elements(program: Program) -> None:
    def added(every: int) -> tuple[list[tuple[str, str, int]], str]:
        return unlike(program, f"add<{every}>", np.zeros(101, np.float32), numbers(101), numbers(2, 101)[1], 101)

    line = line_of(SOURCE, "// add$")
    assert added(20) == ([("warning", "out is add(x, y) but for 6 of its 101 elements", line)], "run once")
    assert added(5) == ([("warning", "out is add(x, y) but for 21 of its 101 elements", line)], "run once")
    assert added(1000) == ([], "run once; out is add(x, y)")


def test_what_an_array_has_held_is_an_operand(program: Program) -> None:
    def subtracted(swapped: str) -> list[tuple[str, str, int]]:
        return unlike(program, f"sub_in_place<{swapped}>", numbers(101), numbers(2, 101)[1], 101)[0]

    said = "the kernel is named sub, and x is not sub(x, y), nor any other sub of its arrays"
    assert subtracted("true") == [("warning", said, line_of(SOURCE, "// sub$"))]
    assert subtracted("false") == []


def test_a_factor_that_the_function_does_not_take_is_advice(program: Program) -> None:
    x = numbers(100)
    args = [np.zeros_like(x), x, 2.5, 100]
    run = program.launch("relu_elements", 1, args=args, block=64, on_finding="collect", named=True)
    assert [(one.severity, one.rule) for one in (*run.findings, *run.advice)] == [("advice", "unlike-name")]


def test_names_that_say_more(program: Program) -> None:
    x = numbers(7, 12)
    assert unlike(program, "softmax_loss", np.zeros_like(x), x, 7, 12) == ([], "run once")
    few, many = (unlike(program, "bounded_relu", np.zeros(101, np.float32), numbers(101), 101, to)[0] for to in (95, 9))
    assert [one[0] for one in few] == ["advice"]
    assert many == []


def test_a_result_of_each_thread(program: Program) -> None:
    """No number says what each of the 64 sums is of: together they are that of all."""

    def summed(count: int) -> tuple[list[tuple[str, str, int]], str]:
        return unlike(program, "reduce_sum", np.zeros(64, np.float32), numbers(1001), count)

    assert summed(1001) == ([], "run once; out is parts of sum(x) along 1001 elements")
    assert summed(900) == ([], "run once")


def test_an_array_of_another_size_is_nothing_to_compare(program: Program) -> None:
    assert unlike(program, "softmax_rows<0>", np.zeros(5, np.float32), numbers(7, 12), 1, 5) == ([], "run once")


def test_results_beside_a_right_one(tmp_path: Path) -> None:
    """The sums of blocks are right; the scan, which is larger, has to be as well. What is smaller says nothing."""
    source = tmp_path / "scan.cu"
    source.write_text(
        "template <int first>\n"
        "__global__ void block_scan(float *out, float *sums, const float *in, int n) {\n"
        "  if (threadIdx.x) return;\n"
        "  float sum = 0;\n"
        "  for (int i = 0; i < n; i++) {\n"
        "    sum = i % 32 ? sum + in[i] : in[i];\n"
        "    out[i] = i < first ? in[i] : sum;\n"
        "    sums[i / 32] = first < 0 ? 7 : sum;\n"
        "  }\n"
        "}\n"
    )
    program = load([source], device=device("cuda-sm80"))

    def left(first: int) -> tuple[list[tuple[str, str, int]], str]:
        out, sums = np.zeros(64, np.float32), np.zeros(2, np.float32)
        return unlike(program, f"block_scan<{first}>", out, sums, numbers(64), 64)

    assert left(0)[0] == []
    assert left(-1)[0] == []
    found, tried = left(40)
    assert [(severity, said[:35]) for severity, said, _ in found] == [("advice", "the kernel is named scan, and out i")]
    assert "sums is sum(in)" in tried


def test_each_of_several_results(tmp_path: Path) -> None:
    """Both halves of a split have to be right, whatever the other one is."""
    source = tmp_path / "split.cu"
    source.write_text(
        "template <int wrong>\n"
        "__global__ void split(float *first, float *second, const float *in, int n) {\n"
        "  const int row = threadIdx.x;\n"
        "  for (int i = 0; i < n && row < 2; i++) {\n"
        "    first[row * n + i] = in[row * 2 * n + i];\n"
        "    second[row * n + i] = in[row * 2 * n + n + (i == wrong ? 0 : i)];\n"
        "  }\n"
        "}\n"
    )
    program = load([source], device=device("cuda-sm80"))

    def left(wrong: int) -> tuple[list[tuple[str, str, int]], str]:
        first, second = (np.zeros((2, 5), np.float32) for _ in range(2))
        return unlike(program, f"split<{wrong}>", first, second, numbers(2, 10), 5)

    assert left(-1)[0] == []
    found, tried = left(4)
    assert [(said, line) for _, said, line in found] == [
        ("second is in from 5 on along 10 elements but for 2 of its 10 elements", 6)
    ]
    assert "first is in from 0 on along 10 elements" in tried


def test_members_of_structures(tmp_path: Path) -> None:
    source = tmp_path / "members.cu"
    source.write_text(
        "struct Sizes { int rows, n; };\n"
        "__global__ void sum(float *out, const float *in, Sizes sizes) {\n"
        "  if (threadIdx.x >= sizes.rows) return;\n"
        "  float sum = 0;\n"
        "  for (int i = 0; i < sizes.n; i++) sum += in[threadIdx.x * sizes.n + i];\n"
        "  out[threadIdx.x] = sum;\n"
        "}\n"
    )
    program = load([source], device=device("cuda-sm80"))
    out, x = np.zeros(7, np.float32), numbers(7 * 12)
    run = program.launch("sum", 1, args=[out, x, {"rows": 7, "n": 12}], block=64, named=True, smaller=True)
    assert "out is sum(in) along 12 elements" in run.variants.tried
    assert "with rows = 6" in run.variants.tried


def test_arrays_of_structures_are_no_numbers(tmp_path: Path) -> None:
    source = tmp_path / "pairs.cu"
    source.write_text(
        "struct Pair { float x; int y; };\n"
        "__global__ void add(float *out, const Pair *pairs, const float *x) {\n"
        "  out[threadIdx.x] = pairs[threadIdx.x].x + x[threadIdx.x];\n"
        "}\n"
    )
    program = load([source], device=device("cuda-sm80"))
    pairs = np.zeros(64, program.structs.Pair.dtype)
    pairs["x"] = numbers(64)
    run = program.launch("add", 1, args=[np.zeros(64, np.float32), pairs, numbers(64)], block=64, named=True)
    assert run.findings == []


def test_a_whole_number_for_a_floating_point_parameter_is_such_a_number(program: Program) -> None:
    x = numbers(100)
    assert unlike(program, "scale", np.zeros_like(x), x, 3, 100) == ([], "run once; out is scale(x, 3)")
    run = program.launch("scale", 1, args=(np.zeros_like(x), x, 3, 100), block=64, vary=True, smaller=True)
    assert "with other numbers than factor = 3" in run.variants.tried
    assert "with factor" not in run.variants.tried


def test_a_whole_number_for_a_floating_point_member_is_such_a_number(tmp_path: Path) -> None:
    source = tmp_path / "member.cu"
    source.write_text(
        "struct Sizes { float *out; float factor; int count; };\n"
        "__global__ void scale(Sizes s, const float *in) {\n"
        "  if (threadIdx.x < s.count) s.out[threadIdx.x] = in[threadIdx.x] * s.factor;\n"
        "}\n"
    )
    program, x = load([source], device=device("cuda-sm80")), numbers(50)
    for sizes in (dict, program.structs.Sizes):
        args = [sizes(factor=20, count=50, out=np.zeros_like(x)), x]
        run = program.launch("scale", 1, args=args, block=64, named=True, smaller=True)
        assert "out is scale(in, 20)" in run.variants.tried
        assert "with factor" not in run.variants.tried


def relu(m: Any, out: Any, source: Any, count: int) -> None:
    """Of a part of a tile, which is all that has to change if the rest is above 0."""
    tile = m.nram("float", 64)
    m.__memcpy(tile, source, 256, m.GDRAM2NRAM)
    m.__bang_maxeq_scalar(tile, tile, 0.0, count)
    m.__memcpy(out, tile, 256, m.NRAM2GDRAM)


def test_right_results_refute_that_a_tile_is_changed_in_part() -> None:
    def said(last: float, named: bool) -> list[str]:
        x = np.concatenate([numbers(32), np.ones(31, np.float32), [np.float32(last)]])
        args = [np.zeros(64, np.float32), x, 32]
        run = launch(relu, (1, 1, 1), "block", args, device=device(), on_finding="collect", named=named)
        return [one.rule for one in [*run.findings, *run.advice]]

    assert said(1, named=False) == ["partial"]
    assert said(1, named=True) == []
    assert "partial" in said(-1, named=True)


def test_a_warning_that_right_results_refute_hides_no_other_result(tmp_path: Path) -> None:
    """What is not written of one result is right as it is; another one is wrong."""
    source = tmp_path / "channels.cu"
    source.write_text(
        "template <int wrong>\n"
        "__global__ void separate_channels(const float *in, float *red, float *green, int n) {\n"
        "  const int i = threadIdx.x;\n"
        "  if (i < n - 4) red[i] = in[i * 3];\n"
        "  if (i < n) green[i] = in[i * 3 + 1] + wrong;\n"
        "}\n"
    )
    program = load([source], device=device("cuda-sm80"))

    def said(wrong: int) -> list[tuple[str, int]]:
        pixels = numbers(64, 3)
        pixels[60:, 0] = 0
        red, green = np.zeros(64, np.float32), np.zeros(64, np.float32)
        found, _ = unlike(program, f"separate_channels<{wrong}>", pixels, red, green, 64)
        return [(message.partition(",")[0], line) for _, message, line in found]

    assert said(0) == []
    assert said(1) == [("the kernel is named separate channels", 5)]


def test_right_results_refute_that_a_part_is_missing() -> None:
    """A copy of what is there already."""

    def copy(m: Any, out: Any, source: Any, n: int) -> None:
        tile = m.nram("float", 64)
        m.__memcpy(tile, source, 256, m.GDRAM2NRAM)
        m.__memcpy(out + 4, tile + 4, 240, m.NRAM2GDRAM)

    def said(first: float) -> list[str]:
        x = numbers(64)
        out = np.zeros_like(x)
        out[:4] = x[:4] * first
        run = launch(copy, (1, 1, 1), "block", [out, x, 64], device=device(), on_finding="collect", named=True)
        return [one.rule for one in run.findings]

    assert said(1) == []
    assert "unwritten" in said(0)


def test_all_comparisons_at_once(program: Program) -> None:
    x = numbers(7, 12)
    run = program.launch("softmax_rows<0>", 1, args=[np.zeros_like(x), x, 7, 12], block=64, deep=True, orders=3)
    tried = ("in 3 other orders of", "with 2 blocks", "with rows = 6", "out is softmax(in) along 12 elements")
    assert [one for one in tried if one not in run.variants.tried] == []
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'order' \(did you mean 'orders'\?\)"):
        program.launch("softmax_rows<0>", 1, args=[np.zeros_like(x), x, 7, 12], block=64, order=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="deep is 1; pass True or False"):
        program.launch("softmax_rows<0>", 1, args=[np.zeros_like(x), x, 7, 12], block=64, deep=1)  # type: ignore[typeddict-item]


def test_each_of_several_results_has_to_be_right(program: Program) -> None:
    """One that is as large and right says nothing of the other one."""

    def said(wrong: int) -> list[str]:
        empty = np.zeros(12, np.float32)
        args = numbers(12, 12), numbers(12, 12)[::-1].copy(), numbers(12), empty, empty.copy(), 1.5, 0.5, 12
        found, _ = unlike(program, f"gesummv<{wrong}>", *args)
        return [message for _, message, _ in found]

    assert said(0) == []
    (message,) = said(1)
    assert message.startswith("the kernel is named gesummv, and y is not ")


def test_a_formula_that_cannot_be_computed(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(problem: Problem) -> Iterator[Formula]:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setitem(FUNCTIONS, "add", fails)
    x = numbers(101)
    found, tried = unlike(program, "add<1000>", np.zeros(101, np.float32), x, x, 101)
    assert (found, tried) == ([], "run once; out is not compared with what add<1000> says: division by zero")


def test_results_are_as_precise_as_others_of_their_type(tmp_path: Path) -> None:
    """Gradients in halves make no result less precise, as another one shows."""
    source = tmp_path / "adam.cu"
    source.write_text(
        "#include <cuda_fp16.h>\n"
        "template <int wrong>\n"
        "__global__ void adam(const __half *grad, float *m, float *v, float *w, float beta1, float beta2, float lr,\n"
        "                     float eps, int n) {\n"
        "  const int i = threadIdx.x;\n"
        "  if (i >= n) return;\n"
        "  const float g = __half2float(grad[i]);\n"
        "  m[i] = beta1 * m[i] + (1 - beta1) * g;\n"
        "  v[i] = (wrong ? 1 : beta2) * v[i] + (1 - beta2) * g * g;\n"
        "  w[i] -= lr * m[i] / (sqrtf(v[i]) + eps);\n"
        "}\n"
    )
    program = load([source], device=device("cuda-sm80"))

    def said(wrong: int) -> list[tuple[str, int]]:
        m, v, grad, w = numbers(64), numbers(64) ** 2 + 1, numbers(64).astype(np.float16), numbers(64)
        found, tried = unlike(program, f"adam<{wrong}>", grad, m, v, w, 0.9, 0.985, 0.01, 1e-3, 64)
        assert "m is " in tried
        return [(severity, line) for severity, _, line in found]

    assert said(0) == []
    assert said(1) == [("advice", 9)]


def test_an_array_that_is_read_after_it_is_written_is_no_operand(tmp_path: Path) -> None:
    source = tmp_path / "softmax.cu"
    source.write_text(
        "template <int first>\n"
        "__global__ void softmax(float *out, const float *in, int rows, int n) {\n"
        "  for (int row = threadIdx.x; row < rows; row += blockDim.x) {\n"
        "    float *y = out + row * n;\n"
        "    for (int i = 0; i < n; i++) y[i] = expf(in[row * n + i]);\n"
        "    float sum = 0;\n"
        "    for (int i = row % 2 * first; i < n; i++) sum += y[i];\n"
        "    for (int i = 0; i < n; i++) y[i] /= sum;  // last\n"
        "  }\n"
        "}\n"
    )
    program = load([source], device=device("cuda-sm80"))

    def said(first: int) -> list[tuple[str, int]]:
        x = numbers(6, 12)
        found, _ = unlike(program, f"softmax<{first}>", numbers(6, 12), x, 6, 12)
        return [(severity, line) for severity, _, line in found]

    assert said(0) == []
    assert said(1) == [("warning", 8)]
