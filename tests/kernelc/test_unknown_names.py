"""Unknown functions: a source that calls one builds with a warning, and executing it is a finding."""

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, KernelError, Program, load

SOURCE = """\
#include <bang.h>
#include <cnnl.h>
__nram__ float tile[64];
template <typename T>
__mlu_func__ void scale(T *x, int n) {
  __bang_mul_constant(x, x, (T)2, n);
}
__mlu_entry__ void statement(float *out, int n) {
  if (n > 0) scale(tile, n);
  out[0] = 1;
}
__mlu_entry__ void value(float *out, int n) {
  if (n > 0 && __mlv_measure<float>(tile, n) * 2.0f > 3) out[0] = 1;
  out[1] = 1;
}
__mlu_entry__ void library(float *out, int n) {
  cnnlHandle_t handle = nullptr;
  cnnlStatus_t status = n > 0 ? cnnlUnknownCall(&handle) : CNNL_STATUS_SUCCESS;
  out[0] = status;
}
__mlu_entry__ void host(float *out, int n) {
  cnnlHandle_t handle = nullptr;
  out[0] = n > 0 ? cnnlCreate(&handle) : CNNL_STATUS_SUCCESS;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("unknown") / "mine.mlu"
    path.write_text(SOURCE)
    with pytest.warns(RuntimeWarning) as caught:
        made = load([path], device=Device.load("mlu370-x4"))
    (warning,) = caught
    measure, scale = sorted(str(warning.message).splitlines())
    assert f"{path}:6: BANG C (Cambricon MLU) has no instruction __bang_mul_constant" in scale
    assert "the nearest that are modelled: __bang_mul" in scale
    assert f"{path}:13: BANG C (Cambricon MLU) has no instruction __mlv_measure" in measure
    assert warning.filename == __file__
    return made


def test_a_warning_is_a_finding_too(program):
    found = {
        (finding.instruction, finding.rule, finding.severity, finding.location.line) for finding in program.warnings
    }
    assert found == {
        ("__bang_mul_constant", "not-modelled", "warning", 6),
        ("__mlv_measure", "not-modelled", "warning", 13),
    }


def test_a_cached_build_warns_again(program):
    path = program.warnings[0].location.file
    with pytest.warns(RuntimeWarning, match=":6: .*__bang_mul_constant"):
        assert load([path], device=program.device).warnings == program.warnings


@pytest.mark.parametrize("kernel", ["statement", "value", "library", "host"])
def test_what_is_not_executed_does_no_harm(program, kernel):
    out = np.full(2, 5, np.float32)
    assert program.launch(kernel, args=[out, 0]).findings == []


@pytest.mark.parametrize(
    ("kernel", "name", "line", "words"),
    [
        ("statement", "__bang_mul_constant", 6, "not a modelled instruction of BANG C"),
        ("value", "__mlv_measure", 13, "not a modelled instruction of BANG C"),
        ("library", "cnnlUnknownCall", 18, "cnnlUnknownCall is a function of a library that mlusim does not have"),
        ("host", "cnnlCreate()", 23, "or leave it to the host, if it is a function of a library of the host"),
    ],
)
def test_executing_one_is_a_finding(program, kernel, name, line, words):
    with pytest.raises(KernelError, match=words) as caught:
        program.launch(kernel, args=[np.zeros(2, np.float32), 8])
    found = caught.value.finding
    assert (found.rule, found.instruction, found.location.line) == ("not-modelled", name, line)


def test_a_task_goes_on_after_a_statement_and_ends_where_a_value_is_used(program):
    out = np.zeros(2, np.float32)
    program.launch("statement", args=[out, 8], on_finding="collect")
    assert out[0] == 1
    run = program.launch("value", args=[out, 8], on_finding="collect")
    assert [finding.rule for finding in run.errors] == ["not-modelled"]
    assert out[1] == 0


def test_the_value_of_one_can_be_printed(tmp_path: Path, device: Device):
    path = tmp_path / "k.mlu"
    path.write_text(
        "#include <iostream>\n#include <cnnl.h>\n__mlu_entry__ void k(int *x) { x[0] = 1; }\n"
        "void check(cnnlHandle_t handle) { std::cerr << cnnlUnknownCall(handle) << std::endl; }\n"
    )
    assert load([path], device=device).kernels == ["k"]


@pytest.mark.parametrize(
    "line",
    ["x[0] = helper(x);", "x[0] = __unknown;", "__unknown y;", "__bang_add(x, 3);", "std::__unknown(x);"],
)
def test_other_mistakes_stay_errors(tmp_path: Path, line: str):
    path = tmp_path / "mine.mlu"
    path.write_text(f"#include <bang.h>\n__mlu_entry__ void k(float *x) {{\n  __unknown_too(x);\n  {line}\n}}\n")
    with pytest.raises(BuildError) as caught:
        load([path], device=Device.load("mlu370-x4"))
    assert caught.value.finding.location.line == 4
