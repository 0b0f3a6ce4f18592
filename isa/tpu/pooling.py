"""BDC's pooling: sums and maxima of windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rounding import single
from ..rules import Require
from .commands import FLOATS, bdc
from .tensors import LARGEST
from .windows import cycles, geometry, limits, windows

_WINDOWS = (
    "void tpu_bdc_{{op}}(tensor<{to}> output_addr[(input_shape.n, input_shape.c, output_h, output_w)],"
    " const tensor<{of}> input_addr[input_shape], dim4 *input_shape, dim2 *kernel, padding_t *padding?, dim2 *stride?,"
    " dim2 *dilation?, {types}, {last})"
)
_FLOAT = {"to": "T", "of": "T", "types": "data_type dtype"}
_RULES = limits("kernel.", LARGEST)
_POOL: dict[str, Any] = {
    "let": geometry("kernel."),
    "engine": "bdc_pool",
    "work": cycles(
        "bdc_pool", "input_shape.c", size="max(sizeof_output_addr, sizeof_input_addr)", kernel="kernel.h * kernel.w"
    ),
    "rules": _RULES,
}


def _total(values: np.ndarray, *geometry: Any) -> Any:
    """The sums of windows, in float64."""
    return windows(values.astype(np.float64), *geometry).sum((-1, -2))


mean = bdc(
    _WINDOWS.format(**_FLOAT, last="scalar<T> scale"),
    {
        "fp_avg_pool2d": (
            lambda input_addr, kernel, padding, stride, dilation, scale: (
                _total(input_addr, kernel, padding, stride, dilation) * np.float64(scale)
            ),
            "output = the sum of a window * scale, padding counting as 0; exact until the end (inferred)",
        )
    },
    types=FLOATS,
    **_POOL,
)


def _largest(values: np.ndarray, kernel: Any, padding: Any, stride: Any, dilation: Any, pad_val: Any) -> Any:
    wide = single(values)
    return np.fmax.reduce(windows(wide, kernel, padding, stride, dilation, wide.dtype.type(pad_val)), (-1, -2))


maximum = bdc(
    _WINDOWS.format(**_FLOAT, last="scalar<T> pad_val"),
    {
        "fp_max_pool2d": (
            lambda input_addr, kernel, padding, stride, dilation, pad_val: _largest(
                input_addr, kernel, padding, stride, dilation, pad_val
            ),
            "output = the largest of a window, padding counting as pad_val; NaN where all are (inferred)",
        )
    },
    types=FLOATS,
    **_POOL,
)


def _scaled(values: np.ndarray, scale: int, rshift: int, dtype: np.dtype, *geometry: Any) -> np.ndarray:
    total = windows(values.astype(np.int64), *geometry).sum((-1, -2)) * scale >> rshift
    limits = np.iinfo(dtype)
    made: np.ndarray = np.clip(total, limits.min, limits.max).astype(dtype)
    return made


mean_of_bytes = bdc(
    _WINDOWS.format(
        to="D", of="S", types="data_type output_dtype, data_type input_dtype", last="uint8 scale, uint8 rshift"
    ),
    {
        "int8_avg_pool2d": (
            lambda input_addr, kernel, padding, stride, dilation, scale, rshift, type_output_addr: _scaled(
                input_addr, scale, rshift, type_output_addr, kernel, padding, stride, dilation
            ),
            "output = (the sum of a window * scale) >> rshift, exact, then clamped (inferred)",
        )
    },
    types={"D": "int8 uint8 int16 uint16 int32 uint32", "S": "int8 uint8"},
    **{**_POOL, "rules": (*_RULES, Require("rshift <= 31"))},
)
