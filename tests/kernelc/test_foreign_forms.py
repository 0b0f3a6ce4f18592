"""The language that public kernels are written in: forms of variables, names, options of the build, several sources."""

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, KernelError, load

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "foreign_forms.mlu"


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def numbers(device: Device, path: Path, **options) -> list[int]:
    """What the kernel `k(int *)` of a source writes."""
    out = np.full(4, -1, np.int32)
    load([path], device=device, **options).launch("k", args=[out])
    return out.tolist()


def test_variables(program):
    out = np.zeros((5, 16), np.float32)
    run = program.launch("forms", (5, 1, 1), args=[out])
    assert run.findings == []
    expected = [2048 + 8, 256, 8, 8, 9, 0, 2, 8, 26, 6, 1.5, 11, 32, 2.25, 0, 0]
    for task, row in enumerate(out.tolist()):
        expected[5] = 8 + task  # each core has a tile of its own, under both names
        assert row == expected


@pytest.mark.parametrize("kernel", ["div", "abs", "index", "y0", "log", "remove", "memcpy", "max", "two::same"])
def test_kernels_with_the_name_of_another_function(program, kernel):
    out = np.zeros(1, np.float32)
    program.launch(kernel, args=[out, 5])
    assert out[0] == (7 if kernel == "two::same" else 5)


def test_a_kernel_whose_types_are_those_of_its_namespace(program):
    out = np.zeros(1, np.float32)
    program.launch("one::same", args=[out, {"value": 3}])
    assert out[0] == 4


K = "#include <bang.h>\n__mlu_entry__ void k(int *x) {\n"


def test_macros_headers_and_the_standard(device, tmp_path):
    path = written(tmp_path / "k.mlu", K + "x[0] = TILE; x[1] = FLAG; x[2] = HEADER; x[3] = __cplusplus / 100; }\n")
    header = written(tmp_path / "before.h", "#define HEADER __BANG_ARCH__ + TILE\n")
    options = {"define": {"TILE": 64, "FLAG": None}, "headers": [header]}
    assert numbers(device, path, **options) == [64, 1, 372 + 64, 2017]
    assert numbers(device, path, **options, std="gnu++20") == [64, 1, 436, 2020]
    assert numbers(device, path, **options, std="c++11") == [64, 1, 436, 2017]  # what our headers need
    options = {"define": ["TILE=(1 + 2)", "FLAG="], "headers": ["before.h"], "include": [tmp_path]}
    with pytest.raises(BuildError):
        numbers(device, path, **options)
    options["define"][1] = "FLAG=5"
    assert numbers(device, path, **options) == [3, 5, 375, 2017]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"define": ["1x"]}, ValueError, "'1x' is no macro"),
        ({"define": ["A B=1"]}, ValueError, "is no macro"),
        ({"define": "A=1"}, TypeError, "pass macros such as"),
        ({"define": [3]}, ValueError, "3 is no macro"),
        ({"std": "c++12"}, ValueError, "pass a standard such as"),
        ({"std": "-O3"}, ValueError, "pass a standard such as"),
        ({"headers": "before.h"}, TypeError, "headers is 'before.h'"),
    ],
)
def test_wrong_options(device, options, error, words):
    with pytest.raises(error, match=words):
        load([SOURCE], device=device, **options)


def test_macros_of_the_architecture(tmp_path):
    path = written(
        tmp_path / "k.mlu",
        K + "#if __BANG_ARCH__ >= 500\nx[0] = 590;\n#elif __BANG_ARCH__ >= 300\nx[0] = 370;\n#endif\n}\n",
    )
    found = [numbers(Device.load(name), path)[0] for name in ("mlu370-x4", "mlu590", "mlu290")]
    assert found == [370, 590, -1]


def test_a_source_that_includes_another_and_states_lines(device, tmp_path):
    written(tmp_path / "part.mlu", "__nram__ int part[8];\n__mlu_func__ int six() { part[0] = 6; return part[0]; }\n")
    text = '#include "part.mlu"\n' + K + '#line 70 "made.mlu"\nx[0] = six();\n__bang_add((float *)part, 0, 0, 1); }\n'
    path = written(tmp_path / "k.mlu", text)
    program, out = load([path], device=device), np.zeros(4, np.int32)
    with pytest.raises(KernelError) as caught:
        program.launch("k", args=[out])
    assert str(caught.value.finding.location) == "made.mlu:71"


A = """\
#include <bang.h>
__nram__ float common[256];
namespace lib {
__mlu_func__ void twice(float *x, int n) {
  if (n > 64) throw n;
  __bang_mul_scalar(x, x, 2.0f, n);
}
}  // namespace lib
__mlu_entry__ void first(float *x) { x[0] = sizeof(common); }
"""
B = """\
#include <bang.h>
extern __nram__ float common[256];
__mlu_func__ int third();
namespace lib {
__mlu_func__ void twice(float *x, int n);
}
__mlu_entry__ void second(float *x, int n) {
  __memcpy(common, x, n * sizeof(float), GDRAM2NRAM);
  lib::twice(common, n);
  __memcpy(x, common, n * sizeof(float), NRAM2GDRAM);
  if (n < 32) x[0] = third();
}
"""
C = "#include <bang.h>\nstatic int value() { return 33; }\n__mlu_func__ int third() { return value(); }\n"


@pytest.mark.slow
def test_sources_that_need_each_other(device, tmp_path):
    paths = [written(tmp_path / name, text) for name, text in (("a.mlu", A), ("b.mlu", B), ("c.mlu", C))]
    program, x = load(paths, device=device), np.ones(128, np.float32)
    assert program.budget["nram"].declared == 1024
    program.launch("second", args=[x, 64])
    assert x[[0, 63, 64]].tolist() == [2, 2, 1]
    program.launch("second", args=[x, 16])
    assert x[0] == 33
    program.launch("first", args=[x])
    assert x[0] == 1024
    with pytest.raises(KernelError, match="threw an exception") as caught:
        program.launch("second", args=[x, 65])
    assert caught.value.finding.location.line == 5
    assert Path(caught.value.finding.location.file).name == "a.mlu"
    written(paths[2], C.replace("33", "34"))  # a change of one is a change of the others
    load(paths, device=device).launch("second", args=[x, 16])
    assert x[0] == 34


def test_a_function_that_no_source_has(device, tmp_path):
    paths = [written(tmp_path / name, text) for name, text in (("a.mlu", A), ("b.mlu", B))]
    with pytest.raises(KernelError, match=r"third\(\) is called, and no source of the program defines it"):
        load(paths, device=device).launch("second", args=[np.ones(16, np.float32), 16])


def test_sources_that_need_each_other_may_both_call_what_is_unknown(device, tmp_path):
    call = "  if (n == 77) __bang_unheard(x);\n"
    texts = (
        ("a.mlu", A.replace("  if (n > 64)", f"{call}  if (n > 64)")),
        ("b.mlu", B.replace("  __mem", f"{call}  __mem", 1)),
    )
    paths = [written(tmp_path / name, text) for name, text in texts]
    with pytest.warns(RuntimeWarning, match="a.mlu:5: .* no instruction __bang_unheard"):
        program = load(paths, device=device)
    x = np.ones(64, np.float32)
    program.launch("second", args=[x, 64])
    assert x[0] == 2


def test_blanks_beyond_ascii_are_blanks_outside_of_literals(device, tmp_path):
    source = written(
        tmp_path / "blanks.mlu",
        "#define PLUS(a) a\u00a0+ 1\n__mlu_entry__\u00a0void k(int *out) {\n  const\u00a0int n\u3000= PLUS(2);\n"
        '  out[0] = n;\n  out[1] = sizeof("\u00a0");\n}\n',
    )
    assert numbers(device, source) == [3, 3, -1, -1]  # two bytes and the end


def test_an_assertion_without_its_header(device, tmp_path):
    source = written(
        tmp_path / "asserts.mlu",
        "template <class T> __mlu_func__ T checked(T n) { assert(n > 0); return n; }\n"
        "__mlu_entry__ void k(int *out, int n) { out[0] = checked(n); }\n",
    )
    program, out = load([source], device=device), np.zeros(1, np.int32)
    program.launch("k", args=[out, 5])
    assert out[0] == 5
    with pytest.raises(KernelError, match="n > 0"):
        program.launch("k", args=[out, -1])


@pytest.mark.parametrize(("dim", "type_"), [((2, 1, 1), "block"), ((4, 1, 1), "union1")])
def test_local_memory(program, dim, type_):
    """In a Block task of a device whose SRAM belongs to clusters, the two directions of it are findings."""
    x = np.arange(256, dtype=np.float32)
    y = np.zeros(320, np.float32)
    run = program.launch("local_memory", dim, type_, args=[x, y], on_finding="collect")
    assert {f.rule for f in run.findings if f.severity != "advice"} == ({"space"} if type_ == "block" else set())
    assert y[:256].tolist() == (2 * x * (np.arange(256) < 64 * dim[0])).tolist()
    assert y[256:].tolist() == (x[:64].tolist() if type_ == "union1" else [0] * 64)


def test_rows_are_taken_for_elements(program):
    out = np.arange(32, dtype=np.float16)
    run = program.launch("add_rows", args=[out, 3])
    assert out.tolist() == list(range(0, 128, 4))
    lines = {run.log.location(n).line for n in range(len(run.log)) if run.log.ops[run.log.records["op"][n]].engine}
    assert lines == {line_of(SOURCE, text) for text in (r"a, out, s", r"b, a, \(half", r"b, b, a\[0\]", r"out, b, s")}


def test_two_numbers_of_four_bits(program):
    out = np.zeros(1, np.uint8)
    assert not program.launch("four_bits", args=[out]).findings
    assert out[0] == 0x21


def test_powers_of_a_half_and_another_number(device, tmp_path):
    source = written(
        tmp_path / "powers.mlu",
        "__mlu_entry__ void k(int *out) {\n  half x = 9;\n  out[0] = pow(x, 0.5);\n  out[1] = std::pow(x, 2);\n"
        "  out[2] = pow(2.0f, x) + fmax(x, 1.5f);\n  out[3] = sizeof(pow(x, 1.0f)) * 10 + sizeof(fmod(x, 2.0));\n}\n",
    )
    assert numbers(device, source) == [3, 81, 521, 48]


def test_names_beyond_ascii_are_names(device, tmp_path):
    source = written(
        tmp_path / "names.mlu",
        "#define TWICE(a) ((a) * 2)\n__mlu_entry__ void k(int *out) { int größe = 4; out[0] = TWICE(größe); }\n",
    )
    assert numbers(device, source) == [8, -1, -1, -1]
