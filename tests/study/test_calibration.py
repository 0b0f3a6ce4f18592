"""Tables of measured times, the comparison with them, and fits: here the "measured" times come from known rates."""

import csv
import sys
from dataclasses import replace

import pytest
from mlusim.simulator import Device
from mlusim.simulator.cli import main
from mlusim.simulator.cli.screen import Screen
from mlusim.simulator.study.calibration import Free, calibrate, read_cases, read_table
from mlusim.simulator.study.calibration.correlation import compare, simulate
from mlusim.simulator.study.calibration.numbers import changed_rates

from tests.support.documents import document

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
kind = "vector"
error = 0.03
operations = "N * TIMES"
bytes = "4 * N"

[[free]]
family = "mlu370"
number = "launch.overhead_us"
centre = 5.0
spread = 3.0
why = "a guess"

[[free]]
family = "mlu370"
number = "engines.compute.startup_cycles"
centre = 16
spread = 3.0
"""
HEAD = ["platform", "operator", "dtype", "shape_or_case", "task_dim_or_job_type", "hw_time_us", "clock", "note"]
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


def row(n, times, us, platform="MLU370-X4", operator="adds", job="BLOCK dim={1,1,1}", note="", clock="device"):
    return [platform, operator, "float32", f"N={n}", job, us, clock, note or f"TIMES={times}"]


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
def test_a_fit_finds_the_rates_that_made_the_times(folder, simulated, capsys):
    found, skipped = simulated
    fit = calibrate(found, skipped, {"mlu370-x4": "mlu370"}, read_cases(folder).free)
    assert {p.path: p.after for p in fit.parameters} == {
        path: pytest.approx(value, rel=0.05) for path, value in TRUTH.items()
    }
    assert all(p.fitted and 1 < p.error < 1.2 for p in fit.parameters)
    assert fit.after.figures()["mean"] < 0.5 < 5 < fit.before.figures()["mean"]
    facts = fit.facts("mlu370", "t.csv")
    assert {fact.kind for fact in facts.values()} == {"fitted"}
    assert "t.csv, 5 rows of this family: standard error" in facts["launch.overhead_us"].source
    Screen("calibrate", json=True).document(fit.to_dict() | {"written": []})
    assert document(capsys.readouterr().out, "calibrate")["parameters"]


def test_numbers_that_are_one_move_together(simulated):
    found, skipped = simulated
    free = [
        Free(family="mlu370", number="launch.overhead_us", centre=5.0, spread=10),
        Free(
            family="mlu370", number="engines.compute.startup_cycles", also=("engines.io.startup_cycles",), centre=16.0
        ),
    ]  # fmt: skip
    fit = calibrate(found, skipped, {"mlu370-x4": "mlu370"}, free)
    facts = fit.facts("mlu370", "t.csv")
    assert list(facts) == [*free[0].numbers, *free[1].numbers, "model.error"]
    one, other = (facts[f"engines.{name}.startup_cycles"] for name in ("compute", "io"))
    assert one == other
    changes = {path: fact.value for path, fact in facts.items()}
    predicted = [row.us(changed_rates(row.device.rates, changes)) for row in found]
    assert predicted == [pytest.approx(case.predicted_us, rel=1e-3) for case in fit.after.cases]


def test_a_number_that_the_rows_do_not_tell_stays_and_is_assumed(simulated):
    found, skipped = simulated
    free = [
        Free(family="mlu370", number="launch.overhead_us", centre=5.0, spread=10),
        Free(family="mlu370", number="engines.tensor.efficiency", centre=0.7, why="a guess"),
        Free(family="mlu370", number="launch.host_us", centre=3.0),
    ]
    fit = calibrate(found, skipped, {"mlu370-x4": "mlu370"}, free)
    assert [(p.after, p.fitted) for p in fit.parameters[1:]] == [(pytest.approx(0.7), False), (pytest.approx(3), False)]
    assert fit.parameters[0].fitted
    fact = fit.facts("mlu370", "t.csv")["engines.tensor.efficiency"]
    assert (fact.kind, fact.source) == ("assumed", "a guess")


def test_rows_that_contradict_each_other_make_the_error_larger(simulated):
    found, skipped = simulated
    free = [Free(family="mlu370", number="launch.overhead_us", centre=5.0, spread=10)]

    def error(factors):
        rows = [
            replace(row, measurement=replace(row.measurement, us=row.measurement.us * factor))
            for row, factor in zip(found, factors, strict=True)
        ]
        return calibrate(rows, skipped, {"mlu370-x4": "mlu370"}, free).parameters[0].error

    assert error([1.3, 0.7, 1.3, 0.7, 1.3]) > 1.1 * error([1] * 5)


def test_a_strong_prior_holds_against_a_row_and_a_weak_one_gives_way(simulated):
    found, skipped = simulated

    def fitted(spread):
        free = [Free(family="mlu370", number="launch.overhead_us", centre=5.0, spread=spread)]
        return calibrate(found[:1], skipped, {"mlu370-x4": "mlu370"}, free).parameters[0]

    assert fitted(1.01).after == pytest.approx(5.0, rel=0.03)
    assert not fitted(1.01).fitted
    assert fitted(10).after > 8


def test_a_fit_keeps_to_what_is_possible(simulated):
    found, skipped = simulated
    free = [Free(family="mlu370", number="channels.dram.gb_per_s", centre=307.2)]
    (parameter,) = calibrate(found, skipped, {"mlu370-x4": "mlu370"}, free).parameters
    assert parameter.after <= 307.2 * (1 + 1e-12)


def test_what_is_left_out_is_not_seen(simulated):
    found, skipped = simulated
    free = [Free(family="mlu370", number="launch.overhead_us", centre=5.0, spread=10)]
    other = replace(found[1], measurement=replace(found[1].measurement, operator="other"))
    families = {"mlu370-x4": "mlu370", "mlu370-m8": "mlu370"}
    fit = calibrate([found[0], other], skipped, families, free)
    unseen = [row.us(changed_rates(row.device.rates, {free[0].number: 5.0})) for row in (found[0], other)]
    assert fit.parameters[0].after > 8
    # Of one operator the other is known, of the one board nothing.
    assert [case.left_out["board"].us for case in fit.after.cases] == [pytest.approx(us) for us in unseen]
    assert all(case.left_out["operator"].us > us * 1.05 for case, us in zip(fit.after.cases, unseen, strict=True))


def test_fewer_rows_than_numbers_do_for_what_is_known_before(simulated):
    found, skipped = simulated
    names = ["launch.overhead_us", "engines.compute.startup_cycles", "engines.io.startup_cycles"]
    free = [Free(family="mlu370", number=name, centre=5) for name in names]
    fit = calibrate(found[:1], skipped, {"mlu370-x4": "mlu370"}, free)
    assert not all(p.fitted for p in fit.parameters)


def test_a_clock_of_the_host_sees_more_of_a_launch(folder):
    rows = [row(64, 3, 5.0), row(64, 3, 5.0, clock="host")]
    (device, host), _ = simulate(read_table(write(folder / "clocks.csv", rows)), read_cases(folder))
    rates = changed_rates(device.device.rates, {"launch.host_us": 12.5})
    assert host.us(rates) == pytest.approx(device.us(rates) + 12.5)


def test_logs_stand_for_rows(folder, simulated, tmp_path):
    log = simulated[0][0].logs[0]
    log.save(tmp_path / "one.mlulog")
    replace(log, shape=Device.load("mlu270").shape, device="mlu270").save(tmp_path / "other.mlulog")
    (tmp_path / "broken.mlulog").write_text("no log")
    (tmp_path / "adds.mlu").write_text(KERNEL)
    kernel = 'source = "adds.mlu"\nkernel = "adds"\nargs = ["float32[64]", "64", "400"]\n'
    case = '[[case]]\noperator = "{}"\ndtype = "float32"\noperations = "1"\nbytes = "1"\n{}[case.logs]\n{}\n'
    shapes = ["one", "twice", "other", "broken", "missing"]
    logs = "\n".join(f'"N={shape}" = ["{shape}.mlulog"]' for shape in shapes if shape != "twice")
    twice = '"N=twice" = ["one.mlulog", "one.mlulog"]'
    (tmp_path / "cases.toml").write_text(
        case.format("logs", "", f"{logs}\n{twice}") + case.format("both", kernel, twice)
    )
    rows = [row(shape, 1, 5.0, operator="logs") for shape in (*shapes, "none")] + [row("twice", 1, 5, operator="both")]
    found, skipped = simulate(read_table(write(tmp_path / "t.csv", rows)), read_cases(tmp_path))
    one = found[0].us(found[0].device.rates)
    assert [entry.us(entry.device.rates) for entry in found] == [one, pytest.approx(2 * one), pytest.approx(3 * one)]
    reasons = [entry.reason for entry in skipped]
    expected = ["its log is of mlu270, whose shape is another one", "broken.mlulog", "missing.mlulog", "no log stands"]
    assert all(text in reason for text, reason in zip(expected, reasons, strict=True)), reasons


def test_rows_without_kernel_device_or_numbers_are_skipped(folder):
    rows = [
        row(64, 3, 5.0),
        row(64, 3, 5.0, operator="other"),
        row(64, 3, 5.0, platform="MLU999"),
        ["MLU370-M8", "adds", "fp32", "K=3", "", 5.0, "host", ""],
        row(64, 3, 5.0, job="UNION3 dim=12"),
        row(99_999, 3, 5.0),
        row(512, 3, 5.0, platform="MLU370-X4@500MHz", job=""),
        row(16, 0, 5.0, platform="MLU370-M8", note="no number here"),
        row(64, 3, ""),
    ]
    found, skipped = simulate(read_table(write(folder / "skips.csv", rows)), read_cases(folder))
    assert [one.device.rates.clock_mhz for one in found] == [1000, 500, 1300]
    (log,) = found[2].logs
    assert sum(log.ops[op].name == "__bang_add" for op in log.records["op"]) == 20  # TIMES from `let`
    reasons = [entry.reason for entry in skipped]
    expected = ["no kernel stands", "unknown device 'MLU999'", "give no N", "names no type", "bounds", "no measured"]
    assert all(text in reason for text, reason in zip(expected, reasons, strict=True)), reasons


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no column platform"),
        ("platform,operator\n", "has no column dtype"),
        (",".join(HEAD) + "\n", "has no rows"),
        (",".join(HEAD[:-2]) + "\n", "has no column clock"),
        (",".join(HEAD) + "\nMLU270,x,y,M=1,,fast,host,\n", "line 2: hw_time_us is 'fast'"),
        (",".join(HEAD) + "\nMLU270,x,y,M=1,,-3,host,\n", "must be above zero"),
        (",".join(HEAD) + "\nMLU270,x,y,M=1,,3,wall,\n", "line 2: clock is 'wall'; it is one of device, host"),
        (",".join(HEAD) + '\nMLU270,"x,y,M=1,,-3,\n', "is no CSV table"),
    ],
)
def test_tables_that_are_none(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[case]", "is no TOML file"),
        ('[[case]]\noperator = "x"', "x needs the source of a kernel, or logs"),
        ('[[case]]\noperator = "x"\nkernel = "y"', "x needs the source of a kernel, or logs"),
        (
            '[[case]]\nsource = "k.mlu"\nbytes = "1"',
            "a case needs both operations and bytes for a roofline, or neither",
        ),
        ('[[free]]\nfamily="x"', "number"),
    ],
)
def test_cases_that_are_none(tmp_path, text, message):
    (tmp_path / "cases.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_cases(tmp_path)


def test_the_figures_of_a_comparison(simulated):
    found, skipped = simulated
    data = compare(found, skipped).to_dict()
    errors = [abs(case["predicted_us"] / case["measured_us"] - 1) * 100 for case in data["cases"]]
    figures = data["figures"]["vector"]["simulated"]
    assert figures == data["figures"]["all"]["simulated"]
    assert figures["mean"] == pytest.approx(sum(errors) / 5)
    assert figures["median"] == pytest.approx(sorted(errors)[2])
    assert figures["max"] == pytest.approx(max(errors))
    assert figures["within_25"] == pytest.approx(20 * sum(error <= 25 for error in errors))
    assert all(abs(case["error"]) == pytest.approx(error) for case, error in zip(data["cases"], errors, strict=True))
    assert 0.9 < data["correlation"] <= 1
    # 64 floats, 400 times: 25,600 operations on 32 cores of 32 a cycle at 1 GHz.
    assert data["cases"][0]["roofline_us"] == pytest.approx(0.025)


@pytest.mark.slow
def test_commands(folder, table, tmp_path, capsys):
    plots = [tmp_path / name for name in ("p.png", "p.svg")]
    given = [word for plot in plots for word in ("--plot", str(plot))]
    assert main(["correlate", str(table), "--kernels", str(folder), "--json", *given]) == 0
    data = document(capsys.readouterr().out, "correlate")
    assert len(data["cases"]) == 5
    assert data["skipped"] == []
    assert data["figures"]["all"].keys() == {"simulated", "operator", "board", "roofline"}
    assert plots[0].read_bytes()[:4] == b"\x89PNG"
    assert "adds" in plots[1].read_text()
    report = tmp_path / "r.md"
    arguments = ["calibrate", str(table), "--kernels", str(folder), "--out", str(tmp_path), "--markdown", str(report)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "launch.overhead_us" in printed
    assert "without operator" in printed
    fitted = Device.load(tmp_path / "mlu370-m8.toml")
    assert fitted.rates.kind("launch.overhead_us") == "fitted"
    assert fitted.rates.launch_overhead_us == pytest.approx(9.0, rel=0.05)
    assert "| adds | MLU370-X4 | N=64 |" in report.read_text()
    assert main(["calibrate", str(table), "--kernels", str(folder), "--fit", "launch.overhed_us"]) == 2
    assert "no number 'launch.overhed_us'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "text", "said"),
    [
        ("clock", None, "has no column clock"),
        ("hw_time_us", "-3", "line 2: hw_time_us is '-3'; it must be above zero"),
        ("clock", "sun", "line 2: clock is 'sun'; it is one of device, host"),
        ("operator", "unknown", "no row of t.csv can be simulated; of the first, no kernel stands for its operator"),
        ("operator", "strange", "of the first, its log is of mlu270, whose shape is another one"),
        ("operator", "adds", "t.csv has too few rows: the 1 that can be simulated tell none of the 1 free numbers"),
    ],
)
def test_a_calibration_that_cannot_be_is_one_sentence_and_writes_nothing(
    folder, simulated, tmp_path, monkeypatch, capsys, column, text, said
):
    kernels, out = tmp_path / "kernels", tmp_path / "out"
    kernels.mkdir(), out.mkdir()
    monkeypatch.chdir(tmp_path)
    (kernels / "adds.mlu").write_text(KERNEL)
    strange = '[[case]]\noperator = "strange"\ndtype = "float32"\noperations = "1"\nbytes = "1"\n'
    (kernels / "cases.toml").write_text(f'{CASES}{strange}[case.logs]\n"N=64" = ["other.mlulog"]\n')
    log = simulated[0][0].logs[0]
    replace(log, shape=Device.load("mlu270").shape, device="mlu270").save(kernels / "other.mlulog")
    values = dict(zip(HEAD, row(64, 3, 5.0), strict=True)) | {column: text}
    kept = {name: value for name, value in values.items() if value is not None}
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([kept.keys(), kept.values()])
    command = ["calibrate", "t.csv", "--kernels", "kernels", "--out", "out", "--markdown", "r.md"]
    assert main([*command, "--fit", "engines.tensor.efficiency"]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.err.count("\n") == 1
    assert list(out.iterdir()) == []
    assert not (tmp_path / "r.md").exists()


def test_without_scipy_it_is_said_what_to_install_and_times_are_compared_all_the_same(
    folder, table, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert main(["calibrate", str(table), "--kernels", str(folder)]) == 2
    assert "fitting rates needs SciPy: pip install scipy" in capsys.readouterr().err
    said = {}
    for more in ("", "--no-left-out"):
        assert main(["correlate", str(table), "--kernels", str(folder), *more.split()]) == 0
        said[more] = capsys.readouterr()
    assert said[""].out == said["--no-left-out"].out != ""
    assert "is left out: it needs SciPy (pip install scipy)" in said[""].err
    assert said["--no-left-out"].err == ""


def test_our_own_table_has_a_kernel_for_every_row():
    from mlusim.simulator.study.calibration.cases import OUR_KERNELS

    cases = read_cases(OUR_KERNELS)
    for measured in read_table(OUR_KERNELS / "measured.csv"):
        if measured.operator == "erfc":  # of which board is unknown
            continue
        case = cases.of(measured)
        assert case is not None, measured.operator
        assert measured.device().name
        assert case.numbers(measured)
        assert case.launches(measured) or (OUR_KERNELS / case.source).is_file()


def test_a_row_whose_log_is_not_installed_says_where_that_is(tmp_path, monkeypatch, capsys):
    """A wheel has the kernels and the table, and no logs; rows that are skipped for one reason are one line."""
    case = "[[case]]\noperator = '{0}'\nlogs = {{ 'N=64' = ['logs/{0}.mlulog'] }}\n"
    (tmp_path / "cases.toml").write_text(case.format("one") + case.format("two"))
    heads = "operator,platform,shape_or_case,task_dim_or_job_type,hw_time_us,clock,dtype\n"
    rows = [f"{name},MLU370-X4,N=64,Block dim=(1),1,device,float32\n" for name in ("one", "two")]
    (tmp_path / "measured.csv").write_text("".join([heads, *rows]))
    for module in ("simulator.study.calibration.cases", "simulator.cli.accuracy"):
        monkeypatch.setattr(f"mlusim.{module}.OUR_KERNELS", tmp_path)
    monkeypatch.setattr("mlusim.simulator.cli.accuracy.TABLE", tmp_path / "measured.csv")
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["correlate"]) == 1
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("skipped"))
    assert line.startswith("skipped: one on MLU370-X4, N=64 and 1 more: its log is not installed")
    assert "unpack the source distribution" in " ".join(line.split())
