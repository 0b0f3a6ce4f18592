"""What wrong calls of the runtime and of the libraries beside it return and say: `programs/errors.cpp` is the table."""

import re
from pathlib import Path

import pytest
from mlusim.simulator import Device
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.kernelc.options import Options
from mlusim.simulator.native import HOST

HERE = Path(__file__).parent / "programs"
SOURCES = HOST
#: What only two programs provoke: `test_shared_arrays.py`. No test takes all memory from the system. The last one is of
#: CUDA: `test_cuda_programs.py`.
ELSEWHERE = """the memory is another program's: cnrtUnMapMemHandle gives it back
the program that has placed the notifier ended before it came there
the system has no memory for a notifier of several processes
the node is a library's operation, which has no parameters
what is named is no variable of the device at file scope
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Standard output and what was said of each way to run the table; the findings of all."""
    device = Device.load("mlu370-x4")
    sources = [HERE / name for name in ("errors.cpp", "errors_library.cpp", "errors_further.cpp", "kernels.mlu")]
    program = build_program(sources, Options.of([], [], [], None), device)
    return {way: _run(program, way, device, tmp_path_factory.mktemp(way)) for way in ("wrong", "alone", "cut")}


def _run(program, way, device, folder):
    # The program's own streams: what C writes does not pass through Python's.
    script = folder / "run.sh"
    script.write_text(f'#!/bin/sh\nexec "{program}" {way} >"{folder}/out" 2>"{folder}/err"\n')
    script.chmod(0o755)
    code, reports = run_program(script, [], [device])
    return code, (folder / "out").read_text(), (folder / "err").read_text(), reports


@pytest.mark.parametrize("way", ["wrong", "alone", "cut"])
def test_every_call_returns_its_status(outcome, way):
    code, out, _, _ = outcome[way]
    assert re.fullmatch(r"\d+ calls\n", out), out
    assert code == 0


def test_every_refusal_is_said(outcome):
    """Each sentence in the sources of the runtime with which a call fails has been provoked."""
    said = "".join(err for _, _, err, _ in outcome.values())
    reports = [one for run in outcome.values() for one in run[3]]
    said += ELSEWHERE + "".join(f"{finding.message}\n" for one in reports for finding in one.findings)
    missing = []
    for path in sorted(SOURCES.glob("*.cpp")):
        text = re.sub(r"\n\s*", " ", path.read_text())
        for why in re.findall(r'\bfailed\(cnrtError\w+, "([^"]*)"', text):
            missing += [f"{path.name}: {why}"] if why not in said else []
        for function, why in re.findall(r'\brefused\("(\w+)", "([^"]*)"', text):
            missing += [f"{path.name}: {function}: {why}"] if f"{function}: {why}" not in said else []
        for function in re.findall(r'\bnot_modelled\("(\w+)"', text):
            missing += [f"{path.name}: {function}"] if f"{function} is declared but not modelled" not in said else []
    assert not missing


def test_lost_devices_are_said_with_their_reason(outcome):
    assert "cannot reach the device process /nowhere: Connection refused" in outcome["alone"][2]
    assert "the device process has gone; see above why" in outcome["cut"][2]
