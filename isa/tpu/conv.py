"""BDC's convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rules import Require
from ..sums import Sums
from .commands import FLOATS, bdc
from .cycles import IN_CUBE
from .tensors import LARGEST
from .windows import convolved, cycles, depthwise, geometry, limits

_STEPS = "dim2 *kernel, padding_t *padding?, dim2 *stride?, dim2 *dilation?,"
_BIAS = "const tensor<{kind}> bias_addr[(1, {channels} if has_bias else 0, 1, 1) @ (1, 1, 1, 1)],"
_GEOMETRY = geometry("kernel.")
_LIMITS = limits("kernel.", LARGEST)
#: Output and input.
_TYPES = [
    ("float", "float"), ("half", "half"), ("float", "half"), ("bfloat16", "bfloat16"), ("float", "bfloat16"),
    *((out, narrow) for narrow in ("float8e4m3", "float8e5m2")
      for out in ("float8e4m3", "float8e5m2", "half", "float")),
]  # fmt: skip
_EACH = {"channels": "input_shape.c", "kernel": "kernel.h * kernel.w"}


def _weights(weight_addr: np.ndarray, channels: int, kernel: Any, block: int) -> np.ndarray:
    """Weights [oc, ic, kh, kw] of those in blocks of input channels."""
    count = weight_addr.shape[1]
    blocks = weight_addr.reshape(count, -1, kernel.h, kernel.w, block)
    return blocks.transpose(0, 1, 4, 2, 3).reshape(count, -1, kernel.h, kernel.w)[:, :channels]


def _convolved(
    held_output_addr: Any, input_addr: np.ndarray, weight_addr: np.ndarray, bias_addr: np.ndarray, kernel: Any,
    padding: Any, stride: Any, dilation: Any, block: int, result_add: bool,
) -> Sums:  # fmt: skip
    weights = _weights(weight_addr, input_addr.shape[1], kernel, block)
    before = held_output_addr if result_add else None
    return convolved(input_addr, weights, bias_addr, before, padding, stride, dilation)


conv2d = bdc(
    "void tpu_bdc_{op}(inout tensor<D> output_addr[(input_shape.n, output_c, output_h, output_w)],"
    " const tensor<S> input_addr[input_shape @ input_stride],"
    " const tensor<S> weight_addr[(1, output_c, 1, taps) @ (taps, taps, taps, 1)], "
    + _BIAS.format(kind="float", channels="output_c")
    + f" dim4 *input_shape, dim4 *input_stride?, int32 output_c, {_STEPS} data_type output_dtype,"
    " data_type input_dtype, bool has_bias, bool result_add)",
    {
        "fp_conv2d": (
            _convolved,
            "output = convolution of input, + bias, + output if result_add; of each output channel the weights lie as"
            " [blocks of input channels][kh][kw][channels of a block]; sums of any width, rounded once (inferred)",
        )
    },
    types=[{"D": out, "S": source} for out, source in _TYPES],
    let={
        **_GEOMETRY,
        "block": IN_CUBE.format(operand="input_addr"),
        "taps": "-(-input_shape.c // block) * block * kernel.h * kernel.w",
    },
    engine="bdc_conv",
    work=f"({cycles('bdc_conv_float', 'output_c', size='sizeof_input_addr', **_EACH)}) if sizeof_input_addr == 4 else"
    f" ({cycles('bdc_conv', 'output_c', parallel='block', **_EACH)})",
    overlap="none",
    adds="result_add",
    elsewhere=("input_addr",),
    rules=(
        *_LIMITS,
        Require(f"1 <= output_c <= {LARGEST}", rule="length"),
        Require("lane_input_addr == 0 or sizeof_input_addr == 4", rule="lane"),
        Require("weight_addr % (4 if sizeof_input_addr == 4 else eu_bytes) == 0", rule="alignment"),
        Require("bias_addr % 4 == 0", rule="alignment", when="has_bias"),
    ),
)
depthwise2d = bdc(
    "void tpu_bdc_{op}(tensor<T> output_addr[(input_shape.n, input_shape.c, output_h, output_w)],"
    " const tensor<T> input_addr[input_shape], const tensor<T> weight_addr[(1, input_shape.c, kernel.h, kernel.w)"
    " @ (1, kernel.h * kernel.w, kernel.w, 1)], "
    + _BIAS.format(kind="T", channels="input_shape.c")
    + f" dim4 *input_shape, {_STEPS} data_type dtype, bool has_bias)",
    {
        "fp_depthwise2d": (
            lambda input_addr, weight_addr, bias_addr, padding, stride, dilation: depthwise(
                input_addr, weight_addr, bias_addr, padding, stride, dilation
            ),
            "output[n, c] = convolution of input[n, c] with weight[0, c], + bias[c]; rounded once (inferred)",
        )
    },
    types=FLOATS,
    let=_GEOMETRY,
    engine="bdc_depthwise",
    work=cycles("bdc_depthwise", "input_shape.c", size="sizeof_input_addr", kernel="kernel.h * kernel.w"),
    overlap="none",
    rules=(
        *_LIMITS,
        Require("weight_addr % sizeof_weight_addr == 0", rule="alignment"),
        Require("bias_addr % sizeof_bias_addr == 0", rule="alignment", when="has_bias"),
    ),
)
