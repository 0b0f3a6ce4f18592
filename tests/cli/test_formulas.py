"""What a launch is to leave, as a NumPy expression of its arguments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator.cli import main
from mlusim.simulator.cli.formulas import value_of

from tests.support.paths import KERNELS_C

SOURCE = str(KERNELS_C / "command_line.mlu")
ADD = ["run", SOURCE, "--kernel", "add", "--dim", "4", "--arg", "zeros:float32:1024", "x.npy", "y.npy", "1024"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.arange(1024, dtype=np.float32))
    np.save("y.npy", np.full(1024, 0.5, np.float32))


def expecting(capfd: pytest.CaptureFixture[str], formula: str) -> tuple[int, str]:
    code = main([*ADD, "--expect", formula])
    return code, capfd.readouterr().err


def test_right_and_wrong_results(capfd: pytest.CaptureFixture[str]) -> None:
    """Of what arguments hold before the launch, in the shape of the result."""
    assert expecting(capfd, "out=(x + y).reshape(4, 256)") == (0, "")
    code, said = expecting(capfd, "0=np.maximum(x, y)")
    assert code == 1
    assert "wrong-result: 1023 wrong elements among the 1024" in said


def test_names_that_are_words_of_python() -> None:
    arguments = {"in": np.arange(3, dtype=np.float16), "lambda": 0.5, "out": np.zeros(3)}
    assert value_of("in * lambda + in", "out", arguments).tolist() == [0, 1.5, 3]


@pytest.mark.parametrize(("formula", "words"), [
    ("xx + y", "'xx' is no argument (did you mean 'x'?), nor a function of NumPy"),
    ("x +", "invalid syntax"),
    ("x[:3]", "could not be broadcast together"),
    ("'text'", "it is ['text', 'text'"),
    ("__import__('os')", "'__import__' is no argument"),
])  # fmt: skip
def test_what_is_no_formula(capfd: pytest.CaptureFixture[str], formula: str, words: str) -> None:
    code, said = expecting(capfd, f"out={formula}")
    assert code == 2
    assert f"--expect out={formula}: " in said
    assert words in said
