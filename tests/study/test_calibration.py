"""Tables of measured times, the comparison with them, and fits: here the "measured" times come from known rates."""

import csv
import json
import sys

import pytest
from mlusim.simulator import Device
from mlusim.simulator.cli import main
from mlusim.simulator.study.calibration import Free, calibrate, read_cases, read_table
from mlusim.simulator.study.calibration.correlation import compare, simulate
from mlusim.simulator.study.calibration.fit import changed_rates

KERNEL = """
#include <bang.h>
__mlu_global__ void adds(float *out, int n, int times) {
  __nram__ float room[16384];
  __bang_write_value(room, n, 1.0f);
  for (int i = 0; i < times; i++) __bang_add(room, room, room, n);
  __memcpy(out, room, n * sizeof(float), NRAM2GDRAM);
}
"""
CASES = """
[[case]]
operator = "adds"
dtype = "float32"
source = "adds.mlu"
kernel = "adds"
args = ["float32[N * tasks]", "N", "TIMES"]
let = { TIMES = "10 if N > 100 else 20" }
operations = "N * TIMES"
bytes = "4 * N"

[[free]]
family = "mlu370"
number = "launch.overhead_us"
begin = 5.0

[[free]]
family = "mlu370"
number = "engines.compute.startup_cycles"
begin = 16
"""
HEAD = ["platform", "operator", "dtype", "shape_or_case", "task_dim_or_job_type", "hw_time_us", "note"]
TRUTH = {"launch.overhead_us": 9.0, "engines.compute.startup_cycles": 40.0}
SHAPES = [(64, 400), (64, 100), (1024, 200), (8192, 50), (512, 30)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("kernels")
    (path / "adds.mlu").write_text(KERNEL)
    (path / "cases.toml").write_text(CASES)
    return path


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEAD, *rows])
    return path


def row(n, times, us, platform="MLU370-X4", operator="adds", job="BLOCK dim={1,1,1}", note=""):
    return [platform, operator, "float32", f"N={n}", job, us, note or f"TIMES={times}"]


@pytest.fixture(scope="module")
def table(folder):
    """A table whose times are those of other rates than the device file has."""
    path = write(folder / "t.csv", [row(n, times, 1) for n, times in SHAPES])
    found, _ = simulate(read_table(path), read_cases(folder))
    rates = changed_rates(Device.load("mlu370-x4").rates, TRUTH)
    return write(path, [row(n, times, one.us(rates)) for (n, times), one in zip(SHAPES, found, strict=True)])


@pytest.fixture(scope="module")
def simulated(folder, table):
    return simulate(read_table(table), read_cases(folder))


@pytest.mark.slow
def test_a_fit_finds_the_rates_that_made_the_times(folder, simulated):
    found, skipped = simulated
    fit = calibrate(found, skipped, {"mlu370-x4": "mlu370"}, read_cases(folder).free)
    assert {p.path: p.after for p in fit.parameters} == {
        path: pytest.approx(value, rel=0.05) for path, value in TRUTH.items()
    }
    assert fit.after.mape < 0.5 < 5 < fit.before.mape
    assert fit.after.left_out_mape is not None
    assert fit.after.left_out_mape < 3
    facts = fit.facts("mlu370", "t.csv")
    assert {fact.kind for fact in facts.values()} == {"fitted"}
    assert "t.csv: 5 rows" in facts["launch.overhead_us"].source


def test_numbers_that_are_one_move_together(simulated):
    found, skipped = simulated
    free = [
        Free(family="mlu370", number="launch.overhead_us", begin=5.0),
        Free(
            family="mlu370", number="engines.compute.startup_cycles", also=("engines.io.startup_cycles",), begin=16.0
        ),
    ]  # fmt: skip
    fit = calibrate(found, skipped, {"mlu370-x4": "mlu370"}, free)
    facts = fit.facts("mlu370", "t.csv")
    assert list(facts) == ["launch.overhead_us", "engines.compute.startup_cycles", "engines.io.startup_cycles"]
    one, other = (facts[f"engines.{name}.startup_cycles"] for name in ("compute", "io"))
    assert one == other
    changes = {path: fact.value for path, fact in facts.items()}
    predicted = [row.us(changed_rates(row.device.rates, changes)) for row in found]
    assert predicted == [pytest.approx(case.predicted_us, rel=1e-3) for case in fit.after.cases]


def test_a_number_that_no_row_rests_on_stays(simulated):
    found, skipped = simulated
    free = [
        Free(family="mlu370", number="launch.overhead_us", begin=5.0),
        Free(family="mlu370", number="engines.tensor.efficiency", begin=0.7),
    ]
    fit = calibrate(found, skipped, {"mlu370-x4": "mlu370"}, free)
    assert fit.parameters[1].after == pytest.approx(0.7)


def test_a_fit_keeps_to_what_is_possible(simulated):
    found, skipped = simulated
    free = [Free(family="mlu370", number="channels.dram.gb_per_s", begin=307.2)]
    (parameter,) = calibrate(found, skipped, {"mlu370-x4": "mlu370"}, free).parameters
    assert parameter.after <= parameter.high == pytest.approx(307.2)


def test_a_row_that_is_left_out_is_not_seen(simulated):
    found, skipped = simulated
    free = [Free(family="mlu370", number="launch.overhead_us", begin=5.0)]
    fit = calibrate(found[:1], skipped, {"mlu370-x4": "mlu370"}, free)
    (case,) = fit.after.cases
    assert fit.parameters[0].after > 8
    assert case.left_out_us == pytest.approx(found[0].us(changed_rates(found[0].device.rates, {free[0].number: 5.0})))


def test_more_numbers_than_rows_are_refused(simulated):
    found, skipped = simulated
    names = ["launch.overhead_us", "engines.compute.startup_cycles", "engines.io.startup_cycles"]
    free = [Free(family="mlu370", number=name, begin=5) for name in names]
    with pytest.raises(ValueError, match="mlu370 has 2 rows that can be simulated for 3 free numbers"):
        calibrate(found[:2], skipped, {"mlu370-x4": "mlu370"}, free)


def test_rows_without_kernel_device_or_numbers_are_skipped(folder):
    rows = [
        row(64, 3, 5.0),
        row(64, 3, 5.0, operator="other"),
        row(64, 3, 5.0, platform="MLU999"),
        ["MLU370-M8", "adds", "fp32", "K=3", "", 5.0, ""],
        row(64, 3, 5.0, job="UNION3 dim=12"),
        row(99_999, 3, 5.0),
        row(512, 3, 5.0, platform="MLU370-X4@500MHz", job=""),
        row(16, 0, 5.0, platform="MLU370-M8", note="no number here"),
        row(64, 3, ""),
    ]
    found, skipped = simulate(read_table(write(folder / "skips.csv", rows)), read_cases(folder))
    assert [one.device.rates.clock_mhz for one in found] == [1000, 500, 1300]
    assert sum(found[2].log.ops[op].name == "__bang_add" for op in found[2].log.records["op"]) == 20  # TIMES from `let`
    reasons = [entry.reason for entry in skipped]
    expected = ["no kernel stands", "unknown device 'MLU999'", "give no N", "names no type", "bounds", "no measured"]
    assert all(text in reason for text, reason in zip(expected, reasons, strict=True)), reasons


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no column platform"),
        ("platform,operator\n", "has no column dtype"),
        (",".join(HEAD) + "\n", "has no rows"),
        (",".join(HEAD) + "\nMLU270,x,y,M=1,,fast,\n", "line 2: hw_time_us is 'fast'"),
        (",".join(HEAD) + "\nMLU270,x,y,M=1,,-3,\n", "must be above zero"),
        (",".join(HEAD) + '\nMLU270,"x,y,M=1,,-3,\n', "is no CSV table"),
    ],
)
def test_tables_that_are_none(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [("[[case]", "is no TOML file"), ('[[case]]\noperator = "x"', "dtype"), ('[[free]]\nfamily="x"', "number")],
)
def test_cases_that_are_none(tmp_path, text, message):
    (tmp_path / "cases.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_cases(tmp_path)


def test_the_figures_of_a_comparison(simulated):
    found, skipped = simulated
    data = compare(found, skipped).to_dict()
    errors = [abs(case["predicted_us"] / case["measured_us"] - 1) * 100 for case in data["cases"]]
    assert data["mape"] == pytest.approx(sum(errors) / 5)
    assert data["max"] == pytest.approx(max(errors))
    assert all(abs(case["error"]) == pytest.approx(error) for case, error in zip(data["cases"], errors, strict=True))
    assert 0.9 < data["correlation"] <= 1
    # 64 floats, 400 times: 25,600 operations on 32 cores of 32 a cycle at 1 GHz.
    assert data["cases"][0]["roofline_us"] == pytest.approx(0.025)


@pytest.mark.slow
def test_commands(folder, table, tmp_path, capsys):
    plots = [tmp_path / name for name in ("p.png", "p.svg")]
    given = [word for plot in plots for word in ("--plot", str(plot))]
    assert main(["correlate", str(table), "--kernels", str(folder), "--json", *given]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["cases"]) == 5
    assert data["skipped"] == []
    assert data["left_out_mape"] < data["mape"]
    assert plots[0].read_bytes()[:4] == b"\x89PNG"
    assert "adds" in plots[1].read_text()
    report = tmp_path / "r.md"
    arguments = ["calibrate", str(table), "--kernels", str(folder), "--out", str(tmp_path), "--markdown", str(report)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "launch.overhead_us" in printed
    assert "mean error of each case by rates fitted without it" in printed
    fitted = Device.load(tmp_path / "mlu370-m8.toml")
    assert fitted.rates.kind("launch.overhead_us") == "fitted"
    assert fitted.rates.launch_overhead_us == pytest.approx(9.0, rel=0.05)
    assert "| adds | MLU370-X4 | N=64 |" in report.read_text()
    assert main(["calibrate", str(table), "--kernels", str(folder), "--fit", "launch.overhed_us"]) == 2
    assert "no number 'launch.overhed_us'" in capsys.readouterr().err


def test_without_scipy_it_is_said_which_extra_to_install(folder, table, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    for command in ("calibrate", "correlate"):
        assert main([command, str(table), "--kernels", str(folder)]) == 2
        assert "fitting rates needs SciPy: pip install 'mlusim[fit]'" in capsys.readouterr().err
    assert main(["correlate", str(table), "--kernels", str(folder), "--no-left-out"]) == 0


def test_our_own_table_has_a_kernel_for_every_row():
    from mlusim.simulator.cli.accuracy import KERNELS

    cases = read_cases(KERNELS)
    for measured in read_table(KERNELS / "measured.csv"):
        case = cases.of(measured)
        assert case is not None, measured.operator
        assert (KERNELS / case.source).is_file()
        assert measured.device().name
        assert case.numbers(measured)
