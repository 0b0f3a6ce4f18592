"""Sources as people have them: odd names and encodings, stated lines, headers and caches that change, missing parts."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, KernelError, Program, load

from tests.support.caches import cache_with_ours, with_objects

ODD = "a (b) c'd\"e%s$f#g\\h:1:i\nj中"
BROKEN = "#include <bang.h>\n__mlu_entry__ void k(float *x) {\n  x[99] = 1;\n}"


def built(device: Device, path: Path, text: str | bytes, **options: object) -> Program:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load([path], device=device, **options)  # type: ignore[arg-type]


def place(program: Program, kernel: str = "k") -> tuple[str, int]:
    """File and line of the finding that ends a kernel."""
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, args=[np.zeros(8, np.float32)])
    location = caught.value.finding.location
    return location.file, location.line


def value(program: Program) -> float:
    x = np.zeros(1, np.float32)
    program.launch("k", args=[x])
    return float(x[0])


@pytest.mark.slow
def test_any_path_of_source_and_cache_keeps_the_lines(device, tmp_path, monkeypatch):
    folder = tmp_path / ODD
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    with_objects(cache_with_ours(folder / "cache"))
    monkeypatch.setenv("MLUSIM_CACHE", str(tmp_path / "link" / "cache"))
    text = BROKEN.replace("\n__mlu", "\n__nram__ float t[4]; static int count; __mlu", 1).replace("{\n", "{ count++;\n")
    program = built(device, folder / f"k{ODD}.mlu", text)
    assert place(program) == (str(folder / f"k{ODD}.mlu"), 3)
    # The image and the runtime are made again where they are gone, also after they were loaded.
    gone = [
        path
        for path in (folder / "cache").glob("*/*.so")
        if path.name not in ("libmlusim_flow.so", "libmlusim_text.so", "libmlusim_timing.so")
    ]
    for path in gone:
        path.unlink()
    assert place(program)[1] == 3
    assert len(gone) == 2
    assert all(path.is_file() for path in gone)


@pytest.mark.parametrize("name", ['quote"d', "back\\slash"])
def test_a_path_of_the_cache_that_strings_of_assembly_would_end_at(device, tmp_path, monkeypatch, name):
    monkeypatch.setenv("MLUSIM_CACHE", str(cache_with_ours(tmp_path / name)))
    text = BROKEN.replace("x[99] = 1", "__memcpy(a, x, 64, GDRAM2NRAM)").replace(
        "\n__mlu", "\n__nram__ float a[8]; __mlu"
    )
    assert place(built(device, tmp_path / "k.mlu", text)) == (str(tmp_path / "k.mlu"), 3)


def test_encodings_and_line_ends(device, tmp_path):
    text = BROKEN.replace("x[99]", 'printf("\u554a\u529f\u5176"); x[99]')
    for data in (
        text.encode("gbk"),
        codecs.BOM_UTF8 + text.encode(),
        BROKEN.replace("\n", "\r\n").encode(),
        BROKEN.replace("{\n", "{ // caf\xe9\n").encode("latin-1"),
        BROKEN.replace("{\n", "{ \0\n").encode(),
    ):
        assert place(built(device, tmp_path / "k.mlu", data)) == (str(tmp_path / "k.mlu"), 3)
    with pytest.raises(BuildError, match=r"k\.mlu:3:.*'wrong' was not declared") as caught:
        built(device, tmp_path / "k.mlu", BROKEN.replace("x[99]", "wrong /* \u554a */").encode("gbk"))
    assert caught.value.finding.location.line == 3


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-be", "utf-32"])
def test_encodings_that_no_compiler_reads(device, tmp_path, coding):
    mark = codecs.BOM_UTF16_BE if coding.endswith("be") else b""
    with pytest.raises(BuildError, match=rf"is written in UTF-{coding[4:6]}.*save it as UTF-8"):
        built(device, tmp_path / "k.mlu", mark + BROKEN.encode(coding))


def test_what_is_no_source_file(device, tmp_path):
    os.mkfifo(tmp_path / "pipe.mlu")
    for path, words in ((tmp_path, "is a folder"), (tmp_path / "pipe.mlu", "is no regular file")):
        with pytest.raises(BuildError, match=words):
            load([path], device=device)
    with pytest.raises(ValueError, match="is no path of a file"):
        load([Path("a\0b")], device=device)
    assert built(device, tmp_path / "empty.mlu", "").kernels == []


@pytest.mark.slow
def test_what_is_included_is_seen_when_it_changes(device, tmp_path):
    near, far = tmp_path / "near", tmp_path / "far"
    near.mkdir()
    far.mkdir()
    data = tmp_path / "data.bin"
    data.write_bytes(b"\1")
    (far / "n.h").write_text("#define N 10\n")
    text = (
        '#include <bang.h>\n#include "n.h"\n#if __has_include("more.h")\n#define M 100\n#else\n#define M 0\n#endif\n'
        f'asm(".pushsection .data\\n.globl data\\n.hidden data\\ndata: .incbin \\"{data}\\"\\n.popsection");\n'
        'extern "C" volatile char data[];\n'
        "__mlu_entry__ void k(float *x) { x[0] = data[0] + N + M; }\n"
    )
    values = [value(built(device, tmp_path / "k.mlu", text, include=[near, far]))]
    for path, content in ((data, "\2"), (far / "n.h", "#define N 20\n"), (near / "n.h", "#define N 30\n"),
                          (near / "more.h", "")):  # fmt: skip
        path.write_text(content)
        values.append(value(load([tmp_path / "k.mlu"], include=[near, far], device=device)))
    assert values == [11, 12, 22, 32, 132]


def test_a_copy_of_the_vendors_header(device, tmp_path):
    (tmp_path / "cnrt.h").write_text(
        "#ifndef __CNRT_H\n#define __CNRT_H\ntypedef enum { cnrtSuccess = 0 } cnrtRet_t;\n#endif\n"
    )
    text = '#include "bang.h"\n#include "cnrt.h"\n__mlu_entry__ void k(float *x) { x[0] = cnrtSuccess + 7; }\n'
    assert value(built(device, tmp_path / "k.mlu", text)) == 7


@pytest.fixture(scope="module")
def parts(device, tmp_path_factory) -> Program:
    return built(
        device,
        tmp_path_factory.mktemp("parts") / "parts.mlu",
        """#include <bang.h>
#include <stdexcept>
#include <string>
#include <vector>
void missing(float *x);
extern "C" void bare(float *x);
std::vector<int> table(100, 7);
int *volatile kept;
namespace one { __mlu_entry__ void k(float *x) { x[0] = 1; } }
namespace two { __mlu_entry__ void k(float *x) { x[0] = 2; } }
__mlu_entry__ void calls(float *x, int n) {
  x[0] = 1;
  if (n) missing(x);
  else bare(x);
}
__mlu_entry__ void heap(float *x) {
  kept = new int[5];
  kept[4] = table[99];
  std::string text(100, 'a');
  x[0] = kept[4] + text[99];
  delete[] kept;
  try { throw std::runtime_error("caught"); } catch (const std::exception &error) { x[1] = error.what()[0]; }
}
__mlu_entry__ void beyond(float *x) { kept = new int[5]; kept[500] = 1; }
__mlu_entry__ void throws(float *x) {
  x[0] = 1;
  throw std::runtime_error("why");
}
#include <variant>
__mlu_entry__ void chosen(float *x, int n) {
  std::variant<float, int> number = 1.5f;
  if (n) number = n;
  x[0] = std::get<float>(number);
}
#line 700 "grammar.y"
__mlu_entry__ void stated(float *x) {
  x[99] = 1; }
#line 9 "<a tool>"
__mlu_entry__ void tool(float *x) { x[99] = 1; }
""",
    )


def test_stated_lines_are_the_users(parts):
    assert place(parts, "stated") == ("grammar.y", 701)
    assert place(parts, "tool") == ("<a tool>", 9)


def test_the_compiler_states_the_same_lines(device, tmp_path):
    with pytest.raises(BuildError, match=r"\ngrammar\.y:70:") as caught:
        built(device, tmp_path / "k.mlu", '#line 70 "grammar.y"\nint x = wrong;\n')
    assert (caught.value.finding.location.file, caught.value.finding.location.line) == ("grammar.y", 70)


@pytest.mark.parametrize(("n", "name", "line"), [(1, "missing(float*)", 13), (0, "bare()", 14)])
def test_a_function_without_a_body_is_named_at_its_call(parts, n, name, line):
    with pytest.raises(KernelError) as caught:
        parts.launch("calls", args=[np.zeros(8, np.float32), n])
    found = caught.value.finding
    assert found.message == f"{name} is called, and no source of the program defines it"
    assert found.location.line == line


def test_the_types_of_a_function_without_a_body_are_the_languages(device, tmp_path):
    text = """template <typename T> __mlu_func__ void load(T *x, const bfloat16_t *y);
__mlu_entry__ void k(half *x, bfloat16_t *y) { y ? load<half>(x, y) : load<bfloat16_t>(y, y); }
"""
    program = built(device, tmp_path / "k.mlu", text)
    x, y = np.zeros(8, np.float16), np.zeros(8, ml_dtypes.bfloat16)
    for given, name in ((y, "void load<half>(half*, bfloat16_t const*)"), (None, "void load<bfloat16_t>(bfloat16_t*,")):
        with pytest.raises(KernelError) as caught:
            program.launch("k", args=[x, given])
        assert caught.value.finding.message.startswith(name)


def test_new_exceptions_and_the_library(parts):
    for _ in range(3):
        x = np.zeros(8, np.float32)
        assert not parts.launch("heap", args=[x]).findings
        assert x[:2].tolist() == [7 + ord("a"), ord("c")]
    assert place(parts, "beyond")[1] == 24


def test_an_exception_that_nothing_catches_is_found_where_it_is_thrown(parts):
    with pytest.raises(KernelError, match="threw an exception that nothing catches: std::runtime_error: why") as caught:
        parts.launch("throws", args=[np.zeros(8, np.float32)])
    assert caught.value.finding.location.line == 27


def test_what_a_header_defines_to_throw(parts):
    x = np.zeros(8, np.float32)
    assert not parts.launch("chosen", args=[x, 0]).findings
    assert x[0] == 1.5
    with pytest.raises(KernelError, match="threw an exception that nothing catches: std::bad_variant_access"):
        parts.launch("chosen", args=[x, 1])


def test_kernels_of_one_name(parts, device, tmp_path):
    x = np.zeros(1, np.float32)
    for number, name in ((1, "one::k"), (2, "two::k")):
        parts.launch(name, args=[x])
        assert x[0] == number
    for name in ("a.mlu", "b.mlu"):
        (tmp_path / name).write_text(BROKEN)
    program = load([tmp_path / "a.mlu", tmp_path / "b.mlu"], device=device)
    assert program.kernels == ["k"]
    with pytest.raises(ValueError, match=r"k is defined in .*a\.mlu and in .*b\.mlu; load the one that you mean"):
        program.launch("k", args=[x])
    with pytest.raises(BuildError, match=r"c\.mlu:5: kernel k is defined on line 2 of .*c\.mlu too"):
        built(device, tmp_path / "c.mlu", BROKEN + "\n__mlu_entry__ void k(float *y) {}\n")


def test_a_variable_is_no_kernel(device, tmp_path):
    with pytest.raises(BuildError, match=r"k\.mlu:2: 'a' is a variable; only functions are kernels"):
        built(device, tmp_path / "k.mlu", "#include <bang.h>\n__nram__ float __mlu_entry__ a[4];\n")


def test_an_open_brace_is_the_users(device, tmp_path):
    with pytest.raises(BuildError, match="expected '}'") as caught:
        built(device, tmp_path / "k.mlu", BROKEN[:-1])
    assert caught.value.finding.location.file == str(tmp_path / "k.mlu")


def test_another_cache_in_the_same_process(device, tmp_path, monkeypatch):
    monkeypatch.setenv("MLUSIM_CACHE", str(cache_with_ours(tmp_path / "cache")))
    program = built(device, tmp_path / "k.mlu", BROKEN.replace("\n", "\n__nram__ float t[4]; ", 1))
    assert program.budget["nram"].declared == 16
    assert place(program)[1] == 3


def test_a_macro_that_the_source_defines_again_is_told(device, tmp_path):
    text = "#include <bang.h>\n#define SIZE 2\n#ifndef N\n#define N 3\n#endif\n"
    text += "__mlu_entry__ void k(float *x) { x[0] = SIZE + N; }\n"
    with pytest.warns(RuntimeWarning, match="-D SIZE=5 has no effect"):
        program = built(device, tmp_path / "k.mlu", text, define=["SIZE=5", "N=40"])
    said = [(one.severity, one.location.line, one.rule) for one in program.warnings]
    assert (said, value(program)) == ([("warning", 2, "build")], 42)
    with pytest.warns(RuntimeWarning, match="-D SIZE=5 has no effect"):  # also of what is kept
        load([tmp_path / "k.mlu"], device=device, define=["SIZE=5", "N=40"])
    assert built(device, tmp_path / "same.mlu", text, define=["SIZE=2"]).warnings == []
