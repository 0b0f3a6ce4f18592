"""The quickest variant of a kernel is found, whatever does not build, breaks rules, dies or is interrupted."""

from __future__ import annotations

import csv
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator.cli import main
from mlusim.simulator.study.sweep import Journal, best_points, carry_out, points_of
from mlusim.simulator.study.sweep.runners import guarded

from tests.study.clusters import cluster
from tests.support.documents import document
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow
TUNED = str(ROOT / "docs" / "examples" / "tuned.mlu")
#: Doubles numbers, a tile at a time; HARM breaks it in one way or another.
SOURCE = """#include <bang.h>
__mlu_global__ void twice(float *out, float *in, int n) {
  __nram__ float a[HARM == 3 ? 1 << 20 : TILE];
  static_assert(HARM != 4, "too much harm");
  for (volatile int i = 0; HARM == 5; i++) {}
  for (int at = taskId * TILE; at < n; at += taskDim * TILE) {
    __memcpy(a, in + at, TILE * 4, GDRAM2NRAM);
    __bang_mul_scalar(a, a, 2.0f, HARM == 1 ? TILE / 2 : TILE);
    __memcpy(out + at + (HARM == 2 ? 4 * n : 0), a, TILE * 4, NRAM2GDRAM);
  }
}
template <int N>
__mlu_global__ void rounds(float *out, float *in) {
  __nram__ float a[1024];
  __memcpy(a, in, 4096, GDRAM2NRAM);
  for (int i = 0; i < N; i++) __bang_mul_scalar(a, a, 1.0f, 1024);
  __memcpy(out, a, 4096, NRAM2GDRAM);
}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a kernel with its input and its right result lie; worker processes find the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    (tmp_path / "k.mlu").write_text(SOURCE)
    values = np.arange(8192, dtype=np.float32)
    np.save("in.npy", values)
    np.save("right.npy", 2 * values)
    return tmp_path


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variants are simulated in this process: to start others takes longer than they do."""

    def run(work: Any, points: Any, workers: int) -> Iterator[tuple[int, dict[str, Any]]]:
        return ((number, guarded(work, point)) for number, point in enumerate(points))

    monkeypatch.setattr("mlusim.simulator.cli.sweep.run_all", run)


def tune(*more: str, kernel: str = "twice") -> list[str]:
    return ["tune", "k.mlu", "--kernel", kernel, "--arg", "zeros:float32:8192", "in.npy", "8192",
            "--workers", "1", *more]  # fmt: skip


def test_blocks_of_threads_and_their_shared_memory(here, folder, capsys):
    """128 bytes are too few for 48 threads, and enough for 32."""
    (folder / "k.cu").write_text(
        "extern __shared__ float part[];\n"
        "__global__ void twice(float* out, const float* in, int n) {\n"
        "  part[threadIdx.x] = in[threadIdx.x];\n"
        "  __syncthreads();\n"
        "  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 2 * in[i];\n"
        "}\n"
    )
    asked = [
        "tune",
        "k.cu",
        "--device",
        "cuda-sm80",
        "--kernel",
        "twice",
        "--arg",
        "zeros:float32:8192",
        "in.npy",
        "8192",
    ]
    assert main([*asked, "--block", "16,8x4,48", "--shared", "128:256:2", "--expect", "right.npy"]) == 0
    said = capsys.readouterr().out
    assert "6 of 6 variants simulated: 5 work, 1 do not" in said
    assert "bounds: " in said
    assert "block=48 shared=128" in said
    assert "best: --device cuda-sm80 --block" in said


def test_what_does_not_work_is_a_row_with_its_reason(here, capsys):
    asked = ["-D", "TILE=1024", "--define", "HARM=0:4", "--dim", "1,2", "--expect", "right.npy"]
    assert main(tune(*asked, "--out", "t.csv")) == 0
    said = capsys.readouterr().out
    assert "10 of 10 variants simulated: 2 work, 8 do not" in said
    assert "best: --device mlu370-x4 -D HARM=0 --dim 2\n" in said
    assert "the next, HARM=0 dim=1, is behind by " in said
    with open("t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["HARM"], row["dim"]) for row in rows if row["us"]} == {("0", "1"), ("0", "2")}
    reasons = {row["HARM"]: row["error"] for row in rows if not row["us"]}
    assert reasons["1"].startswith("wrong-result: ")
    assert reasons["2"].startswith("bounds: ")
    assert reasons["3"] == "budget: nram variables take 4194304 bytes with 'a', 3407872 too many"
    assert reasons["4"].endswith("too much harm")
    assert not Path("t.csv.part").exists()


def test_variants_that_may_be_as_quick_are_named(here, capsys):
    """Two that differ in nothing; short copies are far behind, however unsure the time of a copy is."""
    asked = ["--define", "HARM=0", "--define", "UNUSED=1,2", "--define", "TILE=64,1024", "--dim", "2"]
    assert main(tune(*asked)) == 0
    said = capsys.readouterr().out
    assert "the next, UNUSED=2 TILE=1024, is as quick\nnot told apart from the best: UNUSED=2 TILE=1024\n" in said
    assert main(tune(*asked, "--json")) == 0
    (best,) = json.loads(capsys.readouterr().out)["best"]
    assert [(row["TILE"], row["UNUSED"]) for row in best["not_told_apart"]] == [(1024, 2)]
    assert best["low_us"] < best["us"] < best["high_us"]
    assert "rests" not in best


def test_macros_without_effect_are_named(here, capsys):
    """One that no source uses, and one that the source defines itself; not one that it uses."""
    Path("k.mlu").write_text(f"#define OWN 1\n{SOURCE}")
    asked = ["--define", "HARM=0", "--define", "UNUSED=1,2", "--define", "OWN=2,3", "--define", "TILE=512,1024"]
    assert main(tune(*asked, "--dim", "2")) == 0
    said = capsys.readouterr().err
    for macro in ("UNUSED", "OWN"):
        assert f"--define {macro} makes no difference: the sources do not use {macro}, or define it themselves" in said
    assert said.count("makes no difference") == 2


def test_template_arguments_and_devices(here, capsys):
    asked = ["tune", "k.mlu", "--kernel", "rounds", "--template", "1:9:+8", "--device", "mlu370-x4,mlu370-m8",
             "-D", "HARM=0", "-D", "TILE=64", "--arg", *["zeros:float32:1024"] * 2, "--json"]  # fmt: skip
    assert main(asked) == 0
    data = document(capsys.readouterr().out, "tune")
    assert [(row["device"], row["template 1"]) for row in data["best"]] == [("mlu370-x4", 1), ("mlu370-m8", 1)]
    times = {(row["device"], row["template 1"]): row["us"] for row in data["variants"]}
    assert times["mlu370-m8", 1] < times["mlu370-m8", 9]
    assert (data["failed"], data["interrupted"], data["there"]) == (0, False, 4)


@pytest.mark.parametrize(
    ("kernel", "by_hand", "others", "arrays"),
    [
        ("add", ("TILE", 4096), "4096,8192", [(100000,), (100000,), (100000,), 100000]),
        ("rmsnorm", ("ROWS", 4), "4,16", [(512, 1000), (512, 1000), (1000,), 512]),
        ("product", ("ROWS", 4), "4,16", [(1024, 256), (1024, 256), (256, 256), 1024]),
    ],
)
def test_what_was_chosen_by_hand_is_no_better(here, capsys, kernel, by_hand, others, arrays):
    args = [f"zeros:float32:{'x'.join(map(str, a))}" if isinstance(a, tuple) else str(a) for a in arrays]
    name, value = by_hand
    asked = ["tune", TUNED, "--kernel", kernel, "--define", f"{name}={others}", "--dim", "32", "--arg", *args, "--json"]
    assert main(asked) == 0
    data = json.loads(capsys.readouterr().out)
    hand = next(row["us"] for row in data["variants"] if row[name] == value)
    assert data["best"][0]["us"] <= hand
    assert data["failed"] == 0


def surface(values: dict[str, Any]) -> dict[str, Any]:
    """Times with one minimum, at a = 37, b = 11 and c = "y"; where b is 0 nothing works."""
    if values["b"] == 0:
        return {"error": "does not build"}
    return {"us": 10 + (values["a"] - 37) ** 2 / 50 + (values["b"] - 11) ** 2 / 5 + (values["c"] != "y")}


def searched(seed: int, backwards: bool = False) -> dict[int, dict[str, Any]]:
    columns = [("a", range(64)), ("b", range(32)), ("c", ["x", "y", "z"])]
    points, rows = points_of(columns), dict[int, dict[str, Any]]()

    def run(work: Any) -> Iterator[tuple[int, dict[str, Any]]]:
        results = [(number, surface(entry["point"])) for number, entry in enumerate(work)]
        return iter(results[::-1] if backwards else results)

    with Journal(Path("s.csv"), {"seed": seed}) as journal:
        carry_out(best_points(columns, 120, seed), points, {}, journal, run, rows, lambda done: None)
    return rows


def test_few_of_many_points_find_the_least():
    pytest.importorskip("optuna")
    rows = searched(1)
    assert len(rows) == 120  # of 6144
    assert min(row.get("us", math.inf) for row in rows.values()) < 10.5
    drawn = [surface(point) for point in points_of([("a", range(64)), ("b", range(32)), ("c", ["x", "y", "z"])])]
    assert sum(result.get("us", math.inf) < 10.5 for result in drawn) / len(drawn) * 120 < 0.7  # luck does not


def test_the_same_seed_chooses_the_same_whatever_comes_first():
    pytest.importorskip("optuna")
    first = searched(3)
    Path("s.csv.part").unlink()
    assert searched(3, backwards=True) == first
    lines = Path("s.csv.part").read_text().splitlines(keepends=True)
    Path("s.csv.part").write_text("".join(lines[:50]))  # interrupted
    assert searched(3) == first
    Path("s.csv.part").unlink()
    assert searched(4) != first


def test_all_points_are_found_where_proposals_repeat():
    pytest.importorskip("optuna")
    columns, rows = [("a", [1, 2, 3]), ("b", ["x", "y"])], dict[int, dict[str, Any]]()
    with Journal(Path("s.csv"), {}) as journal:
        carry_out(
            best_points(columns, 100, 0), points_of(columns), {}, journal,
            lambda work: ((number, {"us": 1.0}) for number, _ in enumerate(work)), rows, lambda done: None,
        )  # fmt: skip
    assert sorted(rows) == list(range(6))


def test_ctrl_c_shows_the_best_and_the_same_command_goes_on(folder):
    words = tune("-D", "TILE=1024", "--define", "HARM=0,5", "--out", "t.csv")  # the second one does not end
    asked = [sys.executable, "-m", "mlusim.simulator", *words]
    part = folder / "t.csv.part"
    process = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(2400):
        if part.exists() and len(part.read_text().splitlines()) > 1:
            break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "1 of 2 variants simulated" in out
    assert "best: --device mlu370-x4 -D HARM=0" in out
    assert "goes on" in err
    assert "Traceback" not in err
    assert not (folder / "t.csv").exists()
    part.write_text(part.read_text() + json.dumps({"point": 1, "result": {"us": 0.25, "busiest": "io 1 %"}}) + "\n")
    assert main(words) == 0  # both are known: nothing is simulated
    assert not part.exists()
    with open("t.csv", newline="") as file:
        assert [row["us"] for row in csv.DictReader(file)][1] == "0.25"


def test_a_cluster_of_which_a_worker_is_killed_finds_the_same(here, folder, capsys):
    pytest.importorskip("distributed")
    asked = tune("--define", "TILE=512,1024", "-D", "HARM=0", "--dim", "1,2,4", "--json", "--expect", "right.npy")
    assert main(asked) == 0
    alone = json.loads(capsys.readouterr().out)
    with cluster(folder) as (address, workers):
        killer = threading.Timer(1.0, workers[0].kill)
        killer.start()
        assert main([*asked, "--scheduler", address]) == 0
        killer.join()
        assert workers[0].wait() == -signal.SIGKILL
    assert json.loads(capsys.readouterr().out) == alone


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--define", "TILE"], "is not of the form name=value"),
        (["--define", "TILE=8:4:2"], "is no range; write LOW:HIGH:FACTOR"),
        (["--define", "TILE=4:8:1"], "is no range"),
        (["--define", "TILE=1:99999:+1"], "has more than 10,000 values"),
        (["--define", "TILE=1,,2"], "write values with commas between them"),
        (["--define", "TILE=1,2,1"], "has 1 twice"),
        (["--define", "TILE=1", "--define", "TILE=2"], "TILE is given twice"),
        (["--define", "2=1"], "is no name of a macro"),
        (["--dim", "0"], "--dim has '0'"),
        (["--dim", "4,four"], "--dim has 'four'"),
        (["--block", "32x0"], "--block has '32x0'; write numbers of threads"),
        (["--shared", "0,much"], "--shared has 'much'; write numbers of bytes"),
        (["--type", "blocks"], "--type has 'blocks'; the types are"),
        (["--device", "mlu999"], "mlu999"),
        (["--trials", "0"], "--trials must be above zero"),
        (["--workers", "0"], "--workers must be above zero"),
        (["--out", "t.txt"], "name a file that ends in .csv or .parquet"),
        (["--out", "missing/t.csv"], "missing"),
        (["--expect", "wrong.npy"], "wrong.npy does not exist"),
        (["--expect", "0=word"], "pass a file such as right.npy"),
        (["--define", "A=1:1000:+1", "--define", "B=1:1000:+1", "--define", "C=1,2"], "2000000 points"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(folder, capsys, asked, said):
    before = sorted(folder.iterdir())
    assert main([word for word in tune(*asked) if word not in ("--workers", "1") or "--workers" in asked]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert sorted(folder.iterdir()) == before


def test_without_a_variant_that_works_the_exit_code_says_so(here, capsys):
    assert main(tune("--define", "TILE=64", "-D", "HARM=0", kernel="thrice")) == 1
    assert "0 work, 1 do not" in capsys.readouterr().out
