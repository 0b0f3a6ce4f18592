"""What calls of host programs return and what state they leave: `programs/states.mlu`, one scenario for each test."""

import re
from pathlib import Path

import pytest
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.host.programs.report import ProgramReport
from mlusim.simulator.kernelc.options import Options

from tests.support.sources import line_of

HERE = Path(__file__).parent / "programs"
SOURCE = HERE / "states.mlu"
#: cnrtRet_t
BUSY, ARGUMENT, HANDLE, ASSERT, DEVICE, FAILED = 1, 100006, 100014, 100128, 100005, 632015


@pytest.fixture(scope="module")
def program(device) -> Path:
    return build_program([SOURCE, HERE / "kernels.mlu"], Options.of([], [], [], None), device)


@pytest.fixture
def run(program, device, capfd):
    """Run a scenario: its exit code, the numbers that it prints, its report."""

    def scenario(name: str) -> tuple[int, list[int], ProgramReport]:
        code, (report,) = run_program(program, [name], [device])
        return code, [int(word) for word in capfd.readouterr().out.split()], report

    return scenario


@pytest.mark.parametrize(("name", "said"), [("null", "the pointer is null"), ("host", "belongs to no memory")])
def test_a_kernel_that_leaves_all_memory_fails_its_queue_until_a_reset(run, name, said):
    code, printed, report = run(name)
    # The copy and the wait fail, the host's own work goes on; after the reset the old array is gone and all is well.
    assert printed == [FAILED, FAILED, 0, 0, FAILED, 0, 0, ARGUMENT, 0, 0, 0, 0, 0, 0]
    assert code == 0
    assert [launch.kernel for launch in report.launches] == ["Reads", "AddScalar"], "the one after the reset"
    access, freed = report.findings
    assert said in access.message
    assert (access.location.line, access.related.line) == (line("the access"), line("through what is no address"))
    assert "copied first, with cnrtMemcpy" in access.suggestion
    assert (freed.rule, freed.location.line) == ("double-free", line("freed by the reset"))


def test_a_kernel_that_uses_a_freed_array(run):
    _, printed, report = run("freed")
    assert printed == [0]
    (finding,) = report.findings
    assert (finding.rule, finding.location.line) == ("use-after-free", line("the kernel writes"))
    assert (finding.origin.line, finding.related.line) == (line("allocated"), line("freed"))


def test_what_uses_a_freed_array_does_not_meet_the_next_one(run):
    _, printed, report = run("anew")
    assert printed == [0, ARGUMENT, 0]
    assert [(finding.rule, finding.location.line) for finding in report.findings] == [
        ("use-after-free", line("the kernel writes")), ("use-after-free", line("copied after it was freed")),
    ]  # fmt: skip


def test_a_kernel_that_reads_what_the_host_never_filled(run):
    _, _, report = run("unfilled")
    finding = next(finding for finding in report.findings if finding.rule == "uninitialized")
    assert finding.suggestion.startswith("fill 'array 1' before, which is argument 1: ")
    assert finding.related.line == line("all use it")


def test_memory_that_is_freed_is_free_and_pieces_have_the_limit_of_the_whole(run):
    assert run("memory")[1] == [0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1]


def test_calls_that_fail_are_findings_with_function_and_line(run):
    code, printed, report = run("calls")
    notifiers = [BUSY, 0, 0, ARGUMENT, ARGUMENT, FAILED]
    assert printed == [HANDLE, HANDLE, DEVICE, 0, 0, 0, 0, 0, *notifiers, 0, 1, FAILED]
    assert code == 0
    found = [(finding.message.partition(":")[0], finding.location.line) for finding in report.findings]
    assert found == [
        ("a launch returns cnrtErrorInvalidResourceHandle", line("into a queue that is gone")),
        ("cnrtQueueSync returns cnrtErrorInvalidResourceHandle", line("for a queue that is gone")),
        ("cnrtSetDevice returns cnrtErrorDeviceInvalid", line("no such device")),
        ("cnrtNotifierDuration returns cnrtErrorNotReady", line("too early")),
        ("cnrtNotifierElapsedTime returns cnrtErrorArgsInvalid", line("no software time")),
        ("cnrtNotifierDuration returns cnrtErrorArgsInvalid", line("no time")),
        ("cnrtNotifierDuration returns cnrtErrorCndrvFuncCall", line("never placed")),
        ("a launch of 1048576x1x1 tasks; a dimension is 65535 at most", line("too many tasks")),
    ]


def test_an_assertion_of_a_kernel_has_a_status_of_its_own(run):
    assert run("asserted")[1] == [ASSERT]


def test_a_program_that_gives_up_on_a_failed_queue_lacks_no_wait(run):
    code, _, report = run("given up")
    assert code == 3
    assert [finding.rule for finding in report.findings] == ["bounds", "leak"]


def test_device_memory_that_is_given_to_free(run):
    code, _, report = run("free")
    assert code < 0, "as on a card, the C library ends it"
    finding = report.findings[0]
    assert (finding.rule, finding.location.line) == ("host-pointer", line("free of device memory"))


def line(mark: str) -> int:
    """The line that ends with a mark."""
    return line_of(SOURCE, f"// {re.escape(mark)}$")
