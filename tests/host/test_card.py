"""The suite for a card: what docs/calibrate.md shows of it holds, and each rate of a device comes back from it."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mlusim.simulator import Device

from tests.docs.test_docs import normal, shown_in
from tests.host.card_rates import check_rates_come_back
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow
SUITE = ROOT / "benchmarks" / "card"
PAGE = (ROOT / "docs" / "calibrate.md").read_text(encoding="utf-8")
SESSION = re.search(r"```console\n(\$ make.*?)```", PAGE, re.S)[1]


@pytest.fixture(scope="module")
def session(sdk, tmp_path_factory):
    """The commands of the page with what they print, carried out where no card is; where they were."""
    folder = tmp_path_factory.mktemp("card")
    shutil.copytree(SUITE, folder / "benchmarks" / "card")
    told = {**os.environ, "NEUWARE_HOME": str(sdk), "LD_LIBRARY_PATH": str(sdk / "lib64"), "LAUNCHES": "1"}
    told["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{told['PATH']}"
    said = {}
    for line in SESSION.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(
                line[2:], shell=True, cwd=folder, env=told, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            assert "error:" not in done.stderr
            assert "warning:" not in done.stderr
            said[line[2:]] = done.stdout
    return folder, said


def test_three_commands_make_a_device_file(session):
    folder, said = session
    shown = dict(re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", SESSION, re.M))
    assert len(shown) == 3
    calibration = next(command for command in shown if "mlusim calibrate" in command)
    assert shown_in(normal(shown[calibration]), normal(said[calibration])), said[calibration]
    made, shipped = Device.load(folder / "own" / "mlu370-x4.toml"), Device.load("mlu370-x4")
    fitted = [name for name, fact in made.rates.facts.items() if "card.csv" in fact.source and fact.kind == "fitted"]
    assert len(fitted) > 30
    for name in fitted:
        assert made.rates.facts[name].value == pytest.approx(shipped.rates.facts[name].value, rel=0.01), name
    assert made.rates.facts["model.error"] == shipped.rates.facts["model.error"]


def table_of(name, table, path):
    """What a card of another name would print but for the times: eight times shorter, without what costs the same."""
    shape = Device.load(name).shape
    rows = []
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["operator"] in ALIKE or (shape.arch < 300 and row["operator"] in OF_FLOATS):
                continue
            if row["operator"] != "scalars_issuing":
                long = row["shape_or_case"]
                row["shape_or_case"] = re.sub(r"times=(\d+)", lambda m: f"times={-(-int(m[1]) // 8)}", long)
            job = row["task_dim_or_job_type"].replace("UNION8 dim={32", f"UNION{shape.clusters} dim={{{shape.cores}")
            job = re.sub(r"BLOCK dim=\{(16|32|64|256)", lambda m: f"BLOCK dim={{{int(m[1]) * shape.cores // 32}", job)
            rows.append({**row, "platform": name, "task_dim_or_job_type": job})
    launches = rows[0] | {"clock": "host"}
    rows += [launches, launches | {"task_dim_or_job_type": f"BLOCK dim={{{shape.cores},1,1}}"}]
    if shape.arch >= 592:
        gathers = {"platform": name, "operator": "gathers", "dtype": "bytes", "hw_time_us": 1, "clock": "device",
                   "task_dim_or_job_type": "BLOCK dim={1,1,1}"}  # fmt: skip
        rows += [gathers | {"shape_or_case": f"bytes={bytes_} times=16 parts=32"} for bytes_ in (64, 512)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


ALIKE = ("additions_half", "comparisons", "fills", "roundings", "exponentials_half", "roots")
OF_FLOATS = ("atomics", "products", "convolutions", "convolutions_half", "convolutions_mixed")
#: The suite has no instruction for them there: no product of floats, and a barrier has no work.
UNSEEN = {
    "mlu270": {"engines.tensor.startup_cycles", "engines.tensor.per_cycle"},
    "mlu590": set(),
}


@pytest.mark.further
@pytest.mark.parametrize("name", ["mlu270", "mlu590"])
def test_every_rate_comes_back_that_the_suite_can_tell(session, tmp_path, name):
    table = table_of(name, session[0] / "card.csv", tmp_path / "card.csv")
    check_rates_come_back(table, SUITE, UNSEEN[name] | {"engines.sync.per_cycle"}, most=4)
