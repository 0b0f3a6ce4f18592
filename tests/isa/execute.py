"""Runs one instruction on NRAM vectors and brings the result back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from mlusim.isa import DIALECTS
from mlusim.simulator import Device, launch

BANG = DIALECTS["bang"]
DTYPES = {
    "half": np.float16, "bfloat16": ml_dtypes.bfloat16, "float": np.float32, "int8": np.int8, "uint8": np.uint8,
    "int16": np.int16, "uint16": np.uint16, "int32": np.int32, "uint32": np.uint32, "int64": np.int64,
}  # fmt: skip


@cache
def newest() -> Device:
    """An MLU590: no alignment rules, most instructions."""
    return Device.load("mlu590")


def types_of(name: str, variable: str = "T") -> list[str]:
    """The element types of T that an instruction has."""
    return [o.binding[variable] for o in BANG.overloads if o.name == name]


def execute(
    name: str, kind: str, inputs: Sequence[tuple[str, Sequence[Any]]], *scalars: Any, count: int = 0,
    in_place: bool = False, first_count: bool = False,
) -> list[Any]:  # fmt: skip
    """``name(dst, inputs..., scalars..., count)`` without any finding: the elements of dst, as Python numbers.

    ``inputs`` are (type, values); ``count`` defaults to the length of the first. With ``in_place`` dst is the first
    input. Inputs that are not dst must be unchanged. The count comes after the scalars unless ``first_count``.
    """
    count = count or len(inputs[0][1])
    arrays = [
        np.array(values).astype(DTYPES[t]) if t != "float" else np.array(values, np.float32) for t, values in inputs
    ]
    out = np.zeros(count, DTYPES[kind])
    back = [np.zeros_like(a) for a in arrays]

    def kernel(mlu: Any, out_gdram: Any, *rest: Any) -> None:
        sources, returns = rest[: len(arrays)], rest[len(arrays) :]
        vectors = [mlu.nram(t, len(v)) for t, v in inputs]
        for vector, source, array in zip(vectors, sources, arrays, strict=True):
            mlu.__memcpy(vector, source, array.nbytes, mlu.GDRAM2NRAM)
        dst = vectors[0].cast(kind) if in_place else mlu.nram(kind, count)
        tail = (count, *scalars) if first_count else (*scalars, count)
        getattr(mlu, name)(dst, *vectors, *tail)
        mlu.__memcpy(out_gdram, dst, out.nbytes, mlu.NRAM2GDRAM)
        for vector, target, array in zip(vectors, returns, arrays, strict=True):
            mlu.__memcpy(target, vector, array.nbytes, mlu.NRAM2GDRAM)

    run = launch(kernel, args=[out, *arrays, *back], device=newest())
    assert run.findings == []
    for before, after in list(zip(arrays, back, strict=True))[in_place:]:
        assert before.tobytes() == after.tobytes(), f"{name} changed an input"
    return [float(x) for x in out] if is_floating(kind) else [int(x) for x in out]


def is_floating(kind: str) -> bool:
    """Whether elements of the type are floating-point numbers."""
    return kind in ("half", "bfloat16", "float")
