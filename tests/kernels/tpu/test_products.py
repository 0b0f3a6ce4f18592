"""Matrix products and attention against float64, over shapes that fill lanes, channels and tiles in part."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from mlusim.kernels import attention, matmul

from tests.support.devices import device

from .common import CHIPS, TYPES, close, numbers, of_types, overlap, same_on_one_core

Z = partial(np.zeros, dtype=np.float32)
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
    for dtype, (m, k, n) in of_types(SIZES, TYPES if chip != "bm1684" else TYPES[:1]):
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


def right_attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float, causal: bool) -> np.ndarray:
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) * scale
    if causal:
        scores = np.where(np.arange(k.shape[-2]) > np.arange(q.shape[-2])[:, None], -np.inf, scores)
    powers = np.exp(scores - scores.max(-1, keepdims=True, initial=-1e9))
    return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-30) @ v


#: batch, queries, keys, depth, values: one of each; odd ones; tiles of queries and keys; wide ones; no keys, nothing.
HEADS = ((2, 70, 300, 33, 65), (1, 1, 1, 1, 1), (2, 5, 7, 3, 4), (1, 130, 64, 64, 64), (1, 33, 70, 1024, 1024),
         (2, 3, 0, 4, 5), (0, 3, 4, 5, 6))  # fmt: skip


@pytest.mark.parametrize("chip", CHIPS)
def test_attention(chip: str) -> None:
    for dtype, (batch, queries, keys, depth, values) in of_types(HEADS):
        q, k, v = (
            numbers((batch, rows, columns), dtype, seed)
            for seed, (rows, columns) in enumerate(((queries, depth), (keys, depth), (keys, values)))
        )
        for causal in (False, True):
            run = attention(device(chip), q, k, v, causal=causal)
            close(run, right_attention(q, k, v, depth**-0.5, causal), 4)
    q, k, v = numbers((2, 3, 9, 8)), numbers((2, 3, 9, 8), seed=1), numbers((2, 3, 9, 2), seed=2)
    close(attention(device(chip), q, k, v, scale=2), right_attention(q, k, v, 2, False), 16)


def test_cores_do_not_change_a_bit_of_attention_and_copies_run_beside_computing() -> None:
    for dtype in TYPES[:2]:
        q, k, v = (numbers((2, 200, 64), dtype, seed) for seed in range(3))
        same_on_one_core(attention, q, k, v, causal=True)
    overlap(attention(device("bm1690"), q, np.tile(k, (1, 3, 1)), np.tile(v, (1, 3, 1))))


@pytest.mark.parametrize(
    ("operator", "arguments", "message"),
    [
        (matmul, (Z((2, 3)), Z((2, 4))), r"b \[2, 4\]; a x b needs 3 rows of b, as many"),
        (matmul, (Z((2, 3)), Z((3, 4)), True), "a x b transposed needs 3 columns of b"),
        (matmul, (Z((2, 3)), np.zeros((3, 4), "e")), "b has dtype float16 and a float32; pass b.astype"),
        (matmul, (Z((2, 2, 3)), Z((4, 3, 4))), r"\[4, 3, 4\]; pass one b for all, of two axes"),
        (matmul, (Z(3), Z((3, 4))), r"a has shape \[3\]; pass an array of 2 to 32 axes"),
        (matmul, (Z((2, 3)), Z((3, 4)), 1), "transpose_b is 1; pass True or False"),
        (attention, (Z((2, 3)), Z((4, 2)), Z((4, 3))), r"k has shape \[4, 2\] and q \[2, 3\]; pass as many columns"),
        (attention, (Z((2, 3)), Z((4, 3)), Z((5, 3))), r"v has shape \[5, 3\] and k \[4, 3\]; pass as many rows"),
        (attention, (Z((1, 2, 3)), Z((4, 3)), Z((4, 3))), r"k has shape \[4, 3\] and q \[1, 2, 3\]; pass one leading"),
        (attention, (Z((2, 1025)), Z((4, 1025)), Z((4, 3))), "q has 1025 columns; pass 1 to 1024"),
        (attention, (Z((2, 3)), Z((4, 3)), Z((4, 0))), "v has 0 columns; pass 1 to 1024"),
        (attention, (Z((2, 3)), Z((4, 3)), Z((4, 3)), np.inf), "scale is inf; pass a finite number"),
        (attention, (Z((2, 3)), Z((4, 3)), Z((4, 3)), 1, 1), "causal is 1; pass True or False"),
    ],
)
def test_wrong_arguments(operator: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        operator(device("bm1690"), *arguments)
