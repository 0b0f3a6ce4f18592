"""conv2d and pooling against float64, over shapes that fill lanes, blocks of channels and tiles in part."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from mlusim.kernels import avg_pool2d, conv2d, max_pool2d

from tests.support.devices import device

from .common import CHIPS, TYPES, close, numbers, of_types, overlap, same_on_one_core

Z = partial(np.zeros, dtype=np.float32)


def padded(x: np.ndarray, sides: tuple[int, int, int, int], value: float) -> np.ndarray:
    top, bottom, left, right = sides
    around = ((0, 0), (0, 0), (top, bottom), (left, right))
    return np.pad(x.astype(np.float64), around, constant_values=value)


def convolved(x: Any, w: Any, bias: Any, stride: Any, sides: Any, dilation: Any) -> np.ndarray:
    """Tap by tap."""
    wide, taps = padded(x, sides, 0), w.astype(np.float64)
    kh, kw = taps.shape[2:]
    oh = (wide.shape[2] - (kh - 1) * dilation[0] - 1) // stride[0] + 1
    ow = (wide.shape[3] - (kw - 1) * dilation[1] - 1) // stride[1] + 1
    found = np.zeros((len(x), len(w), oh, ow)) + (0 if bias is None else bias.astype(np.float64)[:, None, None])
    for y in range(kh):
        for z in range(kw):
            top, left = y * dilation[0], z * dilation[1]
            part = wide[:, :, top : top + oh * stride[0] : stride[0], left : left + ow * stride[1] : stride[1]]
            found += np.einsum("ncyx,oc->noyx", part[:, :, :oh, :ow], taps[:, :, y, z])
    return found


#: x, w, stride, padding, dilation: several input blocks; one element; odd ones; rows and columns of tiles; steps that
#: leave a rest; more output channels than lanes; no channels; nothing.
CASES: tuple[tuple[tuple[int, ...], tuple[int, ...], Any, Any, Any], ...] = (
    ((1, 700, 4, 3), (3, 700, 3, 3), 1, 1, 1),
    ((1, 1, 1, 1), (1, 1, 1, 1), 1, 0, 1),
    ((2, 3, 9, 7), (5, 3, 3, 2), (2, 1), (1, 0), (1, 2)),
    ((1, 6, 70, 90), (66, 6, 3, 3), 1, (1, 2, 0, 1), 1),
    ((1, 2, 12, 3000), (2, 2, 2, 15), (3, 2), (0, 1, 7, 9), 1),
    ((2, 16, 8, 8), (200, 16, 1, 1), 2, 0, 1),
    ((1, 2, 20, 20), (3, 2, 3, 3), 15, 6, (5, 4)),
    ((2, 0, 4, 4), (3, 0, 2, 2), 1, 0, 1),
    ((0, 2, 4, 4), (3, 2, 2, 2), 1, 0, 1),
    ((1, 2, 4, 4), (0, 2, 2, 2), 1, 0, 1),
)


def sides_of(padding: Any) -> tuple[int, int, int, int]:
    if isinstance(padding, int):
        return (padding,) * 4
    return padding if len(padding) == 4 else (padding[0], padding[0], padding[1], padding[1])


def pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value


@pytest.mark.parametrize("chip", [*CHIPS, "bm1684"])
def test_conv2d(chip: str) -> None:
    for dtype, (x_shape, w_shape, stride, padding, dilation) in of_types(
        CASES, TYPES if chip != "bm1684" else TYPES[:1]
    ):
        x, w, bias = numbers(x_shape, dtype), numbers(w_shape, dtype, 1), numbers(w_shape[:1], dtype, 2)
        for added in (None, bias):
            right = convolved(x, w, added, pair(stride), sides_of(padding), pair(dilation))
            close(conv2d(device(chip), x, w, added, stride, padding, dilation), right, 4)


@pytest.mark.parametrize("chip", [*CHIPS, "bm1684"])
def test_pooling(chip: str) -> None:
    shapes = (((1, 2, 300, 200), 5, 3, (2, 1, 0, 3)), ((1, 1, 1, 1), 1, None, 0),
              ((2, 70, 9, 11), (3, 2), (2, 1), (1, 0)), ((1, 3, 4, 5000), (2, 40), (1, 15), 0),
              ((1, 2, 60, 40), (60, 40), None, 0), ((1, 0, 3, 3), 2, 1, 0))  # fmt: skip
    for dtype, (shape, kernel, stride, padding) in of_types(shapes, TYPES if chip != "bm1684" else TYPES[:1]):
        x = numbers(shape, dtype)
        kh, kw = pair(kernel)
        step = pair(kernel if stride is None else stride)
        for operator, value, reduce in ((max_pool2d, -np.inf, np.max), (avg_pool2d, 0, np.mean)):
            wide = padded(x, sides_of(padding), value)
            windows = np.lib.stride_tricks.sliding_window_view(wide, (kh, kw), (2, 3))[:, :, :: step[0], :: step[1]]
            close(operator(device(chip), x, kernel, stride, padding), reduce(windows, axis=(4, 5)), 2)


def test_cores_do_not_change_a_bit_of_a_convolution_and_copies_run_beside_computing() -> None:
    for dtype in TYPES[:2]:
        x, w = numbers((9, 3, 30, 60), dtype), numbers((70, 3, 3, 3), dtype, 1)
        same_on_one_core(conv2d, x, w, w[:, 0, 0, 0], padding=1)
        same_on_one_core(max_pool2d, x, 3)
    overlap(conv2d(device("bm1690"), numbers((1, 700, 6, 5)), numbers((3, 700, 3, 3))))


@pytest.mark.parametrize(
    ("operator", "arguments", "message"),
    [
        (conv2d, (Z((1, 2, 3)), Z((1, 2, 3, 3))), r"x has shape \[1, 2, 3\]; pass an array of 4 axes"),
        (conv2d, (Z((1, 2, 3, 3)), Z((1, 3, 3, 3))), "pass as many input channels in both"),
        (conv2d, (Z((1, 2, 3, 3)), Z((1, 2, 4, 3))), "x has 3 elements along h, 3 with padding; a window spans 4"),
        (conv2d, (Z((1, 2, 30, 30)), Z((1, 2, 17, 16))), "a kernel of 17 x 16; pass one of 1 to 256 elements"),
        (conv2d, (Z((1, 2, 30, 30)), Z((1, 2, 0, 1))), "a kernel of 0 x 1; pass"),
        (conv2d, (Z((1, 2, 3, 3)), Z((1, 2, 3, 3)), Z(2)), r"bias has shape \[2\] and w \[1, 2, 3, 3\]; pass one for"),
        (
            conv2d,
            (Z((1, 2, 3, 3)), Z((1, 2, 3, 3)), None, 16),
            "stride is 16; pass one whole number from 1 to 15, or 2",
        ),
        (
            conv2d,
            (Z((1, 2, 3, 3)), Z((1, 2, 3, 3)), None, 1, 3),
            "padding is 3 along h; pass less than the 3 of a wind",
        ),
        (conv2d, (Z((1, 2, 3, 3)), Z((1, 2, 3, 3)), None, 1, (1, 1, 1)), r"padding is \(1, 1, 1\); .* or 2 or 4"),
        (conv2d, (Z((1, 2, 300, 300)), Z((1, 2, 16, 16)), None, 1, 0, 15), "a window spans 226 x 226 elements"),
        (max_pool2d, (Z((1, 2, 3, 3)), 0), "kernel is 0; pass one whole number from 1 to 2000"),
        (max_pool2d, (Z((1, 2, 3, 3)), (1, 2, 3)), r"kernel is \(1, 2, 3\)"),
        (avg_pool2d, (Z((1, 2, 3, 3)), 2, True), "stride is True"),
    ],
)
def test_wrong_arguments(operator: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        operator(device("bm1690"), *arguments)
