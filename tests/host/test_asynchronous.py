"""What queues do behind the back of the host: `programs/asynchronous.mlu`, one scenario for each test."""

import ctypes
import os
import platform
import re
import struct
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
    "late": ("0 0 2 2 neighbour\n", [("queue-order", "of an array", "to a number")]),
    "unwaited": ("", [("queue-order", "without a wait", "in another queue")]),
    "peeked": (
        "10 -1 -4 1 5 1\n",
        [
            ("queue-order", "one of its elements", "a small one"),
            ("queue-order", "for what was written", "a small one"),
            ("queue-order", "four at once", "each of four"),
            ("queue-order", "to the file", "is written to a file"),
        ],
    ),
    "notified": ("2 0 3\n", [("queue-order", "too early", "not before the notifier")]),
    "whole": (
        "-1 6 6\n",
        [("queue-order", "the first byte", "copied whole"), ("queue-order", "frees what is copied", "copied again")],
    ),
    "freed": (
        "3000\n",
        [
            ("queue-order", "free of a large target", "large target"),
            ("queue-order", "free of a source", "its source"),
            ("queue-order", "free of a small target", "small target"),
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
    "begun": (
        "0 7\n",
        [
            ("queue-order", "fills it for the next copy", "used again"),
            ("queue-order", "by the C library", "copied over"),
        ],
    ),
    "system": (
        "1 1\n",
        [("queue-order", "written too early", "queued to be written"), ("queue-order", "read too early", "read from")],
    ),
}
#: The marks of lines that only watchpoints of the processor see.
PEEKS = ("of an array", "one of its elements", "four at once", "fills it for the next copy", "by the C library")


@pytest.fixture(scope="module")
def has_watchpoints() -> bool:
    """Whether the system gives this process watchpoints: perf_event_open."""
    asked = ctypes.create_string_buffer(128)  # struct perf_event_attr: of reads and writes of 8 bytes, with a signal
    flags = 1 << 5 | 1 << 6 | 1 << 36 | 1 << 37
    struct.pack_into("<IIQQQQQIIQQ", asked, 0, 5, 128, 0, 1, 0, 0, flags, 0, 3, ctypes.addressof(asked) & ~7, 8)
    number = {"x86_64": 298, "aarch64": 241}[platform.machine()]
    file = ctypes.CDLL(None).syscall(number, asked, 0, -1, -1, 0)
    if file >= 0:
        os.close(file)
    return file >= 0


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_asynchronous_is(program, device, capfd, name, has_watchpoints):
    out, expected = SCENARIOS[name]
    expected = [each for each in expected if has_watchpoints or each[1] not in PEEKS]
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
