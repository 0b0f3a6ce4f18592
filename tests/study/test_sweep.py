"""Sweeps: every point has a result, whatever fails, dies or is interrupted on the way; here and on a Dask cluster."""

import csv
import json
import os
import signal
from pathlib import Path

import pytest
from mlusim.simulator.cli import main
from mlusim.simulator.study.sweep import Journal, points_of, run_all, run_on_cluster, write_table

from tests.study import points
from tests.study.clusters import cluster
from tests.support.documents import document
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def path_of_workers(monkeypatch):
    """Worker processes find the functions of `points`."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))


def test_points_are_all_combinations():
    assert points_of([("a", [1, 2]), ("b", ["x"])]) == [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]
    with pytest.raises(ValueError, match="a is given twice"):
        points_of([("a", [1]), ("a", [2])])
    with pytest.raises(ValueError, match="1000000000 points"):
        points_of([(name, range(1000)) for name in "abc"])


def test_one_failed_point_loses_no_other():
    results = dict(run_all(points.square, [{"x": x} for x in (2, -1, 5)], 2))
    assert results == {0: {"us": 4}, 1: {"error": "x must not be -1"}, 2: {"us": 25}}


def test_a_process_that_is_killed_is_replaced(tmp_path):
    work = [{"x": x, "mark": str(tmp_path / "mark")} for x in range(6)]
    assert dict(run_all(points.killed_once, work, 2)) == {x: {"us": x * x} for x in range(6)}


def test_a_point_that_kills_every_process_is_named():
    results = dict(run_all(points.killed_always, [{"x": x} for x in range(5)], 2))
    assert results.pop(3) == {"error": "its process died 3 times"}
    assert results == {x: {"us": x * x} for x in (0, 1, 2, 4)}


def test_a_cluster_of_which_a_worker_is_killed(tmp_path):
    pytest.importorskip("distributed")
    with cluster(tmp_path) as (where, workers):
        work = [{"x": x, "mark": str(tmp_path / "mark")} for x in range(12)]
        results, killed = {}, False
        for number, result in run_on_cluster(points.slow, work, where):
            results[number] = result
            if not killed and len(list(tmp_path.glob("*.pid"))) == 2:
                workers[0].send_signal(signal.SIGKILL)
                killed = True
        assert killed
        assert {number: result["us"] for number, result in results.items()} == {x: x * x for x in range(12)}
        assert {result["process"] for result in results.values()} <= {worker.pid for worker in workers}


def test_an_interrupted_sweep_goes_on(tmp_path):
    table, sweep = tmp_path / "t.csv", {"what": [1, 2, 3]}
    with Journal(table, sweep) as journal:
        journal.add(1, {"us": 7.5})
    with journal.path.open("a") as file:
        file.write('{"point": 2, "res')  # interrupted in the middle of a line
    with Journal(table, sweep) as again:
        assert again.done == {1: {"us": 7.5}}
        again.add(0, {"us": 1.0})
        again.finish()
    assert not again.path.exists()
    with Journal(table, sweep) as other:
        other.add(0, {"us": 1})
    with pytest.raises(ValueError, match="holds results of another sweep"), Journal(table, {"what": []}):
        pass


def test_tables(tmp_path):
    rows = [{"a": 1, "us": 2.5}, {"a": 2, "error": "no"}]
    write_table(rows, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a,us,error\n1,2.5,\n2,,no\n"
    parquet = pytest.importorskip("pyarrow.parquet")
    write_table(rows, tmp_path / "t.parquet")
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist() == [
        {"a": 1, "us": 2.5, "error": None}, {"a": 2, "us": None, "error": "no"}
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"ends in \.csv or \.parquet"):
        write_table(rows, tmp_path / "t.xlsx")


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    log = ["op", "logspace", "start=0", "end=10", "steps=64", "base=2", "--log", "l.mlulog"]
    assert main(log) == 0
    capsys.readouterr()
    swept = ["sweep", "l.mlulog", "--set", "launch.overhead_us=1,3", "--set", "clock.core_mhz=500,1000"]
    assert main([*swept, "--out", "s.csv", "--plot", "s.png", "--json", "--workers", "2"]) == 0
    data = json.loads(capsys.readouterr().out)
    times = [point["us"] for point in data["points"]]
    assert [times[2] - times[0], times[3] - times[1]] == pytest.approx([2, 2])
    assert times[0] > times[1]
    with open("s.csv", newline="") as file:
        assert [float(row["us"]) for row in csv.DictReader(file)] == pytest.approx(times)
    assert Path("s.png").read_bytes()[:4] == b"\x89PNG"
    assert not Path("s.csv.part").exists()
    failing = ["sweep", "logspace", "start=0", "end=10", "steps=64,-5", "base=2", "--workers", "1", "--json"]
    assert main(failing) == 1
    data = document(capsys.readouterr().out, "sweep")
    assert data["failed"] == 1
    assert data["points"][0]["us"] > 0
    assert "steps is -5" in data["points"][1]["error"]
    assert main(["sweep", "l.mlulog", "--set", "launch.overhad_us=1,2"]) == 2
    assert main(["sweep", "logspac", "steps=1"]) == 2
