"""Pooling, matrix product, and the order of weights in WRAM."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import INFERRED, Align, Archs, Instruction, Require, declare, instruction
from ..orders import ORDERS, WRAM_SLICES

_OLD = Archs("<300")
_POOL_ARGUMENTS = "int32 channel, int32 height, int32 width, int32 kernel_height, int32 kernel_width"
_POOL: dict[str, Any] = {
    "let": {
        "out_height": "(height - kernel_height) // stride_height + 1",
        "out_width": "(width - kernel_width) // stride_width + 1",
    },
    "rules": (
        Require("channel > 0", rule="length"),
        Require("0 < kernel_height <= height", rule="length"),
        Require("0 < kernel_width <= width", rule="length"),
        Align(64, archs=_OLD),
        Require("channel * sizeof_dst % 128 == 0", _OLD, rule="length"),
    ),
    "work": "out_height * out_width * channel * kernel_height * kernel_width * max(sizeof_dst, 2)",
    "overlap": "none",
}


def _windows(
    src: np.ndarray, kernel_height: int, kernel_width: int, stride_height: int, stride_width: int
) -> np.ndarray:
    """Every whole window of an image [height, width, channel], shape [rows, columns, channel, kernel_h, kernel_w]."""
    windows = np.lib.stride_tricks.sliding_window_view(src, (kernel_height, kernel_width), (0, 1))
    return windows[::stride_height, ::stride_width]


_STRIDES = (Require("stride_width > 0", rule="length"), Require("stride_height > 0", rule="length"))
_IMAGES = "(T dst[out_height][out_width][channel], const T src[height][width][channel]"


def _pool(name: str, best: str, reduce: np.ufunc) -> tuple[Instruction, ...]:
    """A pooling with strides, and the older form whose windows lie side by side."""

    def strided(
        src: np.ndarray, kernel_height: int, kernel_width: int, stride_height: int, stride_width: int
    ) -> np.ndarray:
        windows = _windows(src, kernel_height, kernel_width, stride_height, stride_width)
        result: np.ndarray = reduce.reduce(windows, axis=(3, 4))
        return result

    def tiled(src: np.ndarray, kernel_height: int, kernel_width: int) -> np.ndarray:
        return strided(src, kernel_height, kernel_width, kernel_height, kernel_width)

    return (
        declare(
            f"void {name}{_IMAGES}, {_POOL_ARGUMENTS}, int32 stride_width, int32 stride_height)",
            doc=f"{best} element of every window of an image [height, width, channel]; partial windows are left out",
            types="half bfloat16 float",
            semantics=strided,
            **{**_POOL, "rules": (*_POOL["rules"], *_STRIDES)},
        ),
        declare(
            f"void {name}{_IMAGES}, {_POOL_ARGUMENTS})",
            doc=f"{best} element of every window; windows lie side by side",
            types="half",
            semantics=tiled,
            **{**_POOL, "let": {"out_height": "height // kernel_height", "out_width": "width // kernel_width"}},
        ),
    )


maxpool = _pool("__bang_maxpool", "Largest", np.maximum)
minpool = _pool("__bang_minpool", "Smallest", np.minimum)


@instruction(
    "void __bang_matmul(float dst[M][N], const float left[M][K], const wram float right[N][K] ~ filter,"
    " int32 M, int32 K, int32 N)",
    engine="tensor",
    provenance=INFERRED,
    overlap="none",
    work="M * N * K",
    rules=(
        Require("M > 0", rule="length", provenance=INFERRED),
        Require("K > 0", rule="length", provenance=INFERRED),
        Require("N > 0", rule="length", provenance=INFERRED),
        Require(f"N % {WRAM_SLICES} == 0", rule="length", provenance=INFERRED, needed=True),
    ),
)
def matmul(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """dst[m][n] = sum over k of left[m][k] * right[n][k]; right lies in WRAM as `__bang_reshape_filter` leaves it."""
    product: np.ndarray = left @ right.T
    return product


@instruction(
    "void __bang_reshape_filter(T dst[n][h * w * c], const T src[n][h * w * c], int32 n, int32 h, int32 w, int32 c)",
    types="half float int8 int16 int32 uint8 uint16 uint32",
    overlap="none",
    rules=(
        Require("n > 0", rule="length"),
        *(Require(f"{count} > 0", rule="length") for count in "hwc"),
        Require(f"n % {WRAM_SLICES} == 0", rule="length", needed=True),
        Align(64, archs=_OLD),
        Require("h * w * c * sizeof_dst % 128 == 0", _OLD, rule="length"),
    ),
    work="n * h * w * c * max(sizeof_dst, 2)",
)
def reshape_filter(src: np.ndarray) -> np.ndarray:
    """The n rows of weights in the order of WRAM: those of equal n % 64 one after the other (inferred)."""
    return ORDERS["filter"].from_rows(src).reshape(src.shape)
