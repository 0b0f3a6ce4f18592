"""What C kernels write in a form of their own: inline assembly, fused chains, conversions of one number."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, Program, load

from tests.isa.references.convert import SUFFIXES, float_to_int, int_to_float, interesting, narrow
from tests.isa.references.fusion import steps
from tests.isa.references.numbers import FORMATS, Format, is_floating, rounded, same
from tests.support.paths import KERNELS_C

CHIP = "mlu590"
SOURCE = KERNELS_C / "element_wise.mlu"
COUNT = 128
#: The element types as NumPy names them; a tf32 is kept in a float.
DTYPES = {
    "float": np.float32, "half": np.float16, "bfloat16": ml_dtypes.bfloat16, "int32": np.int32, "int8": np.int8,
    "uint8": np.uint8, "uint32": np.uint32, "tf32": np.float32,
}  # fmt: skip


def test_chains(program: Program) -> None:
    floats = [rounded("float", math.sin(i * 3.7) * 10 ** (i % 5)) for i in range(2 * COUNT)]
    ints = [(i * 37) % 81 - 40 for i in range(COUNT)]
    s = rounded("float", 1.7)
    out, bits = np.zeros(4 * COUNT, np.float32), np.zeros(COUNT, np.int32)
    run = program.launch("chains", args=[np.float32(floats), np.int32(ints), s, out, bits])
    assert run.findings == []
    x, y = floats[:COUNT], floats[COUNT:]
    ops = operator
    fused = [steps("float", a, [(ops.mul, s), (ops.sub, b), (ops.add, s)]) for a, b in zip(x, y, strict=True)]
    divided = [rounded("float", a / s) for a in x]
    roots = [rounded("float", math.sqrt(abs(rounded("float", b * s)))) for b in y]
    last = [steps("float", a, [(ops.sub, b), (ops.mul, 0.5)]) for a, b in zip(divided, y, strict=True)]
    assert out.tolist() == [*fused, *divided, *(rounded("float", r + b) for r, b in zip(roots, y, strict=True)), *last]
    assert bits.tolist() == [i if i & 0x7FFFFFFF >= 16 else 0 for i in ints]


def test_comparisons_in_chains(program: Program) -> None:
    masks, ints = np.arange(COUNT) % 3, np.arange(COUNT) - 50
    floats, bounds = np.arange(COUNT) / 4 - 9, np.arange(COUNT)[::-1] / 8 - 3
    out, large = np.zeros(COUNT, np.int32), np.zeros(COUNT, np.float32)
    given = [np.concatenate([masks, ints]).astype(np.int32), np.concatenate([floats, bounds]).astype(np.float32)]
    run = program.launch("kept", args=[*given, out, large])
    assert run.findings == []
    assert out.tolist() == [i if mask else 0 for mask, i in zip(masks, ints, strict=True)]
    assert large.tolist() == [bound if x >= bound else 0 for x, bound in zip(floats, bounds, strict=True)]


@pytest.mark.parametrize("waits", [1, 0])
def test_a_pipeline(program: Program, waits: int) -> None:
    given, out = np.arange(2 * COUNT, dtype=np.float32), np.zeros(COUNT, np.float32)
    run = program.launch("piped", args=[out, given, waits], on_finding="collect")
    x, y = given[:COUNT], given[COUNT:]
    assert [finding.rule for finding in run.findings] == ([] if waits else ["order"])
    if waits:
        np.testing.assert_array_equal(out, 2 * (x * y - y))


def test_an_unknown_operation_of_a_chain_is_not_modelled(program: Program) -> None:
    with pytest.raises(KernelError) as error:
        program.launch("unknown_operation", args=[np.zeros(COUNT, np.float32)])
    assert error.value.finding.rule == "not-modelled"
    assert "fuse.nram.f32" in str(error.value)


def wanted(source: str, target: str) -> Callable[[Any, str], Any]:
    """The reference of a conversion."""
    if not is_floating(target) and target != "tf32":
        return lambda x, suffix: float_to_int(x, 0, suffix, target)
    if source == "int32":
        return lambda x, suffix: int_to_float(x, 0, suffix, target)
    return lambda x, suffix: narrow(x, 0, suffix, target)


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("float2half", "float", "half"), ("float2bfloat16", "float", "bfloat16"), ("float2int32", "float", "int32"),
        ("float2char", "float", "int8"), ("float2uint", "float", "uint32"), ("float2tf32", "float", "tf32"),
        ("half2uchar", "half", "uint8"), ("int2half", "int32", "half"), ("int2float", "int32", "float"),
    ],
)  # fmt: skip
def test_conversions_of_one_number(
    program: Program, name: str, source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMATS, "tf32", Format(11, -126, 127))
    values = interesting(source, target)
    out = np.zeros(8 * len(values), DTYPES[target])
    program.launch(name, args=[np.array(values, DTYPES[source]), out, len(values)])
    convert = wanted(source, target)
    wrong = []
    for x, row in zip(values, out.reshape(-1, 8).tolist(), strict=True):
        for suffix, found in zip(("tz", *SUFFIXES), row, strict=True):
            right = convert(x, suffix)
            if not same(float(found), float(right)):
                wrong.append((x, suffix, found, right))
    assert not wrong, f"{len(wrong)} differ: value, suffix, found, wanted: {wrong[:5]}"


def test_conversions_beyond_the_end_of_half_are_infinite_on_3xx() -> None:
    out = np.zeros(16, np.float16)
    program = load([SOURCE], device=Device.load("mlu370-x4"))
    program.launch("float2half", args=[np.float32([65504.5, -1e6]), out, 2])
    assert out.tolist() == [math.inf] * 8 + [-math.inf] * 8


def test_the_device_library_of_one_number(program: Program) -> None:
    out, bits = np.zeros(6, np.float32), np.zeros(4, np.uint32)
    program.launch("library", args=[np.float32([0.7, 5.0]), out, bits])
    x, h = rounded("float", 0.7), rounded("half", 0.7)
    numbers = [math.sin(x), math.cos(x), rounded("half", math.sin(h)), 1 / math.sqrt(5), math.fmod(5, x), -1.0]
    assert out.tolist() == pytest.approx(numbers, rel=2**-23)
    assert bits.tolist() == [struct.unpack("<I", struct.pack("<f", 5.0))[0], 0x4500, 0x7FC01234, 0x1234]
