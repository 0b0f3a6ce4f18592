"""Kernels of one name with different parameters: listed with them, launched by host code and by that name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, HostProgram, load

SOURCE = Path(__file__).parent / "programs" / "overloaded.mlu"
HALF, FLOAT = (f"lib::scale(const int, const {name} *, {name} *)" for name in ("half", "float"))


def test_by_name() -> None:
    program = load([SOURCE], device=Device.load("mlu370-x4"))
    assert program.kernels == [HALF, FLOAT]
    for name, dtype, factor in ((HALF, np.float16, 2), (FLOAT, np.float32, 3)):
        x, y = np.arange(4, dtype=dtype), np.zeros(4, dtype)
        program.launch(name, args={"n": 4, "x": x, "y": y})
        assert y.tolist() == (factor * x).tolist()
    with pytest.raises(
        ValueError, match="2 kernels are called lib::scale, and several of them take 3 arguments"
    ) as caught:
        program.launch("lib::scale", args=[4, x, y])
    assert HALF in str(caught.value)


def test_from_host_code(capfd: pytest.CaptureFixture[str]) -> None:
    run = HostProgram([SOURCE], [], device=Device.load("mlu370-x4")).run()
    assert (run.exit_code, list(run.findings)) == (0, [])
    # Launched by name, by a pointer, an element of an array and a member: 3 and 2 to the power of 4.
    assert capfd.readouterr().out == "81 162 243 324\n80 96 112 128\n"
