"""What convolution and pooling do to the windows of a tensor [n, c, h, w], and what they ask of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rounding import single
from ..rules import Require
from ..sums import Sums
from .cycles import work

#: The largest padding of a side, stride and dilation.
_MOST = 15
_SIDES = {"h": ("top", "bottom"), "w": ("left", "right")}


def geometry(kernel: str, dilated: bool = True) -> dict[str, str]:
    """What ``let`` names: the size of the padded input, of a window, and of the output.

    ``kernel`` is what the size of a window is called in front of its axis: ``kernel.`` or ``kernel_``.
    """
    names: dict[str, str] = {}
    for axis, (first, last) in _SIDES.items():
        names[f"padded_{axis}"] = f"input_shape.{axis} + (padding.{first} + padding.{last} if padding else 0)"
        apart = f"(dilation.{axis} if dilation else 1)" if dilated else "1"
        names[f"reach_{axis}"] = f"({kernel}{axis} - 1) * {apart} + 1"
        step = f"max(stride.{axis} if stride else 1, 1)"
        names[f"output_{axis}"] = f"max((padded_{axis} - reach_{axis}) // {step} + 1, 0)"
    return names


def limits(kernel: str, largest: int, dilated: bool = True) -> tuple[Require, ...]:
    """The limits of that geometry; ``largest`` is that of the height and width of the padded input."""
    structures = {"padding": ("top", "bottom", "left", "right"), "stride": ("h", "w")}
    least = {"padding": 0, "stride": 1, "dilation": 1}
    if dilated:
        structures["dilation"] = ("h", "w")
    return (
        *(Require(f"1 <= {kernel}{axis} <= 65535", rule="length") for axis in "hw"),
        *(
            Require(f"{least[name]} <= {name}.{field} <= {_MOST}", needed=True, when=name)
            for name, fields in structures.items()
            for field in fields
        ),
        *(Require(f"padded_{axis} <= {largest}", rule="length") for axis in "hw"),
        *(Require(f"padded_{axis} >= reach_{axis}", rule="length") for axis in "hw"),
    )


def cycles(engine: str, made: str, **names: str) -> str:
    """The work of an engine whose output has ``made`` channels and the height and width of that geometry."""
    text = work(engine, shape="output", **names)
    for field, name in {"n": "input_shape.n", "c": made, "h": "output_h", "w": "output_w"}.items():
        text = text.replace(f"output.{field}", name)
    return text


def windows(
    values: np.ndarray, kernel: tuple[int, int], padding: Any, stride: Any, dilation: Any, fill: float = 0
) -> np.ndarray:
    """The windows of every output point, shape [n, c, oh, ow, kh, kw]; structures may be None.

    Padding is (top, bottom, left, right), the elements of which are ``fill``; stride and dilation are (h, w).
    """
    top, bottom, left, right = padding or (0, 0, 0, 0)
    (step_h, step_w), (apart_h, apart_w) = stride or (1, 1), dilation or (1, 1)
    if padding and any(padding):
        values = np.pad(values, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    n, c, h, w = values.shape
    places = (h - 1 - (kernel[0] - 1) * apart_h) // step_h + 1, (w - 1 - (kernel[1] - 1) * apart_w) // step_w + 1
    of_n, of_c, of_h, of_w = values.strides
    steps = of_h * step_h, of_w * step_w, of_h * apart_h, of_w * apart_w
    every: np.ndarray = np.lib.stride_tricks.as_strided(
        values, (n, c, *places, *kernel), (of_n, of_c, *steps), writeable=False
    )
    return every


def convolved(
    values: np.ndarray, weights: np.ndarray, bias: np.ndarray, before: Any, padding: Any, stride: Any, dilation: Any
) -> Sums:
    """The sums of a convolution with a bias, unless it has no channels, and what was there before, unless None.

    Weights are [oc, ic, kh, kw].
    """
    count, _, *kernel = weights.shape
    found = windows(single(values), (kernel[0], kernel[1]), padding, stride, dilation)
    n, _, h, w = found.shape[:4]
    return Sums(weights.reshape(count, -1), found.transpose(0, 1, 4, 5, 2, 3), (n, count, h, w), bias, before)


def depthwise(values: np.ndarray, weights: np.ndarray, bias: np.ndarray, *geometry: Any) -> np.ndarray:
    """The sums of a convolution of every channel by itself in float64, with a bias; weights are [1, c, kh, kw]."""
    found = windows(single(values), weights.shape[2:], *geometry)
    sums: np.ndarray = np.einsum("ncyxhw,chw->ncyx", found, weights[0], dtype=np.float64, optimize=False)
    if bias.size:
        sums += bias
    return sums
