"""Local variables that are read and were never set: the compiler sees them while it builds."""

import warnings
from pathlib import Path

import pytest
from mlusim.simulator import Device, Program, load
from mlusim.simulator.kernelc.unset import Unset, unset_variables
from mlusim.simulator.log import Location

#: Where a mark stands, a kernel reads a local variable: on every way there, or on some.
CUDA = """\
__global__ void never(float *out, const float *in) {
  int index;
  out[index & 31] = in[threadIdx.x];  // sure
}
__global__ void on_some(float *out, const float *in, int n) {
  float total;
  for (int i = 0; i < n; ++i) total += in[i];
  out[threadIdx.x] = total;  // some
}
__device__ int first(int n) {
  int found;
  if (n > 4) found = n;
  return found;  // some
}
__global__ void called(float *out, int n) { out[0] = first(n); }
__device__ void both(const float *p, float &a, float &b) { a = p[0], b = p[1]; }
__global__ void right(float *out, const float *in, int n) {
  float a, b, c, rest[4];
  both(in + threadIdx.x, a, b);
  const bool inside = threadIdx.x < n;
  if (inside) c = in[threadIdx.x];
  for (int i = 0; i < 4; ++i) rest[i] = 0;
  for (int i = 0; i < n; ++i) rest[i % 4] += in[i];
  if (inside) out[threadIdx.x] = a + b + c + rest[0] + rest[3];
}
__global__ void of_assembly(unsigned *out, const float *in) {
  unsigned address, again;
  asm("cvta.to.shared.u64 %0, %1;" : "=r"(address) : "l"(in));
  again = __shfl_sync(0xffffffffu, address, 0);
  out[0] = address + again;
}
template <typename T>
__global__ void summed(T *out, const T *in, int n) {
  T total;
  for (int i = 0; i < n; ++i) total += in[i];
  out[0] = total;  // if it is launched
}
"""
BANG = """\
#include <bang.h>
__nram__ float tile[256];
__mlu_entry__ void never(float *out, const float *in, int n) {
  int count;
  __memcpy(tile, in, count * 4, GDRAM2NRAM);  // sure
  __memcpy(out, tile, n * 4, NRAM2GDRAM);
}
__mlu_entry__ void on_some(float *out, const float *in, int n) {
  int count;
  for (int i = taskId; i < n; i += taskDim) count += 4;
  __memcpy(tile, in, 1024, GDRAM2NRAM);
  __memcpy(out, tile, count, NRAM2GDRAM);  // some
}
__mlu_entry__ void right(float *out, const float *in, int n) {
  int count;
  if (n < 256) {
    count = n;
  } else {
    count = 256;
  }
  __memcpy(tile, in, count * 4, GDRAM2NRAM);
  __memcpy(out, tile, count * 4, NRAM2GDRAM);
}
"""
TPU = """\
#include "tpu_kernel.h"
typedef struct { global_addr_t out, in; int n; } args_t;
int never(const void *given) {
  const args_t *a = given;
  dim4 shape;
  tpu_initialize();
  tpu_gdma_cpy_S2S(a->out, a->in, &shape, NULL, NULL, DT_FP32);
  local_addr_t address;
  shape.w = address;  // sure
  tpu_gdma_cpy_S2S(a->out, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(never)
int right(const void *given) {
  const args_t *a = given;
  dim4 shape = {1, 1, 1, a->n};
  tpu_initialize();
  tpu_gdma_cpy_S2S(a->out, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(right)
"""
SOURCES = {"k.cu": ("cuda-sm80", CUDA), "k.mlu": ("mlu370-x4", BANG), "k.c": ("bm1690", TPU)}


def built(path: Path, name: str) -> Program:
    device, text = SOURCES[name]
    (path / name).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return load([path / name], device=Device.load(device))


def said(program: Program) -> set[tuple[str, int]]:
    assert {finding.rule for finding in program.warnings} <= {"uninitialized"}
    return {(finding.severity, finding.location.line) for finding in program.warnings}


def marked(text: str) -> set[tuple[str, int]]:
    """Where a source says that a variable is read unset, and how that is told."""
    how = {"sure": "warning", "some": "advice"}
    lines = ((line.rpartition("// ")[2], number) for number, line in enumerate(text.splitlines(), 1))
    return {(how[mark], number) for mark, number in lines if mark in how}


@pytest.mark.parametrize("name", SOURCES)
def test_it_is_told_where_one_is_read_and_nowhere_else(tmp_path, name):
    assert said(built(tmp_path, name)) == marked(SOURCES[name][1])


def test_a_build_that_is_kept_tells_it_again(tmp_path):
    assert built(tmp_path, "k.cu").warnings == built(tmp_path, "k.cu").warnings != []


def test_what_is_sure_is_a_warning_of_python(tmp_path):
    (tmp_path / "k.cu").write_text(CUDA)
    with pytest.warns(RuntimeWarning, match=r"k\.cu:3: local variable 'index' is read before it is set") as caught:
        load([tmp_path / "k.cu"], device=Device.load("cuda-sm80"))
    assert "total" not in str(caught[0].message)  # that is advice


def test_an_instance_of_a_template_tells_it_when_it_is_built(tmp_path):
    program, line = built(tmp_path, "k.cu"), CUDA[: CUDA.index("// if it")].count("\n") + 1
    before = said(program)
    program._image("summed<float>")
    assert said(program) - before == {("advice", line)}


def test_the_words_of_both_compilers_are_known():
    gcc = (
        "/a/k.cu: In function 'int first(int)':\n"
        "/a/k.cu:3:10: warning: 'found' may be used uninitialized [-Wmaybe-uninitialized]\n"
        "    3 |   return found;\n"
        "/a/k.cu:1:7: note: 'found' was declared here\n"
        "/a/k.cu:9:10: warning: 'found' may be used uninitialized [-Wmaybe-uninitialized]\n"
        "/a/k.cu:1:7: note: 'found' was declared here\n"
        "/a/k.cu:12:3: warning: 'index' is used uninitialized [-Wuninitialized]\n"
        "/a/k.cu:13:3: warning: division by zero [-Wdiv-by-zero]\n"
        "/a/k.cu:21:3: warning: 'part.ns::Part<int>::end' may be used uninitialized [-Wmaybe-uninitialized]\n"
        "/a/k.cu:19:7: note: 'part' declared here\n"
        "/a/k.cu:22:3: warning: 'part.ns::Part<int>::begin' may be used uninitialized [-Wmaybe-uninitialized]\n"
        "/a/k.cu:19:7: note: 'part' declared here\n"
    )
    assert list(unset_variables(gcc)) == [
        Unset("found", False, Location("/a/k.cu", 3)), Unset("index", True, Location("/a/k.cu", 12)),
        Unset("part.end", False, Location("/a/k.cu", 21)),
    ]  # fmt: skip
    clang = (
        "/a/k.cu:3:10: warning: variable 'index' is uninitialized when used here [-Wuninitialized]\n"
        "/a/k.cu:5:10: warning: variable 'x' may be uninitialized when used here [-Wconditional-uninitialized]\n"
    )
    assert [(one.name, one.sure) for one in unset_variables(clang)] == [("index", True), ("x", False)]
