"""Functions that nothing defines: what is said of them when a program is linked, and when it is loaded."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from mlusim.simulator import BuildError, Device
from mlusim.simulator.cli import main
from mlusim.simulator.host.operators.build import build_operators
from mlusim.simulator.host.programs.program import build_program
from mlusim.simulator.host.programs.undefined import foreign_libraries
from mlusim.simulator.kernelc.options import Options
from mlusim.simulator.native.compiler import Compiler

_TEXT = """#include <cnrt.h>
#include <vector>
extern "C" cnrtRet_t cnrtMemcpyAsnc(void *, void *, size_t);
extern "C" int copy_rows(int);
namespace rows { int sum(const std::vector<int> &, float); }
int main() { return cnrtMemcpyAsnc(0, 0, 1) + copy_rows(2) + rows::sum({}, 1); }
"""


@pytest.mark.parametrize("build", [build_program, build_operators])
def test_a_function_that_nothing_defines(build, tmp_path: Path, device: Device) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(_TEXT)
    with pytest.raises(BuildError) as caught:
        build([source], Options.of([], [], [], None), device)
    of_runtime, of_source = str(caught.value).splitlines()[1:3]
    assert "cnrtMemcpyAsnc is no function that mlusim has; call cnrtMemcpyAsync or" in of_runtime
    assert of_runtime.endswith("define it in a source of your own")
    assert of_source.startswith("  no source defines copy_rows, rows::sum(std::vector<int")
    assert of_source.endswith(" const&, float); name the sources that do, too")


def test_a_toolkit_of_another_version(tmp_path: Path, capfd, monkeypatch) -> None:
    """Its libraries come before ours where a program was built with a toolkit; one that is built here keeps to ours."""
    source, old = tmp_path / "k.cpp", tmp_path / "old"
    source.write_text("#include <cnrt.h>\nint main() { return cnrtQueueCreate(0) == cnrtSuccess; }\n")
    old.mkdir()
    (tmp_path / "old.c").write_text("int cnrtNothing;\n")
    compiler = Compiler()
    assert not compiler.run(["-shared", "-o", str(old / "libcnrt.so"), str(tmp_path / "old.c")], tmp_path).returncode
    assert main(["toolkit", str(tmp_path / "sdk"), "--device", "mlu370-x4"]) == 0
    step = [str(source), f"-I{tmp_path / 'sdk/include'}", f"-L{tmp_path / 'sdk/lib64'}", "-lcnrt", "-o"]
    assert not compiler.run([*step, str(tmp_path / "k")], tmp_path).returncode
    capfd.readouterr()
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path}{os.pathsep}{old}")
    assert main(["run", str(tmp_path / "k")]) == 127
    said = f"the program did not start: LD_LIBRARY_PATH names {old}, whose libcnrt.so is not of this mlusim"
    assert said in capfd.readouterr().err
    assert main(["run", str(source)]) == 0
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "sdk/lib64"))
    assert main(["run", str(tmp_path / "k")]) == 0


def test_libraries_that_are_our_own(tmp_path: Path) -> None:
    (tmp_path / "ours.so").write_bytes(b"ours")
    (tmp_path / "libcnrt.so").write_bytes(b"ours")
    of = {"LD_LIBRARY_PATH": str(tmp_path)}
    assert [*foreign_libraries({"libcnrt.so": tmp_path / "ours.so"}, of)] == []
    (tmp_path / "libcnrt.so").write_bytes(b"other")
    assert len([*foreign_libraries({"libcnrt.so": tmp_path / "ours.so"}, of)]) == 1
    assert [*foreign_libraries({"libcnrt.so": tmp_path / "ours.so"}, {})] == []


@pytest.mark.parametrize(("device_name", "tool"), [("mlu370-x4", "cncc"), ("bm1684x", "c++")])
def test_a_build_with_a_toolkit(device_name: str, tool: str, tmp_path: Path, capfd) -> None:
    assert main(["toolkit", str(tmp_path / "sdk"), "--device", device_name]) == 0
    name = "cnrtQueueSink" if tool == "cncc" else "bm_dev_requst"
    (tmp_path / "k.cpp").write_text(f'extern "C" int {name}(int);\nint main() {{ return {name}(1); }}\n')
    done = subprocess.run(
        [tmp_path / "sdk/bin" / tool, "k.cpp"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    near = {"cnrtQueueSink": "cnrtQueueSync", "bm_dev_requst": "bm_dev_request"}[name]
    assert f": {name} is no function that mlusim has; call {near}" in done.stderr.splitlines()[-1]
