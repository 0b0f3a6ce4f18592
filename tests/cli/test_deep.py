"""What cannot be compared with itself says so: logs, kernels in Python; and operators that can."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Run, launch
from mlusim.simulator.cli import main

from mlusim import kernels
from tests.launches.added import even, rest_twice

PYTHON = """
import numpy as np
from mlusim.simulator import Device, launch
def double(mlu, out, source):
    tile = mlu.nram("float", 64)
    mlu.__memcpy(tile, source, 256, mlu.GDRAM2NRAM)
    mlu.__bang_add(tile, tile, tile, 64)
    mlu.__memcpy(out, tile, 256, mlu.NRAM2GDRAM)
run = launch(double, args=[np.zeros(64, np.float32), np.ones(64, np.float32)], device=Device.load("mlu370-x4"))
run.log.save("double.mlulog")
"""
NOT_BUILT = "not in smaller tiles: a kernel in Python is not built"
NOT_AGAIN = "not run again: a log has neither the kernel nor its arrays; check the source"


def test_a_kernel_in_python_and_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("double.py").write_text(PYTHON)
    assert main(["check", "double.py", "--deep"]) == 0
    assert NOT_BUILT in capsys.readouterr().err
    for asked in (["--deep"], ["--resplit", "3"], []):
        assert main(["check", "double.mlulog", *asked]) == 0
        assert (NOT_AGAIN in capsys.readouterr().err) == bool(asked)
    assert main(["check", "double.mlulog", "--deep", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["tried"]
    assert one["tried"] == NOT_AGAIN


def test_who_asks_a_kernel_in_python_for_smaller_tiles_hears_why_not() -> None:
    def nothing(mlu, out) -> None:
        del mlu, out

    with pytest.raises(ValueError, match="retile: in smaller tiles: a kernel in Python is not built"):
        launch(nothing, args=[np.zeros(4, np.float32)], device=Device.load("mlu370-x4"), retile=True)


def test_an_operator_says_what_was_tried(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["op", "logspace", "start=0", "end=6", "steps=7", "base=2"]
    assert main([*words, "--deep"]) == 0
    said = capsys.readouterr().err
    assert "run again in 2 other orders of its tasks, with" in said
    assert "with other bytes in its local variables" in said
    assert main(words) == 0
    assert "run again" not in capsys.readouterr().err


def test_an_operator_says_which_splits_it_cannot_have(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["op", "logspace", "start=0", "end=6", "steps=7", "base=2"]
    assert main([*words, "--resplit", "3,8:union2", "--smaller"]) == 0
    said = capsys.readouterr().err
    assert "run again with 8 union2 tasks, with steps = 6" in said
    assert "not with 3 union1 tasks: dim[0] is 3; a union1 launch needs a multiple of 4" in said


@pytest.mark.parametrize("how", [["--resplit", "1,3"], ["--deep"], []])
@pytest.mark.parametrize("kernel", [even, rest_twice])
def test_an_operator_that_depends_on_its_split_fails(
    how: list[str], kernel: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def added(device: Device, *, n: int, on_finding: str = "raise") -> Run:
        out, source = np.zeros(1000, np.float32), np.ones(1000, np.float32)
        return launch(kernel, (2, 1, 1), args=[out, source, n], device=device, on_finding=on_finding)

    monkeypatch.setattr(kernels, "OPERATORS", {"added": added})
    monkeypatch.setattr(kernels, "DEFAULT_DEVICES", {"added": "mlu370-x4"})
    fails = bool(how) and kernel is rest_twice
    assert main(["op", "added", "n=1000", *how]) == fails
    _, said = capsys.readouterr()
    assert ("split-dependent" in said) == fails
    assert (f"kernel {kernel.__name__}: run again" in said) == bool(how)


SPLIT = """
#include <bang.h>
__mlu_entry__ void added(float *x, int n) {
  __nram__ float tile[1024];
  int each = n / taskDim, begin = taskId * each, count = taskId == taskDim - 1 ? n - begin : each;
  __memcpy(tile, x + begin, count * sizeof(float), GDRAM2NRAM);
  __bang_add_scalar(tile, tile, 1.0f, ALL);
  __memcpy(x + begin, tile, count * sizeof(float), NRAM2GDRAM);
}
"""


@pytest.mark.parametrize("how", [["--resplit", "1,3"], ["--smaller"], []])
@pytest.mark.parametrize("all", ["count", "each"])
def test_run_says_what_was_tried_and_what_differs(
    how: list[str], all: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the division leaves over is left as it is by a kernel that adds to ``each``."""
    (tmp_path / "added.mlu").write_text(SPLIT)
    np.save(tmp_path / "x.npy", np.ones(1000, np.float32))
    words = ["run", str(tmp_path / "added.mlu"), "-D", f"ALL={all}", "--kernel", "added", "--dim", "4", *how]
    fails = all == "each" and "--resplit" in how
    assert main([*words, "--arg", str(tmp_path / "x.npy"), "1000"]) == fails
    _, said = capsys.readouterr()
    tried = {"--resplit": "with 1 task, with 3 tasks", "--smaller": "with n = 999, with n = 857, with n = 501"}
    assert (f"kernel added: run again {tried.get(''.join(how[:1]))}" in said) == bool(how)
    assert ("1 of the 1000 elements of x differs with 3 tasks" in said) == fails
