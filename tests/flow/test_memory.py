"""The pass over a log where there is too little memory."""

from __future__ import annotations

import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Log
from mlusim.simulator.flow import causes_of

from tests.checks.after_run.launched import N, run, zeros
from tests.support.paths import ROOT


def wide(records: int) -> Log:
    """A log of stores to as many places of the device."""

    def kernel(m: Any, out: Any) -> None:
        out[0] = 1.0

    log = run(kernel, zeros(N)).log
    store = next(n for n, op in enumerate(log.ops) if op.operands)
    rows = log.records[log.records["op"] == store][:1].repeat(records)
    first = int(rows["first"][0])
    operands = log.operands[first : first + 1].repeat(records)
    rows["first"] = np.arange(records)
    operands["key"] += (np.arange(records) * 8).astype(np.uint64)
    return replace(log, records=rows, operands=operands)


def run_short_of_memory() -> None:
    """Look for causes with little more memory than what is taken."""
    assert causes_of(wide(1), True) is not None  # and the library is there
    log = wide(1 << 20)
    taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + (32 << 20), resource.RLIM_INFINITY))
    with pytest.raises(MemoryError, match="not enough memory to examine 1048576 records"):
        causes_of(log, True)


def test_a_pass_without_memory_is_a_memory_error() -> None:
    # A process that has run other tests has memory to spare.
    script = "from tests.flow.test_memory import run_short_of_memory as run; run(); print('told')"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout.endswith("told\n"), done.stderr
