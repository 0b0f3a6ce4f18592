"""Programs with host code of their own: what they print, when their work runs, and the findings at their lines.

They are built once; each test runs one scenario of `programs/scenarios.mlu`.
"""

import json
import re
from pathlib import Path

import pytest
from mlusim.simulator import Device, Log
from mlusim.simulator.cli import main
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.host.programs.report import ProgramReport
from mlusim.simulator.kernelc.options import Options
from mlusim.simulator.native.compiler import Compiler

from tests.support.documents import document
from tests.support.sources import line_of
from tests.traces.report.reading import read

HERE = Path(__file__).parent / "programs"
SOURCE = HERE / "scenarios.mlu"
NO_OPTIONS = Options.of([], [], [], None)


@pytest.fixture(scope="module")
def program(device) -> Path:
    return build_program([SOURCE, HERE / "kernels.mlu"], NO_OPTIONS, device)


@pytest.fixture
def run(program, device, capfd):
    """Run a scenario: its exit code, its standard output, the report of its (last) process."""

    def scenario(name: str, devices: int = 1) -> tuple[int, str, ProgramReport]:
        code, reports = run_program(program, [name], [device] * devices)
        return code, capfd.readouterr().out, reports[-1] if reports else ProgramReport()

    return scenario


def line(mark: str) -> int:
    """The line of the scenarios that ends with a mark."""
    return line_of(SOURCE, f"// {mark}$")


def found(report: ProgramReport) -> list[tuple[str, int]]:
    return [(finding.rule, finding.location.line) for finding in report.findings]


def test_results_and_exit_code_are_the_programs_own(run):
    code, out, report = run("results")
    assert (code, out) == (7, "10.5 10.5 3.5\n")
    assert report.ended
    assert report.findings == []
    assert [(one.kernel, one.dim, one.type) for one in report.launches] == [
        ("AddScalar", (4, 1, 1), "union1"),
        ("Times<float, 3>", (1, 1, 1), "block"),
    ]
    assert report.location(report.launches[0].place).line == line("launch")
    assert (report.copies, report.copied_bytes) == (2, 2 * 8192 * 4)


def test_kernels_that_share_their_names(device, capfd):
    """With functions of the host, of the C library, and with what older host code takes for the same kernel."""
    program = build_program([HERE / "names.mlu", HERE / "names_old.cpp"], NO_OPTIONS, device)
    code, (report,) = run_program(program, [], [device])
    assert (code, report.findings) == (0, [])
    assert capfd.readouterr().out == "13 14 12\n512\n"  # of 2.0f: its upper half, 2.0h, twice; its lower is zero
    names = [one.kernel for one in report.launches]
    assert names == ["ops::twice<float, 64>", "thrice", "sin", "cos", "add_halves"]


def test_the_order_of_a_kernels_accesses_is_examined(run):
    code, _, report = run("raced")
    assert code == 0
    assert ("race", line("stored by all")) in found(report)


def test_what_an_aborted_program_has_launched_is_examined_too(run, monkeypatch):
    monkeypatch.setenv("ABORTED", "1")
    code, _, report = run("raced")
    assert (code, report.ended) == (-6, False)
    assert ("race", line("stored by all")) in found(report)
    assert [one.kernel for one in report.launches] == ["Times<float, 3>"]
    assert report.time_us >= report.launches[0].end > 0


def check(capfd, program: Path, *arguments: str) -> tuple[int, dict, str]:
    """Exit code, report and standard error of ``mlusim check``."""
    code = main(["check", "--format", "json", str(program), "--", *arguments])
    out, err = capfd.readouterr()
    return code, json.loads(out), err


def test_check_runs_a_program_and_fails_by_its_findings(program, capfd):
    code, report, err = check(capfd, program, "raced")
    assert code == 1
    assert ("race", line("stored by all")) in [(f["rule"], f["location"]["line"]) for f in report["findings"]]
    assert any(name.startswith("kernel ") for name in report["checked"])
    assert "broke rules" in err
    code, report, err = check(capfd, program, "overlap")
    assert (code, report["findings"]) == (0, [])
    assert "the program ended" not in err


def test_check_fails_by_the_programs_exit_code_too(program, capfd):
    code, report, err = check(capfd, program, "results")
    assert (code, report["findings"]) == (1, [])
    assert "exit code 7" in err


def test_checks_of_a_program_can_be_left_out(program, capfd):
    assert main(["check", "--checks", "fast", str(program), "--", "raced"]) == 0
    assert main(["check", str(program), "--dim", "4"]) == 2
    assert "--kernel" in capfd.readouterr().err


def test_only_sources_with_a_main_are_programs(tmp_path, capfd):
    source = tmp_path / "kernel.mlu"
    source.write_text("__mlu_entry__ void k(float *x) { x[0] = 1; /* int main() */ }\n")
    assert main(["check", str(source)]) == 0
    assert "ran nothing" in capfd.readouterr().err


def test_kernels_are_launched_by_address_too(run):
    code, out, report = run("invoked")
    assert (code, out) == (0, "9\n1 1\n")
    assert len(report.launches) == 4
    assert found(report) == [("argument", line("four of three")), ("failed-call", line("four of three") + 1)]


def test_queues_overlap_and_wait(run):
    _, out, report = run("overlap")
    rows = [row.split() for row in out.splitlines()]
    alone, beside, after = (float(row[1]) for row in rows[:3])
    assert all(row[0] == "1" for row in rows[:3]), "a queue is busy until a wait"
    assert all(row[1] == row[2] for row in rows[:3])
    assert beside == pytest.approx(alone)
    assert after == pytest.approx(2 * alone)
    assert rows[3] == ["4", "1"]
    assert report.findings == []
    assert alone == pytest.approx(report.launches[0].end - report.launches[0].start, abs=1e-3)


def test_work_of_two_queues_on_one_array(run):
    _, _, report = run("crossed")
    (finding,) = report.findings
    assert (finding.rule, finding.location.line) == ("queue-order", line("beside"))
    assert finding.related.line == line("before")


def test_transfers_last_by_the_rates_of_the_device_file(run, device):
    _, out, report = run("transfers")
    bus, dram = device.rates.bus, device.rates.channels["dram"]
    over = 2**20 / (bus.gb_per_s * bus.efficiency) / 1e3
    there = 2**20 / (dram.gb_per_s * dram.efficiency) / 1e3
    begin = bus.latency_ns / 1e3
    expected = [begin + over, begin + 2 * there, begin + over, begin + there, 0]
    assert [float(us) for us in out.split()] == pytest.approx(expected, abs=2e-3)
    assert report.findings == []


def test_a_device_file_without_a_bus_runs_no_programs(program, tmp_path):
    chip = Device.file("mlu370-x4")
    own = tmp_path / "own.toml"
    own.write_text(chip.read_text().partition("[bus]")[0])
    with pytest.raises(ValueError, match=r"mlu370-x4 has no \[bus\] in its device file, by which host code copies"):
        run_program(program, ["results"], [Device.load(own)])


def test_columns_of_one_array_share_memory_only_where_they_meet(run):
    _, _, report = run("columns")
    (finding,) = report.findings
    assert (finding.rule, finding.location.line) == ("queue-order", line("the column from its second row on"))
    assert finding.related.line == line("a column")


def test_a_copy_before_the_wait(run):
    _, _, report = run("unwaited")
    assert found(report) == [("queue-order", line("too early"))], "only of what the kernel has written"
    assert report.findings[0].related.line == line("not waited for")


def test_a_look_at_the_target_of_a_queued_copy(run):
    code, out, report = run("peeked")
    assert (code, out) == (0, "-nan 4\n4\n"), "nothing has arrived before the wait"
    assert found(report) == [("queue-order", line("peek"))]
    assert report.findings[0].related.line == line("queued")


@pytest.mark.parametrize(
    ("words", "out", "lines"),
    [
        (["", "65536", "paged"], "7 7\n", 0),  # work of one queue comes in its order
        ([], "7 7\n", 0),
        (["called"], "7 7 7\n", 0),
        (["joined"], "7 7 7\n", 0),
        (["early", "100"], "-1 7 7\n", 1),  # pinned memory is watched to its end
        (["early", "8292"], "-1 7 7\n", 1),
    ],
)
def test_copies_through_host_memory_are_ordered_by_their_queue(device, capfd, words, out, lines):
    source = HERE / "ordered.cpp"
    code, (report,) = run_program(build_program([source], NO_OPTIONS, device), words, [device])
    assert (code, capfd.readouterr().out) == (0, out)
    look = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if text.startswith("static int last"))
    assert found(report) == [("queue-order", look)] * lines


def test_wrong_pointers(run):
    code, out, report = run("misused")
    assert (code, out) == (0, "8\n")
    marks = [
        ("bounds", "past the end"), ("host-pointer", "no device memory"), ("host-pointer", "wrong way"),
        ("host-pointer", "inside"), ("host-pointer", "of the host"), ("use-after-free", "after free"),
        ("double-free", "twice"), ("double-free", "pinned twice"), ("uninitialized", "unwritten"),
    ]  # fmt: skip
    assert found(report)[:-1] == [(rule, line(mark)) for rule, mark in marks]
    assert found(report)[-1][0] == "leak"
    by_rule = {finding.rule: finding for finding in reversed(report.findings)}
    assert by_rule["double-free"].related.line == line("freed") == by_rule["use-after-free"].related.line
    assert "4 bytes past the end" in by_rule["bounds"].message
    assert by_rule["uninitialized"].origin.line == line("unwritten") - 1


def test_a_device_pointer_that_the_host_follows(run):
    code, out, report = run("touched")
    assert (code, out) == (-11, "before\n")
    assert not report.ended
    assert found(report) == [("host-pointer", line("touch"))]


def test_a_kernel_that_fails_and_a_launch_that_cannot_be(run):
    code, out, report = run("failing")
    assert (code, out) == (0, "100128 0\n632015 1\n")
    assert [finding.rule for finding in report.findings] == ["assert", "argument"]
    assert report.findings[1].location.line == line("three of four")
    assert [one.kernel for one in report.launches] == ["Fails", "AddScalar"], "nothing runs in a queue that has failed"


def test_two_devices(run):
    code, out, _ = run("devices", devices=2)
    assert code == 0
    bus = "384 3200000"  # bits and kHz: 307.2 GB/s with two words a period
    assert out.splitlines() == [f"8 4 1 32768 0 1 {bus}", f"8 4 1 32768 1 1 {bus}", "11 12 12 1", "0 1 8 4"]


def test_the_memory_bus_is_that_of_the_device_file(program, tmp_path, capfd):
    chip = (Device.file("mlu370-x4")).read_text()
    wide, silent = tmp_path / "wide.toml", tmp_path / "silent.toml"
    wide.write_text(chip.replace("bus_bits = { value = 384", "bus_bits = { value = 768"))
    silent.write_text(re.sub(r"\nbus_bits = .*", "", chip))
    assert run_program(program, ["devices"], [Device.load(wide), Device.load(silent)])[0] == 0
    assert [line.split()[-2:] for line in capfd.readouterr().out.splitlines()[:2]] == [["768", "1600000"], ["0", "0"]]


def test_threads(run):
    assert run("threads")[:2] == (0, "8 108 208 308 \n")


def test_an_exit_in_the_middle(run):
    code, _, report = run("midway")
    assert code == 5
    assert found(report)[0] == ("queue-order", line("left"))
    assert found(report)[1][0] == "leak"


def test_forks(run):
    code, out, report = run("forks")
    assert (code, out) == (0, "2 3 5 -1\n")
    assert report.findings == []


def test_conversions(run):
    from_float, _, rest = run("conversions")[1].partition(" ")
    assert int(from_float) == 0x3555
    assert rest == "0.333252 2 2 -2 127 -128 0 2 3 -1 127 -128 0 6 10 -6 127 -128 1 1\n"


DAMAGED = "the image of the program's kernels is damaged; build the program again"
OTHER = "the program was built by another version of mlusim; build it again"


@pytest.mark.parametrize(
    ("part", "other", "said"),
    [
        (rb"[0-9a-f]{64}(?=\0)", lambda digest: digest[0][::-1], DAMAGED),
        (rb'"kernels": ', rb'"kernelz": ', DAMAGED),
        (rb'"kernels": \[', b'"kernels": \xff', DAMAGED),
        (rb'"runtime": "..', rb'"runtime": "--', OTHER),
        (rb'"declared": "bang ..', rb'"declared": "bang --', OTHER),
    ],
)
def test_a_program_that_is_damaged_or_of_another_version(program, device, tmp_path, capfd, part, other, said):
    """What it says of the images of its kernels is changed in the program itself."""
    own = tmp_path / "program"
    content, changed = re.subn(part, other, program.read_bytes())
    own.write_bytes(content)
    own.chmod(0o755)
    code, (report,) = run_program(own, ["results"], [device])
    assert changed == 2, "one for each source with kernels"
    assert code == 1
    assert capfd.readouterr().err.startswith(f"mlusim: cnrtErrorNoModule: {said}")
    assert report.ended
    assert [(finding.rule, finding.message) for finding in report.findings][:1] == [("build", said)]


def test_a_program_that_is_kept_needs_no_compiler(program, device, monkeypatch):
    def refused(*_: object) -> None:
        raise AssertionError("the compiler was run")

    monkeypatch.setattr(Compiler, "run", refused)
    assert build_program([SOURCE, HERE / "kernels.mlu"], NO_OPTIONS, device) == program


def test_the_command_line_runs_a_program(program, tmp_path, capfd, monkeypatch):
    """A program that is built already, with traces and logs of all launches, and as a document."""
    monkeypatch.chdir(tmp_path)
    assert (
        main(["run", str(program), "--trace", "t.json", "--log", "l.mlulog", "--report", "r.html", "--", "overlap"])
        == 0
    )
    out, err = capfd.readouterr()
    assert out.splitlines()[3] == "4 1"
    assert err.splitlines()[0].startswith("mlusim run: AddScalar: 5 launches, ")
    assert err.splitlines()[1].endswith("us simulated; no findings")
    events = json.loads(Path("t.json").read_text())["traceEvents"]
    rows = [(event["tid"] % 1000, event["ts"]) for event in events if event["name"] == "AddScalar"]
    shown = [round(launch["start_us"], 3) for launch in read(Path("r.html")).head["launches"]]
    assert shown == [ts for _, ts in rows]
    logs = [Log.load(f"l.{number}.mlulog").launch for number in range(1, 6)]
    assert [(launch["queue"], round(launch["start_us"], 3)) for launch in logs] == rows
    assert [queue for queue, _ in rows] == [1, 1, 2, 1, 2]
    arrows = [event["id"] for event in events if event["ph"] == "s"]
    assert len(arrows) == len(set(arrows)) > 0, "no two launches share an arrow"
    assert main(["run", str(program), "--json", "--", "results"]) == 7
    said = document(capfd.readouterr().out, "run")
    assert said["exit_code"] == 7
    assert [launch["kernel"] for launch in said["processes"][0]["launches"]] == ["AddScalar", "Times<float, 3>"]
    assert main(["run", str(program), "--dim", "4"]) == 2
    assert "--dim says how a kernel is launched; name it with --kernel" in capfd.readouterr().err
