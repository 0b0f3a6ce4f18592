"""Hosts that C kernels do not run on: Python kernels do, and what is said names the machine and the container."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from mlusim.simulator import BuildError, Device, HostProgram, load
from mlusim.simulator.engines.worker.health import looked_at

from tests.support.paths import ROOT

_ELSEWHERE = [("Darwin", "arm64"), ("Linux", "riscv64"), ("FreeBSD", "amd64")]


@pytest.mark.parametrize(("system", "machine"), _ELSEWHERE)
def test_the_first_c_kernel_ends_with_a_sentence_that_names_the_container(monkeypatch, system, machine):
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((system, "host", "1", "1", machine)))
    here = f"{system} on {machine}"
    wanted = rf"^kernels in C need Linux on x86-64 or aarch64, and this is {here}: run them in the container .*; "
    device = Device.load("mlu370-x4")
    with pytest.raises(BuildError, match=wanted):
        load([str(ROOT / "docs" / "examples" / "scale.mlu")], device=device)
    with pytest.raises(BuildError, match=wanted):
        HostProgram([str(ROOT / "docs" / "examples" / "host_fixed.mlu")], device=device)
    (compiler,) = (row for row in looked_at() if row.name == "compiler")
    assert compiler.text.startswith("kernels in C need Linux on x86-64 or")


def test_make_tells_another_machine_from_a_missing_compiler(tmp_path):
    (tmp_path / "uname").write_text("#!/bin/sh\necho Linux riscv64\n")
    (tmp_path / "uname").chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    make = ["make", "-s", "compiler", "CXX=no-such-compiler"]
    other = subprocess.run(make, cwd=ROOT, env=environment, capture_output=True, text=True)
    missing = subprocess.run(make, cwd=ROOT, capture_output=True, text=True)
    assert "kernels in C need Linux on x86-64 or aarch64, and this is Linux riscv64" in other.stderr
    assert "no C++ compiler (no-such-compiler) found" in missing.stderr
    assert other.returncode == missing.returncode != 0


#: A Python whose os has what macOS has: none of what Linux has alone.
_MAC = """
import os, sys
for name in ("memfd_create", "sched_getaffinity", "sched_setaffinity", "pidfd_open", "O_TMPFILE", "eventfd"):
    if hasattr(os, name):
        delattr(os, name)
os.uname = lambda: os.uname_result(("Darwin", "mac", "23.0", "", "arm64"))
import numpy as np
from mlusim.simulator import Device, launch, load

def double(mlu, out, source, n):
    tile = mlu.nram("float", 64)
    mlu.__memcpy(tile, source, 4 * n, mlu.GDRAM2NRAM)
    mlu.__bang_add(tile, tile, tile, n)
    mlu.__memcpy(out, tile, 4 * n, mlu.NRAM2GDRAM)

out = np.zeros(64, np.float32)
run = launch(double, args=[out, np.arange(64, dtype=np.float32), 64], device=Device.load("mlu370-x4"))
assert out[63] == 126 and not run.findings, run.findings
"""


def test_python_kernels_run_without_what_linux_has_alone(tmp_path):
    subprocess.run([sys.executable, "-c", _MAC], cwd=tmp_path, check=True)
