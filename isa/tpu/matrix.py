"""Matrices: the layout that deals their columns to channels, and BDC's products in that layout and by the cube.

Facts of the vendor's checkers, and of its own C of these functions where it is public.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..declare import Instruction
from ..rules import Require
from ..sums import Sums
from .commands import bdc
from .cycles import IN_CUBE, work
from .tensors import LARGEST


def across(rows: str, columns: str, each: str) -> str:
    """The shape of a matrix across lanes: rows are images, columns are dealt to channels; the last may be narrower."""
    each = f"max({each}, 1)"
    return f"[({rows}, -(-{columns} // {each}), 1, {each}, ({columns} - 1) % {each} + 1)]"


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


def within(*sizes: str) -> tuple[Require, ...]:
    """Rows and columns are within the hardware's counters."""
    return tuple(Require(f"1 <= {size} <= {LARGEST}", rule="length") for size in sizes)


# --- products of dealt matrices --------------------------------------------------------------------------------------


def product(name: str, bias: str, kinds: str = "float float float float", **parts: str) -> str:
    """The prototype of a product of dealt matrices; ``bias`` says whether there is one.

    ``kinds`` are the types of output, left, right and bias; ``last`` of ``parts`` the arguments behind the sizes; ``m``
    and ``k`` are the rows and columns of the left factor, which is stored as [left_rows, left_cols].
    """
    names = {"m": "left_rows", "k": "left_cols", "last": f"bool {bias}, bool result_add", **parts}
    out, left, right, added = kinds.split()
    columns = "right_cols", "right_cols_per_channel"
    return (
        f"void {name}(inout tensor<{out}> output_addr{across(names['m'], *columns)},"
        f" const tensor<{left}> left_addr{across('left_rows', 'left_cols', 'left_cols_per_channel')},"
        f" const tensor<{right}> right_addr{across(names['k'], *columns)},"
        f" const tensor<{added}> bias_addr{across(f'(1 if {bias} else 0)', *columns)},"
        " int32 left_rows, int32 left_cols, int32 right_cols, int32 left_cols_per_channel,"
        f" int32 right_cols_per_channel, {names['last']})"
    )


def product_facts(m: str = "left_rows", k: str = "left_cols", size: str = "4") -> dict[str, Any]:
    """What all of them have in common."""
    channels = "(-(-right_cols // right_cols_per_channel))"
    cycles = work("bdc_mm", m=m, columns=channels, width="right_cols_per_channel", size=size, k=k)
    return {
        "overlap": "none", "adds": "result_add", "elsewhere": ("left_addr",), "engine": "bdc_mm", "work": cycles,
    }  # fmt: skip


def multiplied(
    held_output_addr: Any, left_addr: np.ndarray, right_addr: np.ndarray, bias_addr: np.ndarray, left_cols: int,
    result_add: bool,
) -> Sums:  # fmt: skip
    """output = left x right, + bias, + output if result_add; sums of any width, rounded once (inferred)"""
    left, before = gathered(left_addr, left_cols), held_output_addr if result_add else None
    return Sums(left, right_addr[None], (len(left), *right_addr.shape[1:]), bias_addr, before)


def _of_left_turned(
    held_output_addr: Any, left_addr: np.ndarray, right_addr: np.ndarray, bias_addr: np.ndarray, left_cols: int,
    result_add: bool,
) -> Sums:  # fmt: skip
    turned = gathered(left_addr, left_cols).T.reshape(left_cols, 1, 1, -1)
    return multiplied(held_output_addr, turned, right_addr, bias_addr, turned.shape[3], result_add)


_SIZES = within("left_rows", "left_cols", "right_cols", "left_cols_per_channel", "right_cols_per_channel")
_EXACT = "sums of any width, rounded once (inferred)"
floats = bdc(
    product("tpu_bdc_{op}", "has_bias"),
    {"fp32_mm": (multiplied, f"output = left x right, + bias, + output if result_add; {_EXACT}")},
    rules=_SIZES,
    **product_facts(),
)
_TURNED = {"m": "left_cols", "k": "left_rows"}
floats_of_left_turned = bdc(
    product("tpu_bdc_{op}", "has_bias", **_TURNED),
    {
        "fp32_mm_L_trans": (
            _of_left_turned,
            f"output = left transposed x right, + bias, + output if result_add; {_EXACT}",
        )
    },
    rules=_SIZES,
    **product_facts(**_TURNED),
)

_BYTES_LAST = (
    "data_type output_dtype, data_type left_dtype, data_type right_dtype, data_type bias_dtype, uint8 lshift,"
    " uint8 rshift, bool has_bias, bool result_add, bool result_relu"
)
#: The low bit of a type's code says that it is signed.
_SIGNED = "max(left_dtype % 2, right_dtype % 2, bias_dtype % 2 if has_bias else 0)"
_BYTES = (
    Require("bias_dtype == DT_INT32 or bias_dtype == DT_UINT32", rule="dtype", when="has_bias", needed=True),
    Require(f"output_dtype % 2 == (0 if result_relu else {_SIGNED})", rule="dtype"),
    *(Require(f"{shift} == 0") for shift in ("lshift", "rshift", "result_add")),
)


def _of_bytes(
    left_addr: np.ndarray, right_addr: np.ndarray, bias_addr: np.ndarray, left_cols: int, bias_dtype: int,
    result_relu: bool, type_output_addr: np.dtype, turned: bool = False,
) -> np.ndarray:  # fmt: skip
    bias = bias_addr if bias_dtype % 2 else bias_addr.view(np.uint32)
    sums = (_of_left_turned if turned else multiplied)(None, left_addr, right_addr, bias, left_cols, result_add=False)
    limits = np.iinfo(type_output_addr)
    whole: np.ndarray = np.clip(np.asarray(sums), 0 if result_relu else limits.min, limits.max)
    return whole.astype(type_output_addr)  # float64 holds them: below 2 ** 53


def _byte_product(op: str, turned: bool, text: str) -> tuple[Instruction, ...]:
    factors = _TURNED if turned else {}
    prototype = product("tpu_bdc_{op}", "has_bias", "D A B int32", last=_BYTES_LAST, **factors)
    facts = product_facts(**factors, size="sizeof_output_addr") | {"adds": ""}
    return bdc(
        prototype.replace("inout tensor<D>", "tensor<D>"),
        {
            op: (
                lambda left_addr, right_addr, bias_addr, left_cols, bias_dtype, result_relu,
                type_output_addr: _of_bytes(
                    left_addr, right_addr, bias_addr, left_cols, bias_dtype, result_relu, type_output_addr, turned,
                ),
                f"output = {text}, + bias, but 0 where that is negative if result_relu; exact, then clamped (inferred)",
            )
        },
        types={"D": "int8 uint8 int16 uint16 int32 uint32", "A": "int8 uint8", "B": "int8 uint8"},
        rules=(*_SIZES, *_BYTES),
        **facts,
    )  # fmt: skip


bytes_ = _byte_product("int8_mm", False, "left x right")
bytes_of_left_turned = _byte_product("int8_mm_L_trans", True, "left transposed x right")

# --- products of the cube --------------------------------------------------------------------------------------------

#: Output and factors; what narrow floats may become is a fact of the checker, that floats take the second form alone of
#: the vendor's C.
_CUBE_TYPES = [
    ("half", "half"), ("float", "half"), ("bfloat16", "bfloat16"), ("float", "bfloat16"),
    *((out, narrow) for narrow in ("float8e4m3", "float8e5m2")
      for out in ("float8e4m3", "float8e5m2", "half", "float")),
]  # fmt: skip


#: Of products with a bias: output, factors and bias. A value instead of one is a 32-bit float.
_BIASED_TYPES = [
    (out, factor, bias)
    for out, factor in [*_CUBE_TYPES, ("float", "float")]
    for bias in {"half": ("half", "float"), "bfloat16": ("bfloat16", "float"), "float": ("float",)}.get(
        factor, ("half", "float")
    )
]
_ADDED = ", data_type bias_dtype, bool {adds}, bool bias_is_const, const {form}<B> bias_data[{shape}], bool do_relu"


def _cube(
    op: str,
    m: str,
    k: str,
    right: tuple[str, str],
    semantics: Callable[..., Any],
    text: str,
    adds: str = "result_add",
    bias: str = "",
) -> tuple[Instruction, ...]:
    """``m`` and ``k`` are the rows and columns of the left factor, ``right`` how the other is stored.

    ``bias`` is the kind of one that is added: "row_or_value" in every lane, or "channels_or_value".
    """
    rows, columns = right
    n, last = (columns, columns) if columns != k else (rows, rows)
    types = _CUBE_TYPES if adds else [*_CUBE_TYPES, ("float", "float")]
    operands = ("output_addr", "left_addr", "right_addr")
    row = bias == "row_or_value"
    flags = f", bool {adds}" if adds else ""
    if bias:
        place = f"(1, min({m}, lanes), 1, {n})" if row else f"(1, {n}, 1, 1)"
        flags = _ADDED.format(adds=adds, form=bias, shape=place)
    told = f"{', + bias' if bias else ''}{f', + output if {adds}' if adds else ''}"
    placed = (
        Require("lane_bias_data == 0", rule="lane", when="placed_bias_data"),
        *((Require("bias_data % eu_bytes == 0", rule="alignment", when="placed_bias_data"),) if row else ()),
        Require("bias_dtype == DT_FP32", rule="dtype", when="not placed_bias_data"),
        Require("placed_bias_data == (not bias_is_const)", needed=True),
    )
    return bdc(
        f"void tpu_bdc_{{op}}({'inout ' if adds else ''}tensor<D> output_addr[(1, {m}, 1, {n})],"
        " const tensor<S> left_addr[(1, left_rows, 1, left_cols)],"
        f" const tensor<S> right_addr[(1, {rows}, 1, {columns})], int32 left_rows, int32 left_cols, int32 {last},"
        f" data_type output_dtype, data_type left_right_dtype{flags})",
        {op: (semantics, f"output = {text}{told}{', then 0 where negative if do_relu' if bias else ''}; {_EXACT}")},
        types=[dict(zip("DSB", kinds, strict=True)) for kinds in _BIASED_TYPES] if bias else
        [{"D": out, "S": factor} for out, factor in types],
        engine=f"bdc_mm2_{'tt' if m == 'left_cols' else 'nt' if columns == k else 'nn'}",
        work=work("bdc_mm2_nn", m=m, n=n, k=k, parallel=IN_CUBE.format(operand="left_addr")),
        overlap="none",
        adds=adds,
        elsewhere=operands,
        rules=(
            *within("left_rows", "left_cols", last),
            *(Require(f"lane_{operand} == 0", rule="lane") for operand in operands),
            *(placed if bias else ()),
        ),
    )  # fmt: skip


def _plain(operand: np.ndarray) -> np.ndarray:
    return operand[0, :, 0].astype(np.float64)


def _added(sums: np.ndarray, output_addr: np.ndarray, result_add: bool) -> np.ndarray:
    return (sums + _plain(output_addr) if result_add else sums)[None, :, None]


cubes = (
    _cube(
        "fp_mm", "left_rows", "left_cols", ("left_cols", "right_cols"),
        lambda output_addr, left_addr, right_addr, result_add: _added(
            _plain(left_addr) @ _plain(right_addr), output_addr, result_add
        ),
        "left x right",
    ),
    _cube(
        "fp_mm_R_trans", "left_rows", "left_cols", ("right_rows", "left_cols"),
        lambda left_addr, right_addr: (_plain(left_addr) @ _plain(right_addr).T)[None, :, None],
        "left x right transposed", adds="",
    ),
    _cube(
        "fp_mm_all_trans", "left_cols", "left_rows", ("right_rows", "left_rows"),
        lambda output_addr, left_addr, right_addr, result_add: _added(
            _plain(left_addr).T @ _plain(right_addr).T, output_addr, result_add
        ),
        "left transposed x right transposed",
    ),
)  # fmt: skip


def _biased(trans: str) -> Callable[..., np.ndarray]:
    """``trans``: which factors are stored transposed."""

    def multiply(
        output_addr: np.ndarray, left_addr: np.ndarray, right_addr: np.ndarray, bias_data: Any, adding: bool,
        do_relu: bool,
    ) -> np.ndarray:  # fmt: skip
        left, right = _plain(left_addr), _plain(right_addr)
        sums = (left.T if "l" in trans else left) @ (right.T if "r" in trans else right)
        bias = np.asarray(bias_data, np.float64)
        if bias.ndim == 4:  # a row in every lane, or an element of every column
            rows = np.arange(len(sums)) % bias.shape[1]
            bias = bias[0, :, 0, 0] if trans == "lr" else bias[0, rows, 0]
        sums = sums + bias
        made = _added(sums, output_addr, adding)
        return np.maximum(made, 0) if do_relu else made

    return multiply


_WITH_ADD_RESULT, _WITH_RESULT_ADD = _biased("r"), {trans: _biased(trans) for trans in ("", "lr")}
biased_cubes = (
    _cube(
        "fp_mm_with_bias", "left_rows", "left_cols", ("left_cols", "right_cols"),
        lambda output_addr, left_addr, right_addr, bias_data, result_add, do_relu: _WITH_RESULT_ADD[""](
            output_addr, left_addr, right_addr, bias_data, result_add, do_relu
        ),
        "left x right", bias="row_or_value",
    ),
    _cube(
        "fp_mm_R_trans_with_bias", "left_rows", "left_cols", ("right_rows", "left_cols"),
        lambda output_addr, left_addr, right_addr, bias_data, add_result, do_relu: _WITH_ADD_RESULT(
            output_addr, left_addr, right_addr, bias_data, add_result, do_relu
        ),
        "left x right transposed", "add_result", "row_or_value",
    ),
    _cube(
        "fp_mm_all_trans_with_bias", "left_cols", "left_rows", ("right_rows", "left_rows"),
        lambda output_addr, left_addr, right_addr, bias_data, result_add, do_relu: _WITH_RESULT_ADD["lr"](
            output_addr, left_addr, right_addr, bias_data, result_add, do_relu
        ),
        "left transposed x right transposed", bias="channels_or_value",
    ),
)  # fmt: skip
