"""Functions of the C library: those on memory are checked and noted, unknown ones are named."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, Program, load
from mlusim.simulator.kernelc.library import unmodelled, wrapped
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
    ("kernel", "name", "mark"),
    [
        ("scans", "sscanf", ""),
        ("scans_by_standard", "sscanf", "sscanf by standard"),
        ("divides_text", "strtok", ""),
        ("by_pointer", "by_pointer", ""),
    ],
)
def test_what_is_not_known_is_named(program: Program, kernel: str, name: str, mark: str) -> None:
    x = np.zeros(16, np.int32 if kernel.startswith("scans") else np.int8)
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, args=[x])
    found = caught.value.finding
    assert (found.rule, found.location.line) == ("not-modelled", line_of(SOURCE, rf"// \^ {mark or name}$"))
    assert "is a function of a library that mlusim does not have" in found.message


def test_memory_at_a_multiple_of_bytes(program):
    """A constructor of the host's takes some before any kernel runs."""
    out = np.zeros(16, np.int32)
    with pytest.raises(KernelError, match="bounds") as caught:  # the pointer itself is a store
        program.launch("aligned", args=[out])
    assert caught.value.finding.location.line == line_of(SOURCE, r"// \^ aligned")
    program.launch("aligned", args=[out], on_finding="collect")
    assert out[:3].tolist() == [1, 22, 5]


def test_the_runtimes_say_which_functions_they_check():
    compiler = Compiler()
    tasks, threads = wrapped(tasks_runtime(compiler)), wrapped(threads_runtime(compiler))
    assert tasks == threads | {"__assert_fail"}
    assert {"memcpy", "strtol", "sincosf", "vsnprintf", "_Znwm", "malloc", "exit", "getrandom", "qsort"} < threads


def test_what_the_lists_leave_out():
    names = ["sscanf", "sinf", "strtok_r", "_ZNSirsERi", "memcpy", "__divti3", "mlusim_leave", "dlsym", "dlopen"]
    names += ["__isoc23_strtol", "__isoc99_sscanf", "__isoc23_abs"]
    assert unmodelled(names, {"memcpy", "strtol"}) == {
        "sscanf", "strtok_r", "_ZNSirsERi", "__isoc99_sscanf", "dlsym", "dlopen",
    }  # fmt: skip


def test_names_of_a_standard_are_those_of_the_functions_themselves(program):
    out = np.zeros(4, np.int32)
    program.launch("by_standard", args=[np.frombuffer(b"123abc\0\0", np.int8).copy(), out])
    assert out.tolist() == [123, 3, 123, 0]
    with pytest.raises(KernelError, match="bounds") as caught:  # checked at the line of the kernel
        program.launch("by_standard", args=[np.full(8, ord("7"), np.int8), out])
    assert caught.value.finding.location.line == line_of(SOURCE, r"// \^ by_standard")


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
