"""HAU: Sophgo's engine for sorting and gathering in global memory.

Functions, arguments and limits are those of the vendor's TPU-KERNEL reference. Decided here, because it is silent:
NaN is greater than every number (last ascending, first descending), -0 equals +0, and the elements of an output beyond
K are undefined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import INFERRED, Align, Require, instruction
from ..errors import Partial

#: Element types by the value of `data_type_t`.
SORT_TYPES = {5: "float", 9: "int32", 8: "uint32"}
GATHER_TYPES = {
    1: "int8", 0: "uint8", 3: "half", 11: "bfloat16", 5: "float", 7: "int16", 6: "uint16", 9: "int32", 8: "uint32",
}  # fmt: skip

_ENGINE: dict[str, Any] = {"space": "global", "pipe": "hau", "deferred": True, "overlap": "any"}
_SORT_RULES = (
    Align(4),
    Require("len > 0", "len is greater than 0", rule="length", provenance=INFERRED),
    Require("0 < K <= len", "K is between 1 and len", rule="length"),
)
_SORT: dict[str, Any] = {
    "types": "float int32 uint32",
    "type_argument": "dtype",
    "type_values": SORT_TYPES,
    "rules": _SORT_RULES,
    "engine": "hau_sort",
    "work": "len * 4",
    **_ENGINE,
}

_TOP = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_SIGN = np.uint32(0x80000000)
_FEWEST_GROUPS = 128


def sort_keys(values: np.ndarray, descended: bool) -> np.ndarray:
    """uint32 keys whose ascending order is the order asked for; equal values have equal keys."""
    if values.dtype.kind == "f":
        bits = (values + np.float32(0)).view(np.uint32)  # -0 + 0 is +0
        keys = np.where(bits & _SIGN, ~bits, bits | _SIGN)
        keys[np.isnan(values)] = _LOW
    elif values.dtype.kind == "i":
        keys = values.view(np.uint32) ^ _SIGN
    else:
        keys = values
    return ~keys if descended else keys


def _contenders(values: np.ndarray, count: int, descended: bool) -> np.ndarray:
    """Positions, ascending, of values that may be among the first ``count``; far fewer than all where ``count`` is.

    The values are dealt to groups. The best values of the ``count`` best groups are ``count`` values, so that nothing
    worse than the last of them is among the first ``count``.
    """
    groups = max(4 * count, _FEWEST_GROUPS)
    depth = len(values) // groups
    if depth < 2:
        return np.arange(len(values))
    best = np.maximum if descended else np.minimum
    limits = best.reduce(values[: groups * depth].reshape(depth, groups))
    at = groups - count if descended else count - 1
    limits.partition(at)  # NaN: last, as in the order
    limit = limits[at]
    if limit != limit:
        return np.arange(len(values))
    positions: np.ndarray = (~(values < limit) if descended else values <= limit).nonzero()[0]
    return positions


def stable_order(values: np.ndarray, count: int, descended: bool) -> np.ndarray:
    """Positions of the first ``count`` values in order, equal ones by position (int64)."""
    positions = _contenders(values, count, descended)
    combined = sort_keys(values[positions], descended).astype(np.uint64) << _TOP
    combined |= positions.view(np.uint64)
    combined.sort()
    return (combined[:count] & _LOW).view(np.int64)


def indexed_order(values: np.ndarray, indices: np.ndarray, count: int, descended: bool) -> np.ndarray:
    """Positions of the first ``count`` values in order, equal ones by their given index, then by position (int64)."""
    positions = _contenders(values, count, descended)
    combined = sort_keys(values[positions], descended).astype(np.uint64) << _TOP
    combined |= indices[positions].view(np.uint32) ^ _SIGN
    ordered: np.ndarray = positions[np.argsort(combined, kind="stable")[:count]]
    return ordered


def sort_values(values: np.ndarray, count: int, descended: bool) -> np.ndarray:
    """The first ``count`` values in order, shape [count]."""
    if values.dtype.kind == "f" and (np.isnan(values).any() or (values.view(np.uint32) == _SIGN).any()):
        first: np.ndarray = values[stable_order(values, count, descended)]  # NaN, -0: equal values of unequal bits
        return first
    if count < len(values) // 2:
        at = len(values) - count if descended else count - 1
        part = np.partition(values, at)
        values = part[at:] if descended else part[:count]
    ordered = np.sort(values)
    return ordered[::-1][:count] if descended else ordered[:count]


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
    "types": " ".join(GATHER_TYPES.values()),
    "type_argument": "dtype",
    "type_values": GATHER_TYPES,
    "engine": "hau_gather",
    "work": "index_len * line_len * sizeof_output_addr",
    "partial": True,
    "rules": (
        Align(64),
        Require("line_num > 0", "line_num is greater than 0", rule="length", provenance=INFERRED),
        Require("line_len > 0", "line_len is greater than 0", rule="length", provenance=INFERRED),
        Require("index_len > 0", "index_len is greater than 0", rule="length", provenance=INFERRED),
        Require("start >= 0", "start is not negative"),
        Require("start <= end", "start is not above end"),
        Require("end < line_num", "end is below line_num"),
    ),
    **_ENGINE,
}


@instruction(
    "void tpu_hau_line_gather(void<T> output_addr[index_len][line_len], const void<T> param_addr[line_num][line_len],"
    " const uint32 index_addr[index_len], scalar C, int32 line_num, int32 line_len, int32 index_len, int32 start,"
    " int32 end, data_type dtype, bool fill_const)",
    **_GATHER,
)
def line_gather(
    output_addr: np.ndarray, param_addr: np.ndarray, index_addr: np.ndarray, C: int,  # noqa: N803
    start: int, end: int, fill_const: bool,
) -> Partial:  # fmt: skip
    """output[h] = param[index[h] - start] where start <= index[h] <= end; elsewhere C if fill_const, else unchanged."""
    inside = (index_addr >= start) & (index_addr <= end)
    values = np.empty_like(output_addr)
    values[inside] = param_addr[index_addr[inside].astype(np.int64) - start]
    if not fill_const:
        return Partial(values, inside)
    size = output_addr.dtype.itemsize
    values[~inside] = np.frombuffer((int(C) & 0xFFFFFFFF).to_bytes(4, "little")[:size], output_addr.dtype)[0]
    return Partial(values, np.ones(len(inside), bool))


_FLAGS = {0: "float", 1: "int32", 2: "uint32"}
_GENERAL: dict[str, Any] = {**_SORT, "type_argument": "dtype_flags", "type_values": _FLAGS}


@instruction(
    "void tpu_hau_sort_general(const void<T> src_data_addr[len],"
    " const int32 src_idx_addr[len * (idx_enable and not idx_auto)], void<T> dst_data_addr[len : topk],"
    " int32 dst_idx_addr[len * idx_enable : topk * idx_enable], int32 dtype_flags, int32 len, bool is_descend,"
    " bool idx_enable, bool idx_auto, int32 topk)",
    **{
        **_GENERAL,
        "provenance": INFERRED,
        "rules": (
            Align(4, provenance=INFERRED),
            Require("len > 0", "len is greater than 0", rule="length", provenance=INFERRED),
            Require("0 < topk <= len", "topk is between 1 and len", rule="length", provenance=INFERRED),
        ),
    },
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
    "rules": (*_SORT_RULES, Require("row_num > 0", "row_num is greater than 0", rule="length", provenance=INFERRED)),
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
