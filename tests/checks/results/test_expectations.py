"""What counts as wrong, what is said of it, and what may be expected at all."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator import Finding, KernelError, Program, load
from mlusim.simulator.cli import main

from tests.support.devices import device

SOURCE = Path(__file__).with_name("twice.mlu")
N = 64


@cache
def twice() -> Program:
    return load([SOURCE], device=device())


def stored(got: np.ndarray, right: Any, tolerance: float | None = None) -> list[Finding]:
    """The findings of a launch that leaves an array as it is."""

    return twice().launch("idle", args=[got], on_finding="collect", expect={"out": right}, tolerance=tolerance).errors


def half_of_the_digits(dtype: Any) -> float:
    bits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[np.dtype(dtype).name]
    return float(2.0 ** (-bits / 2))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("times", [0.8, 1.3])
def test_floats_may_lose_half_of_their_digits(dtype: Any, times: float) -> None:
    right = np.full(N, 4.0)
    got = right.copy()
    got[5] *= 1 + times * half_of_the_digits(dtype)
    assert bool(stored(got.astype(dtype), right)) == (times > 1)


def test_a_signalling_nan_is_wrong_without_a_warning_of_numpy() -> None:
    got = np.zeros(N, np.uint32)
    got[5] = 0x7FA00000
    (finding,) = stored(got.view(np.float32), np.zeros(N))
    assert "1 wrong element among the 64 of out: out[5] is nan, not 0" in finding.message


def test_a_difference_counts_by_the_mean_where_that_is_larger() -> None:
    right = np.full(N, 100.0)
    right[3] = 1e-6
    got = right.astype(np.float32)
    got[3] = 1e-3
    assert not stored(got, right)
    got[3] = 1
    (finding,) = stored(got, right)
    assert "out[3] is 1, not 1e-06" in finding.message
    assert finding.limit == "0.00024 of the number or, if larger, of the mean of all"


@pytest.mark.parametrize(
    ("got", "right", "tolerance", "wrong"),
    [
        (np.arange(4, dtype=np.int32), [0, 1, 2, 3], None, 0),
        (np.arange(4, dtype=np.int32), [0, 1, 2, 4], None, 1),
        (np.array([2**62, 5], np.int64), np.array([2**62 + 1, 5]), None, 1),
        (np.array([100, 101], np.int32), [100, 100], 0.02, 0),
        (np.array([True, False]), [True, True], None, 1),
        (np.array([1, np.nan, np.inf], np.float32), [1, np.nan, np.inf], None, 0),
        (np.array([np.nan, 1, np.inf], np.float32), [1, np.nan, -np.inf], None, 3),
        (np.array([1 + 1j, 2], np.complex64), [1 + 1j, 2j], None, 1),
        (np.array([1.0, 2.0], np.float32), [1.05, 2.0], 0.1, 0),
        (np.array([1.0, 2.0], np.float32), [1.0000001, 2.0], 0, 1),
        (np.ones((2, 3), np.float32), np.ma.masked_array(np.arange(6).reshape(2, 3), [[1, 0, 1], [1, 1, 0]]), None, 1),
        (np.zeros((0, 3), np.float32), np.zeros((0, 3)), None, 0),
    ],
)  # fmt: skip
def test_what_is_wrong(got: np.ndarray, right: Any, tolerance: float | None, wrong: int) -> None:
    found = stored(got, right, tolerance)
    assert bool(found) == bool(wrong)
    for finding in found:
        assert finding.rule == "wrong-result"
        assert finding.message.startswith(f"{wrong} wrong element{'s' * (wrong > 1)} among the {got.size} of out: out[")
        assert finding.message.endswith("never written")


@pytest.mark.parametrize(
    ("late", "pattern"),
    [(0, ""), (1, "1 element further on"), (-3, "3 elements before")],
)  # fmt: skip
def test_results_that_are_expected_elsewhere(late: int, pattern: str) -> None:
    x = np.random.default_rng(2).random(N + 10).astype(np.float32)
    out = np.zeros(N, np.float32)
    given = {"out": out, "x": x, "late": 5 + late}
    run = twice().launch("twice", args=given, on_finding="collect", expect={"out": 2 * x[5 : 5 + N]})
    assert [finding.message.partition(";")[1:] for finding in run.errors] == [
        (";", f" they are what is expected {pattern}")
    ] * bool(late)


@pytest.mark.parametrize(("value", "pattern"), [(0.0, "all of them are 0"), (np.nan, "all of them are NaN")])
def test_results_that_are_all_alike(value: float, pattern: str) -> None:
    given = [np.ones(N, np.float32), np.full(N, value, np.float32), 0]
    run = twice().launch("twice", args=given, on_finding="collect", expect={0: np.ones(N)})
    assert run.errors[0].message.endswith(pattern)


def test_a_wrong_result_is_an_error_like_any_other() -> None:
    out, x = np.full(N, 7, np.float32), np.ones(N, np.float32)
    with pytest.raises(KernelError, match=r"wrong-result: 1 wrong element among the 64 of out: out\[9\] is 2, not 3"):
        twice().launch("twice", args=[out, x, 0], expect={"out": 2 + (np.arange(N) == 9)})
    assert (out == 7).all()
    run = twice().launch("twice", args=[out, x, 0], expect={"out": np.full(N, 2)}, orders=2)
    assert (out == 2).all()
    assert not run.findings


def test_arrays_that_stay_on_the_device() -> None:
    out, x = device().array(np.zeros(N, np.float32)), np.ones(N, np.float32)
    run = twice().launch("twice", args=[out, x, 0], on_finding="collect", expect={"out": np.full(N, 2)})
    assert not run.findings
    run = twice().launch("twice", args=[out, x, 0], on_finding="collect", expect={"out": np.full(N, 3)})
    assert [step.taken for step in run.errors[0].trail] == [(), ("x[0]",)]


def test_a_launch_that_has_not_come_to_its_end_is_not_compared() -> None:
    out = np.zeros(2, np.float32)
    with pytest.raises(KernelError) as caught:
        twice().launch("broken", args=[out], expect={"out": np.ones(2)})
    assert caught.value.run is not None
    assert {finding.rule for finding in caught.value.run.errors} == {"overlap"}
    run = twice().launch("broken", args=[out], on_finding="collect", expect={"out": np.full(2, 3)})
    assert [finding.rule for finding in run.errors] == ["overlap", "wrong-result", "wrong-result"]


@pytest.mark.parametrize(
    ("expect", "tolerance", "error", "says"),
    [
        ({"ot": np.ones(N)}, None, ValueError, "'ot' is an array (did you mean 'out'?); the arrays are out, x"),
        ({2: np.ones(N)}, None, ValueError, "no argument '2' is an array"),
        ({"out": np.ones(N + 1)}, None, ValueError, "out has shape [64], and what is expected [65]"),
        ({"out": ["a"] * N}, None, TypeError, "out is ['a', 'a', 'a', 'a', 'a', 'a', ...]; pass an array of numbers"),
        ({"out": np.array([None] * N)}, None, TypeError, "pass an array of numbers"),
        ([np.ones(N)], None, TypeError, "pass a mapping such as {'out': right}"),
        ({"out": np.ones(N)}, -1, ValueError, "tolerance is -1; pass a relative difference, such as 1e-4"),
        ({"out": np.ones(N)}, np.nan, ValueError, "tolerance is nan"),
        ({"out": np.ones(N)}, True, ValueError, "tolerance is True"),
        (None, 1e-3, ValueError, "pass expect, too"),
    ],
)  # fmt: skip
def test_what_cannot_be_expected(expect: Any, tolerance: Any, error: type[Exception], says: str) -> None:
    out = np.zeros(N, np.float32)
    with pytest.raises(error) as caught:
        twice().launch("twice", args=[out, np.ones(N, np.float32), 0], expect=expect, tolerance=tolerance)
    assert says in str(caught.value)
    assert not out.any(), "the kernel has run"


@pytest.mark.slow
def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(SOURCE)
    np.save(tmp_path / "x.npy", np.arange(N + 1, dtype=np.float32))
    np.save(tmp_path / "right.npy", 2 * np.arange(N, dtype=np.float32))
    launched = [source, "--kernel", "twice", "--arg", "zeros:float32:64", str(tmp_path / "x.npy")]
    expected = ["--expect", f"out={tmp_path / 'right.npy'}"]
    assert main(["run", *launched, "0", *expected]) == 0
    capsys.readouterr()
    assert main(["run", *launched, "1", *expected]) == 1
    said = capsys.readouterr().err
    assert "they are what is expected 1 element further on" in said
    assert f"from __memcpy at {source}:5, of x[1]" in said
    assert main(["check", *launched, "1", *expected, "--tolerance", "100", "--format", "json"]) == 0
    capsys.readouterr()
    assert main(["check", *launched, "1", "--expect", f"0={tmp_path / 'right.npy'}", "--format", "sarif"]) == 1
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    (result,) = (result for result in results if result["ruleId"] == "wrong-result")
    (flow,) = result["codeFlows"][0]["threadFlows"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in flow["locations"]]
    assert lines == [5, 6, 7]
    earlier = tmp_path / "earlier.mlu"
    earlier.write_text(Path(source).read_text(encoding="utf-8").replace("x + late", "x + 1"), encoding="utf-8")
    assert main(["run", *launched, "1", "--against", str(earlier)]) == 0
    capsys.readouterr()
    assert main(["check", *launched, "0", "--against", str(earlier)]) == 1
    assert "they are what is expected 1 element before" in capsys.readouterr().out
    earlier.write_text(earlier.read_text(encoding="utf-8").replace("256, GDRAM2NRAM", "260, GDRAM2NRAM"))
    assert main(["check", *launched, "0", "--against", str(earlier)]) == 2
    assert f"--against {earlier}: error: bounds: write of 260 bytes at byte 0 of 'tile'" in capsys.readouterr().err
    assert main(["run", *launched, "1", "--expect", "out=right"]) == 2
    assert "--expect out=right: 'right' is no argument" in capsys.readouterr().err
    assert main(["check", source, *expected]) == 2
    assert "name it with --kernel" in capsys.readouterr().err
