"""Standard streams of commands and of the user's Python: closed, full, missing or replaced, and never a hang."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, load
from mlusim.simulator.cli import main
from mlusim.simulator.engines.worker.output import KernelOutput

pytestmark = pytest.mark.slow

TALK = """#include <bang.h>
__mlu_entry__ void talk(float *x, int n) { for (int i = 0; i < n; i++) printf("line %d \u4e2d\\n", i); x[0] = n; }
"""
COMMAND = [sys.executable, "-m", "mlusim.simulator"]
RUN = ["run", "talk.mlu", "--kernel", "talk", "--arg", "zeros:float32:4"]
QUIET = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all, so that the source is built once."""
    folder = tmp_path_factory.mktemp("streams")
    (folder / "talk.mlu").write_text(TALK, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def folder(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with nothing in it but the source."""
    for path in shared.iterdir():
        if path.name != "talk.mlu":
            path.unlink()
    monkeypatch.chdir(shared)
    return shared


def test_a_reader_that_goes_away_ends_a_kernel_that_talks():
    with subprocess.Popen(
        [*COMMAND, *RUN, "2000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=QUIET
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "line 0 \u4e2d\n".encode()
        process.stdout.close()
        assert process.wait(timeout=30) == 128 + signal.SIGPIPE
        assert b"Traceback" not in process.stderr.read()


def test_a_kernel_that_talks_ends_at_its_limit():
    done = subprocess.run(
        [*COMMAND, *RUN, "2000000000", "--time-limit", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "longer than the time limit of 1 s" in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_streams_that_are_closed(closed):
    shell = f"{' '.join(COMMAND)} {' '.join(RUN)} 3 --save 0=out.npy {closed}"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, env=QUIET, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert np.load("out.npy")[0] == 3
    assert (b"line 2" in done.stdout) == (">&-" not in closed.replace("2>&-", ""))


@pytest.mark.parametrize("arguments", [["devices"], ["devices", "--json"], [*RUN, "3"], ["--help"]])
def test_a_full_disk_is_a_sentence(arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, env=QUIET, check=False)
        assert done.returncode == 1
        assert done.stderr.endswith(b"No space left on device\n")
        assert done.stderr.count(b"\n") <= 2  # what the kernel printed is lost, and the report
        assert subprocess.run([*COMMAND, "isa", "none"], stderr=full, env=QUIET, check=False).returncode == 2


@pytest.mark.parametrize("stream", [None, io.StringIO(), io.TextIOWrapper(io.BytesIO(), "ascii"), "closed"])
def test_a_python_without_its_standard_output(monkeypatch, stream):
    program = load(["talk.mlu"], device=Device.load("mlu370-x4"))
    if stream == "closed":
        stream = io.StringIO()
        stream.close()
    monkeypatch.setattr(sys, "stdout", stream)
    x = np.zeros(4, np.float32)
    program.launch("talk", args=[x, 3])
    code = main([*RUN, "3"])
    monkeypatch.undo()
    assert (x[0], code) == (3, 0)
    if isinstance(stream, io.StringIO) and not stream.closed:
        assert stream.getvalue().startswith("line 0 \u4e2d\nline 1")
        assert "no findings" in stream.getvalue()


def test_what_is_printed_while_the_reader_is_slow_is_shown(monkeypatch, capsys):
    """A line is passed on; the rest and the answer come before the reader looks again."""
    show = KernelOutput.relay

    def slow(output: KernelOutput) -> None:
        show(output)
        time.sleep(0.2)

    monkeypatch.setattr(KernelOutput, "relay", slow)
    load(["talk.mlu"], device=Device.load("mlu370-x4")).launch("talk", args=[np.zeros(4, np.float32), 1000])
    assert capsys.readouterr().out == "".join(f"line {number} \u4e2d\n" for number in range(1000))


def refusal(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The message of a command that refuses an output before anything runs."""
    capfd.readouterr()
    assert main(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    return err


def test_outputs_that_are_inputs_or_each_other(capfd):
    np.save("x.npy", np.zeros(4, np.float32))
    run = ["run", "talk.mlu", "--kernel", "talk", "--arg", "x.npy", "1"]
    os.link("talk.mlu", "twin")
    Path("link").symlink_to("x.npy")
    Path("alias").symlink_to("out")
    for output in (["--log", "twin"], ["--save", "0=link"], ["--trace", "x.npy"]):
        assert "which this command reads; pass another name" in refusal(capfd, *run, *output)
    assert "one file" in refusal(capfd, *run, "--log", "out", "--trace", "alias")
    assert main([*run, "--log", "/dev/null", "--trace", "/dev/null", "--save", "0=out.npy"]) == 0
    assert main([*run, "--log", "l.mlulog"]) == 0
    assert "which this command reads" in refusal(capfd, "replay", "l.mlulog", "--trace", "./l.mlulog")
    assert Path("talk.mlu").read_text(encoding="utf-8") == TALK


def test_an_output_that_is_the_report(folder):
    shell = f"{' '.join(COMMAND)} {' '.join(RUN)} 3 --log report > report"
    done = subprocess.run(["sh", "-c", shell], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, Path("report").read_text()) == (2, "")
    assert "the report of this command goes there" in done.stderr


def test_pipes_are_quiet() -> None:
    """No progress in a pipe, no complaint when its reader goes away, no colour codes."""
    process = subprocess.Popen([*COMMAND, "isa"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/")
    assert process.stdout is not None
    assert process.stderr is not None
    assert b"\x1b" not in process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() in (0, 128 + signal.SIGPIPE)
