"""Functions of the host in a CUDA source: compiled for the device only if kernels use them."""

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, load
from mlusim.simulator.kernelc.host_functions import only_if_used


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f(int a) { return a; }", " inline int f(int a) { return a; }"),
        ('extern "C" int f() { return 1; }', 'extern "C" inline  int f() { return 1; }'),
        ("int main(int n, char** w) {\n return 0; }", " inline int mlusim_main(int n, char** w) {\n return 0; }"),
        ("namespace n { A::A() : a(1) { } }", "namespace n {  inline A::A() : a(1) { } }"),
    ],
)
def test_what_becomes_inline(text, expected):
    assert only_if_used(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "__device__ int f() { return 1; }",
        "__global__ void k() { }",
        "static int f() { return 1; }",
        "template <class T> T f(T x) { return x; }",
        "struct S { int f() { return 1; } };",
        "int a[] = { 1, 2 };",
        "auto f = [](int x) { return x; };",
        "enum { A, B };",
        "int f();",
    ],
)
def test_what_stays(text):
    assert only_if_used(text) == text


def test_host_code_that_a_device_has_not_is_no_obstacle(tmp_path):
    """Threads of the host and shared pointers beside a kernel; a function without a word that the kernel calls."""
    source = tmp_path / "mixed.cu"
    source.write_text(
        "#include <memory>\n#include <thread>\n"
        "constexpr int twice(int x) { return 2 * x; }\n"
        "__global__ void k(int *out) { out[threadIdx.x] = twice(threadIdx.x); }\n"
        "int other() { auto p = std::make_shared<int>(1); std::thread([p] { }).join(); return *p; }\n"
        "int main() { return other(); }\n"
    )
    array = np.zeros(4, np.int32)
    run = load([source], device=Device.load("cuda-sm80")).launch("k", dim=1, block=4, args=[array])
    assert (array.tolist(), run.findings) == ([0, 2, 4, 6], [])


@pytest.mark.parametrize(("device_name", "suffix"), [("mlu370-x4", ".mlu"), ("cuda-sm80", ".cu")])
def test_streams_of_files_at_file_scope(device_name: str, suffix: str, tmp_path: Path) -> None:
    """They are the host's; only a kernel that opens one does what it may not."""
    entry = "__mlu_entry__" if suffix == ".mlu" else "__global__"
    (tmp_path / f"k{suffix}").write_text(
        f"#include <fstream>\nstd::ofstream out;\nstd::ifstream in;\nstd::fstream both;\n"
        f"{entry} void k(int *p) {{ *p = 7; }}\n"
        f'{entry} void writes(int *p) {{ std::ofstream f("{tmp_path}/made"); f << *p; }}\n'
    )
    program = load([tmp_path / f"k{suffix}"], device=Device.load(device_name))
    how = {"block": 1} if suffix == ".cu" else {}
    value = np.zeros(1, np.int32)
    assert program.launch("k", args=[value], **how).findings == []
    assert value[0] == 7
    with pytest.raises(KernelError, match="a kernel may not open files"):
        program.launch("writes", args=[value], **how)
    assert not (tmp_path / "made").exists()
