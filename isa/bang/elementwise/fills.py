"""Memory set to a value, and copies and sequences in the compute pipe."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declare import INFERRED, Align, Completion, Compute, Copy, Instruction, Require, declare, instruction
from .vectors import OLD, POSITIVE, VECTOR_WORK

_FLAT = "void {name}({type} dst[elem_count], int32 elem_count, {value} value)"
_BLOCKS = (
    "void {name}({type} dst[iter2 + 1 @ stride1][iter1 + 1 @ stride0][elem_count], int32 elem_count, {value} value,"
    " int32 stride0, int32 iter1, int32 stride1, int32 iter2)"
)
_ROWS = (
    "void {name}({type} dst[iter + 1 @ stride][elem_count], int32 elem_count, {value} value, int32 stride, int32 iter)"
)
_WORK = {
    _FLAT: "",
    _BLOCKS: "elem_count * sizeof_dst * (iter1 + 1) * (iter2 + 1)",
    _ROWS: "elem_count * sizeof_dst * (iter + 1)",
}
_TYPES = "half bfloat16 float int8 uint8 int16 uint16 int32 uint32"
_BLOCKS_RULES = tuple(Require(f"{count} >= 0", rule="length", provenance=INFERRED) for count in ("iter1", "iter2"))
_RULES = (POSITIVE, Align(64, archs=OLD), Require("elem_count * sizeof_dst % 64 == 0", OLD, rule="length"))


def _fill(
    name: str, shape: str = _FLAT, *, doc: str = "elem_count elements", types: str = _TYPES,
    inferred: str = "int64 uint64", named: str = "", rules: tuple[Any, ...] = (POSITIVE,), **facts: Any,
) -> Instruction:  # fmt: skip
    """One fill: C passes the destination as ``void *``, and the type of the value is that of the elements.

    ``named``: the one type that the name says instead.
    """
    return declare(
        shape.format(name=name, type=named or "void<T>", value=named or "T"),
        doc=f"Fill {doc} with value" + ("" if named else "; the C type of value is the element type"),
        types="" if named else types,
        inferred_types="" if named else inferred,
        work=_WORK[shape],
        rules=(*rules, *_BLOCKS_RULES) if shape == _BLOCKS else rules,
        semantics=lambda value: value,
        **facts,
    )


def _rows(name: str, **facts: Any) -> Instruction:
    """Blocks that lie one stride apart, as public kernels fill them."""
    return _fill(
        name,
        _ROWS,
        doc="iter + 1 blocks, stride in bytes,",
        provenance=INFERRED,
        rules=(POSITIVE, Require("iter >= 0", rule="length", provenance=INFERRED)),
        **facts,
    )


_OFF_CHIP: dict[str, Any] = {"pipe": "io", "effect": Compute(Completion.BLOCKING)}
_ON_CLUSTER: dict[str, Any] = {"space": "sram", "effect": Compute(Completion.BLOCKING)}
_SEVERAL = "(iter1 + 1) * (iter2 + 1) blocks"

fills = (
    _fill("__bang_write_value", rules=_RULES),
    _fill("__bang_write_value", _BLOCKS, doc=f"{_SEVERAL}, strides in bytes,", archs=">=322", rules=_RULES),
    _fill("__nramset", rules=_RULES),
    _fill("__nramset", _BLOCKS, doc=f"{_SEVERAL}, strides in bytes,", archs=">=322", rules=_RULES),
    _rows("__nramset"),
    _fill("__memset_nram", provenance=INFERRED),
    *(
        _fill(f"__nramset_{suffix}", named=kind, rules=_RULES)
        for suffix, kind in (
            ("float", "float"),
            ("half", "half"),
            ("int", "int32"),
            ("unsigned_int", "uint32"),
            ("short", "int16"),
            ("unsigned_short", "uint16"),
        )
    ),
    _rows("__nramset_async"),
    _fill("__gdramset", space="gdram", **_OFF_CHIP),
    _fill("__gdramset", _BLOCKS, doc=f"{_SEVERAL}, strides in bytes,", space="gdram", archs=">=322", **_OFF_CHIP),
    _fill("__ldramset", space="ldram", **_OFF_CHIP),
    _fill("__ldramset", _BLOCKS, doc=f"{_SEVERAL}, strides in bytes,", space="ldram", archs=">=322", **_OFF_CHIP),
    _fill("__sramset", pipe="move", **_ON_CLUSTER),
    _fill("__sramset", _BLOCKS, doc=f"{_SEVERAL}, strides in bytes,", pipe="move", archs=">=322", **_ON_CLUSTER),
    _rows("__sramset", pipe="move", **_ON_CLUSTER),
)
zero = declare(
    "void __bang_write_zero(T dst[elem_count], int32 elem_count)",
    doc="Fill elem_count elements of NRAM with zero",
    types="half float int8 uint8 int16 uint16 int32 uint32",
    inferred_types="bfloat16 int64 uint64",
    rules=_RULES,
    semantics=lambda: 0,
)
move = declare(
    "void __bang_move(void dst[size], const void src[size], int32 size)",
    doc="Copy size bytes from NRAM to NRAM in the compute pipe",
    provenance=INFERRED,
    work="size",
    rules=(Require("size > 0", rule="length"),),
    overlap="any",
    effect=Copy(Completion.IN_ORDER),
)
#: One public kernel interleaves two vectors with it; that segnum is one less than the segments is as of __memcpy.
move_segments = declare(
    "void __bang_move(void dst[segnum + 1 @ dst_stride][size], const void src[segnum + 1 @ src_stride][size],"
    " int32 size, int32 dst_stride, int32 src_stride, int32 segnum)",
    doc="Copy segnum + 1 segments of size bytes from NRAM to NRAM in the compute pipe; strides in bytes",
    provenance=INFERRED,
    work="size * (segnum + 1)",
    rules=(Require("size > 0", rule="length"), Require("segnum >= 0", rule="length")),
    overlap="any",
    effect=Copy(Completion.IN_ORDER),
)


@instruction(
    "void __bang_incseq(T dst[elem_count], int32 elem_count)",
    types="int32 int64",
    archs=">592",
    provenance=INFERRED,
    work=VECTOR_WORK,
    rules=(POSITIVE,),
)
def incseq(elem_count: int) -> np.ndarray:
    """dst[i] = i"""
    return np.arange(elem_count)
