"""GDMA: copies and fills between system memory and the lanes, of elements of 32, 16 and 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import INFERRED, Completion, Compute, Copy, Instruction, Require
from ..instruction import Wider
from .machine import declare, family

#: Bits of an element -> the types that have so many, by which Python kernels tell arrays.
WIDTHS = {32: "uint32 int32 float", 16: "uint16 int16 half bfloat16", 8: "uint8 int8"}
_KINDS = {"S": "system", "L": "tensor"}
_WORDS = {"S": "system", "L": "local"}
GDMA: dict[str, Any] = {"space": "local", "pipe": "gdma", "overlap": "any", "work": "bytes_dst_addr", "copies": True}
#: Rows that are read from system memory are waited for, and cost more than rows that are written.
LOADS: dict[str, Any] = {"engine": "gdma_load"}


def _rows(*strides: str) -> tuple[Require, ...]:
    """The elements of a row lie together."""
    return tuple(Require(f"{stride}.w == 1 or shape.w == 1", when=stride) for stride in strides)


def _elements(width: int, **operands: str) -> tuple[Require, ...]:
    """An operand in local memory begins at a multiple of its elements."""
    local = (name for name, where in operands.items() if where == "L" and width > 8)
    return tuple(Require(f"{name} % {width // 8} == 0", rule="alignment", provenance=INFERRED) for name in local)


def _copy(width: int, source: str, target: str) -> Instruction:
    return declare(
        f"void okk_gdma_{width}bit_cpy_{source}2{target}({_KINDS[target]}<T> dst_addr[shape @ dst_stride],"
        f" const {_KINDS[source]}<T> src_addr[shape @ src_stride], dim4 *shape, dim4 *dst_stride?,"
        " dim4 *src_stride?)",
        doc=f"Copy a tensor of {width}-bit elements from {_WORDS[source]} to {_WORDS[target]} memory",
        types=WIDTHS[width],
        effect=Copy(Completion.QUEUED),
        rules=(*_elements(width, dst_addr=target, src_addr=source), *_rows("dst_stride", "src_stride")),
        **GDMA,
        **(LOADS if source == "S" else {}),
    )


copies = tuple(_copy(width, source, target) for width in WIDTHS for source, target in ("SL", "LS", "LL", "SS"))


def _fill(width: int, target: str) -> tuple[Instruction, ...]:
    where = _WORDS[target]
    return family(
        f"void okk_gdma_{width}bit_{{op}}({_KINDS[target]}<T> dst_addr[shape @ dst_stride], x{width}<T> C, dim4 *shape,"
        " dim4 *dst_stride?)",
        {f"set_C_{where}": (np.positive, f"Every {width}-bit element of a tensor in {where} memory becomes C")},
        types=WIDTHS[width],
        wider=Wider.BITS,
        effect=Compute(Completion.QUEUED),
        rules=(*_elements(width, dst_addr=target), *_rows("dst_stride")),
        **GDMA,
    )


fills = tuple(_fill(width, target) for width in WIDTHS for target in "SL")
