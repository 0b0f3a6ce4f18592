"""Operators on windows of images: convolution and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from mlusim.simulator import Device, Run

from ..quoting import quoted
from .launching import (
    KernelSource,
    check_axes,
    check_device,
    check_like,
    checked_source,
    float_array,
    launched,
    type_code,
)

_DIALECTS = ("tpu", "okk")
_CONV2D = {"tpu": "conv2d.c", "okk": "okk_conv2d.c"}
_POOLING = {"tpu": "pooling.c", "okk": "okk_pooling.c"}
#: Limits of the chips: steps and padding.
_MOST = 15
#: Those of the tiles: elements of a kernel, and of what it spans with its dilation, and rows or columns of that.
_TAPS, _SPAN, _SIDE = 256, 4000, 2000


def conv2d(
    device: Device, x: Any, w: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, *,
    source: str = "c", on_finding: str = "raise",
) -> Run:  # fmt: skip
    """The convolution of images (cross-correlation, as in neural networks).

    ``x`` has shape [images, c, h, w], ``w`` [oc, c, kh, kw] and ``bias``, if given, [oc]; all are arrays of one type:
    float32, float16 or bfloat16 (bm1684: float32). ``stride`` and ``dilation`` are 1 to 15, one number or one for each
    axis; ``padding`` is 0 to 15 and less than what the kernel spans: one number, one for each axis, or top, bottom,
    left and right. A kernel has at most 256 elements. ``run.output`` has shape [images, oc, oh, ow]; ``source`` is as
    in `softmax`. Sums are of 32 bits; tiles of the result are shared out over the cores. Raises ValueError or
    TypeError for wrong arguments, before anything runs; KernelError as `Program.launch` does.
    """
    check_device("conv2d", device, _DIALECTS)
    where = checked_source(source, _CONV2D[device.isa], device)
    images, weights = _images(x, device), float_array("w", w, device)
    check_axes("w", weights, 4, 4)
    check_like("w", weights, "x", images)
    if weights.shape[1] != images.shape[1]:
        raise ValueError(
            f"w has shape {list(weights.shape)} and x {list(images.shape)}; pass as many input channels in both"
        )
    kernel = weights.shape[2], weights.shape[3]
    if not 1 <= kernel[0] * kernel[1] <= _TAPS:
        raise ValueError(f"w has a kernel of {kernel[0]} x {kernel[1]}; pass one of 1 to {_TAPS} elements")
    members = {"weight": weights, "bias": 0}
    if bias is not None:
        added = float_array("bias", bias, device)
        check_like("bias", added, "x", images)
        if added.shape != weights.shape[:1]:
            raise ValueError(f"bias has shape {list(added.shape)} and w {list(weights.shape)}; pass one for each of oc")
        members["bias"] = added.astype(np.float32)
    frame = _frame(images, kernel, stride, padding, dilation)
    output = np.empty((len(images), len(weights), *frame.output), images.dtype)
    if output.size and not images.shape[1]:
        output[...] = 0 if bias is None else added[:, None, None]
        return Run.empty(device, output)
    return _launched(device, where, "conv2d", images, output, frame, on_finding, **members)


def max_pool2d(
    device: Device, x: Any, kernel: Any, stride: Any = None, padding: Any = 0, *, on_finding: str = "raise"
) -> Run:
    """The largest element of every window of images, each channel by itself.

    ``x`` has shape [images, c, h, w]; ``kernel`` is one number or one for each axis, and ``stride`` is the same where
    it is not given. Padding is the lowest number. ``run.output`` has shape [images, c, oh, ow]; the rest is as in
    `conv2d`.
    """
    return _pooled("max_pool2d", device, x, kernel, stride, padding, on_finding, largest=True)


def avg_pool2d(
    device: Device, x: Any, kernel: Any, stride: Any = None, padding: Any = 0, *, on_finding: str = "raise"
) -> Run:
    """The mean of every window of images, each channel by itself; padding is 0 and counts. As `max_pool2d`."""
    return _pooled("avg_pool2d", device, x, kernel, stride, padding, on_finding, largest=False)


def _pooled(
    name: str, device: Device, x: Any, kernel: Any, stride: Any, padding: Any, on_finding: str, largest: bool
) -> Run:  # fmt: skip
    check_device(name, device, _DIALECTS)
    images = _images(x, device)
    size = _pair("kernel", kernel, 1, _SIDE)
    if stride is None:  # which means nothing where there is but one window
        stride = tuple(1 if k == length else k for k, length in zip(size, images.shape[2:], strict=True))
    frame = _frame(images, size, stride, padding, 1)
    output = np.empty((*images.shape[:2], *frame.output), images.dtype)
    return _launched(device, _POOLING[device.isa], "pooling", images, output, frame, on_finding, largest=largest)


class _Frame(NamedTuple):
    """How windows slide over images: [h, w] each, padding as top, bottom, left and right."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int, int, int]
    output: tuple[int, int]


def _images(value: Any, device: Device) -> np.ndarray:
    images = float_array("x", value, device)
    check_axes("x", images, 4, 4)
    return images


def _numbers(name: str, value: Any, counts: Sequence[int], least: int, most: int) -> list[int]:
    """One number, or as many as one of ``counts``; ValueError for anything else."""
    given = [value] if isinstance(value, (int, np.integer)) else list(value) if isinstance(value, (tuple, list)) else []
    right = all(isinstance(one, (int, np.integer)) and least <= one <= most for one in given)
    if isinstance(value, bool) or len(given) not in (1, *counts) or not right:
        several = " or ".join(map(str, counts))
        raise ValueError(f"{name} is {quoted(value)}; pass one whole number from {least} to {most}, or {several}")
    return [int(one) for one in given]


def _pair(name: str, value: Any, least: int, most: int) -> tuple[int, int]:
    numbers = _numbers(name, value, (2,), least, most)
    return numbers[0], numbers[-1]


def _frame(x: np.ndarray, kernel: tuple[int, int], stride: Any, padding: Any, dilation: Any) -> _Frame:
    """ValueError for windows that cannot slide over images, or that tiles have no room for."""
    steps, apart = _pair("stride", stride, 1, _MOST), _pair("dilation", dilation, 1, _MOST)
    around = _numbers("padding", padding, (2, 4), 0, _MOST)
    top, bottom, left, right = around if len(around) == 4 else (around[0], around[0], around[-1], around[-1])
    span = [(count - 1) * step + 1 for count, step in zip(kernel, apart, strict=True)]
    if span[0] * span[1] > _SPAN or max(span) > _SIDE:
        raise ValueError(
            f"a window spans {span[0]} x {span[1]} elements; pass a kernel and a dilation that span at most {_SPAN}, "
            f"and {_SIDE} along an axis"
        )
    for name, before, after, reach, length in (
        ("h", top, bottom, span[0], x.shape[2]), ("w", left, right, span[1], x.shape[3])
    ):  # fmt: skip
        if max(before, after) >= reach:
            raise ValueError(f"padding is {max(before, after)} along {name}; pass less than the {reach} of a window")
        if length and length + before + after < reach:
            raise ValueError(
                f"x has {length} elements along {name}, {length + before + after} with padding; a window spans {reach}"
            )
    output = (
        max((x.shape[2] + top + bottom - span[0]) // steps[0] + 1, 0) if x.shape[2] else 0,
        max((x.shape[3] + left + right - span[1]) // steps[1] + 1, 0) if x.shape[3] else 0,
    )
    return _Frame(kernel, steps, apart, (top, bottom, left, right), output)


def _launched(
    device: Device, source: str | KernelSource, kernel: str, x: np.ndarray, output: np.ndarray, frame: _Frame,
    on_finding: str, **members: Any,
) -> Run:  # fmt: skip
    if not output.size:
        return Run.empty(device, output)
    images, c, h, w = x.shape
    sides = dict(zip(("top", "bottom", "left", "right"), frame.padding, strict=True))
    pairs = {"kernel": frame.kernel, "stride": frame.stride, "dilation": frame.dilation}
    axes = {f"{name}_{axis}": pair[number] for name, pair in pairs.items() for number, axis in enumerate("hw")}
    return launched(
        device, source, kernel, output, on_finding, input=x, images=images, c=c, h=h, w=w, oc=output.shape[1],
        oh=output.shape[2], ow=output.shape[3], **axes, **sides, **type_code(device, x.dtype), **members,
    )  # fmt: skip
