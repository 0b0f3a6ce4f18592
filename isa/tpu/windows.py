"""What convolution and pooling do to the windows of a tensor [n, c, h, w], without a machine."""

from __future__ import annotations

from typing import Any

import numpy as np


def windows(
    values: np.ndarray, kernel: tuple[int, int], padding: Any, stride: Any, dilation: Any, fill: float = 0
) -> np.ndarray:
    """The windows of every output point, shape [n, c, oh, ow, kh, kw]; structures may be None.

    Padding is (top, bottom, left, right), the elements of which are ``fill``; stride and dilation are (h, w).
    """
    top, bottom, left, right = padding or (0, 0, 0, 0)
    (step_h, step_w), (apart_h, apart_w) = stride or (1, 1), dilation or (1, 1)
    padded = np.pad(values, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    reach = (kernel[0] - 1) * apart_h + 1, (kernel[1] - 1) * apart_w + 1
    every = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=(2, 3))
    return every[:, :, ::step_h, ::step_w, ::apart_h, ::apart_w]


def convolved(values: np.ndarray, weights: np.ndarray, *geometry: Any) -> np.ndarray:
    """The sums of a convolution in float64, shape [n, oc, oh, ow]; weights are [oc, ic, kh, kw]."""
    kernel = weights.shape[2], weights.shape[3]
    found = windows(values, kernel, *geometry)
    n, _, h, w = found.shape[:4]
    sums = np.empty((n, weights.shape[0], h, w))
    flat = weights.astype(np.float64).reshape(weights.shape[0], -1)
    for image, sum in zip(found, sums, strict=True):  # one at a time: the windows take kh * kw times the memory
        columns = image.transpose(0, 3, 4, 1, 2).reshape(flat.shape[1], h * w).astype(np.float64)
        sum[...] = (flat @ columns).reshape(sum.shape)
    return sums


def depthwise(values: np.ndarray, weights: np.ndarray, *geometry: Any) -> np.ndarray:
    """The sums of a convolution of every channel by itself in float64; weights are [1, c, kh, kw]."""
    found = windows(values, weights.shape[2:], *geometry)
    sums: np.ndarray = np.einsum("ncyxhw,chw->ncyx", found, weights[0], dtype=np.float64, optimize=False)
    return sums
