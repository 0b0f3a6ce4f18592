"""Matrices in the layout that spreads columns over the lanes: BDC's product, and GDMA's copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Completion, Compute, Require
from ..instruction import Wider
from ..tpu.matrix import across, dealt, gathered, multiplied, product, product_facts
from .gdma import GDMA, LOADS, WIDTHS
from .machine import CHANNELS, LARGEST, instruction

_ROWS = "system<T> {name}[(1, 1, rows, cols) @ (0, 0, row_stride, 1)]"
_SIZES = "int32 rows, int32 cols, int32 cols_per_channel, int32 row_stride"


_CHANNELS = "tensor<T> {name}" + across("rows", "cols", "cols_per_channel")


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
    **{**_COPY, **LOADS, "rules": _layout("dst_addr")},
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


matmul = instruction(
    product("okk_bdc_matmul", "using_bias"),
    space="local",
    pipe="bdc",
    effect=Compute(Completion.QUEUED),
    rules=(
        _rows("left_rows"),
        *_channels("left_cols", "left_cols_per_channel", "min(128, left_cols)"),
        *_channels("right_cols", "right_cols_per_channel", "min(128, right_cols)"),
    ),
    **product_facts(),
)(multiplied)
