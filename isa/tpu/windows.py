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
