"""CUDA programs with host code of their own: what they print, the errors that they see, the findings at their lines.

They are built once; each test runs one scenario of `programs/cuda_scenarios.cu`.
"""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from mlusim.simulator import BuildError, Device, HostProgram
from mlusim.simulator.cli import main
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.host.programs.report import ProgramReport
from mlusim.simulator.kernelc.options import Options
from mlusim.simulator.native import HOST

from tests.support.sources import line_of

HERE = Path(__file__).parent / "programs"
SOURCE = HERE / "cuda_scenarios.cu"
_SENTENCE = re.compile(r'\bfailed\(cudaError\w+,\s*"([^"]*)"')
SOURCES = [SOURCE, HERE / "cuda_other.cu", HERE / "cuda_host.cpp"]


@pytest.fixture(scope="module")
def device() -> Device:
    return Device.load("cuda-sm80")


@pytest.fixture(scope="module")
def program(device) -> Path:
    return build_program(SOURCES, Options.of([], [], [], None), device)


@pytest.fixture
def run(program, device, capfd):
    """Run a scenario: its exit code, its standard output, its report."""

    def scenario(name: str) -> tuple[int, str, ProgramReport]:
        code, reports = run_program(program, [name], [device])
        return code, capfd.readouterr().out, reports[-1]

    return scenario


def line(mark: str) -> int:
    """The line of the scenarios that ends with a mark."""
    return line_of(SOURCE, f"// {mark}$")


def found(report: ProgramReport) -> list[tuple[str, int]]:
    return [(finding.rule, finding.location.line) for finding in report.findings]


def test_results_exit_code_and_launches(run):
    code, out, report = run("results")
    assert (code, out) == (7, "7 7 7 1\n2.5 6 4\nthread 3\n")
    assert report.findings == []
    assert [(one.kernel, one.dim, one.type) for one in report.launches] == [
        ("apply<float, Scaled>", (4, 1, 1), "grid"),
        ("add_one", (1, 1, 1), "grid"),
        ("reversed", (1, 1, 1), "grid"),
    ]
    assert report.location(report.launches[0].place).line == line("launch")


def test_variables_of_the_device(run):
    """Constant, managed, those that hold functions; one of the same name in another source is another one."""
    code, out, report = run("variables")
    assert (code, out.splitlines()) == (
        0,
        ["11 4010 9 15", "14 16 30", "cudaErrorInvalidValue", "cudaErrorInvalidSymbol"],
    )
    assert found(report) == [("failed-call", line("past a variable")), ("failed-call", line("no variable"))]


def test_a_program_finds_its_variables_as_they_begin(run):
    assert run("variables")[1] == run("variables")[1]


def test_templates_and_launches_by_address(run):
    code, out, report = run("templates")
    assert (code, out) == (0, "6 70 71\n")
    assert report.findings == []
    assert [one.kernel for one in report.launches][2:] == ["increment", "number<7>", "increment"]


def test_a_launch_beyond_a_limit_is_an_error_that_names_it(run):
    code, out, report = run("limits")
    misfits = ["cudaErrorInvalidConfiguration"] * 4 + ["cudaErrorInvalidValue"]
    assert (code, out.split()) == (0, [*misfits, "cudaSuccess", "cudaSuccess", "no", "error"])
    said = {"threads": "1024", "blocks": "1 at least", "rows of blocks": "65535", "layers": "64", "shared": "49152"}
    assert found(report) == [("failed-call", line(mark)) for mark in said]
    assert all(limit in finding.message for finding, limit in zip(report.findings, said.values(), strict=True))
    assert len(report.launches) == 1, "the others have not run"


def test_the_numbers_of_a_device_are_those_of_its_file(run, device):
    _, out, report = run("facts")
    shape, rows = device.shape, out.splitlines()
    limits = shape.threads
    assert rows[0] == f"1 0 {device.title}"
    assert rows[1] == (
        f"{shape.arch // 10}.{shape.arch % 10} {limits.warp} {limits.per_block} 65535 {limits.static_shared} "
        f"{shape.spaces['shared'].bytes} 1"
    )
    blocks = limits.per_cluster // 256
    assert rows[2] == f"{blocks} {limits.per_cluster // limits.per_block * shape.clusters} {limits.per_block}"
    assert rows[3] == "cudaErrorInvalidDevice"
    assert found(report) == [("failed-call", line("device"))]


def test_the_default_stream_and_others_wait_for_each_other(run):
    code, out, report = run("streams")
    assert (code, out) == (0, "-1 4 4\n")
    assert found(report) == [("queue-order", line("too early"))]
    launches = report.launches
    assert all(a.end <= b.start for a, b in pairwise(launches))


def test_streams_that_nothing_orders(run):
    assert found(run("unordered")[2]) == [("queue-order", line("not ordered"))]


def test_an_error_of_a_kernel_stays_until_the_device_is_reset(run):
    code, out, report = run("outside")
    illegal = "cudaErrorIllegalAddress"
    assert (code, out.split()) == (0, ["cudaSuccess", illegal, illegal, illegal, "cudaSuccess", "cudaErrorAssert"])
    rules = [rule for rule, _ in found(report)]
    assert rules.count("bounds") == rules.count("assert") == 1
    bounds = next(finding for finding in report.findings if finding.rule == "bounds")
    assert bounds.related.line == line("null")


def test_an_access_past_an_array_is_found_and_is_no_error_of_the_device(run):
    code, out, report = run("bounds")
    assert (code, out) == (0, "cudaSuccess\n")
    assert found(report) == [("bounds", line("past the end"))]


def test_memory_that_is_used_wrongly(run):
    _, out, report = run("memory")
    wrong = "cudaErrorInvalidValue"
    assert out.split() == [wrong, wrong, "cudaSuccess", wrong, wrong]
    assert found(report) == [
        ("bounds", line("too long")),
        ("host-pointer", line("the wrong way")),
        ("uninitialized", line("unset")),
        ("double-free", line("freed twice")),
        ("use-after-free", line("freed")),
        ("leak", line("never freed")),
    ]


def test_what_nothing_has_written_is_loaded(run):
    code, _, report = run("unset")
    assert code == 0
    assert found(report) == [("uninitialized", line("moves"))] * 2
    assert [finding.origin.line for finding in report.findings] == [line("set in half"), line("never set")]
    assert [finding.severity for finding in report.findings] == ["advice", "warning"]
    assert "bytes 64 to 128" in report.findings[0].message


def test_a_pointer_of_the_device_is_none_of_the_host(run):
    code, _, report = run("pointer")
    assert code == -11
    assert found(report)[0] == ("host-pointer", line("of the device"))


def test_graphs_are_made_by_captures_alone(run):
    code, out, report = run("graph")
    assert (code, out, report.findings) == (0, "6\n", [])
    assert len(report.launches) == 6
    code, out, report = run("refused")
    assert (code, out) == (0, "cudaErrorNotSupported\n")
    refused = [
        (finding.location.line, finding.message) for finding in report.findings if finding.rule == "not-modelled"
    ]
    assert [where for where, _ in refused] == [line("by hand"), line("launches a kernel")]
    assert "cudaGraphCreate" in refused[0][1]
    assert "dynamic parallelism" in refused[1][1]


def test_every_refusal_is_said(run):
    """Each sentence with which a function of the CUDA runtime fails by itself has been provoked."""
    code, out, report = run("errors")
    assert code == 0
    assert "cudaSuccess" not in out
    named = "InvalidValue MemoryAllocation InvalidResourceHandle UnsupportedLimit NotSupported InvalidDevice"
    named += " InvalidDeviceFunction InvalidMemcpyDirection"
    assert {name.removeprefix("cudaError") for name in out.split()} == set(named.split())
    said = "\n".join(finding.message for finding in report.findings)
    sentences = [why for path in HOST.glob("cudart*.cpp") for why in _SENTENCE.findall(path.read_text())]
    assert len(sentences) > 15
    assert [why for why in sentences if why not in said] == []


def test_rows_with_a_pitch(run):
    code, out, report = run("pitched")
    assert (code, out, report.findings) == (0, "1 0 14 10\n", [])


def test_the_library_of_a_missing_header_is_named(tmp_path, device):
    source = tmp_path / "with_library.cu"
    source.write_text("#include <cublas_v2.h>\nint main() { return 0; }\n")
    with pytest.raises(BuildError, match="cuBLAS, which is not modelled"):
        HostProgram([source], device=device)


def test_run_check_and_build_from_the_command_line(tmp_path, capfd):
    sources = [str(source) for source in SOURCES]
    trace = tmp_path / "trace.json"
    assert main(["run", *sources, "--device", "cuda-sm80", "--trace", str(trace), "--", "templates"]) == 0
    out, err = capfd.readouterr()
    assert out == "6 70 71\n"
    assert "no findings" in err
    assert "number<7>" in trace.read_text()
    assert main(["check", *sources, "--device", "cuda-sm80", "--", "unordered"]) == 1
    assert "queue-order" in capfd.readouterr().out
    assert main(["build", *sources, "--device", "cuda-sm80"]) == 0
    assert "number<6>" in capfd.readouterr().out


def test_launches_are_compared_with_themselves(program, device, tmp_path):
    source = tmp_path / "ordered.cu"
    source.write_text(ORDERED)
    run = HostProgram([source], device=device).run(orders=3)
    assert run.exit_code == 0
    assert ("order-dependent", 2) in [(finding.rule, finding.location.line) for finding in run.findings]
    (tried,) = [report.tried for report in run.processes]
    assert "last" in tried


#: The last block that stores decides.
ORDERED = """
__global__ void last(int *out) { out[0] = blockIdx.x; }
int main() {
  int *out, found;
  cudaMalloc(&out, 4);
  last<<<4, 1>>>(out);
  cudaMemcpy(&found, out, 4, cudaMemcpyDeviceToHost);
  cudaFree(out);
  return found != 3;
}
"""


def test_threads_that_queue_work_and_callbacks_that_go_on(device, tmp_path):
    """Locks of the runtime are taken in one order; kernels have parameters of 24 KB; the host has global conditions."""
    command = [sys.executable, "-m", "mlusim.simulator", "run", str(HERE / "cuda_threads.cu"), "--device", device.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode, done.stdout) == (0, "1 1 1 0 63 7\n819200\n24 0\n")
    assert "no findings" in done.stderr
