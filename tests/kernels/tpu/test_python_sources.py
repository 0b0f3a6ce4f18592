"""Kernels in Python do what those in C do, bit for bit, command by command, on one core and on eight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlusim.kernels import attention, conv2d, gather, layer_norm, matmul, nms, rms_norm, softmax, transpose
from mlusim.kernels.tpu import OPERATORS
from mlusim.kernels.tpu.python import KERNELS
from mlusim.simulator import Run

from tests.support.devices import device

from .common import CHIPS, TYPES, numbers, one_core

#: Operator, its arguments by type, and further ones: nothing, one element, several tiles, pieces, inner axes.
Case = tuple[Callable[..., Run], tuple[tuple[int, ...], ...], dict[str, Any]]
CASES: tuple[Case, ...] = (
    (softmax, ((0, 4),), {}),
    (softmax, ((1,),), {}),
    (softmax, ((300, 33),), {}),
    (softmax, ((2, 24001),), {}),
    (softmax, ((3, 70, 5),), {"axis": 1}),
    (rms_norm, ((65, 70), (70,)), {}),
    (rms_norm, ((2, 40001), (40001,)), {}),
    (layer_norm, ((130, 70), (70,), (70,)), {"eps": 0.25}),
    (layer_norm, ((2, 40001), (40001,), (40001,)), {}),
    (matmul, ((1, 1), (1, 1)), {}),
    (matmul, ((70, 300), (300, 90)), {}),
    (matmul, ((2, 40, 600), (2, 90, 600)), {"transpose_b": True}),
    (matmul, ((5, 0), (0, 3)), {}),
    (attention, ((70, 16), (300, 16), (300, 8)), {}),
    (attention, ((2, 130, 40), (2, 90, 40), (2, 90, 70)), {"causal": True}),
    (attention, ((1, 1), (1, 1), (1, 1)), {"scale": 2.0}),
    (conv2d, ((2, 5, 9, 11), (70, 5, 3, 2), (70,)), {"stride": (2, 1), "padding": 1}),
    (conv2d, ((1, 300, 12, 12), (20, 300, 3, 3)), {"dilation": 2}),
    (conv2d, ((1, 40, 60, 200), (8, 40, 1, 3)), {}),
    (conv2d, ((1, 1, 1, 1), (1, 1, 1, 1)), {}),
    (transpose, ((1, 1),), {}),
    (transpose, ((5, 70, 3, 65),), {"axes": (2, 3, 0, 1)}),
    (transpose, ((300, 500),), {}),
    (transpose, ((7, 9, 200),), {"axes": (1, 0, 2)}),
)


def commands(run: Run) -> list[tuple[str, int, int]]:
    """What the engines were told, core by core."""
    records, names = run.log.records, [op.name for op in run.log.ops]
    told = [
        (names[record["op"]], int(record["core"]), int(record["work"]))
        for record in records
        if names[record["op"]].startswith(("tpu_bdc", "tpu_gdma"))
    ]
    return sorted(told, key=lambda one: one[1])


def same(operator: Callable[..., Run], on: Any, *arrays: np.ndarray, **more: Any) -> None:
    in_c, in_python = (operator(on, *arrays, source=source, **more) for source in ("c", "python"))
    assert [str(finding) for finding in in_python.findings] == []
    assert in_c.output.tobytes() == in_python.output.tobytes()
    if in_c.output.size and in_c.log:
        assert commands(in_c) == commands(in_python)


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda n: f"{CASES[n][0].__name__} {n}")
def test_the_same_bits_and_commands(number: int) -> None:
    """Each case with one type on one chip: all types and chips are seen."""
    operator, shapes, more = CASES[number]
    arrays = [numbers(shape, TYPES[number % 3], seed) for seed, shape in enumerate(shapes)]
    same(operator, device(CHIPS[number // 2 % 3]), *arrays, **more)


@pytest.mark.parametrize("lines", [300, 70000])  # of one page, and of two
def test_gather(lines: int) -> None:
    table = np.arange(lines * 3, dtype=np.int32).reshape(lines, 3)
    same(gather, device("bm1690"), table, np.random.default_rng(lines).integers(0, lines, (40, 3)))


@pytest.mark.parametrize("n", [1, 13, 150])
def test_nms(n: int) -> None:
    chance = np.random.default_rng(n)
    corner = chance.random((n, 2), np.float32)
    boxes = np.concatenate([corner, corner + chance.random((n, 2), np.float32) / 3], 1)
    same(nms, device("bm1684x" if n > 100 else "bm1690"), boxes, chance.random(n, np.float32), threshold=0.3)


def test_one_core_and_eight_give_the_same_bits() -> None:
    x = numbers((600, 50), TYPES[1])
    for operator, arrays in ((softmax, (x,)), (layer_norm, (x, x[0], x[1])), (matmul, (x, x[:50]))):
        one, eight = (operator(on, *arrays, source="python") for on in (one_core(), device("bm1690")))
        assert one.output.tobytes() == eight.output.tobytes()
        assert len({core for _, core, _ in commands(eight)}) > 1


def test_what_source_may_be() -> None:
    x = np.ones((2, 3), np.float32)
    with pytest.raises(ValueError, match="source is 'rust'; pass 'c' or 'python'"):
        softmax(device("bm1690"), x, source="rust")
    with pytest.raises(ValueError, match="source is 'python', and bm1684 runs kernels of OKK C; pass 'c'"):
        matmul(device("bm1684"), x, x, True, source="python")
    pooled = {"max_pool2d", "avg_pool2d"}  # which is not asked for
    assert set(KERNELS) == set(OPERATORS) - pooled
