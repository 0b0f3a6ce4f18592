"""Programs with host code of their own, built and run from Python by public names."""

from pathlib import Path

import pytest
from mlusim.simulator import BuildError, Device, HostProgram

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
#: Ends with the number of its arguments, or of devices.
COUNTING = """
#include <cnrt.h>
int main(int count, char **words) {
  unsigned devices = 0;
  cnrtGetDeviceCount(&devices);
  return count > 1 ? COUNTED + count - 1 : 10 * devices;
}
"""


@pytest.fixture
def counting(tmp_path):
    source = tmp_path / "counting.cpp"
    source.write_text(COUNTING)
    return source


def test_a_program_runs_and_says_what_it_broke():
    program = HostProgram([EXAMPLES / "host_faults.mlu"], device=Device.load("mlu370-x4"))
    run = program.run()
    assert {finding.rule for finding in run.findings} >= {"leak", "double-free", "host-pointer", "queue-order"}
    assert run.time_us == max(process.time_us for process in run.processes) > 0
    fixed = HostProgram([str(EXAMPLES / "host_fixed.mlu")], device=Device.load("mlu370-x4")).run(keep_logs=True)
    assert (fixed.exit_code, fixed.findings) == (0, [])
    assert [type(launch.log).__name__ for process in fixed.processes for launch in process.launches] == ["Log"]


def test_arguments_macros_and_devices_reach_the_program(counting):
    device = Device.load("mlu370-x4")
    program = HostProgram([counting], device=device, define={"COUNTED": 5})
    assert program.run(["a", "b"]).exit_code == 7
    assert program.run().exit_code == 10
    assert program.run(devices=[device, device]).exit_code == 20


def test_what_cannot_be_built_says_so(counting, tmp_path):
    with pytest.raises(BuildError, match="COUNTED"):
        HostProgram([counting], device=Device.load("mlu370-x4"))
    with pytest.raises(TypeError, match="Device"):
        HostProgram([counting], device="mlu370-x4")
    with pytest.raises(BuildError, match=r"cnrt\.h is a header of BANG C"):
        HostProgram([counting], device=Device.load("cuda-sm80"), define={"COUNTED": 1})
