"""Matrices in the layout that spreads columns over the lanes: BDC's product, and GDMA's copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Completion, Compute, Copy, Require
from ..tpu.cycles import work
from .gdma import GDMA, WIDTHS
from .machine import CHANNELS, LARGEST, declare, instruction

_ROWS = "system<T> {name}[(rows, 1, 1, cols) @ (row_stride, 0, 0, 1)]"
_CHANNELS = "tensor<T> {name}[(rows, cols, cols_per_channel)] ~ matrix"
_SIZES = "int32 rows, int32 cols, int32 cols_per_channel, int32 row_stride"


def _rows(rows: str) -> Require:
    return Require(f"1 <= {rows} <= {LARGEST}", rule="length")


def _channels(columns: str, each: str, most: str) -> tuple[Require, ...]:
    return (
        *(Require(f"{number} >= 1", rule="length") for number in (columns, each)),
        Require(f"{each} <= {most}", when=f"{columns} >= 1"),
        Require(f"{columns} <= {CHANNELS} * max({each}, 1)", rule="length"),
    )


_COPY: dict[str, Any] = {
    **GDMA, "types": WIDTHS[32], "effect": Copy(Completion.QUEUED),
    "rules": (_rows("rows"), *_channels("cols", "cols_per_channel", "cols")),
}  # fmt: skip


def _layout(local: str) -> tuple[Require, ...]:
    return (*_COPY["rules"], Require(f"{local} % eu_bytes == 0", rule="alignment"))


system_to_local = declare(
    f"void okk_gdma_32bit_matrix_S2L({_CHANNELS.format(name='dst_addr')}, const {_ROWS.format(name='src_addr')},"
    f" {_SIZES})",
    doc="Copy a matrix from system to local memory, cols_per_channel columns to a channel",
    **{**_COPY, "rules": _layout("dst_addr")},
)
local_to_system = declare(
    f"void okk_gdma_32bit_matrix_L2S({_ROWS.format(name='dst_addr')}, const {_CHANNELS.format(name='src_addr')},"
    f" {_SIZES})",
    doc="Copy a matrix from local to system memory, cols_per_channel columns from a channel",
    **{**_COPY, "rules": (*_layout("src_addr"), Require("row_stride >= cols or rows == 1"))},
)


@instruction(
    "void okk_bdc_matmul(inout tensor<float> output_addr[(left_rows, right_cols, right_cols_per_channel)] ~ matrix,"
    " const tensor<float> left_addr[(left_rows, left_cols, left_cols_per_channel)] ~ matrix,"
    " const tensor<float> right_addr[(left_cols, right_cols, right_cols_per_channel)] ~ matrix,"
    " const tensor<float> bias_addr[(1, right_cols if using_bias else 0, right_cols_per_channel)] ~ matrix,"
    " int32 left_rows, int32 left_cols, int32 right_cols, int32 left_cols_per_channel, int32 right_cols_per_channel,"
    " bool using_bias, bool result_add)",
    space="local",
    pipe="bdc",
    effect=Compute(Completion.QUEUED),
    overlap="none",
    adds="result_add",
    elsewhere=("left_addr",),
    rules=(
        _rows("left_rows"),
        *_channels("left_cols", "left_cols_per_channel", "min(128, left_cols)"),
        *_channels("right_cols", "right_cols_per_channel", "min(128, right_cols)"),
    ),
    engine="bdc_mm",
    work=work(
        "bdc_mm", m="left_rows", columns="(-(-right_cols // right_cols_per_channel))", width="right_cols_per_channel",
        size="4", k="left_cols",
    ),
)  # fmt: skip
def matmul(
    output_addr: np.ndarray, left_addr: np.ndarray, right_addr: np.ndarray, bias_addr: np.ndarray, result_add: bool
) -> np.ndarray:
    """output = left x right, + bias, + output if result_add; sums of any width, rounded once (inferred)"""
    product = left_addr.astype(np.float64) @ right_addr.astype(np.float64)
    if bias_addr.size:
        product += bias_addr
    return product + output_addr if result_add else product
