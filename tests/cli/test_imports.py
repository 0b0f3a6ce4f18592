"""What a command does not import: it takes longer to begin than a small kernel to run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SOURCE = """
#include <bang.h>
__nram__ float tile[64];
__mlu_entry__ void twice(float *x) {
  __memcpy(tile, x, 256, GDRAM2NRAM);
  __bang_mul_scalar(tile, tile, 2, 64);
  __memcpy(x, tile, 256, NRAM2GDRAM);
}
"""
#: What a kernel that is built already, and has been launched before, needs nothing of.
LATE = (
    "concurrent.futures",
    "logging",
    "mlusim.isa.check",
    "mlusim.isa.docs",
    "mlusim.kernels",
    "mlusim.simulator.core.execution.tasks",
    "mlusim.simulator.core.issue",
    "mlusim.simulator.core.machine",
    "mlusim.simulator.engines.threads",
    "mlusim.simulator.host",
    "mlusim.simulator.kernelc.ahead",
    "mlusim.simulator.kernelc.compilation",
    "mlusim.simulator.kernelc.dependences",
    "mlusim.simulator.kernelc.failures",
    "mlusim.simulator.kernelc.linking",
    "mlusim.simulator.kernelc.rewrite",
    "mlusim.simulator.kernelc.scan",
    "mlusim.simulator.kernelc.tiles",
    "mlusim.simulator.kernelc.tokens",
    "mlusim.simulator.kernelc.tpu_kernel",
    "mlusim.simulator.kernelc.trust",
    "mlusim.simulator.kernelc.unmarked",
    "mlusim.simulator.study",
    "mlusim.traces.advice",
    "mlusim.traces.drawing",
    "mlusim.traces.perfetto",
    "mlusim.traces.pftrace",
    "mlusim.traces.report",
    "numpy.ma",
    "numpy.typing",
    "pydantic",
    "rich.progress",
)
#: What a build needs nothing of besides: all that runs, checks and times a launch.
LATE_IN_A_BUILD = (
    "mlusim.isa.instruction",
    "mlusim.isa.types",
    "mlusim.simulator.checks.after_run",
    "mlusim.simulator.checks.results",
    "mlusim.simulator.core.memory.global_memory",
    "mlusim.simulator.engines.tasks",
    "mlusim.simulator.engines.worker.answer",
    "mlusim.simulator.engines.worker.pool",
    "mlusim.simulator.engines.worker.start",
    "mlusim.simulator.flow",
    "mlusim.simulator.launches.deduction",
    "mlusim.simulator.launches.launching",
    "mlusim.simulator.launches.structures",
    "mlusim.simulator.log.log",
    "mlusim.simulator.timing",
    "mlusim.traces",
    "ml_dtypes",
    "numpy",
)
#: What is not needed to say which version it is.
LATE_IN_ALL = ("mlusim.simulator.kernelc", "mlusim.simulator.launches", "mlusim.simulator.native.build", "rich")


@pytest.mark.parametrize(
    ("words", "late", "needed"),
    [
        (["run", "twice.mlu", "--kernel", "twice", "--arg", "x.npy"], LATE, "mlusim.simulator.kernelc.build"),
        (["build", "twice.mlu"], (*LATE, *LATE_IN_A_BUILD), "mlusim.simulator.kernelc.build"),
        (["--version"], (*LATE, *LATE_IN_A_BUILD, *LATE_IN_ALL), "mlusim.simulator.cli"),
    ],
    ids=["run", "build", "version"],
)
def test_the_second_time_a_command_imports_what_it_needs(
    tmp_path: Path, words: list[str], late: tuple[str, ...], needed: str
):
    (tmp_path / "twice.mlu").write_text(SOURCE)
    np.save(tmp_path / "x.npy", np.ones(64, np.float32))
    script = (
        f"import sys; sys.argv[1:] = {words}; import atexit; "
        "atexit.register(lambda: print(*sys.modules, sep='\\n', file=sys.stderr)); "
        "from mlusim.simulator.__main__ import main; sys.exit(main())"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    found = done.stderr.split()
    assert needed in found
    assert [name for name in found if any(f"{name}.".startswith(f"{module}.") for module in late)] == []
