"""C++ of mlusim's own: each header compiles alone, and the runtime exports what its list says."""

import fnmatch
import re
import shutil
import subprocess

import pytest
from mlusim.simulator.native import HOST, INCLUDE, PASSES, RUNTIME, THREADS
from mlusim.simulator.native.build import tasks_runtime
from mlusim.simulator.native.compiler import Compiler

NATIVE = INCLUDE.parent
#: The headers of our libraries; those of passes in C are parts of one source.
OURS = [*NATIVE.glob("*.h"), *(path for folder in (RUNTIME, THREADS, HOST) for path in folder.glob("*.h"))]
OURS += PASSES.glob("*/**/*.h")
#: Headers of kernels and host programs that are plain C++: the others are read behind what kernelc generates.
PLAIN = [
    "bang/cn_api.h", "bang/cndev.h", "bang/cnnl.h", "bang/cnrt.h", "bang/mlusim_convert.h", "bang/mlusim_half.h",
    "bang/mlusim_storage.h",
]  # fmt: skip
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
FOLDERS = [f"-I{RUNTIME}", f"-I{INCLUDE / 'bang'}"]


def compiles(text):
    """What the compiler says of a source."""
    command = [*Compiler().command, "-std=c++17", "-fsyntax-only", *WARNINGS, *FOLDERS]
    return subprocess.run([*command, "-x", "c++", "-"], input=text, capture_output=True, text=True).stderr


def begins_a_source(header):
    """Whether a source that is compiled by itself begins with a header: it compiles alone then."""
    source = header.with_suffix(".cpp")
    if header.is_relative_to(PASSES) or not source.is_file():  # the sources of a pass are compiled as one
        return False
    first = next(line for line in source.read_text(encoding="utf-8").splitlines() if line.startswith("#"))
    return first == f'#include "{header.name}"'


@pytest.mark.parametrize(
    "header",
    sorted(header for header in OURS if not begins_a_source(header)),
    ids=lambda path: path.relative_to(NATIVE).as_posix(),
)
def test_a_header_compiles_alone(header):
    assert not compiles(f'#include "{header}"\n')


def test_a_header_may_be_included_twice():
    starts = {path.name: re.sub(r"^//.*\n", "", path.read_text(encoding="utf-8"), flags=re.M) for path in OURS}
    assert [name for name, text in starts.items() if not text.startswith("#pragma once\n")] == []


@pytest.mark.parametrize("header", PLAIN)
def test_a_header_of_kernels_compiles_alone(header):
    assert not compiles(f'#include "{INCLUDE / header}"\n')


@pytest.mark.slow
def test_the_unit_tests_in_cpp_pass():
    if not shutil.which("make"):
        pytest.skip("there is no make")
    root = NATIVE.parents[1]
    done = subprocess.run(["make", "-s", "unit"], cwd=root, capture_output=True, text=True)
    assert re.search(r"^\d+ tests, 0 failures$", done.stdout, re.M), done.stdout + done.stderr


def test_the_runtime_exports_what_its_list_says():
    tool = shutil.which("nm") or shutil.which("llvm-nm")
    if not tool:
        pytest.skip("there is no nm")
    said = subprocess.check_output([tool, "-D", "--defined-only", tasks_runtime(Compiler())], text=True)
    symbols = [line.split()[-2:] for line in said.splitlines()]
    names = {name.partition("@")[0] for kind, name in symbols if kind != "A"}  # A: the names of the groups
    text = re.sub(r"#.*", "", (RUNTIME / "exports.map").read_text(encoding="utf-8"))
    listed = re.findall(r"([\w*]+);", text.partition("global:")[2].partition("local:")[0])
    assert {name for name in names if not any(fnmatch.fnmatchcase(name, entry) for entry in listed)} == set()
    assert [entry for entry in listed if not fnmatch.filter(names, entry)] == []
