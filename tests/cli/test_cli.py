"""The command line: each command's output, files, messages and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator.cli import main, outputs

from tests.support.commands import call, document
from tests.support.paths import KERNELS_C

SOURCE = str(KERNELS_C / "command_line.mlu")
ADD = ["run", SOURCE, "--kernel", "add", "--dim", "4", "--arg", "zeros:float32:1024", "x.npy", "y.npy", "1024"]
OVERRUN = ["run", SOURCE, "--kernel", "overrun", "--arg", "x.npy", "300"]
LOGSPACE = ["op", "logspace", "start=0", "end=6", "steps=7", "base=2"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, at a width of 100, with two arrays in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    np.save("x.npy", np.arange(1024, dtype=np.float32))
    np.save("y.npy", np.full(1024, 0.5, np.float32))
    return tmp_path


def test_version(capsys):
    assert call(capsys, "--version") == (0, "mlusim 0.1.0\n", "")


@pytest.mark.slow
def test_op(capsys, folder):
    code, out, err = call(capsys, *LOGSPACE, "--out", "r.npy", "--trace", "t.json", "--log", "l.mlulog")
    assert (code, err) == (0, "")
    assert "result: float32[7] = [1, 2, 4, ..., 16, 32, 64]" in out
    assert "cores of mlu370-x4" in out
    np.testing.assert_allclose(np.load("r.npy"), [1, 2, 4, 8, 16, 32, 64], rtol=1e-5)
    assert json.loads(Path("t.json").read_text())["otherData"]["device"] == "mlu370-x4"
    assert {path.name for path in folder.iterdir()} == {"x.npy", "y.npy", "r.npy", "t.json", "l.mlulog"}


def test_op_as_json(capsys):
    code, data = document(capsys, "op", "logspace", "--out", "r.npy", "start=nan", "end=1", "steps=20")
    assert code == 0
    assert data["results"]["result"] == {"dtype": "float32", "shape": [20], "head": ["nan"] * 16}
    assert (data["findings"], data["written"]) == ([], ["r.npy"])
    assert data["time_us"] == data["summary"]["total_us"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["logspac", "start=0"], ["did you mean 'logspace'?", "mlusim op logspace start=... end=..."]),
        (["logspace", "start=0", "end=1", "step=2"], ["no argument 'step' (did you mean 'steps'?)", "usage:"]),
        (["logspace", "end=1"], ["needs start and steps", "[base=10.0]"]),
        (["logspace", "0", "1"], ["'0' is not of the form name=value"]),
        (["logspace", "start=0", "start=1"], ["start is given twice"]),
        (["logspace", "start=0", "end=1", "steps=2", "out=3"], ["--out"]),
        (["logspace", "start=0", "end=1", "steps=-2"], ["steps is -2"]),
        (["logspace", "start=0", "end=1", "steps=none.npy"], ["none.npy does not exist"]),
        (["logspace", "start=0", "end=1", "steps=2", "--device", "mlu37"], ["'mlu37' (did you mean mlu370-"]),
        (["logspace", "start=0", "end=1", "steps=2", "--bogus"], ["unrecognized arguments: --bogus"]),
    ],
)
def test_wrong_use_of_op(capsys, arguments, words):
    code, out, err = call(capsys, "op", *arguments)
    assert (code, out) == (2, "")
    assert all(word in err for word in words), err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--out", "none/r.npy"], "none does not exist; make it first"),
        (["--trace", "."], "it is a folder"),
        (["--trace", "same", "--log", "same"], "two outputs have the path same"),
    ],
)
def test_outputs_are_checked_before_the_run(capsys, monkeypatch, arguments, words):
    monkeypatch.setattr("mlusim.kernels.OPERATORS", {"logspace": lambda device, start: pytest.fail("ran")})
    code, out, err = call(capsys, "op", "logspace", "start=0", *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_a_failed_write_leaves_the_old_file(capsys, monkeypatch, folder):
    Path("r.npy").write_text("old")

    def fail(file: Any, array: np.ndarray, **options: Any) -> None:
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(outputs.np, "save", fail)
    code, _, err = call(capsys, *LOGSPACE, "--out", "r.npy")
    assert (code, err) == (1, "mlusim op: cannot write r.npy: no space left\n")
    assert Path("r.npy").read_text() == "old"
    assert not list(folder.glob("*.part"))


def test_run(capsys):
    code, out, err = call(capsys, *ADD, "--save", "0=sum.npy", "--save", "out=named.npy")
    assert (code, err) == (0, "")
    assert np.array_equal(np.load("named.npy"), np.load("sum.npy"))
    assert out.count("adding 1024") == 4
    assert "argument 0: float32[1024] = [0.5, 1.5, 2.5, ..., 1021.5, 1022.5, 1023.5]" in out
    assert "wrote sum.npy" in out
    assert np.array_equal(np.load("sum.npy"), np.arange(1024) + 0.5)


def test_run_as_json_keeps_the_kernels_print_apart(capsys):
    code, data = document(capsys, *ADD)
    assert code == 0
    assert data["results"]["argument 0"]["head"][:2] == [0.5, 1.5]
    assert list(data["results"]) == ["argument 0", "argument 1", "argument 2"]


def test_a_broken_kernel(capsys):
    code, out, err = call(capsys, *OVERRUN, "--save", "0=r.npy", "--log", "l.mlulog")
    assert (code, out) == (1, "wrote l.mlulog\n")
    assert err.startswith("mlusim run: the kernel broke rules: 1 error\nerror: bounds: write of 1200 bytes")
    assert "command_line.mlu:21" in err
    assert "Traceback" not in err
    assert not Path("r.npy").exists()


def test_collect_goes_on(capsys):
    code, data = document(capsys, *OVERRUN, "--collect")
    assert code == 1
    (found,) = data["findings"]  # two variables are passed equally far, by two lines
    assert (found["rule"], found["location"]["line"]) == ("bounds", 21)
    assert [place["line"] for place in found["also"]] == [22]
    assert "argument 0" in data["results"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--kernel", "ad"], "the kernels of this program are add, overrun"),
        (["--kernel", "overrun", "--arg", "x.npy"], "takes 2 arguments; 1 were given"),
        (["--kernel", "overrun", "--arg", "te.xt"], "'te.xt' is no kernel argument"),
        (["--kernel", "overrun", "--arg", "zeros:foo:3"], "'foo' is no element type"),
        (["--kernel", "overrun", "--arg", "x.npy", "3", "--save", "1=r.npy"], "argument 1 is no array"),
        (["--kernel", "overrun", "--arg", "x.npy", "3", "--dim", "1,2,3,4"], "--dim is '1,2,3,4'"),
        (["--kernel", "overrun", "--arg", "x.npy", "3", "--type", "union1"], "needs a multiple of 4"),
    ],
)
def test_wrong_use_of_run(capsys, arguments, words):
    code, out, err = call(capsys, "run", SOURCE, *arguments)
    assert (code, out) == (2, "")
    assert words in err


@pytest.mark.slow
@pytest.mark.filterwarnings("default:.*has no instruction:RuntimeWarning")
def test_options_of_the_compiler(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("before.h").write_text("#define HEADER 7\n")
    Path("k.mlu").write_text(
        "#include <bang.h>\n__mlu_entry__ void k(int *x) {\n"
        "  x[0] = TILE; x[1] = FLAG; x[2] = HEADER; x[3] = __cplusplus / 100;\n"
        "  if (TILE == 1) __bang_sub_constant(x);\n}\n"
    )
    options = ["-DTILE=64", "-D", "FLAG", "-include", "before.h", "-std=c++20"]
    code, out, err = call(capsys, "run", "k.mlu", "--kernel", "k", *options, "--arg", "zeros:int32:4")
    assert (code, out.splitlines()[0]) == (0, "argument 0: int32[4] = [64, 1, 7, 2020]")
    assert err.startswith("mlusim run: ")
    assert "k.mlu:4: BANG C (Cambricon MLU) has no instruction __bang_sub_constant" in err
    code, data = document(capsys, "build", "k.mlu", *options)
    assert (code, data["signatures"]) == (0, {"k": "k(int *x)"})
    assert call(capsys, "build", "k.mlu", "-D", "1x")[0] == 2
    assert call(capsys, "build", "k.mlu", "-std=c++1")[0] == 2
    assert call(capsys, "build", "k.mlu")[0] == 1


def test_build(capsys):
    code, out, _ = call(capsys, "build", SOURCE)
    assert code == 0
    assert [line.partition("(")[0].strip() for line in out.splitlines()[:3]] == [
        "KERNELS FOR mlu370-x4",
        "add",
        "overrun",
    ]
    assert ["NRAM", "2", "KiB", "768", "KiB", "0.3", "%"] in [line.split() for line in out.splitlines()]
    code, data = document(capsys, "build", SOURCE, "--device", "mlu270")
    assert data["budget"][0] == {"space": "nram", "declared": 2048, "limit": 524288, "reserved": 131072}


TEMPLATES = """#include <bang.h>
template <typename T> __mlu_global__ void scale(T *x, T f) { x[0] = x[0] * f; }
template <typename T> __mlu_global__ void add(T *x) { x[0] = sum(x[0]); }
template <typename T> void go(cnrtQueue_t q, T *x) { scale<<<cnrtDim3_t{1, 1, 1}, cnrtFuncTypeBlock, q>>>(x, T(2)); }
void both(cnrtQueue_t q, float *x, half *y) { go(q, x); go(q, y); }
"""


def test_building_templates_compiles_what_host_code_launches(capsys):
    Path("t.mlu").write_text(TEMPLATES)
    code, out, _ = call(capsys, "build", "t.mlu")
    assert code == 0
    assert "compiled, as host code launches them: scale<float>, scale<half>\n" in out
    assert "not compiled, since nothing here launches them: add;" in out
    _, data = document(capsys, "build", "t.mlu")
    assert (data["instances"], data["not_compiled"]) == (["scale<float>", "scale<half>"], ["add<...>"])
    Path("t.mlu").write_text(TEMPLATES + "void third(cnrtQueue_t q, int *x) { add<<<1, 1, q>>>(x); }\n")
    code, _, err = call(capsys, "build", "t.mlu")
    assert code == 1
    assert "t.mlu:3:" in err


def test_a_source_that_does_not_compile(capsys):
    Path("bad.mlu").write_text("__mlu_entry__ void k(float *x) { __bang_ad(x, x, x, 3); }\n")
    code, out, err = call(capsys, "build", "bad.mlu")
    assert (code, out) == (1, "")
    assert "bad.mlu:1" in err
    assert "__bang_add" in err
    code, data = document(capsys, "build", "none.mlu")
    assert (code, data["error"]) == (1, "none.mlu does not exist; pass the path of a kernel source")


@pytest.fixture(scope="module")
def saved_log(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("logs") / "l.mlulog")
    assert main([*LOGSPACE, "--log", path]) == 0
    return path


def test_files_that_are_no_logs(capsys):
    Path("text.mlulog").write_text("no log")
    for name, words in (("text.mlulog", "is not a log written by mlusim"), ("none.mlulog", "does not exist")):
        code, out, err = call(capsys, "replay", name)
        assert (code, out) == (2, "")
        assert words in err


def test_replay(capsys):
    _, run = document(capsys, *ADD, "--log", "l.mlulog")
    code, again = document(capsys, "replay", "l.mlulog")
    assert (code, again["time_us"]) == (0, run["time_us"])
    code, faster = document(capsys, "replay", "l.mlulog", "--set", "launch.overhead_us=0", "--trace", "t.json")
    assert faster["unchanged_time_us"] == run["time_us"]
    assert faster["time_us"] == pytest.approx(run["summary"]["kernel_us"])
    assert faster["written"] == ["t.json"]
    code, out, _ = call(capsys, "replay", "l.mlulog", "--set", "launch.overhead_us=0")
    assert f"{run['time_us']:.3f} us before, {run['summary']['kernel_us']:.3f} us after" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--device", "mlu590"], "arch 372, not 592"),
        (["--set", "clock.mhz=3"], "the nearest name is 'clock.core_mhz'"),
        (["--set", "clock.core_mhz=fast"], "clock.core_mhz is 'fast'; pass a number"),
    ],
)
def test_wrong_use_of_replay(capsys, saved_log, arguments, words):
    code, out, err = call(capsys, "replay", saved_log, *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_devices(capsys):
    code, out, _ = call(capsys, "devices")
    assert code == 0
    assert ["mlu370-x4", "372", "8", "x", "4", "24", "GiB", "768", "KiB"] in [
        line.split()[:9] for line in out.splitlines()
    ]
    code, out, _ = call(capsys, "devices", "mlu370-x4")
    lines = [line.split() for line in out.splitlines()]
    assert ["clock.core_mhz", "1,000", "MHz", "documented"] in lines
    code, data = document(capsys, "devices", "mlu370-x4")
    assert data["facts"]["shape.spaces.nram.bytes"]["value"] == 786432
    assert all(fact["source"] and fact["kind"] for fact in data["facts"].values())


def test_an_interrupt_ends_quietly(capsys, monkeypatch):
    def interrupt(device: Any, start: float, on_finding: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mlusim.kernels.OPERATORS", {"logspace": interrupt})
    assert call(capsys, "op", "logspace", "start=0") == (130, "", "mlusim: interrupted\n")


@pytest.mark.slow
def test_elementwise_operators(capsys, folder):
    code, out, err = call(capsys, "op", "add", "a=x.npy", "b=y.npy", "--out", "c.npy", "--plan")
    assert (code, err) == (0, "")
    assert "variant         nobroadcast\n" in out
    assert "result: float32[1024] = [0.5, 1.5, 2.5" in out
    np.testing.assert_array_equal(np.load("c.npy"), np.arange(1024) + np.float32(0.5))
    np.save("i.npy", np.arange(-50, 50, dtype=np.int8))
    code, data = document(capsys, "op", "mul", "a=i.npy", "b=i.npy", "scales=0.5,0.5,4", "--out", "c.npy", "--plan")
    assert (code, data["results"]["result"]["dtype"]) == (0, "int8")
    assert any("nobroadcast_int8" in line for line in data["plan"])
    np.testing.assert_array_equal(np.load("c.npy"), np.clip(np.rint(np.arange(-50, 50) ** 2 / 16), -128, 127))
    code, data = document(capsys, "op", "clip", "a=x.npy", "low=1", "high=none")
    assert (code, data["results"]["result"]["head"][:3]) == (0, [1, 1, 2])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "a=x.npy"], "add needs b"),
        (["add", "a=x.npy", "b=i.npy"], "i.npy does not exist"),
        (["mul", "a=x.npy", "b=2", "scales=1,0,1"], "scales has 0; pass numbers above 0"),
        (["add", "a=x.npy", "b=y.npy", "variant=fast"], "variant is 'fast'"),
        (["logspace", "start=0", "end=1", "steps=3", "--plan"], "logspace has no plan"),
    ],
)
def test_wrong_use_of_elementwise_operators(capsys, folder, arguments, words):
    code, out, err = call(capsys, "op", *arguments, "--out", "c.npy")
    assert (code, out) == (2, "")
    assert words in err
    assert not Path("c.npy").exists()


def test_who_runs_a_program_waits_for_no_tables_traces_and_operators():
    script = "import sys, mlusim.simulator.cli.program; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    late = (
        "rich",
        "mlusim.traces",
        "mlusim.kernels",
        "mlusim.simulator.host.cnnl",
        "mlusim.simulator.host.programs.toolkit",
    )
    assert [name for name in done.stdout.split() if name.startswith(late)] == []
