"""Captures and task topologies: `programs/topologies.mlu`, one scenario for each test."""

import re
from pathlib import Path

import pytest
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.kernelc.options import Options

from tests.support.sources import line_of

HERE = Path(__file__).parent / "programs"
SOURCE = HERE / "topologies.mlu"
#: cnrtRet_t
ARGUMENT, CAPTURING, INVALIDATED = 100006, 100360, 100361


@pytest.fixture(scope="module")
def program(device) -> Path:
    return build_program([SOURCE, HERE / "kernels.mlu"], Options.of([], [], [], None), device)


#: What each scenario prints, and the rules and marks of its findings.
SCENARIOS = {
    # Three nodes, of which none has run before the topology is invoked, three times.
    "captured": (
        f"0 0 0 0 0 0 3 0 0 0 0 0 0 0 0 3 3 0 0 {CAPTURING} {INVALIDATED}",
        [("failed-call", "not while it is captured"), ("failed-call", "ended before")],
    ),
    "topology": ("0 0 0 0 0 0 0 0 1 0 0 0 5", []),
    "changes": (
        f"0 {ARGUMENT} 0 0 1 0 0 5 0 0 5 0 0 6 {ARGUMENT} 0 0 0 0 0 0 7 100400 2 0 7",
        [("failed-call", "not there any more"), ("failed-call", "another type"), ("failed-call", "one node less")],
    ),
    "nodes": (
        f"0 0 0 0 0 0 0  0 0 0 0 0 0 0 0 0 0 0 {ARGUMENT} 0 0  0 1 0 1025 1 0 0 0 0 0 0 1027 1 0 {ARGUMENT}",
        [("failed-call", "goes with its node"), ("failed-call", "other nodes")],
    ),
    "info": ("0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 3", []),
    "objects": (
        f"0 0 0 0 0 0 0 0 0 0 0 0 0 1 {ARGUMENT}",
        [("failed-call", "after its last reference")],
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_topologies(program, device, capfd, name):
    out, expected = SCENARIOS[name]
    code, (report,) = run_program(program, [name], [device])
    assert (code, capfd.readouterr().out.split()) == (0, out.split())
    found = [(finding.rule, finding.location.line) for finding in report.findings]
    assert found == [(rule, line_of(SOURCE, f"// {re.escape(mark)}$")) for rule, mark in expected]
