"""Sources that do not build: the compiler's words at the user's line, and what to do about it."""

import pickle
import textwrap
from pathlib import Path

import pytest
from mlusim.simulator import BuildError, Device, HostProgram, load


def built(tmp_path: Path, body: str) -> BuildError:
    """The error of a kernel whose body is line 3 of its file."""
    path = tmp_path / "mine.mlu"
    path.write_text(textwrap.dedent(f"#include <bang.h>\n__mlu_entry__ void k(float *x) {{\n  {body}\n}}\n"))
    with pytest.raises(BuildError) as caught:
        load([path], device=Device.load("mlu370-x4"))
    found = caught.value.finding
    assert (found.rule, found.location.file, found.location.line) == ("build", str(path), 3)
    assert f"{path}:3:" in str(caught.value)
    return caught.value


def test_a_build_error_can_be_sent_to_another_process(tmp_path):
    error = built(tmp_path, "return undeclared;")
    assert pickle.loads(pickle.dumps(error)).finding == error.finding


@pytest.mark.parametrize(
    ("name", "header", "device", "title"),
    [("k.mlu", "bang.h", "bm1684x", "BANG C"), ("k.c", "tpu_kernel.h", "mlu370-x4", "TPU-KERNEL")],
)
def test_a_source_for_a_device_of_the_other_kind(tmp_path, name, header, device, title):
    source = tmp_path / name
    source.write_text(f"#include <{header}>\n")
    with pytest.raises(BuildError) as caught:
        load([source], device=Device.load(device))
    assert f"{header} is a header of {title}" in caught.value.finding.suggestion


@pytest.mark.parametrize(
    ("header", "device", "title"),
    [("tpuv7_rt.h", "mlu370-x4", "TPU-KERNEL"), ("okk.h", "bm1690", "OKKernel"), ("cnrt.h", "bm1690", "BANG C")],
)
def test_host_code_for_a_device_of_the_other_kind(tmp_path, header, device, title):
    source = tmp_path / "host.cpp"
    source.write_text(f"#include <{header}>\nint main() {{}}\n")
    with pytest.raises(BuildError, match=f"\n{header} is a header of {title}") as caught:
        HostProgram([source], device=Device.load(device))
    assert f"{header} is a header of {title}" in caught.value.finding.suggestion


def test_a_source_of_cuda_for_a_device_of_another_kind(tmp_path):
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float* x) { x[threadIdx.x] = 0; }\n")
    with pytest.raises(BuildError) as caught:
        load([source], device=Device.load("mlu370-x4"))
    assert "choose a device for CUDA, such as cuda-sm80" in caught.value.finding.suggestion


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__mlu_entry__ void k(", "must be followed by a function"),
        ("__mlu_entry__ __attribute__", "must be followed by a function"),
        ("__mlu_entry__ template <class T>\nvoid k(T *x) {}", "must stand behind the parameters of the template"),
    ],
)
def test_a_kernel_that_is_none(tmp_path, text, message):
    path = tmp_path / "mine.mlu"
    path.write_text(f"#include <bang.h>\n\n{text}\n")
    with pytest.raises(BuildError, match=message) as caught:
        load([path], device=Device.load("mlu370-x4"))
    assert (caught.value.finding.location.file, caught.value.finding.location.line) == (str(path), 3)


def test_source_that_does_not_compile_gives_the_compilers_words(tmp_path):
    error = built(tmp_path, "return undeclared;")
    assert "undeclared" in error.finding.message


def test_a_missing_header_and_a_missing_file(tmp_path):
    path = tmp_path / "mine.mlu"
    path.write_text('\n#include "nowhere.h"\n')
    with pytest.raises(BuildError, match=r"nowhere\.h") as caught:
        load([path], device=Device.load("mlu370-x4"))
    assert caught.value.finding.location.line == 2
    with pytest.raises(BuildError, match="does not exist"):
        load([tmp_path / "other.mlu"], device=Device.load("mlu370-x4"))


def test_variables_of_a_file_over_budget(tmp_path):
    device = Device.load("mlu370-x4")
    room = device.shape.spaces["nram"].budget
    fits, over = tmp_path / "fits.mlu", tmp_path / "over.mlu"
    text = "#include <bang.h>\n__nram__ char small[1024];\n__nram__ char large[{}];\n"
    text += "__mlu_entry__ void k() {{ small[0] = large[0] = 0; }}\n"
    fits.write_text(text.format(room - 1024))
    over.write_text(text.format(room - 1023))
    assert load([fits], device=device).budget["nram"].declared == room
    with pytest.raises(BuildError) as caught:
        load([over], device=device)
    found = caught.value.finding
    assert (found.rule, found.operand, found.location.file, found.location.line) == ("budget", "large", str(over), 3)
    assert "1 too many" in found.message
    assert str(room) in found.limit


@pytest.mark.parametrize(
    ("call", "forms"),
    [
        (
            "__bang_add(x, x, 64);",
            ["void __bang_add(float *dst, const float *src0, const float *src1, int32_t elem_count)"],
        ),
        ("__bang_add(x, x, (half *)x, 64);", ["void __bang_add(half *dst, const half *src0"]),
        ("__bang_sqrt(x, (half *)x, 64);", ["void __bang_sqrt(float *dst, const float *src, int32_t elem_count)"]),
        ("__sync_all(3);", ["void __sync_all()"]),
    ],
)
def test_a_call_that_fits_no_form_of_an_instruction_shows_them(tmp_path, call, forms):
    error = built(tmp_path, call)
    name = call.partition("(")[0]
    assert f"the forms of {name} are:" in error.finding.suggestion
    for form in forms:
        assert form in str(error)
    assert "mlusim_ops.h" not in str(error)  # what the compiler says of our header is no news to anyone


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("__nram__ float a[64;\nvoid f() {}\n", 2, "'\\[' has no closing bracket"),
        ("__nram__ float a[2] = {1, 2;\n__nram__ int b;\n", 2, "'{' has no closing bracket"),
        ("void f() {\n}\n}\n", 4, "expected declaration before '}'"),
        ("void f() {\n  if (1) {\n}\n", 4, "expected '}' at end of input"),
        ("void f(int *x) {\n  x[(0] = 1;\n}\n", 3, "expected '\\)' before"),
    ],
)
def test_unbalanced_brackets_are_at_the_users_line(tmp_path, text, line, words):
    path = tmp_path / "mine.mlu"
    path.write_text("#include <bang.h>\n" + text)
    with pytest.raises(BuildError, match=words) as caught:
        load([path], device=Device.load("mlu370-x4"))
    assert (caught.value.finding.location.file, caught.value.finding.location.line) == (str(path), line)
