"""The tensor unit: matrix product and convolution, and the order of their weights in WRAM."""

from __future__ import annotations

import numpy as np

from ...declare import INFERRED, Align, Archs, Require, instruction
from ...orders import ORDERS, WRAM_SLICES

_OLD = Archs("<300")


def times_weights(left: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rows times weights [row // 64][row % 64][...] in the order of WRAM: multiplied as they lie, then put in order."""
    lying = weights.transpose(1, 0, 2).reshape(-1, weights.shape[-1])
    product = left @ lying.T
    made: np.ndarray = product.reshape(len(left), WRAM_SLICES, -1).transpose(0, 2, 1).reshape(len(left), -1)
    return made


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
    return times_weights(left, right)


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
