"""What findings say of memory: which array is nearest, where it was allocated, which part of it is stale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Finding, KernelError, Program, launch

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "reports.mlu"
HERE = Path(__file__)


def line(text: str, file: Path = SOURCE) -> int:
    return line_of(file, text)


def found(program: Program, kernel: str, *args: object, isolate: bool = True) -> Finding:
    """The finding of a launch that has one."""
    (finding,) = program.launch(kernel, args=args, on_finding="collect", isolate=isolate).findings
    return finding


@pytest.mark.parametrize("isolate", [True, False])
def test_a_stale_part_of_a_variable_of_the_file(program, isolate):
    finding = found(program, "part", np.zeros(4, np.float32), isolate=isolate)
    assert finding.message == "reads 128 uninitialized bytes of 'tile', from byte 128 of 256"
    assert (finding.location.line, finding.origin.line) == (line(r"\^ part"), line(r"float tile\["))
    assert finding.origin.file == finding.location.file
    assert f"allocated at {finding.origin}" in str(finding)


def test_a_variable_of_a_function(program):
    finding = found(program, "of_function", np.zeros(4, np.float32))
    assert finding.message == "reads 256 uninitialized bytes of 'local'"
    assert (finding.location.line, finding.origin.line) == (line(r"\^ of_function"), line(r"\^ declared"))


def test_an_access_before_a_variable_names_it_and_the_distance(program):
    finding = found(program, "before", np.zeros(4, np.float32))
    assert (finding.rule, finding.message) == ("bounds", "read of 4 bytes begins 8 bytes before 'other'")
    assert (finding.location.line, finding.origin.line) == (line(r"\^ before"), line(r"float other\["))


@pytest.mark.parametrize("isolate", [True, False])
def test_the_line_that_made_an_array_of_the_device(device, program, isolate):
    array = device.array(np.zeros(1, np.float32))  # made here
    finding = found(program, "at_address", array.address, isolate=isolate)
    assert finding.message == "write of 4 bytes at byte 4 of 'device array' passes its end by 4"
    assert (finding.origin.file, finding.origin.line) == (str(HERE), line(r"# made here$", HERE))


def test_the_line_of_an_array_that_a_python_kernel_uses(device):
    def kernel(mlu, x):
        tile = mlu.nram("float", 4)  # taken here
        x[0] = tile[0]

    x = device.array(np.zeros(4, np.float32))
    (finding,) = launch(kernel, args=[x], device=device).findings
    assert (finding.origin.file, finding.origin.line) == (str(HERE), line(r"# taken here$", HERE))


def test_an_argument_has_no_line_of_its_own(program):
    args = [np.zeros(64, np.float32), np.zeros(8, np.float32)]
    with pytest.raises(KernelError, match="'argument 1 of fine' passes its end by 224") as caught:
        program.launch("fine", args=args)
    assert caught.value.finding.origin is None


def test_use_after_an_array_has_gone(device, program):
    array = device.array(np.zeros(16, np.float32))  # and freed
    address = array.address
    assert not program.launch("at_address", args=[address]).findings
    del array
    finding = found(program, "at_address", address)
    assert (finding.rule, finding.message) == (
        "use-after-free",
        "access to byte 4 of 'device array', which has been freed",
    )
    assert finding.origin.line == line(r"# and freed$", HERE)
    again = device.array(np.zeros(16, np.float32))
    assert again.address == address
    assert not program.launch("at_address", args=[address]).findings


def test_what_overruns_its_array_is_no_use_of_one_that_has_gone(device, program):
    first, second = device.array(np.zeros(16, np.float32)), device.array(np.zeros(16, np.float32))
    address = first.address + first.nbytes
    del second
    assert found(program, "at_address", address).rule == "bounds"
    assert found(program, "at_address", address).message.endswith("of 'device array' passes its end by 8")


@pytest.mark.parametrize("isolate", [True, False])
def test_a_write_to_an_array_that_is_read_only(program, isolate):
    out, x = np.zeros(64, np.float32), np.ones(64, np.float32)
    x.flags.writeable = False
    assert not program.launch("fine", args=[out, x], isolate=isolate).findings
    out.flags.writeable = False
    (finding,) = program.launch("fine", args=[out, x], isolate=isolate).findings
    assert (finding.rule, finding.severity, finding.operand) == ("read-only", "warning", "dst")
    assert "argument 0 of fine" in finding.message
    assert finding.location.line == line(r"__memcpy\(out, tile")


def test_a_read_only_view_of_an_array_that_can_be_written(program):
    x = np.ones(64, np.float32)
    view = x[:]
    view.flags.writeable = False
    assert not program.launch("fine", args=[x, view]).findings


def test_findings_of_one_cause_are_one_with_all_cores_and_tasks(program):
    run = program.launch("often", (8, 1, 1), "block", [np.zeros(128, np.float32), 3], on_finding="collect")
    by_rule = {finding.rule: finding for finding in run.findings if finding.rule in ("uninitialized", "bounds")}
    assert len(by_rule) == len([f for f in run.findings if f.rule in by_rule]) == 2
    bounds, stale = by_rule["bounds"], by_rule["uninitialized"]
    assert (bounds.count, bounds.cores, bounds.tasks) == (24, tuple(range(8)), tuple(range(8)))
    assert (stale.count, stale.core, stale.task) == (8, 0, 0)  # once for each byte
    assert str(bounds).endswith("seen 24 times, on cores 0 to 7 by tasks 0 to 7")
    with pytest.raises(KernelError) as caught:
        program.launch("often", (8, 1, 1), "block", [np.zeros(128, np.float32), 3])
    assert (caught.value.finding.count, caught.value.finding.tasks) == (1, (0,))
