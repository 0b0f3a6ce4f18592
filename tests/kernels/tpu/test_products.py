"""Matrix products and attention against float64, over shapes that fill lanes, channels and tiles in part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.kernels import matmul

from tests.support.devices import device

from .common import CHIPS, TYPES, close, numbers, overlap, same_on_one_core

#: m, k, n: one element, odd ones, more than the lanes, tiles along every one of them; and nothing.
SIZES = (
    (1, 1, 1),
    (3, 5, 7),
    (65, 70, 130),
    (40, 1100, 33),
    (270, 9, 90),
    (2, 3, 2100),
    (0, 3, 2),
    (2, 0, 3),
    (2, 3, 0),
)


@pytest.mark.parametrize("chip", [*CHIPS, "bm1684"])
def test_matmul(chip: str) -> None:
    for dtype in TYPES if chip != "bm1684" else TYPES[:1]:
        for m, k, n in SIZES:
            a, b = numbers((m, k), dtype), numbers((k, n), dtype, 1)
            right = a.astype(np.float64) @ b.astype(np.float64)
            close(matmul(device(chip), a, b), right, 2)
            close(matmul(device(chip), a, np.ascontiguousarray(b.T), transpose_b=True), right, 2)


def test_many_products() -> None:
    for dtype in TYPES[:2]:
        a, b = numbers((2, 3, 5, 70), dtype), numbers((2, 3, 70, 4), dtype, 1)
        close(matmul(device("bm1690"), a, b), a.astype(np.float64) @ b.astype(np.float64), 2)
        close(matmul(device("bm1690"), a, b[0, 0]), a.astype(np.float64) @ b[0, 0].astype(np.float64), 2)


def test_cores_do_not_change_a_bit_of_a_product_and_copies_run_beside_computing() -> None:
    for dtype in TYPES[:2]:
        a, b = numbers((130, 1100), dtype), numbers((1100, 70), dtype, 1)
        same_on_one_core(matmul, a, b)
        same_on_one_core(matmul, a, b.T, True)
        overlap(matmul(device("bm1690"), a, b))


@pytest.mark.parametrize(
    ("operator", "arguments", "message"),
    [
        (matmul, (np.zeros((2, 3), "f"), np.zeros((2, 4), "f")), r"b \[2, 4\]; a x b needs 3 rows of b, as many"),
        (matmul, (np.zeros((2, 3), "f"), np.zeros((3, 4), "f"), True), "a x b transposed needs 3 columns of b"),
        (matmul, (np.zeros((2, 3), "f"), np.zeros((3, 4), "e")), "b has dtype float16 and a float32; pass b.astype"),
        (matmul, (np.zeros((2, 2, 3), "f"), np.zeros((4, 3, 4), "f")), r"\[4, 3, 4\]; pass one b for all, of two axes"),
        (matmul, (np.zeros(3, "f"), np.zeros((3, 4), "f")), r"a has shape \[3\]; pass an array of 2 to 32 axes"),
        (matmul, (np.zeros((2, 3), "f"), np.zeros((3, 4), "f"), 1), "transpose_b is 1; pass True or False"),
    ],
)
def test_wrong_arguments(operator: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        operator(device("bm1690"), *arguments)
