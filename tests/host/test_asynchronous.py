"""What queues do behind the back of the host: `programs/asynchronous.mlu`, one scenario for each test."""

import re
from pathlib import Path

import pytest
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.kernelc.options import Options

from tests.support.sources import line_of

HERE = Path(__file__).parent / "programs"
SOURCE = HERE / "asynchronous.mlu"


@pytest.fixture(scope="module")
def program(device) -> Path:
    return build_program([SOURCE, HERE / "kernels.mlu"], Options.of([], [], [], None), device)


#: What each scenario prints, and its findings: the rule, the mark of the line, and of the one that it is related to.
SCENARIOS = {
    "locked": ("1 3 33 33\n", []),  # in the order of the queue, on another thread
    "crossed": ("1 5\n", []),
    "calling": ("1 1\n", [("host-function", "synchronizes", ""), ("host-function", "frees", "")]),
    "late": ("0 0 2 2 neighbour\n", []),
    "notified": ("2 0 3\n", [("queue-order", "too early", "not before the notifier")]),
    "whole": (
        "-1 6 6\n",
        [("queue-order", "the first byte", "copied whole"), ("queue-order", "frees what is copied", "copied again")],
    ),
    "freed": (
        "3000\n",
        [
            ("queue-order", "free of a small target", "small target"),
            ("queue-order", "free of a large target", "large target"),
            ("queue-order", "free of a source", "its source"),
        ],
    ),
    "frame": ("256\n", [("queue-order", "waits in another frame", "into the frame")]),
    "sources": (
        "2 1\n",
        [
            ("queue-order", "write to a large source", "a large source"),
            ("queue-order", "waits for a small source", "a small source"),
        ],
    ),
    "system": (
        "1 1\n",
        [("queue-order", "written too early", "queued to be written"), ("queue-order", "read too early", "read from")],
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_asynchronous_is(program, device, capfd, name):
    out, expected = SCENARIOS[name]
    code, (report,) = run_program(program, [name], [device])
    assert (code, capfd.readouterr().out) == (0, out)
    found = [
        (finding.rule, finding.location.line, finding.related.line if finding.related else 0)
        for finding in report.findings
    ]
    assert found == [(rule, line(mark), line(beside) if beside else 0) for rule, mark, beside in expected]


def line(mark: str) -> int:
    """The line that ends with a mark."""
    return line_of(SOURCE, f"// {re.escape(mark)}$")
