"""The compiler: which one is taken, what it may take, and that it ends with the process that asked for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from mlusim.simulator import BuildError, Device, load
from mlusim.simulator.native import library
from mlusim.simulator.native.build import BuildTarget, build, tasks_runtime
from mlusim.simulator.native.compiler import Compiler
from mlusim.simulator.native.process import LimitReached, Limits, run_limited

BOMB = """template <int N, int M> struct A { static const long v = A<N-1, M>::v + A<N-1, M + (1 << N)>::v; };
template <int M> struct A<0, M> { static const long v = M; };
long x = A<24, 0>::v;
"""


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that makes a script the compiler."""
    monkeypatch.setenv("MLUSIM_CACHE", str(tmp_path / "cache"))

    def make(text: str) -> None:
        path = tmp_path / "my compiler"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        monkeypatch.setenv("CXX", str(path))

    return make


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/nowhere/g++", "which is not there; set it to a C++ compiler, or unset it"),
        ("/", "which is not there; set it to a C++ compiler, or unset it"),
        ("'", "which is no command"),
        ("false", "which is no C++ compiler"),
        ("true", "cannot build the runtime of mlusim; set CXX to a C\\+\\+ compiler"),
    ],
)
def test_what_is_no_compiler(tmp_path, monkeypatch, command, words):
    monkeypatch.setenv("MLUSIM_CACHE", str(tmp_path))
    monkeypatch.setenv("CXX", command)
    with pytest.raises(BuildError, match=words.replace("C++", r"C\+\+").replace(r"\\+", r"\+")):
        tasks_runtime(Compiler())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kill -SEGV $$", "which is no C\\+\\+ compiler"),
        (
            '[ "$1" = --version ] && echo mine && exit; kill -SEGV $$',
            "exit code 139 and wrote nothing|Segmentation fault",
        ),
        ('[ "$1" = --version ] && echo mine && exit; yes', "the 0.1 MB of preprocessed text; MLUSIM_COMPILE_MB sets"),
        ('[ "$1" = --version ] && echo mine && exit; exec sleep 99', "the 1 seconds .*; MLUSIM_COMPILE_SECONDS sets"),
    ],
)
def test_compilers_that_fail(scripted, monkeypatch, text, words):
    monkeypatch.setenv("MLUSIM_COMPILE_SECONDS", "1")
    monkeypatch.setenv("MLUSIM_COMPILE_MB", "0.1")
    scripted(text)
    with pytest.raises(BuildError, match=words):
        tasks_runtime(Compiler())


def test_a_compiler_with_arguments(monkeypatch):
    monkeypatch.setenv("CXX", "env SOME='a b' g++ -DGIVEN=1")
    compiler = Compiler()
    assert compiler.command[1:] == ("SOME=a b", "g++", "-DGIVEN=1")
    assert compiler.run(["-E", "-dM", "-x", "c++", os.devnull]).output.count(b"#define GIVEN 1\n") == 1


@pytest.mark.slow
def test_sources_that_take_too_much(tmp_path, monkeypatch):
    device, path = Device.load("mlu370-x4"), tmp_path / "k.mlu"

    def refusal(text: str) -> str:
        path.write_text(text)
        with pytest.raises(BuildError) as caught:
            load([path], device=device)
        assert caught.value.finding.location.file == str(path)
        return str(caught.value)

    assert "nested depth" in refusal('#include "k.mlu"\n')
    many = refusal("".join(f"int a{number} = wrong;\n" for number in range(20_000)))
    assert ":50:" in many
    assert ":51:" not in many
    literal = f'const char *large = "{"a" * (50 << 20)}";\n'
    assert "the 32 MB of preprocessed text; MLUSIM_COMPILE_MB sets the limit" in refusal(literal)
    monkeypatch.setenv("MLUSIM_COMPILE_GB", "0.3")
    words = "the compiler was ended at the 0.3 GB of memory that it may use; MLUSIM_COMPILE_GB sets the limit"
    assert words in refusal('#include "/dev/zero"\n')
    monkeypatch.setenv("MLUSIM_COMPILE_GB", "4")
    mistaken = "#include <new>\nstd::bad_alloc left = wrong; // out of memory\n"
    assert "'wrong' was not declared" in refusal(mistaken), (
        "what a source says is nothing that the compiler says of itself"
    )
    monkeypatch.setenv("MLUSIM_COMPILE_SECONDS", "1.5")
    assert "the 1.5 seconds that it may take" in refusal(BOMB)
    monkeypatch.setenv("MLUSIM_COMPILE_SECONDS", "soon")
    path.write_text("")
    with pytest.raises(BuildError, match="MLUSIM_COMPILE_SECONDS is 'soon'; set it to a number above 0"):
        load([path], device=device)


def test_messages_have_no_control_codes_and_an_end():
    done = run_limited(["sh", "-c", r"printf '\033[31m\007' >&2; yes | head -c 3000000 >&2"], os.environ, Limits())
    assert done.messages.startswith(r"\x1b[31m\x07")
    assert len(done.messages) < 400_000
    assert "bytes more of messages" in done.messages[-60:]


def test_a_limit_ends_the_children_too(tmp_path):
    mark = str(tmp_path / "mark")
    with pytest.raises(LimitReached):
        run_limited(["sh", "-c", f"(sleep 1; touch {mark}) & sleep 9"], os.environ, Limits(seconds=0.3))
    time.sleep(1.2)
    assert not os.path.exists(mark)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_compiler_ends_with_its_parent(tmp_path, number):
    mark = tmp_path / "mark"
    inner = f"(sleep 1; touch {mark}) & echo $! > {tmp_path}/pid; sleep 9"
    text = (
        "import os; from mlusim.simulator.native.process import *\n"
        f"run_limited(['sh', '-c', {inner!r}], os.environ, Limits())"
    )
    heed = partial(signal.signal, signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    with subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.DEVNULL, preexec_fn=heed) as process:
        while not (tmp_path / "pid").exists():
            time.sleep(0.01)
        process.send_signal(number)
    time.sleep(1.2)
    assert not mark.exists()


def test_what_is_built_is_known_by_its_text_wherever_it_lies(tmp_path):
    """A copy of the tree builds nothing again; a header of another text does."""

    def built(folder: str, value: str) -> Path:
        (tmp_path / folder / "headers").mkdir(parents=True)
        (tmp_path / folder / "headers" / "value.h").write_text(f"#define VALUE {value}\n")
        source = tmp_path / folder / "one.cpp"
        source.write_text('#include "value.h"\nextern "C" int one() { return VALUE; }\n')
        return build(Compiler(), BuildTarget("libone.so", "one", (source,), (f"-I{tmp_path / folder / 'headers'}",)))

    first = built("first", "1")
    assert built("second", "1") == first
    assert built("third", "2") != first


def test_the_first_build_of_the_runtime_builds_the_passes_along(tmp_path, monkeypatch):
    """Once; what fails beside it does not hinder it."""
    monkeypatch.setenv("MLUSIM_CACHE", str(tmp_path))
    source, calls = tmp_path / "one.cpp", list[str]()
    source.write_text('extern "C" int one() { return 1; }\n')
    monkeypatch.setattr("mlusim.simulator.native.build._TASKS", BuildTarget("libone.so", "one", (source,)))

    def built(folder: Path) -> None:
        calls.append(folder.name)
        raise BuildError("it cannot be built")

    monkeypatch.setattr(library, "built_folder", built)
    paths = {library.runtime_and_passes(Compiler()) for _ in range(2)}
    assert [path.name for path in paths] == ["libone.so"]
    assert sorted(calls) == ["flow", "text", "timing"]


def test_sources_that_cannot_be_linked_say_why_and_nothing_else(tmp_path, device):
    """What an image leaves to the runtime is missing there as well, and no mistake."""
    twice = "__mlu_device__ float twice(float x) { return 2 * x; }\n"
    calls = "#include <iostream>\nvoid say(float x) { std::cout << std::to_string(x); }\n"
    calls += "__mlu_device__ void set(float *x);\n"
    calls += "__mlu_entry__ void first(float *x) { set(x), x[1] = twice(1); }\n"
    sources = {
        "first.mlu": twice + calls,
        "second.mlu": twice + "__mlu_device__ void set(float *x) { *x = twice(3); }\n",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text("#include <bang.h>\n" + text)
    with pytest.raises(BuildError, match=r"multiple definition of `twice\(float\)'") as caught:
        load([tmp_path / name for name in sources], device=device)
    assert len(str(caught.value).splitlines()) < 6
