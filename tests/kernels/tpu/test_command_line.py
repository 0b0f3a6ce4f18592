"""Every operator from the command line, and what it lists."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.kernels import OPERATORS, tpu
from mlusim.simulator.cli import main

from .common import numbers

#: Operator -> the shapes of its arrays, further arguments, and the shape of its result.
CALLS: dict[str, tuple[dict[str, tuple[int, ...]], list[str], tuple[int, ...]]] = {
    "softmax": ({"x": (3, 4)}, ["axis=0", "source=python"], (3, 4)),
    "rms_norm": ({"x": (3, 4), "gamma": (4,)}, ["eps=1e-3"], (3, 4)),
    "layer_norm": ({"x": (3, 4), "gamma": (4,), "beta": (4,)}, [], (3, 4)),
    "matmul": ({"a": (3, 4), "b": (2, 4)}, ["transpose_b=true"], (3, 2)),
    "transpose": ({"x": (3, 4, 5)}, ["axes=2,0,1"], (5, 3, 4)),
    "attention": ({"q": (3, 4), "k": (5, 4), "v": (5, 2)}, ["scale=none", "causal=true"], (3, 2)),
    "conv2d": ({"x": (1, 2, 5, 5), "w": (3, 2, 3, 3)}, ["stride=2,1", "padding=1"], (1, 3, 3, 5)),
    "max_pool2d": ({"x": (1, 2, 5, 5)}, ["kernel=2"], (1, 2, 2, 2)),
    "avg_pool2d": ({"x": (1, 2, 5, 5)}, ["kernel=2,3", "stride=1"], (1, 2, 4, 3)),
    "nms": ({"boxes": (1, 4), "scores": (1,)}, ["threshold=0.5"], (1,)),
}


def test_every_operator_from_the_command_line(tmp_path: Path) -> None:
    for name, (arrays, further, shape) in CALLS.items():
        given = list(further)
        for argument, size in arrays.items():
            np.save(tmp_path / f"{argument}.npy", numbers(size))
            given.append(f"{argument}={tmp_path / argument}.npy")
        out = tmp_path / f"{name}.npz"
        assert main(["op", name, *given, "--device", "bm1690", "--out", str(out)]) == 0, name
        with np.load(out) as saved:
            assert saved["result"].shape == shape
    np.save(tmp_path / "indices.npy", np.array([2, 0]))
    out = tmp_path / "gather.npy"
    table = f"table={tmp_path / 'x.npy'}"
    assert main(["op", "gather", table, f"indices={tmp_path / 'indices.npy'}", "--out", str(out)]) == 2  # one image
    np.save(tmp_path / "x.npy", numbers((3, 4)))
    assert main(["op", "gather", table, f"indices={tmp_path / 'indices.npy'}", "--out", str(out)]) == 0
    assert np.array_equal(np.load(out), numbers((3, 4))[[2, 0]])
    assert {*CALLS, "gather"} == set(tpu.OPERATORS) <= set(OPERATORS)


def test_resplit_of_an_operator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "x.npy", numbers((300, 40)))
    assert main(["op", "softmax", f"x={tmp_path / 'x.npy'}", "--resplit", "1", "--orders", "1"]) == 0
    assert "no findings" in capsys.readouterr().out
