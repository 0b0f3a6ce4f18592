"""The C++ of mlusim is built by a Python that has no library installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT


def _ahead(cache: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-S", "-m", "mlusim.simulator.native"]  # no site-packages
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        env=os.environ | {"MLUSIM_CACHE": cache},
    )


@pytest.mark.slow
def test_it_is_built_without_libraries(tmp_path: Path):
    done = _ahead(str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in tmp_path.glob("*/*.so")} == {
        "libmlusim_rt.so", "libmlusim_flow.so", "libmlusim_timing.so",
    }  # fmt: skip
