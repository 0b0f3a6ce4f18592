"""HAU: Sophgo's engine for sorting and gathering in global memory.

Functions, arguments and limits are those of the vendor's TPU-KERNEL reference. Decided here, because it is silent:
NaN is greater than every number (last ascending, first descending), -0 equals +0, and the elements of an output beyond
K are undefined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import INFERRED, Align, Completion, Compute, Require, TypeArgument, instruction
from ..instruction import Wider
from ..results import Partial
from .sorting import indexed_order, sort_values, stable_order

_ENGINE: dict[str, Any] = {"space": "global", "pipe": "hau", "overlap": "any"}
_DEFERRED = Compute(Completion.DEFERRED)
_SORT_RULES = (
    Align(4),
    Require("len > 0", rule="length", provenance=INFERRED),
    Require("0 < K <= len", rule="length"),
)
_SORT: dict[str, Any] = {
    "types": "float int32 uint32",
    "type_arguments": {"T": "dtype"},
    "effect": _DEFERRED,
    "rules": _SORT_RULES,
    "engine": "hau_sort",
    "work": "len * 4",
    "wider": Wider.BITS,
    **_ENGINE,
}


@instruction(
    "void tpu_hau_sort(void<T> output_addr[len : K], const void<T> input_addr[len], int32 len, int32 K,"
    " bool descended, data_type dtype)",
    **_SORT,
)
def sort(input_addr: np.ndarray, K: int, descended: bool) -> np.ndarray:  # noqa: N803 - the vendor's name
    """The first K of len values in order; only K of the len output elements are defined."""
    return sort_values(input_addr, K, descended)


@instruction(
    "void tpu_hau_sort_natural_index(void<T> output_data_addr[len : K], int32 output_idx_addr[len : K],"
    " const void<T> input_addr[len], int32 len, int32 K, bool descended, data_type dtype)",
    **_SORT,
)
def sort_natural_index(input_addr: np.ndarray, K: int, descended: bool) -> tuple[np.ndarray, np.ndarray]:  # noqa: N803
    """The first K of len values in order and their positions; equal values by position, in both orders."""
    order = stable_order(input_addr, K, descended)
    return input_addr[order], order


@instruction(
    "void tpu_hau_sort_specific_index(void<T> output_data_addr[len : K], int32 output_idx_addr[len : K],"
    " const void<T> input_data_addr[len], const int32 input_idx_addr[len], int32 len, int32 K, bool descended,"
    " data_type dtype)",
    **_SORT,
)
def sort_specific_index(
    input_data_addr: np.ndarray,
    input_idx_addr: np.ndarray,
    K: int,  # noqa: N803
    descended: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The first K of len values in order and their given indices; equal values by index value."""
    order = indexed_order(input_data_addr, input_idx_addr, K, descended)
    return input_data_addr[order], input_idx_addr[order]


_GATHER: dict[str, Any] = {
    "types": "int8 uint8 half bfloat16 float int16 uint16 int32 uint32",
    "type_arguments": {"T": "dtype"},
    "engine": "hau_gather",
    "work": "index_len * line_len * sizeof_output_addr",
    "effect": Compute(Completion.DEFERRED, partial=True),
    "rules": (
        Align(64),
        Require("line_num > 0", rule="length", provenance=INFERRED),
        Require("line_len > 0", rule="length", provenance=INFERRED),
        Require("index_len > 0", rule="length", provenance=INFERRED),
        Require("start >= 0"),
        Require("start <= end"),
        Require("end < line_num"),
    ),
    **_ENGINE,
}


@instruction(
    "void tpu_hau_line_gather(void<T> output_addr[index_len][line_len], const void<T> param_addr[line_num][line_len],"
    " const uint32 index_addr[index_len], scalar<T> C, int32 line_num, int32 line_len, int32 index_len, int32 start,"
    " int32 end, data_type dtype, bool fill_const)",
    moves="param_addr",
    **_GATHER,
)
def line_gather(
    output_addr: np.ndarray, param_addr: np.ndarray, index_addr: np.ndarray, C: Any,  # noqa: N803
    start: int, end: int, fill_const: bool,
) -> Partial:  # fmt: skip
    """output[h] = param[index[h] - start] where start <= index[h] <= end; elsewhere C if fill_const, else unchanged."""
    inside = (index_addr >= start) & (index_addr <= end)
    values = output_addr.copy()
    values[inside] = param_addr[index_addr[inside].astype(np.int64) - start]
    if not fill_const:
        return Partial(values, inside)
    values[~inside] = C
    return Partial(values, np.ones(len(inside), bool))


_FLAGS = TypeArgument("dtype_flags", {0: "float", 1: "int32", 2: "uint32"})
_GENERAL: dict[str, Any] = {
    **_SORT,
    "type_arguments": {"T": _FLAGS},
    "provenance": INFERRED,
    "rules": (
        Align(4, provenance=INFERRED),
        Require("len > 0", rule="length", provenance=INFERRED),
        Require("0 < topk <= len", rule="length", provenance=INFERRED),
    ),
}


@instruction(
    "void tpu_hau_sort_general(const void<T> src_data_addr[len],"
    " const int32 src_idx_addr[len * (idx_enable and not idx_auto)], void<T> dst_data_addr[len : topk],"
    " int32 dst_idx_addr[len * idx_enable : topk * idx_enable], int32 dtype_flags, int32 len, bool is_descend,"
    " bool idx_enable, bool idx_auto, int32 topk)",
    **_GENERAL,
)
def sort_general(
    src_data_addr: np.ndarray, src_idx_addr: np.ndarray, is_descend: bool, idx_enable: bool, idx_auto: bool, topk: int
) -> tuple[np.ndarray, np.ndarray]:
    """The raw sort command, sources first: indices are produced if idx_enable, the positions if idx_auto."""
    if idx_enable and not idx_auto:
        order = indexed_order(src_data_addr, src_idx_addr, topk, is_descend)
        return src_data_addr[order], src_idx_addr[order]
    order = stable_order(src_data_addr, topk, is_descend)
    return src_data_addr[order], order if idx_enable else order[:0]


_ROWS: dict[str, Any] = {
    **_SORT,
    "provenance": INFERRED,
    "archs": ">=1690",
    "work": "row_num * len * 4",
    "rules": (*_SORT_RULES, Require("row_num > 0", rule="length", provenance=INFERRED)),
}


@instruction(
    "void tpu_hau_sort_2d(void<T> output_addr[row_num][len : K], const void<T> input_addr[row_num][len],"
    " int32 row_num, int32 len, int32 K, bool descended, data_type dtype)",
    **_ROWS,
)
def sort_2d(input_addr: np.ndarray, K: int, descended: bool) -> np.ndarray:  # noqa: N803
    """`tpu_hau_sort` of every row."""
    return np.stack([sort_values(row, K, descended) for row in input_addr])


@instruction(
    "void tpu_hau_sort_natural_index_2d(void<T> output_data_addr[row_num][len : K],"
    " int32 output_idx_addr[row_num][len : K], const void<T> input_addr[row_num][len], int32 row_num, int32 len,"
    " int32 K, bool descended, data_type dtype)",
    **_ROWS,
)
def sort_natural_index_2d(input_addr: np.ndarray, K: int, descended: bool) -> tuple[np.ndarray, np.ndarray]:  # noqa: N803
    """`tpu_hau_sort_natural_index` of every row."""
    order = np.stack([stable_order(row, K, descended) for row in input_addr])
    return np.take_along_axis(input_addr, order, 1), order


@instruction(
    "void tpu_hau_sort_specific_index_2d(void<T> output_data_addr[row_num][len : K],"
    " int32 output_idx_addr[row_num][len : K], const void<T> input_data_addr[row_num][len],"
    " const int32 input_idx_addr[row_num][len], int32 row_num, int32 len, int32 K, bool descended, data_type dtype)",
    **_ROWS,
)
def sort_specific_index_2d(
    input_data_addr: np.ndarray,
    input_idx_addr: np.ndarray,
    K: int,  # noqa: N803
    descended: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """`tpu_hau_sort_specific_index` of every row."""
    rows = zip(input_data_addr, input_idx_addr, strict=True)
    order = np.stack([indexed_order(data, index, K, descended) for data, index in rows])
    return np.take_along_axis(input_data_addr, order, 1), np.take_along_axis(input_idx_addr, order, 1)
