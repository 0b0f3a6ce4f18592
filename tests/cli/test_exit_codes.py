"""Every command in every outcome: its exit code is the documented one, and with --json there is one JSON document."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator.cli import main
from mlusim.traces.difference import Difference
from mlusim.traces.why import Why

from tests.support.commands import call
from tests.support.documents import document

SOURCE = r"""
__nram__ float tile[64];
__mlu_entry__ void fine(float *x) { __memcpy(tile, x, 256, GDRAM2NRAM); __memcpy(x, tile, 256, NRAM2GDRAM); }
__mlu_entry__ void warns(float *x) { __memcpy(x, tile, 256, NRAM2GDRAM); }
__mlu_entry__ void past(float *x) { __memcpy(tile, x, 512, GDRAM2NRAM); }
__mlu_entry__ void endless(float *x) { for (;;) x[0] = x[1]; }
__mlu_entry__ void crashes(float *x) { __builtin_trap(); }
__mlu_entry__ void talks(float *x) { printf("kernel talks\n"); fine(x); }
"""
FORM = {"schema", "version"}
INTERRUPTED = {"schema": "mlusim", "version": 1, "error": "interrupted", "finding": None}
FAILS = {"error", "finding"}
RUN = {"results", "findings", "suppressed", "time_us", "summary", "written"}
CHECK = {"checked", "findings", "suppressed", "written"}
LOGSPACE = ("op", "logspace", "start=0", "end=1", "steps=4")


def run(kernel: str, *more: str) -> tuple[str, ...]:
    return ("run", "k.mlu", "--kernel", kernel, *more, "--arg", "zeros:float32:64")


#: Command line, exit code, and the keys of the document besides those that all have.
TABLE: list[tuple[tuple[str, ...], int, set[str]]] = [
    (LOGSPACE, 0, RUN),
    ((*LOGSPACE, "--why", "--profile"), 0, RUN | {"why", "profile"}),
    (("op",), 0, {"operators"}),
    (("op", "logspac"), 2, FAILS),
    (("op", "logspace", "end=1"), 2, FAILS),
    (("op", "logspace", "start=x", "end=1", "steps=4"), 2, FAILS),
    (("op", "logspace", "start=0", "end=1", "steps=-1"), 2, FAILS),
    (("op", "logspace", "start=0", "end=1", "steps=9e99"), 2, FAILS),
    ((*LOGSPACE, "--device", "nothing"), 2, FAILS),
    ((*LOGSPACE, "--out", "no/r.npy"), 2, FAILS),
    ((*LOGSPACE, "--outt", "r.npy"), 2, FAILS),
    (run("fine"), 0, RUN),
    (run("talks"), 0, RUN),
    (run("warns"), 0, RUN),
    (run("past"), 1, RUN),
    (run("past", "--collect"), 1, RUN),
    (run("crashes"), 1, RUN),
    (run("endless", "--time-limit", "0.2"), 1, RUN),
    (run("endless", "--time-limit", "1e-9"), 1, RUN),
    (run("fine", "--time-limit", "inf"), 0, RUN),
    (run("fine", "--time-limit", "1e30"), 0, RUN),
    (run("fine", "--time-limit", "nan"), 2, FAILS),
    (run("fine", "--time-limit", "-1"), 2, FAILS),
    (run("fine", "--time-limit", "soon"), 2, FAILS),
    (run("absent"), 2, FAILS),
    (run("fine", "--dim", "0"), 2, FAILS),
    (run("fine", "--dim", "1.5"), 2, FAILS),
    (run("fine", "--dim", "2147483648"), 2, FAILS),
    (run("fine", "--dim", "9" * 5000), 2, FAILS),
    (run("fine", "--type", "union3"), 2, FAILS),
    (run("fine", "--type", "union1"), 2, FAILS),
    (run("fine", "--save", "1=r.npy"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "1e400"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "(" * 5000), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg=-1"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "18446744073709551616"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "zeros:float32:99999999999999999999"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "zeros:object:4"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "zeros:V:4"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "zeros:float32:" + "x".join("1" * 70)), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "bad.npy"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "zip.npy"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "none.npy"), 2, FAILS),
    (("run", "k.mlu", "--kernel", "fine", "--arg", "objects.npy"), 2, FAILS),
    (("run", "k.mlu"), 2, FAILS),
    (("run",), 2, FAILS),
    (("run", "absent.mlu", "--kernel", "fine"), 1, FAILS),
    (("run", "broken.mlu", "--kernel", "fine"), 1, FAILS),
    (("run", ".", "--kernel", "fine"), 1, FAILS),
    (("check", "k.mlu"), 0, CHECK),
    (("check", "k.mlu", "--kernel", "fine", "--arg", "x=zeros:float32:64"), 0, CHECK),
    (("check", "k.mlu", "--kernel", "warns", "--arg", "zeros:float32:64"), 1, CHECK),
    (("check", "k.mlu", "--kernel", "past", "--arg", "zeros:float32:128"), 1, CHECK),
    (("check", "k.mlu", "--kernel", "fine"), 2, FAILS),
    (("check", "k.mlu", "--kernel", "absent"), 2, FAILS),
    (("check", "k.mlu", "--format", "yaml"), 2, FAILS),
    (("check", "k.mlu", "--output", "."), 2, FAILS),
    (("check", "k.mlu", "--suppressions", "absent.toml"), 2, FAILS),
    (("check", "k.mlu", "--suppressions", "bad.toml"), 2, FAILS),
    (("check", "broken.mlu"), 1, CHECK),
    (("check", "large.mlu"), 1, CHECK),
    (("check", "absent.mlu"), 2, FAILS),
    (("check", "absent.py"), 2, FAILS),
    (("check", "good.mlulog"), 0, CHECK),
    (("check", "good.mlulog", "--kernel", "fine"), 2, FAILS),
    (("check", "broken.mlulog"), 2, FAILS),
    (("check",), 2, FAILS),
    (("rules",), 0, {"rules"}),
    (("rules", "bounds"), 0, {"id", "severity", "doc", "text"}),
    (("rules", "bound"), 2, FAILS),
    (("build", "k.mlu"), 0, {"device", "kernels", "signatures", "budget", "instances", "not_compiled"}),
    (("build", "broken.mlu"), 1, FAILS),
    (("build", "large.mlu"), 1, FAILS),
    (("build", "absent.mlu"), 1, FAILS),
    (("build", "k.mlu", "--device", "bad.toml"), 2, FAILS),
    (("build",), 2, FAILS),
    (
        ("replay", "good.mlulog"),
        0,
        {"device", "changes", "time_us", "unchanged_time_us", "summary", "written"},
    ),
    (("replay", "good.mlulog", "--set", "clock.core_mhz=0"), 2, FAILS),
    (("replay", "good.mlulog", "--set", "clock.core_mhz=inf"), 2, FAILS),
    (("replay", "good.mlulog", "--set", "clock.core_mhz=" + "9" * 400), 2, FAILS),
    (("replay", "good.mlulog", "--set", "clock"), 2, FAILS),
    (("replay", "good.mlulog", "--device", "mlu590"), 2, FAILS),
    (("replay", "good.mlulog", "--set", "launch.overhead_us=1e29", "--trace", "t.json"), 1, FAILS),
    (("replay", "k.mlu"), 2, FAILS),
    (("replay", "absent.mlulog"), 2, FAILS),
    (("replay", "."), 2, FAILS),
    (("replay",), 2, FAILS),
    (("devices",), 0, {"devices"}),
    (("devices", "mlu590"), 0, {"name", "title", "isa", "shape", "facts"}),
    (("devices", "mlu59"), 2, FAILS),
    (("devices", "bad.toml"), 2, FAILS),
    (("devices", "absent.toml"), 2, FAILS),
    (("isa",), 0, {"instructions", "computed", "not_modelled"}),
    (("isa", "__bang_add"), 0, {"name", "modelled", "doc", "declarations"}),
    (("isa", "__bang_ad"), 2, FAILS),
    (("isa", "--dialect", "x86"), 2, FAILS),
    (("isa", "--arch", "new"), 2, FAILS),
    (("nothing",), 2, FAILS),
    (("examples", "examples"), 0, {"written"}),
    (("examples", "taken"), 2, FAILS),
    (("toolkit", "toolkit"), 0, {"written"}),
    (("doctor",), 0, {"checks"}),
    (("view", "good.mlulog", "--report", "v.html"), 0, {"written", "opened"}),
    (("why", "good.mlulog"), 0, {"written", *Why.__dataclass_fields__}),
    (("diff", "good.mlulog", "good.mlulog"), 0, {"written", *Difference.__dataclass_fields__}),
    (("schema",), 0, {"$schema", "title", "oneOf", "$defs"}),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outcomes")
    (path / "k.mlu").write_text(SOURCE)
    (path / "broken.mlu").write_text("__mlu_entry__ void fine(float *x) { y[0] = 1; }\n")
    (path / "large.mlu").write_text("__nram__ float t[1 << 20];\n__mlu_entry__ void fine(float *x) { x[0] = t[0]; }\n")
    (path / "broken.mlulog").write_bytes(b"PK\x03\x04 and then nothing that is an archive")
    (path / "bad.toml").write_text("name = 1\n")
    (path / "taken").mkdir()
    (path / "taken" / "scale.mlu").write_text("mine\n")
    (path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00\x10\x00{'descr': ((((((\n")
    np.savez(path / "zip.npz", a=np.zeros(3))
    (path / "zip.npz").rename(path / "zip.npy")
    np.save(path / "objects.npy", np.array([{}]))
    here = Path.cwd()
    os.chdir(path)
    try:
        assert main([*LOGSPACE, "--log", "good.mlulog"]) == 0
    finally:
        os.chdir(here)
    return path


@pytest.mark.parametrize(("arguments", "code", "keys"), TABLE, ids=[" ".join(row[0])[:60] for row in TABLE])
def test_outcome(capfd, monkeypatch, folder, arguments, code, keys):
    monkeypatch.chdir(folder)
    found, out, err = call(capfd, *arguments, "--json")
    said = json.loads(out) if arguments == ("schema",) else document(out, arguments[0])
    assert found == code, err
    assert set(said) - FORM == keys
    assert "Traceback" not in err
    if code:
        assert err.startswith(("mlusim", "usage: mlusim"))
    if keys == FAILS:
        assert said["error"] in err
        assert len(err) < 4000
    elif keys == RUN:
        assert any(finding["severity"] == "error" for finding in said["findings"]) == (code == 1)


PLAIN = [run("fine"), run("past"), ("replay", "k.mlu"), ("op", "x"), ("isa",), ("devices",), ("build", "broken.mlu")]


@pytest.mark.parametrize("arguments", PLAIN)
def test_codes_are_the_same_without_json(capfd, monkeypatch, folder, arguments):
    monkeypatch.chdir(folder)
    assert call(capfd, *arguments)[0] == call(capfd, *arguments, "--json")[0]


def test_what_a_kernel_prints_goes_to_standard_error_with_json(capfd, monkeypatch, folder):
    monkeypatch.chdir(folder)
    _, out, err = call(capfd, *run("talks"), "--json")
    assert "kernel talks" in err
    assert "kernel talks" not in out


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (OSError("disk full"), 1, "disk full"),
        (MemoryError("no room"), 1, "no room"),
        (ValueError("wrong"), 2, "wrong"),
        (AttributeError("no x"), 1, "internal error: AttributeError: no x; this is a fault of mlusim"),
    ],
)
def test_whatever_a_command_raises_is_a_document(capfd, monkeypatch, raised, code, words):
    def fail(device: Any, on_finding: str) -> None:
        raise raised

    operators: dict[str, Callable[..., None]] = {"logspace": fail}
    monkeypatch.setattr("mlusim.kernels.OPERATORS", operators)
    found, out, err = call(capfd, "op", "logspace", "--json")
    assert (found, set(json.loads(out)) - FORM) == (code, FAILS)
    assert words in json.loads(out)["error"]
    assert "Traceback" not in err
    assert call(capfd, "op", "logspace")[:2] == (code, "")


def test_markdown_is_no_json(capfd):
    code, out, _ = call(capfd, "isa", "--markdown", "--json")
    assert (code, set(json.loads(out)) - FORM) == (2, FAILS)


def test_names_of_options_are_written_in_full(capfd):
    assert call(capfd, "devices", "--js")[0] == 2


@pytest.mark.slow
def test_an_interrupt_while_modules_are_imported():
    """It ends the command as quietly as a later one."""
    text = (
        "import sys, types\nfrom mlusim.simulator.__main__ import main\n"
        "class Interrupted(types.ModuleType):\n"
        "    def __getattr__(self, name): raise KeyboardInterrupt\n"
        "sys.modules['mlusim.simulator.cli'] = Interrupted('mlusim.simulator.cli')\n"
        "sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_interrupt_from_the_keyboard(folder):
    command = [sys.executable, "-m", "mlusim.simulator", *run("endless"), "--json"]
    heed = partial(signal.signal, signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True, preexec_fn=heed)
    with pytest.raises(subprocess.TimeoutExpired):
        process.communicate(timeout=3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    # where it came while a dataclass executed its text, Python ends by the signal: a shell says 130 of both
    assert process.returncode in {130, -signal.SIGINT}
    assert (json.loads(out), err) == (INTERRUPTED, "mlusim: interrupted\n")


def test_without_docstrings_and_assertions(folder):
    """As Python runs with -OO; the kernel in this process, so that all of the simulator does."""
    command = [sys.executable, "-OO", "-m", "mlusim.simulator", *run("fine"), "--no-isolate", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["findings"] == []
