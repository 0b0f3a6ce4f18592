"""Functions of the C library: those on memory are checked and noted, those that nobody knows are named."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, Program, load
from mlusim.simulator.kernelc.library import WRAPPED, unmodelled
from mlusim.simulator.native.build import tasks_runtime, threads_runtime
from mlusim.simulator.native.compiler import Compiler

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "libraries.mlu"
IN = np.frombuffer(b"abcdefg\0", np.int8)
#: What each function leaves at the beginning of 16 bytes: those that it writes; None: some value.
WRITTEN = [
    bytes(8), b"abcdefg\0", b"abcdefg\0", b"abcd", b"\7\0\0\0\7\0\0\0", b"badcfe\0g", b"abcdefg\0", b"abcdefg\0",
    b"abc\0", b"12abcdefg\0", b"abcdefg\0", b"\5\0\0\0", b"\4\0\0\0", b"\0\0\x80\x3f", b"\0\0\0\0\0\0\x80\x3f", 8, 8,
    16, b"xy\0", bytes(8), b"\5\0\0\0", 4, b"\xff\xff\xff\xff", b"\5" + bytes(15),
]  # fmt: skip


@pytest.mark.parametrize("which", range(len(WRITTEN)))
def test_a_function_writes_where_it_may(program: Program, which: int) -> None:
    expected = WRITTEN[which]
    size = expected if isinstance(expected, int) else len(expected)
    out = np.zeros(32, np.int8)
    run = program.launch("writes", args=[out, IN.copy(), which, 0])
    assert not run.errors
    if not isinstance(expected, int):
        assert out.tobytes()[:size] == expected
    assert not out[size:].any()
    with pytest.raises(KernelError, match="bounds") as caught:
        program.launch("writes", args=[out, IN.copy(), which, 32 - size // 2 // 4 * 4 if size > 4 else 32])
    assert caught.value.finding.location.file == str(SOURCE)


@pytest.mark.parametrize(("which", "value"), list(enumerate([0, 7, 0, 0, 0, 0, 0, 0, 1, 0])))
def test_a_function_reads_what_it_may(program: Program, which: int, value: int) -> None:
    out = np.zeros(1, np.int32)
    if which != 2:  # which looks for what is not there
        program.launch("reads", args=[IN.copy(), out, which, 0])
        assert out.tolist() == [value]
    text = np.full(8, ord("a"), np.int8)  # does not end
    with pytest.raises(KernelError, match="bounds") as caught:
        program.launch("reads", args=[text, out, which, 4])
    assert caught.value.finding.location.file == str(SOURCE)


def test_atomics(program: Program) -> None:
    x, wide, s = np.array([1, 0, 0, 0, 0, 0, 7, 0], np.int32), np.zeros(4, np.int64), np.full(1, 3, np.int32)
    assert program.launch("atomics", args=[x, wide, s]).findings == []
    assert (x.tolist(), wide.tolist(), s.tolist()) == ([6, 1, 5, 0, 6, 7, -4, 0], [3, 0, 0, 0], [7])


@pytest.mark.parametrize(
    ("kernel", "name"), [("scans", "sscanf"), ("divides_text", "strtok"), ("by_pointer", "by_pointer")]
)
def test_what_is_not_known_is_named(program: Program, kernel: str, name: str) -> None:
    x = np.zeros(16, np.int32 if kernel == "scans" else np.int8)
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, args=[x])
    found = caught.value.finding
    assert (found.rule, found.location.line) == ("not-modelled", line_of(SOURCE, rf"// \^ {name}\b"))
    assert "is a function of a library that mlusim does not have" in found.message


def test_both_runtimes_wrap_what_the_list_says():
    compiler = Compiler()
    for path in (tasks_runtime(compiler), threads_runtime(compiler)):
        text = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=True).stdout
        found = set(re.findall(r" FUNC +GLOBAL +\w+ +\d+ __wrap_(\w+)", text))
        assert found - {"__assert_fail"} == set(WRAPPED)


def test_what_the_lists_leave_out():
    assert unmodelled(["sscanf", "sinf", "strtok_r", "_ZNSirsERi", "memcpy", "__divti3", "mlusim_leave"]) == {
        "sscanf", "strtok_r", "_ZNSirsERi",
    }  # fmt: skip


CUDA = """
__global__ void angles(float* s, float* c, int n) {
  sincosf(0.5f * threadIdx.x, &s[threadIdx.x], &c[threadIdx.x]);
}
__global__ void parts(float* x) { x[threadIdx.x] = modff(1.25f + threadIdx.x, &x[threadIdx.x + 8]); }
__global__ void cleared(char* x, int n) { __builtin_memset(x, 7, 24); }
__global__ void copied(char* x, const char* y) { __builtin_memcpy(x, y, 24); }
struct S { int a[8]; };
__device__ __noinline__ S eight(int v) { S s; for (int i = 0; i < 8; i++) s.a[i] = v + i; return s; }
__global__ void result(int* x, int at) { *(S*)(x + at) = eight(5); }
"""


def test_the_same_in_threads(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(CUDA, encoding="utf-8")
    program = load([path], device=Device.load("cuda-sm80"))
    s, c = np.zeros(8, np.float32), np.zeros(8, np.float32)
    program.launch("angles", 1, args=[s, c, 8], block=8)
    assert np.allclose(s, np.sin(np.arange(8) / 2))
    assert np.allclose(c, np.cos(np.arange(8) / 2))
    x = np.zeros(16, np.float32)
    program.launch("parts", 1, args=[x], block=8)
    assert x.tolist() == [0.25] * 8 + [1.0 + i for i in range(8)]
    y = np.zeros(16, np.int32)
    program.launch("result", 1, args=[y, 8], block=1)
    assert y.tolist() == [0] * 8 + list(range(5, 13))
    small, large = np.zeros(20, np.int8), np.zeros(24, np.int8)
    for kernel, args, block in [
        ("angles", [s, c, 8], 9), ("parts", [x], 9), ("cleared", [small, 0], 1), ("copied", [large, small], 1),
        ("copied", [small, large], 1), ("result", [y, 9], 1),
    ]:  # fmt: skip
        with pytest.raises(KernelError) as caught:
            program.launch(kernel, 1, args=args, block=block)
        assert caught.value.finding.rule == "bounds", kernel
