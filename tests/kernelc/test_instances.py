"""Instances of kernel templates that are compiled along with the rest of a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Program, load
from mlusim.simulator.native.compiler import Compiler

HOST_PROGRAMS = Path(__file__).parents[1] / "host" / "programs"
DEVICE = Device.load("mlu370-x4")
SOURCE = """#include <bang.h>
__nram__ char buffer[4096];
template <typename T, int N> __mlu_entry__ void fill(T *out, T value) {
  __bang_write_value((T *)buffer, N, value);
  __memcpy(out, buffer, N * sizeof(T), NRAM2GDRAM);
}
__mlu_entry__ void twice(float *out) { out[0] *= 2; }
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("instances") / "fill.mlu"
    path.write_text(SOURCE)
    return path


def filled(program: Program, kernel: str, count: int) -> list[float]:
    out = np.zeros(count, np.float32)
    program.launch(kernel, args=[out, 3.0])
    return out.tolist()


def test_they_take_one_compilation_and_others_one_more_each(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []
    run = Compiler.run

    def counted(self: Compiler, arguments: Any, *rest: Any) -> Any:
        compiled.extend(argument for argument in arguments if argument == "-S")
        return run(self, arguments, *rest)

    monkeypatch.setattr(Compiler, "run", counted)
    program = load([source], device=DEVICE, instances=["fill<float, 64>", "fill<float, 128>"])
    assert [filled(program, f"fill<float, {n}>", n) for n in (64, 128)] == [[3.0] * 64, [3.0] * 128]
    out = np.ones(1, np.float32)
    program.launch("twice", args=[out])
    assert (out[0], len(compiled)) == (2, 1)
    assert filled(program, "fill<float, 256>", 256) == [3.0] * 256
    assert len(compiled) == 2
    assert program.kernels == ["twice", "fill<...>"]


@pytest.mark.parametrize(
    ("instances", "error", "message"),
    [
        ("fill<float, 64>", TypeError, r"pass a list of names, such as \['fill<float, 64>'\]"),
        ([3], TypeError, "3 among instances is no name of a kernel"),
        (["fill"], ValueError, r"template; name its arguments, as in fill<float, 64>"),
        (["fill<...>"], ValueError, r"fill<typename T, int N>\(T \*out, T value\) is a template; name its arguments"),
        (["full<float>"], ValueError, "no kernel 'full<float>'; the kernels of this program are twice, fill<...>"),
    ],
)
def test_wrong_names(source: Path, instances: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        load([source], device=DEVICE, instances=instances)


@pytest.mark.parametrize(
    ("name", "chip", "mark"),
    [
        ("k.mlu", "mlu370-x4", "__mlu_entry__ or __mlu_global__"),
        ("k.c", "bm1690", "TPUKERNEL_FUNC_REGISTER"),
        ("k.c", "bm1684", "OKKERNEL_FUNC_REGISTER"),
        ("k.cu", "cuda-sm80", "__global__"),
    ],
)
def test_a_source_without_kernels(tmp_path: Path, name: str, chip: str, mark: str) -> None:
    source = tmp_path / name
    source.write_text("void k(int *x) { *x = 1; }\n")
    program = load([source], device=Device.load(chip))
    with pytest.raises(ValueError, match=f"^no kernel 'k'; this program has none: mark them with {mark}$"):
        program.launch("k", args=[None], **({"block": 1} if chip == "cuda-sm80" else {}))


def test_one_that_shares_its_name_with_a_host_function(device: Device) -> None:
    """Launched by name, by the name that a list of kernels has, and with parameters that have no names."""
    program = load([HOST_PROGRAMS / "names.mlu"], device=device, instances=["ops::twice<half>"])
    assert "ops::twice<...>" in program.kernels
    for kernel, dtype in [("ops::twice<float>", np.float32), ("ops::twice<...>", np.int16), ("ops::twice", np.float16)]:
        x = np.arange(4, dtype=dtype)
        y = np.zeros_like(x)
        program.launch(kernel, args=[4, x, y])
        assert y.tolist() == [0, 2, 4, 6]
    with pytest.raises(ValueError, match=r"twice<typename T, .*name its arguments, as in ops::twice<float>"):
        program.launch("ops::twice<...>", args=[4, None, None])
