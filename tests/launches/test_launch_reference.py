"""Functions for the host in files of their own, as what the results of a kernel are compared with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Program, load
from mlusim.simulator.cli import main
from mlusim.simulator.kernelc.options import Options

from tests.support.devices import device

TASKS, THREADS = (Path(__file__).with_name(f"references.{kind}") for kind in ("mlu", "cu"))
CLIP = """#include <algorithm>
#include <vector>
static float clipped(float x) { return std::min(x, 1.0f); }
void clip(const float *x, int n);
void in_place(float *x, int n) {
  std::vector<float> made;
  for (int i = 0; i < n; i++) made.push_back(clipped(x[i]));
  std::copy(made.begin(), made.end(), x);
}
"""
SCALE = """void scaled_on_host(const float *x, float *y, float by, int n) {
  float *made = new float[n];
  for (int i = 0; i < n; i++) made[i] = y[i] + by * x[i];
  for (int i = 0; i < n; i++) y[i] = made[i];
  delete[] made;
}
"""


def numbers(count: int) -> np.ndarray:
    return np.random.default_rng(8).normal(size=count).astype(np.float32)


def written(folder: Path, text: str) -> Path:
    path = folder / "right.cpp"
    path.write_text(text, encoding="utf-8")
    return path


def functions(folder: Path, text: str, chip: str) -> Program:
    """What `--against` makes of a file."""
    return Program([written(folder, text)], Options(), device(chip))


@pytest.mark.parametrize(("limit", "code"), [("1.0f", 0), ("0.5f", 1)])
def test_tasks(limit: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "x.npy", numbers(100))
    command = [str(TASKS), "-D", f"LIMIT={limit}", "--kernel", "soft_clip", "--dim", "2", "--arg", f"{tmp_path}/x.npy"]
    assert main(["check", *command, "100", "--against", str(written(tmp_path, CLIP))]) == code
    if code:
        assert "is 0.5, not " in capsys.readouterr().out


def test_threads_and_another_order_of_parameters(tmp_path: Path) -> None:
    """The array in place begins as it was, and the names of the parameters say which is which."""
    own = load([THREADS], device=device("cuda-sm80"))
    reference = functions(tmp_path, SCALE, "cuda-sm80")
    x, y = numbers(100), np.ones(100, np.float32)
    reference.launch_reference("scale_by<0>", own, [y, x, 100, 3])
    assert np.allclose(y, 1 + 3 * x)
    by_name = {"y": np.zeros(100, np.float32), "x": x, "n": 100, "by": 3}
    assert reference.launch_reference("scale_by<0>", own, by_name).findings == []
    assert np.allclose(by_name["y"], 3 * x)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("void other(float *x) { x[0] = 1; }\n", "no function for the host that takes the arguments of soft_clip("),
        (
            "void soft_clip_cpu(float *x, int n) {}\nvoid soft_clip_ref(float *x, int n) {}\n",
            "several functions take the arguments of soft_clip: soft_clip_cpu, soft_clip_ref",
        ),
    ],
)
def test_no_function_or_several(text: str, says: str, tmp_path: Path) -> None:
    own = load([TASKS], device=device("mlu370-x4"), define=["LIMIT=1"])
    reference = functions(tmp_path, text, "mlu370-x4")
    with pytest.raises(ValueError, match=says.replace("(", r"\(")):
        reference.launch_reference("soft_clip", own, [numbers(10), 10])


def test_of_several_the_one_with_the_name_of_the_kernel(tmp_path: Path) -> None:
    own = load([TASKS], device=device("mlu370-x4"), define=["LIMIT=1"])
    text = "void zeros(float *x, int n) { x[0] = 0; }\nvoid soft_clip_ref(float *x, int n) { x[0] = 7; }\n"
    x = numbers(10)
    functions(tmp_path, text, "mlu370-x4").launch_reference("soft_clip", own, [x, 10])
    assert x[0] == 7


def test_a_version_has_the_kernel_itself(tmp_path: Path) -> None:
    program = load([TASKS], device=device("mlu370-x4"), define=["LIMIT=1"])
    assert program.defines("soft_clip")
    assert not program.defines("soft_clip_cpu")
    assert load([THREADS], device=device("cuda-sm80")).defines("scale_by<...>")
