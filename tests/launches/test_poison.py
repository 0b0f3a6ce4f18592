"""Launches with other bytes in local variables that nothing sets: none of them may reach a result."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Run, load

CUDA = """\
__global__ void summed(float *out, const float *in, int n) {
  float total{};
  for (int i = 0; i < n; ++i) total += in[i];
  out[threadIdx.x] = total;
}
__global__ void rows(float *out, const float *in, int n) {
  float sums[4];
  for (int j = 0; j < 4; ++j) sums[j] = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j) sums[j] += in[4 * i + j];
  for (int j = 0; j < 4; ++j) out[4 * threadIdx.x + j] = sums[j];
}
__global__ void vectors(float4 *out, const float *in, int n) {
  float4 made;
  made.x = in[threadIdx.x], made.y = 1, made.z = 2, made.w = 3;
  out[threadIdx.x] = made;
}
__global__ void at_index(float *out, const float *in, int n) {
  float most = 0;
  if (n > 100) most = in[n];
  out[(most < -1e30f ? 1 << 20 : 0) + threadIdx.x] = in[threadIdx.x];
}
"""
#: What makes each of them wrong.
FAULTS = {
    "summed": ("total{}", "total"),
    "rows": ("  for (int j = 0; j < 4; ++j) sums[j] = 0;\n", ""),
    "vectors": (", made.w = 3", ""),
    "at_index": ("most = 0", "most"),
}
#: Local variables that are not set, and of which nothing reaches a result.
UNUSED = """\
__global__ void unused(float *out, const float *in, int n) {
  float window[8];
  const int first = 4 * threadIdx.x;
  for (int j = 0; j < 8; ++j)
    if (first + j < n) window[j] = in[first + j];
  float most = first < n ? window[0] : 0;
  for (int j = 1; j < 8; ++j) {
    const float one = window[j];
    if (first + j < n && one > most) most = one;
  }
  out[threadIdx.x] = most;
}
"""
BANG = """\
#include <bang.h>
__nram__ float tile[64];
__mlu_entry__ void scaled(float *out, const float *in, int n) {
  float factors[2];
  if (n > 0) factors[0] = 2;
  factors[1] = 3;
  for (int i = 0; i < n; ++i) factors[i % 2] += 1;
  __memcpy(tile, in, 256, GDRAM2NRAM);
  __bang_mul_scalar(tile, tile, factors[0] + factors[1], 64);
  __memcpy(out, tile, 256, NRAM2GDRAM);
}
"""
DATA = np.random.default_rng(4).random(128).astype(np.float32)


def ran(path: Path, text: str, kernel: str, n: int = 30, **how: Any) -> Run:
    cuda = "__global__" in text
    source = path / ("k.cu" if cuda else "k.mlu")
    source.write_text(text)
    program = load([source], device=Device.load("cuda-sm80" if cuda else "mlu370-x4"))
    threads = {"block": 32} if cuda else {}
    given = {"args": [np.zeros(128, np.float32), DATA, n], "on_finding": "collect", **threads, **how}
    return program.launch(kernel, (1, 1, 1), **given)


@pytest.mark.parametrize("kernel", FAULTS)
def test_what_is_never_set_reaches_no_result(tmp_path, kernel):
    right, wrong = FAULTS[kernel]
    assert CUDA.count(right) == 1
    (found,) = ran(tmp_path, CUDA.replace(right, wrong), kernel, poison=True).findings
    assert (found.rule, found.severity) == ("uninitialized", "warning")
    assert "is never set" in found.message
    assert found.suggestion == "set it where it is declared"
    assert found.location.line
    assert not ran(tmp_path, CUDA, kernel, poison=True).findings


def test_the_message_has_the_element_and_the_line_that_wrote_it(tmp_path):
    (found,) = ran(tmp_path, CUDA.replace(*FAULTS["vectors"]), "vectors", poison=True).findings
    assert found.message.startswith("32 of the 128 elements of out come of a local variable that is never set: out[3]")
    assert "-1.69473953e+38 with other bytes in its local variables" in found.message or "nan" in found.message
    written = CUDA.splitlines().index("  out[threadIdx.x] = made;") + 1
    assert (found.location.line, found.operand, found.other) == (written, "out", None)


def test_what_an_unset_index_breaks_is_told(tmp_path):
    (found,) = ran(tmp_path, CUDA.replace(*FAULTS["at_index"]), "at_index", poison=True).findings
    assert "with other bytes in its local variables, bounds: store" in found.message


def test_what_is_unset_and_unused_says_nothing(tmp_path):
    run = ran(tmp_path, UNUSED, "unused", 121, poison=True)
    assert run.findings == []
    assert "with other bytes in its local variables" in run.variants.tried


def test_a_kernel_that_sets_all_is_not_run_again(tmp_path):
    run = ran(tmp_path, CUDA[: CUDA.index("__global__ void rows")], "summed", poison=True)
    assert run.variants.tried == "run once"


def test_kernels_in_bang_c_as_well(tmp_path):
    (found,) = ran(tmp_path, BANG, "scaled", 0, poison=True).findings
    assert found.rule == "uninitialized"
    assert ran(tmp_path, BANG, "scaled", 3, poison=True).findings == []


def test_it_is_found_by_launches_that_ask_for_it(tmp_path):
    wrong = CUDA.replace(*FAULTS["rows"])
    assert ran(tmp_path, wrong, "rows").findings == []
    with pytest.raises(ValueError, match="poison is 'yes'; pass True or False"):
        ran(tmp_path, wrong, "rows", poison="yes")


TWO_RESULTS = """\
#include <bang.h>
__nram__ float tile[128];
__mlu_entry__ void scaled(float *out, float *second, const float *in, int n) {
  float factors[2];
  factors[0] = 1;
#ifdef RIGHT
  factors[1] = 2;
#endif
  __memcpy(tile, in, 256, GDRAM2NRAM);
  __bang_mul_scalar(tile, tile, factors[n & 1], 64);
  __memcpy(out, tile, 256, NRAM2GDRAM);
  __bang_add_scalar(tile + 64, tile, factors[n & 1], 64);
  __memcpy(second, tile + 64, 256, NRAM2GDRAM);
}
"""


@pytest.mark.parametrize("how", [{}, {"orders": 2}, {"resplit": ((2, ""),)}])
def test_several_results_of_one_variable_are_one_finding(tmp_path, how):
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    for text, rules in ((TWO_RESULTS, ["uninitialized"]), ("#define RIGHT\n" + TWO_RESULTS, [])):
        (tmp_path / "k.mlu").write_text(text)
        program = load([tmp_path / "k.mlu"], device=Device.load("mlu370-x4"))
        run = program.launch("scaled", (1, 1, 1), args=[x, y, DATA, 3], on_finding="collect", poison=True, **how)
        assert [finding.rule for finding in run.findings] == rules
        assert [place.line for finding in run.findings for place in finding.also] == [13] * len(rules)
