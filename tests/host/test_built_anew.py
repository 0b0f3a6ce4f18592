"""Kernels of programs and operators that are built anew, to be compared with: smaller tiles, other bytes in locals."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, HostProgram, load
from mlusim.simulator.cli import main
from mlusim.simulator.host.programs.origin import Origin
from mlusim.simulator.kernelc.options import Options

OPERATORS = Path(__file__).parent / "operators"
#: Each element is to get its left neighbour added. With SLIP, the first of each tile but the first gets none.
SOURCE = """#include <bang.h>
#include <cnrt.h>
#define TILE 256
#define N 700
static void begin(float *value) {
#ifndef UNSET
  *value = 0;
#endif
}
__mlu_global__ void add_left(float *out, const float *in, int n) {
  __nram__ float a[TILE + 1], b[TILE + 1];
  float first;
  begin(&first);
  for (int i = 0; i < n; i += TILE) {
    const int count = n - i < TILE ? n - i : TILE;
    __memcpy(a + 1, in + i, count * sizeof(float), GDRAM2NRAM);
#ifdef SLIP
    a[0] = first;
#else
    a[0] = i ? in[i - 1] : first;
#endif
    __bang_add(b, a, a + 1, count);
    __memcpy(out + i, b, count * sizeof(float), NRAM2GDRAM);
  }
}
int main() {
  static float x[N];
  float *in, *out;
  for (int i = 0; i < N; i++) x[i] = i + 1;
  cnrtMalloc((void **)&in, sizeof x);
  cnrtMalloc((void **)&out, sizeof x);
  cnrtMemcpy(in, x, sizeof x, cnrtMemcpyHostToDev);
  add_left<<<cnrtDim3_t{1, 1, 1}, cnrtFuncTypeBlock, nullptr>>>(out, in, N);
  cnrtQueueSync(nullptr);
  cnrtFree(in), cnrtFree(out);
}
"""
TRIED = "run again with TILE = 128, with other bytes in its local variables"
CHANGED = "run once; not in smaller tiles, or with other bytes in locals: the sources that it was built of have changed"
CASE = """
input { id: "first" shape { dims: 15 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT random_data: { seed: 5 } }
output { id: "result" shape: { dims: 15 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT }
scale_param: { factor: 2 }
test_param { error_func: DIFF1 error_threshold: 1 }
"""


def program(folder: Path, *macros: str) -> HostProgram:
    source = folder / "add_left.mlu"
    source.write_text(SOURCE)
    return HostProgram([source], device=Device.load("mlu370-x4"), define=list(macros))


@pytest.mark.parametrize(("macro", "rules"), [("SLIP", ["tile-dependent"]), ("UNSET", ["uninitialized"]), ("OK", [])])
def test_a_program_whose_kernels_are_built_anew(macro: str, rules: list[str], tmp_path: Path) -> None:
    run = program(tmp_path, macro).run(retile=True, poison=True)
    assert [(found.rule, found.severity) for found in run.findings] == [(rule, "warning") for rule in rules]
    assert [found.location.line for found in run.findings] == [23] * len(rules)
    assert run.processes[0].tried["add_left"].startswith("run again with TILE = 128")
    if macro == "UNSET":
        assert "1 of the 700 elements of argument 0 come of a local variable" in run.findings[0].message
    if macro == "SLIP":
        assert "argument 0[128] is 257 with TILE = 256 and 129 with TILE = 128" in run.findings[0].message


def test_a_source_that_has_changed_since_is_not_what_the_program_was_built_of(tmp_path: Path) -> None:
    made = program(tmp_path, "SLIP")
    source = tmp_path / "add_left.mlu"
    for change in (lambda: source.write_text(SOURCE.replace("count)", "count + 1)")), source.unlink):
        change()
        run = made.run(retile=True, poison=True)
        assert (run.findings, run.processes[0].tried["add_left"]) == ([], CHANGED)


def test_a_program_that_a_toolkit_has_built_and_that_runs_by_itself(sdk: Path, tmp_path: Path) -> None:
    source, made = tmp_path / "add_left.mlu", tmp_path / "add_left"
    source.write_text(SOURCE)
    subprocess.run([sdk / "bin" / "cncc", "-DSLIP", source.name, "-o", made], check=True, cwd=tmp_path)
    done = subprocess.run([made], env={**os.environ, "MLUSIM_DEEP": "1"}, capture_output=True, cwd="/")
    assert "tile-dependent: 3 of the 700 elements" in done.stderr.decode()


def test_an_operator_and_its_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its first element is made to depend on the size of the tile."""
    kernels = tmp_path / "vec_kernels.mlu"
    text = (OPERATORS / "vec_kernels.mlu").read_text().replace("#define TILE 1024", "#define TILE 128")
    kernels.write_text(text.replace("factor, mine);", "factor, mine);\n  if (!first) tile[0] += TILE < 128;"))
    sources = [OPERATORS / "vec.cpp", kernels]
    x, y = np.arange(15, dtype=np.float32), np.zeros(15, np.float32)
    with load(sources, [OPERATORS], device=Device.load("mlu370-x4")) as vec:
        assert vec.call("vecScale", factor=2, x=x, y=y).findings == ()
        (found,) = vec.call("vecScale", factor=2, x=x, y=y, retile=True).findings
        assert (found.rule, found.message[:28]) == ("tile-dependent", "1 of the 15 elements of argu")
    case, words = tmp_path / "case.prototxt", ["--sources", *map(str, sources), "-I", str(OPERATORS)]
    case.write_text(CASE)
    for option, said in (("--retile", "run again with TILE = 64"), ("--deep", "run again in ")):
        assert main(["cases", str(case), *words, "--entry", "vecScale", option, "--json"]) == 0
        (outcome,) = json.loads(capsys.readouterr().out)["cases"]
        assert "tile-dependent" in {found["rule"] for found in outcome["findings"]}, option
        (tried,) = outcome["tried"].values()
        assert tried.startswith(said)
    assert main(["cases", str(case), *words, "--entry", "vecScale", "--retile"]) == 0
    shown = capsys.readouterr()
    assert "case: kernelScale: run again with TILE = 64" in shown.out + shown.err
    assert main(["cases", str(case), *words, "--entry", "vecScale", "--retile", "--strict"]) == 1


def test_what_an_image_was_built_of_is_kept_as_text() -> None:
    origin = Origin("/a/x.mlu", ("/a/y.mlu",), Options(("/i",), ("N=1",), ("h.h",), "c++20"))
    assert Origin.read(json.loads(json.dumps(origin.facts()))) == origin
    for damage in ({"path": 1}, {"beside": [2]}, {"macros": [None]}):
        with pytest.raises(TypeError):
            Origin.read(dict[str, Any](origin.facts() | damage))
