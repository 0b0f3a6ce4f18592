"""Copies and fills against plain loops over bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from execute import BANG, DTYPES, newest, types_of
from mlusim.simulator import launch

SIZE = 256


def moved(program: Callable[[Any, Any], None]) -> list[int]:
    """256 bytes of NRAM that held 0, 1, 2, ... after ``program(mlu, pointer)``."""
    data = np.arange(SIZE, dtype=np.uint8)

    def kernel(mlu: Any, x: Any) -> None:
        nram = mlu.nram("uint8", SIZE)
        mlu.__memcpy(nram, x, SIZE, mlu.GDRAM2NRAM)
        program(mlu, nram)
        mlu.__memcpy(x, nram, SIZE, mlu.NRAM2GDRAM)

    assert launch(kernel, args=[data], device=newest()).findings == []
    return data.tolist()


def by_segments(segments: list[tuple[int, int]], size: int) -> list[int]:
    """The bytes after segments of ``size`` have moved one after the other from an offset to an offset."""
    data = list(range(SIZE))
    for target, source in segments:
        data[target : target + size] = data[source : source + size]
    return data


@pytest.mark.parametrize(
    ("target", "source", "size", "target_stride", "source_stride", "segnum"),
    [
        (128, 0, 7, 9, 13, 4),  # odd sizes
        (128, 3, 8, 8, 0, 9),  # one segment again and again
        (0, 0, 5, 5, 11, 12),  # compaction in place
        (4, 0, 4, 4, 4, 3),  # each segment reads what the one before it wrote
        (200, 100, 6, -10, 7, 5),  # downwards
        (0, 128, 16, 0, 0, 0),  # one segment
    ],
)
@pytest.mark.parametrize("name", ["__memcpy", "__memcpy_async"])
def test_strides(
    name: str, target: int, source: int, size: int, target_stride: int, source_stride: int, segnum: int
) -> None:
    def program(mlu: Any, nram: Any) -> None:
        getattr(mlu, name)(nram + target, nram + source, size, mlu.NRAM2NRAM, target_stride, source_stride, segnum)
        mlu.__sync()

    segments = [(target + i * target_stride, source + i * source_stride) for i in range(segnum + 1)]
    assert moved(program) == by_segments(segments, size)


@pytest.mark.parametrize(
    ("target", "source"),
    [
        ((16, 2, 64, 1), (5, 1, 20, 2)),  # 3 x 2 segments from 2 x 3
        ((8, 5, 8, 0), (0, 1, 4, 2)),  # 6 x 1 from 2 x 3, the inner source segment repeated
        ((-8, 1, 40, 2), (10, 5, 0, 0)),  # a negative stride
    ],
)
def test_nested_strides(target: tuple[int, ...], source: tuple[int, ...]) -> None:
    def program(mlu: Any, nram: Any) -> None:
        mlu.__memcpy(nram + 128, nram, 4, mlu.NRAM2NRAM, *target, *source)

    def offsets(stride0: int, segnum1: int, stride1: int, segnum2: int) -> list[int]:
        return [j * stride1 + i * stride0 for j in range(segnum2 + 1) for i in range(segnum1 + 1)]

    pairs = [(128 + t, s) for t, s in zip(offsets(*target), offsets(*source), strict=True)]
    assert moved(program) == by_segments(pairs, 4)


def test_every_direction_moves_the_bytes() -> None:
    directions = BANG.named("__memcpy")[0].select
    assert directions is not None
    for case in directions.cases.values():
        x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)

        def kernel(mlu: Any, x: Any, y: Any, case: Any = case) -> None:
            places = {}
            for operand, end in (("src", x), ("dst", y)):
                space = case.spaces[operand]
                places[operand] = end if space == "gdram" else getattr(mlu, space)("int32", 64)
            if case.spaces["src"] != "gdram":
                mlu.__memcpy(places["src"], x, 256, getattr(mlu, f"GDRAM2{case.spaces['src'].upper()}"))
            mlu.__memcpy(places["dst"], places["src"], 256, getattr(mlu, case.label))
            if case.spaces["dst"] != "gdram":
                mlu.__memcpy(y, places["dst"], 256, getattr(mlu, f"{case.spaces['dst'].upper()}2GDRAM"))

        assert launch(kernel, args=[x, y], device=newest()).findings == []
        assert y.tolist() == list(range(64)), case.label


@pytest.mark.parametrize("name", ["__bang_write_value", "__gdramset", "__memset_nram", "__nramset"])
def test_fill_of_every_type(name: str) -> None:
    for kind in dict.fromkeys(types_of(name)):
        value = {"f": 2.5, "i": -3, "u": 200}.get(np.dtype(DTYPES[kind]).kind, 2.5)
        out = np.zeros(12, DTYPES[kind])

        def kernel(mlu: Any, x: Any, kind: str = kind, nbytes: int = out.nbytes, value: Any = value) -> None:
            if name == "__gdramset":
                mlu.__gdramset(x + 1, 10, value)
                return
            nram = mlu.nram(kind, 12)
            mlu.__memcpy(nram, x, nbytes, mlu.GDRAM2NRAM)
            getattr(mlu, name)(nram + 1, 10, value)
            mlu.__memcpy(x, nram, nbytes, mlu.NRAM2GDRAM)

        assert launch(kernel, args=[out], device=newest()).findings == []
        assert [float(x) for x in out] == [0, *[value] * 10, 0], kind


@pytest.mark.parametrize("space", ["nram", "gdram"])
def test_nested_fill(space: str) -> None:
    out = np.zeros(64, np.int16)

    def kernel(mlu: Any, x: Any) -> None:
        if space == "gdram":
            mlu.__gdramset(x, 3, 7, 8, 2, 40, 1)
            return
        nram = mlu.nram("int16", 64)
        mlu.__memcpy(nram, x, 128, mlu.GDRAM2NRAM)
        mlu.__bang_write_value(nram, 3, 7, 8, 2, 40, 1)
        mlu.__memcpy(x, nram, 128, mlu.NRAM2GDRAM)

    assert launch(kernel, args=[out], device=newest()).findings == []
    wanted = [0] * 64
    for j in range(2):
        for i in range(3):
            first = (40 * j + 8 * i) // 2
            wanted[first : first + 3] = [7] * 3
    assert out.tolist() == wanted


def test_fill_with_zero() -> None:
    for kind in types_of("__bang_write_zero"):
        out = np.ones(8, DTYPES[kind])

        def kernel(mlu: Any, x: Any, kind: str = kind, nbytes: int = out.nbytes) -> None:
            nram = mlu.nram(kind, 8)
            mlu.__bang_write_zero(nram, 8)
            mlu.__memcpy(x, nram, nbytes, mlu.NRAM2GDRAM)

        assert launch(kernel, args=[out], device=newest()).findings == []
        assert not out.any()
