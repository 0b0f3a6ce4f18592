"""Matrices in the layout that spreads columns over the lanes: BDC's product, and GDMA's copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Completion, Compute, Require
from ..instruction import Wider
from ..tpu.cycles import work
from .gdma import GDMA, WIDTHS
from .machine import CHANNELS, LARGEST, instruction

_ROWS = "system<T> {name}[(1, 1, rows, cols) @ (0, 0, row_stride, 1)]"
_SIZES = "int32 rows, int32 cols, int32 cols_per_channel, int32 row_stride"


def _matrix(rows: str, columns: str, each: str) -> str:
    """The shape of a matrix across lanes: rows are images, columns are dealt to channels; the last may be narrower."""
    each = f"max({each}, 1)"
    return f"[({rows}, -(-{columns} // {each}), 1, {each}, ({columns} - 1) % {each} + 1)]"


_CHANNELS = "tensor<T> {name}" + _matrix("rows", "cols", "cols_per_channel")


def dealt(matrix: np.ndarray, each: int) -> np.ndarray:
    """A matrix [rows, columns] as [rows, channels, 1, columns of a channel], zeros behind the last column."""
    rows, columns = matrix.shape
    channels = -(-columns // each)
    whole = np.zeros((rows, channels * each), matrix.dtype)
    whole[:, :columns] = matrix
    return whole.reshape(rows, channels, 1, each)


def gathered(channels: np.ndarray, columns: int) -> np.ndarray:
    """The matrix [rows, columns] that was dealt to channels."""
    return channels.reshape(len(channels), -1)[:, :columns]


def _rows(rows: str) -> Require:
    return Require(f"1 <= {rows} <= {LARGEST}", rule="length")


def _channels(columns: str, each: str, most: str) -> tuple[Require, ...]:
    return (
        *(Require(f"{number} >= 1", rule="length") for number in (columns, each)),
        Require(f"{each} <= {most}", when=f"{columns} >= 1"),
        Require(f"{columns} <= {CHANNELS} * max({each}, 1)", rule="length"),
    )


_COPY: dict[str, Any] = {
    **GDMA, "types": WIDTHS[32], "effect": Compute(Completion.QUEUED), "moves": "src_addr", "wider": Wider.BITS,
    "rules": (_rows("rows"), *_channels("cols", "cols_per_channel", "cols")),
}  # fmt: skip


def _layout(local: str) -> tuple[Require, ...]:
    return (*_COPY["rules"], Require(f"{local} % eu_bytes == 0", rule="alignment"))


@instruction(
    f"void okk_gdma_32bit_matrix_S2L({_CHANNELS.format(name='dst_addr')}, const {_ROWS.format(name='src_addr')},"
    f" {_SIZES})",
    **{**_COPY, "rules": _layout("dst_addr")},
)
def system_to_local(src_addr: np.ndarray, cols_per_channel: int) -> np.ndarray:
    """Copy a matrix from system to local memory, cols_per_channel columns to a channel"""
    return dealt(src_addr[0, 0], cols_per_channel)


@instruction(
    f"void okk_gdma_32bit_matrix_L2S({_ROWS.format(name='dst_addr')}, const {_CHANNELS.format(name='src_addr')},"
    f" {_SIZES})",
    **{**_COPY, "rules": (*_layout("src_addr"), Require("row_stride >= cols or rows == 1"))},
)
def local_to_system(src_addr: np.ndarray, cols: int) -> np.ndarray:
    """Copy a matrix from local to system memory, cols_per_channel columns from a channel"""
    return gathered(src_addr, cols)


@instruction(
    "void okk_bdc_matmul("
    f"inout tensor<float> output_addr{_matrix('left_rows', 'right_cols', 'right_cols_per_channel')},"
    f" const tensor<float> left_addr{_matrix('left_rows', 'left_cols', 'left_cols_per_channel')},"
    f" const tensor<float> right_addr{_matrix('left_cols', 'right_cols', 'right_cols_per_channel')},"
    f" const tensor<float> bias_addr{_matrix('(1 if using_bias else 0)', 'right_cols', 'right_cols_per_channel')},"
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
    output_addr: np.ndarray, left_addr: np.ndarray, right_addr: np.ndarray, bias_addr: np.ndarray, left_cols: int,
    right_cols: int, right_cols_per_channel: int, result_add: bool,
) -> np.ndarray:  # fmt: skip
    """output = left x right, + bias, + output if result_add; sums of any width, rounded once (inferred)"""
    left, right = gathered(left_addr, left_cols), gathered(right_addr, right_cols)
    product = left.astype(np.float64) @ right.astype(np.float64)
    if len(bias_addr):
        product += gathered(bias_addr, right_cols)
    if result_add:
        product += gathered(output_addr, right_cols)
    return dealt(product, right_cols_per_channel)
