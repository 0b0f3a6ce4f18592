"""BDC on integers: sums and products with a shift behind them, and shifts. Exact in between (inferred)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..instruction import Wider
from ..rounding import Rounding, shifted_right
from ..rules import Require
from .bdc import KNOWN_MODE, ROUNDINGS
from .commands import INTEGERS, bdc

_OF_TWO = (
    "void tpu_bdc_{op}(tensor<D> dst_addr[shape @ dst_stride], const tensor<A> src0_addr[shape @ src0_stride],"
    " const tensor<B> src1_addr[shape @ src1_stride], dim4 *shape, dim4 *dst_stride?, dim4 *src0_stride?,"
    " dim4 *src1_stride?, data_type dst_dtype, data_type src0_dtype, data_type src1_dtype, int8 shift, rounding mode,"
    " bool saturation)"
)
_WITH_C = (
    "void tpu_bdc_{op}(tensor<D> dst_addr[shape @ dst_stride], const tensor<S> src_addr[shape @ src_stride],"
    " scalar<B> C, dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?, data_type dst_dtype, data_type src_dtype,"
    " data_type C_dtype, int8 shift, rounding mode, bool saturation)"
)
_MOST = 32  # bits of a shift
_SHIFT = Require(f"-{_MOST} <= shift <= {_MOST}", needed=True)


def _in_place(*sources: str) -> tuple[Require, ...]:
    """A result in the place of an operand is not wider."""
    return tuple(
        Require(f"dst_addr != {source} or sizeof_dst_addr <= sizeof_{source}", rule="overlap") for source in sources
    )


def _result(wide: np.ndarray, shift: int, mode: int, saturation: bool, dtype: np.dtype) -> np.ndarray:
    """The number times 2**shift, then clamped or cut to its low bits."""
    limits = np.iinfo(dtype)
    if saturation and shift > 0:
        low, high = (int(limits.min) >> shift) - 1, (int(limits.max) >> shift) + 1
        wide = np.clip(wide, max(low, int(np.iinfo(wide.dtype).min)), high)
    moved = wide << wide.dtype.type(shift) if shift > 0 else shifted_right(wide, -shift, ROUNDINGS[mode])
    if saturation:
        moved = np.clip(moved, max(int(limits.min), int(np.iinfo(moved.dtype).min)), int(limits.max))
    return moved.astype(dtype)


def _wide(*values: Any) -> list[Any]:
    """Operands in a type that holds their sum and their product."""
    unsigned = all(np.asarray(value).dtype.kind == "u" for value in values)
    return [np.asarray(value).astype(np.uint64 if unsigned else np.int64) for value in values]


_SUMS: dict[str, tuple[Any, str]] = {
    "add": (lambda a, b: a.astype(np.int64) + b.astype(np.int64), "{a} + {b}"),
    "sub": (lambda a, b: a.astype(np.int64) - b.astype(np.int64), "{a} - {b}"),
    "mul": (lambda a, b: np.multiply(*_wide(a, b)), "{a} * {b}"),
}
_SHIFTED = "times 2**shift, rounded by mode, clamped if saturation, else its low bits"


def _two(function: Any) -> Any:
    return lambda src0_addr, src1_addr, shift, mode, saturation, type_dst_addr: _result(
        function(src0_addr, src1_addr), shift, mode, saturation, type_dst_addr
    )


def _with_c(function: Any) -> Any:
    return lambda src_addr, C, shift, mode, saturation, type_dst_addr: _result(  # noqa: N803 - the vendor's name
        function(src_addr, C), shift, mode, saturation, type_dst_addr
    )


sums = bdc(
    _OF_TWO,
    {
        f"int_{op}": (_two(function), f"dst = ({text.format(a='src0', b='src1')}) {_SHIFTED}")
        for op, (function, text) in _SUMS.items()
    },
    types={"D": INTEGERS, "A": INTEGERS, "B": INTEGERS},
    rules=(KNOWN_MODE, _SHIFT, *_in_place("src0_addr", "src1_addr")),
    wider=Wider.BITS,
)
sums_with_c = bdc(
    _WITH_C,
    {
        f"int_{op}_C": (_with_c(function), f"dst = ({text.format(a='src', b='C')}) {_SHIFTED}")
        for op, (function, text) in _SUMS.items()
    }
    | {"int_C_sub": (_with_c(lambda a, b: _SUMS["sub"][0](b, a)), f"dst = (C - src) {_SHIFTED}")},
    types={"D": INTEGERS, "S": INTEGERS, "B": INTEGERS},
    rules=(KNOWN_MODE, _SHIFT, *_in_place("src_addr")),
    wider=Wider.BITS,
)


def _arithmetic(values: np.ndarray, amounts: Any, mode: int, dtype: np.dtype) -> np.ndarray:
    """Left by positive amounts, right by negative ones, rounded by mode; the low bits."""
    wide, by = values.astype(np.int64), np.asarray(amounts).astype(np.int64)
    left, right = np.clip(by, 0, 63), np.clip(-by, 0, 62)
    return np.where(by > 0, wide << left, shifted_right(wide, right, ROUNDINGS[mode])).astype(dtype)


def _logical(values: np.ndarray, amounts: Any, mode: int, dtype: np.dtype) -> np.ndarray:
    """As `_arithmetic`, of the bits as an unsigned number: zeros come in from both sides, nothing is rounded."""
    return _arithmetic(values.view(f"u{values.dtype.itemsize}"), amounts, _DOWN, dtype)


_DOWN = next(mode for mode, rounding in ROUNDINGS.items() if rounding is Rounding.DOWN)


def _by_tensor(function: Any) -> Any:
    return lambda src_addr, shift_addr, mode, type_dst_addr: function(src_addr, shift_addr, mode, type_dst_addr)


def _by_c(function: Any) -> Any:
    return lambda src_addr, C, mode, type_dst_addr: function(src_addr, C, mode, type_dst_addr)  # noqa: N803


_SHIFTS = {
    "arithmetic": (_arithmetic, "moved by {by} bits, left where that is positive, else right and rounded by mode"),
    "logical": (_logical, "moved by {by} bits, left where that is positive, else right; zeros come in"),
}
shifts = bdc(
    "void tpu_bdc_{op}(tensor<D> dst_addr[shape @ dst_stride], const tensor<S> src_addr[shape @ src_stride],"
    " const tensor<B> shift_addr[shape @ shift_stride], dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?,"
    " dim4 *shift_stride?, data_type dst_dtype, data_type src_dtype, data_type shift_dtype, rounding mode)",
    {
        f"{kind}_shift": (_by_tensor(function), f"dst = src {text.format(by='shift')}")
        for kind, (function, text) in _SHIFTS.items()
    },
    types={"D": INTEGERS, "S": INTEGERS, "B": "int8 int16 int32"},
    rules=(
        KNOWN_MODE,
        Require("sizeof_shift_addr <= sizeof_src_addr", needed=True),
        *_in_place("src_addr", "shift_addr"),
    ),
    wider=Wider.BITS,
)
shifts_by_c = bdc(
    "void tpu_bdc_{op}(tensor<D> dst_addr[shape @ dst_stride], const tensor<S> src_addr[shape @ src_stride], int8 C,"
    " dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?, data_type dst_dtype, data_type src_dtype, rounding mode)",
    {
        f"{kind}_shift_C": (_by_c(function), f"dst = src {text.format(by='C')}")
        for kind, (function, text) in _SHIFTS.items()
    },
    types={"D": INTEGERS, "S": INTEGERS},
    rules=(KNOWN_MODE, *_in_place("src_addr")),
    wider=Wider.BITS,
)
