"""Structures and their arrays as users type them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator.cli import main
from mlusim.simulator.cli.values import kernel_argument, kernel_arguments

SOURCE = """#include <bang.h>
struct Inner { float factor; int n; };
struct Params { int shape[3]; Inner inner; float *data; };
__mlu_entry__ void k(float *out, Params p) {
  for (int i = 0; i < 3; i++) out[i] = p.shape[i] * p.inner.factor + p.data[i];
}
"""
GIVEN = "{shape=[2,3,4],inner={factor=0.5},data=zeros:float32:3}"


@pytest.mark.parametrize(
    ("text", "value"),
    [("[2, 4,8]", [2, 4, 8]), ("[]", []), ("{}", {}), ("[[1,2],[3]]", [[1, 2], [3]]),
     ("{n=4,shape=[2,3],of={a=1.5,b=none}}", {"n": 4, "shape": [2, 3], "of": {"a": 1.5, "b": None}})],
)  # fmt: skip
def test_a_structure_and_an_array_in_it(text: str, value: Any) -> None:
    assert kernel_argument(text) == value
    assert kernel_arguments([f"p={text}"]) == {"p": value}


@pytest.mark.parametrize("text", ["[2,4", "2]", "{n=4", "{n}", "[a b]", "{n=4,n=5}"])
def test_what_is_neither(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no kernel argument|is not of the form|n is given twice"):
        kernel_argument(text)


@pytest.mark.parametrize("arguments", [["zeros:float32:3", GIVEN], ["out=zeros:float32:3", f"p={GIVEN}"]])
def test_a_kernel_gets_them(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, left = tmp_path / "k.mlu", tmp_path / "out.npy"
    source.write_text(SOURCE)
    name = arguments[0].partition("=")[0] if "=" in arguments[0] else "0"
    assert main(["run", str(source), "--kernel", "k", "--arg", *arguments, "--save", f"{name}={left}"]) == 0
    assert np.load(left).tolist() == [1, 1.5, 2]
    capsys.readouterr()
