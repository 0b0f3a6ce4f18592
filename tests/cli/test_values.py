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


def test_arrays_that_are_made() -> None:
    def made(text: str) -> list[Any]:
        array: np.ndarray = kernel_argument(text)
        assert array.dtype.name == text.split(":")[1]
        return array.tolist()

    assert made("zeros:float16:2x2") == [[0, 0], [0, 0]]
    assert made("ones:complex64:2") == [1, 1]
    assert made("arange:int8:2x3") == [[0, 1, 2], [3, 4, 5]]
    assert set(made("random:int32:1000")) == set(range(100))
    assert set(made("random:uint8:100:3")) == {0, 1, 2}
    assert set(made("random:bool:100")) == {False, True}
    real = np.array(made("random:bfloat16:10x1000"), np.float64)
    assert real.shape == (10, 1000)
    assert abs(real.mean()) < 0.05
    assert abs(real.std() - 1) < 0.05
    assert (np.array(made("random:complex64:9")).imag != 0).all()


def test_random_arrays_differ_and_are_the_same_each_time() -> None:
    given = ["a=random:float32:9", "b=random:float32:9", "c={d=[random:float32:9]}"]
    first, second = kernel_arguments(given), kernel_arguments(given)
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    arrays, again = ([made["a"], made["b"], made["c"]["d"][0]] for made in (first, second))
    assert len({array.tobytes() for array in arrays}) == 3
    assert [array.tolist() for array in arrays] == [array.tolist() for array in again]


@pytest.mark.parametrize(
    "text",
    ["random:float32:9:5", "random:int8:9:128", "random:int8:9:0", "zeros:int8:9:5", "random:object:3", "ones:V4:3"],
)
def test_arrays_that_cannot_be_made(text: str) -> None:
    with pytest.raises(ValueError, match=r"only random whole numbers have a bound|is no element type"):
        kernel_argument(text)


@pytest.mark.parametrize("arguments", [["zeros:float32:3", GIVEN], ["out=zeros:float32:3", f"p={GIVEN}"]])
def test_a_kernel_gets_them(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, left = tmp_path / "k.mlu", tmp_path / "out.npy"
    source.write_text(SOURCE)
    name = arguments[0].partition("=")[0] if "=" in arguments[0] else "0"
    assert main(["run", str(source), "--kernel", "k", "--arg", *arguments, "--save", f"{name}={left}"]) == 0
    assert np.load(left).tolist() == [1, 1.5, 2]
    capsys.readouterr()


FIELDS = """#include <bang.h>
struct Ends { float *out; int n; };
struct Both { const float *in; Ends ends; };
__mlu_entry__ void k(Both both) {
  for (int i = 0; i < both.ends.n; i++) both.ends.out[i] += 2 * both.in[i];
}
"""


def test_arrays_of_a_structure_are_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, helper, changed, left = (tmp_path / name for name in ("k.mlu", "n.mlu", "old.mlu", "out.npy"))
    source.write_text(FIELDS)
    changed.write_text(FIELDS.replace("2 *", "factor() *").replace("struct Ends", "int factor();\nstruct Ends"))
    helper.write_text("#include <bang.h>\n__mlu_func__ int factor() { return 2; }\n")
    np.save(tmp_path / "in.npy", np.array([1, 2, 3], np.float32))
    given = f"{{in={tmp_path / 'in.npy'},ends={{out=zeros:float32:3,n=3}}}}"
    launch = ["run", str(source), "--kernel", "k", "--arg", given]
    assert main([*launch, "--save", f"0.ends.out={left}"]) == 0
    assert np.load(left).tolist() == [2, 4, 6]
    assert "argument 0.ends.out: float32[3] = [2, 4, 6]\n" in capsys.readouterr().out
    assert main([*launch, "--expect", f"0.ends.out={tmp_path / 'in.npy'}"]) == 1
    assert "3 wrong elements among the 3 of both.ends.out" in capsys.readouterr().err
    assert main([*launch, "--save", f"0.out={left}"]) == 2
    assert "argument 0.out is no array; the arrays are 0.in, 0.ends.out" in capsys.readouterr().err
    # The other version starts with the same arrays, and leaves those of the launch as they were.
    assert main([*launch, "--against", str(changed), str(helper)]) == 0
    helper.write_text(helper.read_text().replace("2", "3"))
    assert main([*launch, "--against", str(changed), str(helper)]) == 1
    assert "both.ends.out[0] is 2, not 3" in capsys.readouterr().err


def test_no_array_in_a_member_that_holds_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "k.mlu"
    source.write_text(
        "#include <bang.h>\nstruct Args { unsigned long long bias; };\n"
        "__mlu_entry__ void k(int *out, Args args) { out[0] = args.bias ? 1 : 2; }\n"
    )
    for value, printed in (("none", 2), ("zeros:float32:4", 1)):
        assert main(["run", str(source), "--kernel", "k", "--arg", "zeros:int32:1", f"{{bias={value}}}"]) == 0
        assert f"argument 0: int32[1] = [{printed}]" in capsys.readouterr().out
