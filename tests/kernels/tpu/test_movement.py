"""transpose and gather against NumPy, bit for bit."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mlusim.kernels import gather, transpose

from tests.support.devices import device

from .common import CHIPS, TYPES, of_types, overlap, same_on_one_core


def bits(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> np.ndarray:
    """Elements of any bits, NaN among them."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer(np.random.default_rng((seed, size)).bytes(size), dtype).reshape(shape)


def same_bits(run: Any, right: np.ndarray) -> None:
    assert run.findings == []
    assert (run.output.shape, run.output.dtype) == (right.shape, right.dtype)
    assert run.output.tobytes() == right.tobytes()


#: Turned matrices of one element, of odd sizes, of several tiles; outer axes; what stays side by side; copies; nothing.
ORDERS: tuple[tuple[tuple[int, ...], tuple[int, ...] | None], ...] = (
    ((1, 1), None), ((3, 5), None), ((65, 700), None), ((1100, 33), None), ((2, 3, 4, 5, 6), (4, 2, 0, 3, 1)),
    ((3, 70, 5), (1, 0, 2)), ((2, 3, 130), (1, -1, 0)), ((4, 5, 6), (2, 0, 1)), ((6, 1, 7), (1, 2, 0)),
    ((2000, 3), (0, 1)), ((7,), None), ((), None), ((3, 0), None), ((2, 2, 2, 2, 2, 2, 2, 2, 3), None),
)  # fmt: skip


@pytest.mark.parametrize("chip", CHIPS)
def test_transpose(chip: str) -> None:
    for dtype, (shape, axes) in of_types(ORDERS, (*TYPES, np.dtype(np.int8))):
        x = bits(shape, dtype)
        same_bits(transpose(device(chip), x, axes), x.transpose(axes))


@pytest.mark.parametrize("chip", CHIPS)
def test_gather(chip: str) -> None:
    rng = np.random.default_rng(1)
    tables = (((1,), (1,)), ((3, 5), (2, 3)), ((10, 3, 7), (700,)), ((4, 40000), (3,)), ((140_000, 2), (70,)),
              ((5, 0), (3,)), ((5, 2), (0, 4)), ((9, 2), ()))  # fmt: skip
    for dtype, (shape, count) in of_types(tables, (*TYPES, np.dtype(np.uint8))):
        table, indices = bits(shape, dtype), rng.integers(0, shape[0], count)
        same_bits(gather(device(chip), table, indices), table[indices])
    table = np.arange(131_071, dtype=np.int32)  # the last and the first line of every page
    indices = np.array([0, 65534, 65535, 131069, 131070])
    same_bits(gather(device(chip), table, indices), table[indices])


def test_cores_do_not_change_a_bit_of_what_moves_and_copies_run_beside_computing() -> None:
    x = bits((1100, 1200), np.float32)
    same_on_one_core(transpose, x)
    same_on_one_core(gather, x, np.arange(1099, -1, -1))
    overlap(transpose(device("bm1690"), x))


@pytest.mark.parametrize(
    ("operator", "arguments", "message"),
    [
        (transpose, (np.zeros((2, 3), "d"),), "x has dtype float64; bm1690 moves float32, float16, bfloat16, int8"),
        (transpose, (np.zeros((2, 3), "f"), (0, 0)), r"axes is \(0, 0\); pass each of 0 to 1 once: x has 2 axes"),
        (transpose, (np.zeros((2, 3), "f"), (0, 2)), "axes is"),
        (transpose, (np.zeros((2, 3), "f"), 1), "axes is 1;"),
        (transpose, (np.zeros((2, 3), "f"), "ab"), "axes is 'ab'"),
        (transpose, (np.zeros((2,) * 12, "f"),), "into 12 groups; pass at most 10"),
        (gather, (np.zeros((2, 3), "f"), [[0, 2]]), r"indices\[0, 1\] is 2; table has 2 lines: pass 0 to 1"),
        (gather, (np.zeros((2, 3), "f"), -1), "indices is -1; table has 2 lines"),
        (gather, (np.zeros((2, 3), "f"), [0.5]), "indices has dtype float64"),
        (gather, (np.float32(1), [0]), r"table has shape \[\]; pass an array of 1 to 32 axes"),
        (gather, (np.zeros(3, ml_dtypes.float8_e5m2), [0]), "table has dtype float8_e5m2; bm1690 moves"),
    ],
)
def test_wrong_arguments(operator: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        operator(device("bm1690"), *arguments)
