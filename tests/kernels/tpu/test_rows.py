"""softmax, rms_norm and layer_norm against float64, over shapes that fill lanes, tiles and pieces in part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.kernels import layer_norm, rms_norm, softmax
from mlusim.simulator import Device

from tests.support.devices import device

from .common import CHIPS, TYPES, close, numbers, of_types, overlap, same_on_one_core

#: Shapes and the axis: one element, few rows, a row more than the lanes, several tiles a core, rows in pieces, inner
#: axes; and nothing.
SHAPES = (((1,), 0), ((3, 5), -1), ((65, 70), 1), ((1300, 33), -1), ((2, 24001), 1), ((3, 70, 5), 1), ((9, 2, 2), 0),
          ((0, 4), 1), ((4, 0), -1))  # fmt: skip


def right_softmax(x: np.ndarray, axis: int) -> np.ndarray:
    wide = x.astype(np.float64)
    if not x.size:
        return wide
    powers = np.exp(wide - wide.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


@pytest.mark.parametrize("chip", [*CHIPS, "bm1684"])
def test_softmax(chip: str) -> None:
    for dtype, (shape, axis) in of_types(SHAPES, TYPES if chip != "bm1684" else TYPES[:1]):
        x = numbers(shape, dtype) * dtype.type(3)
        close(softmax(device(chip), x, axis), right_softmax(x, axis), 2)


@pytest.mark.parametrize("chip", CHIPS)
def test_norms(chip: str) -> None:
    for dtype, (shape, _) in of_types(SHAPES):
        x, gamma, beta = numbers(shape, dtype), numbers(shape[-1:], dtype, 1), numbers(shape[-1:], dtype, 2)
        x = x + dtype.type(2)
        wide, g, b = (array.astype(np.float64) for array in (x, gamma, beta))
        squares = (wide**2).sum(-1, keepdims=True) / max(shape[-1], 1)
        close(rms_norm(device(chip), x, gamma, 0.25), wide / np.sqrt(squares + 0.25) * g, 4)
        mean = wide.sum(-1, keepdims=True) / max(shape[-1], 1)
        variance = ((wide - mean) ** 2).sum(-1, keepdims=True) / max(shape[-1], 1)
        close(layer_norm(device(chip), x, gamma, beta, 0.25), (wide - mean) / np.sqrt(variance + 0.25) * g + b, 8)


def test_rows_of_infinities_and_nan() -> None:
    x = numbers((4, 40000))
    x[0], x[1, 7], x[2, 30000], x[3, :39000] = -np.inf, np.inf, np.nan, -np.inf
    with np.errstate(all="ignore"):
        right = right_softmax(x, 1)
    found = softmax(device("bm1690"), x).output
    assert np.isnan(found[:3]).all()
    np.testing.assert_allclose(found[3], right[3], 1e-6)


def test_cores_do_not_change_a_bit_and_copies_run_beside_computing() -> None:
    x = numbers((2000, 300), TYPES[1])
    same_on_one_core(softmax, x)
    same_on_one_core(softmax, x, 0)
    same_on_one_core(rms_norm, x, x[0])
    same_on_one_core(layer_norm, numbers((5, 50000)), numbers((50000,)), numbers((50000,)))
    overlap(softmax(device("bm1690"), x))


@pytest.mark.parametrize(
    ("operator", "arguments", "message"),
    [
        (softmax, (np.zeros(4),), r"x has dtype float64; bm1690 computes with float32, float16, bfloat16"),
        (softmax, (np.float32(4),), r"x has shape \[\]; pass an array of 1 to 32 axes"),
        (softmax, (np.zeros((2, 3), "f"), 2), r"axis is 2; pass a whole number from -2 to 1 \(x has 2 axes\)"),
        (softmax, (np.zeros(3, "f"), 0.5), "axis is 0.5"),
        (rms_norm, (np.zeros((2, 3), "f"), np.zeros(2, "f")), r"gamma has shape \[2\] and x \[2, 3\]"),
        (rms_norm, (np.zeros((2, 3), "f"), np.zeros(3, "e")), r"gamma has dtype float16 and x float32; pass gamma"),
        (rms_norm, (np.zeros((2, 3), "f"), np.zeros(3, "f"), -1), "eps is -1; pass a finite number of at least 0"),
        (layer_norm, (np.zeros(3, "f"), np.zeros(3, "f"), np.zeros((1, 3), "f")), r"beta has shape \[1, 3\]"),
    ],
)  # fmt: skip
def test_wrong_arguments(operator: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        operator(device("bm1690"), *arguments)


def test_wrong_devices() -> None:
    x = np.zeros((2, 3), np.float32)
    with pytest.raises(ValueError, match="mlu370-x4, which runs no TPU-KERNEL or OKK; softmax runs on bm1684x"):
        softmax(device("mlu370-x4"), x)
    with pytest.raises(ValueError, match="bm1684, which runs no TPU-KERNEL; rms_norm runs on bm1684x, bm1688, bm1690"):
        rms_norm(device("bm1684"), x, x[0])
    with pytest.raises(ValueError, match="x has dtype float16; bm1684 computes with float32"):
        softmax(device("bm1684"), x.astype(np.float16))
    with pytest.raises(TypeError, match="device is of type str"):
        softmax("bm1690", x)  # type: ignore[arg-type]


def test_a_device_array_and_an_array_in_other_order() -> None:
    x = numbers((6, 50))
    for given in (Device.load("bm1684x").array(x), np.asfortranarray(x), np.repeat(x, 2, 1)[:, ::2]):
        close(softmax(device("bm1684x"), given), right_softmax(x, -1), 2)
