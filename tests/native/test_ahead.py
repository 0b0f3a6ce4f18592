"""The C++ of mlusim is built by a Python that has no library installed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from mlusim.simulator.native.compiler import Compiler

from tests.support.paths import ROOT

#: A compiler that makes an empty object of each source: to compile them takes most of the time.
EMPTY_OBJECTS = """#!/bin/sh
case " $* " in *" -c "*)
    while [ "$1" != -o ]; do shift; done
    exec {compiler} -x c++ -c -o "$2" /dev/null
esac
exec {compiler} "$@"
"""


def _ahead(cache: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-S", "-m", "mlusim.simulator.native"]  # no site-packages
    compiler = cache / "c++"
    compiler.write_text(EMPTY_OBJECTS.format(compiler=shlex.join(Compiler().command)))
    compiler.chmod(0o700)
    environment = os.environ | {"MLUSIM_CACHE": str(cache), "CXX": str(compiler)}
    return subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=ROOT, env=environment)


@pytest.mark.slow
def test_it_is_built_without_libraries(tmp_path: Path):
    done = _ahead(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in tmp_path.glob("*/*.so")} == {
        "libmlusim_rt.so", "libmlusim_flow.so", "libmlusim_text.so", "libmlusim_timing.so",
    }  # fmt: skip
