"""BDC: convolution and pooling. Padding, stride and dilation may be null: none, 1 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Completion, Compute
from ..rounding import flushed
from ..sums import Sums
from ..tpu.windows import convolved, depthwise, geometry, limits, windows
from .machine import MOST, family, instruction

#: What a lane does for each point of its output: it takes one point of a window after the other, of its own channel or
#: of as many input channels as it multiplies at a time (inferred from measured times).
_POINTS = "input_shape.n * -(-{made} // lanes) * output_h * output_w * ({each})"
_SUMMED = 16


def _facts(engine: str, made: str, each: str = "kernel_h * kernel_w", dilated: bool = True) -> dict[str, Any]:
    return {
        "space": "local", "pipe": "bdc", "effect": Compute(Completion.QUEUED), "overlap": "none", "engine": engine,
        "work": _POINTS.format(made=made, each=each),
        "let": geometry("kernel_", dilated), "rules": limits("kernel_", MOST, dilated),
    }  # fmt: skip


_BIAS = "const tensor<float> bias_addr[(1, {channels} if using_bias else 0, 1, 1) @ (1, 1, 1, 1)]"
#: The strides of weights count pairs of floats, those of two input channels.
_CONV2D = (
    "void okk_bdc_conv2d(inout tensor<float> output_addr[(input_shape.n, output_c, output_h, output_w)],"
    " const tensor<float> input_addr[input_shape @ input_stride],"
    " const tensor<float2> weight_addr[((input_shape.c + 1) // 2, output_c, kernel_h, kernel_w) @ kernel_stride], "
    + _BIAS.format(channels="output_c")
    + ", dim4 *input_shape, int32 output_c, int32 kernel_h, int32 kernel_w, dim4 *input_stride?, dim4 *kernel_stride,"
    " bool using_bias, bool result_add, Padding *padding?, dim2 *stride?, dim2 *dilation?)"
)


@instruction(
    _CONV2D, elsewhere=("input_addr",), adds="result_add",
    **_facts("bdc_conv_float", "output_c", f"kernel_h * kernel_w * -(-input_shape.c // {_SUMMED})"),
)  # fmt: skip
def conv2d(
    held_output_addr: Any, input_addr: np.ndarray, weight_addr: np.ndarray, bias_addr: np.ndarray, result_add: bool,
    padding: Any, stride: Any, dilation: Any,
) -> Sums:  # fmt: skip
    """output = convolution of input, + bias, + output if result_add; sums of any width, rounded once (inferred)"""
    pairs, count, *kernel = weight_addr.shape
    both = flushed(np.ascontiguousarray(weight_addr).view(np.float32)).reshape(pairs, count, *kernel, 2)
    weights = both.transpose(1, 0, 4, 2, 3).reshape(count, 2 * pairs, *kernel)[:, : input_addr.shape[1]]
    before = held_output_addr if result_add else None
    return convolved(input_addr, weights, bias_addr, before, padding, stride, dilation)


_DEPTHWISE2D = (
    "void okk_bdc_depthwise2d(tensor<float> output_addr[(input_shape.n, input_shape.c, output_h, output_w)],"
    " const tensor<float> input_addr[input_shape],"
    " const tensor<float> weight_addr[(1, input_shape.c, kernel_h, kernel_w) @ (1, kernel_h * kernel_w, kernel_w, 1)], "
    + _BIAS.format(channels="input_shape.c")
    + ", dim4 *input_shape, int32 kernel_h, int32 kernel_w, bool using_bias, Padding *padding?, dim2 *stride?,"
    " dim2 *dilation?)"
)


@instruction(_DEPTHWISE2D, **_facts("bdc_depthwise", "input_shape.c"))
def depthwise2d(
    input_addr: np.ndarray, weight_addr: np.ndarray, bias_addr: np.ndarray, padding: Any, stride: Any, dilation: Any
) -> np.ndarray:
    """output[n, c] = convolution of input[n, c] with weight[0, c], + bias[c]; rounded once (inferred)"""
    return depthwise(input_addr, weight_addr, bias_addr, padding, stride, dilation)


_POOL2D = (
    "void okk_bdc_{op}_pool2d(tensor<float> output_addr[(input_shape.n, input_shape.c, output_h, output_w)],"
    " const tensor<float> input_addr[input_shape], dim4 *input_shape, int32 kernel_h, int32 kernel_w,"
    " Padding *padding?, dim2 *stride?)"
)


def _mean(input_addr: np.ndarray, kernel_h: int, kernel_w: int, padding: Any, stride: Any) -> np.ndarray:
    found = windows(input_addr, (kernel_h, kernel_w), padding, stride, None)
    mean: np.ndarray = found.mean(axis=(4, 5), dtype=np.float64)
    return mean


def _largest(input_addr: np.ndarray, kernel_h: int, kernel_w: int, padding: Any, stride: Any) -> np.ndarray:
    lowest = float(np.finfo(np.float32).min)
    found = windows(input_addr, (kernel_h, kernel_w), padding, stride, None, lowest)
    largest: np.ndarray = found.max(axis=(4, 5))
    return largest


pooling = family(
    _POOL2D,
    {
        "avg": (_mean, "output = mean of every window; padding is 0 and counts in the mean"),
        "max": (_largest, "output = largest element of every window; padding is the lowest float"),
    },
    **_facts("bdc_pool", "input_shape.c", dilated=False),
)
