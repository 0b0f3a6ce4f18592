"""What cannot be compared with itself says so: logs, kernels in Python; and operators that can."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, launch
from mlusim.simulator.cli import main

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
NOT_BUILT = "not otherwise: in smaller tiles, or with other bytes in locals: a kernel in Python is not built"
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

    with pytest.raises(ValueError, match=r"retile: in smaller tiles, .* a kernel in Python is not built"):
        launch(nothing, args=[np.zeros(4, np.float32)], device=Device.load("mlu370-x4"), retile=True)


def test_an_operator_says_what_was_tried(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["op", "logspace", "start=0", "end=6", "steps=7", "base=2"]
    assert main([*words, "--deep"]) == 0
    said = capsys.readouterr().err
    assert "run again in 2 other orders of its tasks, with" in said
    assert "with other bytes in its local variables" in said
    assert main(words) == 0
    assert "run again" not in capsys.readouterr().err
