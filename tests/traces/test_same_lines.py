"""Two versions of a kernel are compared by what their lines say, not by where these stand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Log, load
from mlusim.simulator.cli import main
from mlusim.simulator.log import joined
from mlusim.simulator.timing import replay
from mlusim.traces import summarise, write_trace
from mlusim.traces.same_lines import same_lines

FIRST = """#include <bang.h>
__mlu_global__ void k(float *out, float *in) {
  __nram__ float a[4096], b[4096];
  __memcpy_async(a, in, 16384, GDRAM2NRAM);
  __sync_io();
  __bang_mul_scalar(b, a, 2.0f, 4096);
  __bang_add_scalar(b, b, 1.0f, 4096);
  __sync_compute();
  __memcpy(out, b, 16384, NRAM2GDRAM);
}
"""
#: A comment and a line more, another line gone, and spaces changed.
SECOND = (
    FIRST.replace("__mlu_global__", "// the kernel\n__mlu_global__")
    .replace("  __sync_io();", "    __sync_io( );\n  __bang_write_zero(b, 4096);")
    .replace("  __bang_add_scalar(b, b, 1.0f, 4096);\n", "")
)


def run(tmp_path: Path, text: str, name: str, kind: str) -> str:
    """A log or a trace of a kernel, whose source is the same file whatever it says."""
    source, path = tmp_path / "k.mlu", tmp_path / f"{name}.{kind}"
    source.write_text(text)
    found = load([source], device=Device.load("mlu370-x4")).launch("k", args=[np.zeros(4096, np.float32)] * 2)
    if kind == "json":
        write_trace(found.timeline, path)
    else:
        found.log.save(path)
    return str(path)


@pytest.mark.parametrize("kind", ["mlulog", "json"])
def test_lines_are_the_same_that_say_the_same(tmp_path, capsys, kind):
    files = [run(tmp_path, FIRST, "one", kind), run(tmp_path, SECOND, "two", kind)]
    (tmp_path / "k.mlu").unlink()  # what the lines have said is in the files
    assert main(["diff", *files, "--json"]) == 0
    lines = {line["name"]: (line["before"], line["after"]) for line in json.loads(capsys.readouterr().out)["lines"]}
    assert lines == {"k.mlu:7 (before)": (1, 0), "k.mlu:7 (after)": (0, 1)}


def test_a_line_that_has_moved_and_takes_longer(tmp_path, capsys):
    files = [run(tmp_path, FIRST, "one", "mlulog"), run(tmp_path, "// moved\n\n" + FIRST, "two", "mlulog")]
    assert main(["diff", *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lines"] == []
    twice = FIRST.replace("  __sync_compute();\n", "  __sync_compute();\n\n").replace(
        "  __bang_mul", "  for (int i = 0; i < 2; i++)\n  __bang_mul"
    )
    files[1] = run(tmp_path, twice, "three", "mlulog")
    assert main(["diff", *files, "--json"]) == 0
    lines = {line["name"]: (line["before"], line["after"]) for line in json.loads(capsys.readouterr().out)["lines"]}
    assert lines["k.mlu:6 -> 7"] == (1, 2)
    assert not any("before" in name or "after" in name for name in lines)


def test_lines_of_unknown_text_are_compared_by_number(tmp_path):
    log = Log.load(run(tmp_path, FIRST, "one", "mlulog"))
    bare = replace(log, digests=("",) * len(log.locations))
    first, second = (summarise(replay(each, Device.load("mlu370-x4").rates)) for each in (log, bare))
    name, other = same_lines(first, second)
    place = str(tmp_path / "k.mlu"), 6
    assert name(*place) == "k.mlu:6 (before)"  # it may say something else now
    name, other = same_lines(second, second)
    assert name(*place) == other(*place) == "k.mlu:6"


def test_digests_go_through_joined_logs_and_damaged_ones_are_refused(tmp_path):
    path = run(tmp_path, FIRST, "one", "mlulog")
    log = Log.load(path)
    assert all(log.digests)
    assert joined([log, log]).digests == log.digests
    replace(log, digests=log.digests[1:]).save(path)
    with pytest.raises(ValueError, match="digests of"):
        Log.load(path)
