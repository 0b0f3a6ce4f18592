"""GDMA: copies and fills between system memory and the lanes, of elements of 32, 16 and 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Completion, Compute, Copy, Instruction, Require
from .machine import declare, family

_WIDTHS = {32: "uint32", 16: "uint16", 8: "uint8"}
_KINDS = {"S": "system", "L": "tensor"}
_WORDS = {"S": "system", "L": "local"}
GDMA: dict[str, Any] = {"space": "local", "pipe": "gdma", "overlap": "any", "work": "bytes_dst_addr"}


def _rows(*strides: str) -> tuple[Require, ...]:
    """The elements of a row lie together."""
    return tuple(Require(f"{stride}.w == 1 or shape.w == 1", when=stride) for stride in strides)


def _copy(width: int, source: str, target: str) -> Instruction:
    kind = _WIDTHS[width]
    return declare(
        f"void okk_gdma_{width}bit_cpy_{source}2{target}({_KINDS[target]}<{kind}> dst_addr[shape @ dst_stride],"
        f" const {_KINDS[source]}<{kind}> src_addr[shape @ src_stride], dim4 *shape, dim4 *dst_stride?,"
        " dim4 *src_stride?)",
        doc=f"Copy a tensor of {width}-bit elements from {_WORDS[source]} to {_WORDS[target]} memory",
        effect=Copy(Completion.QUEUED),
        elsewhere=("dst_addr", "src_addr"),
        rules=_rows("dst_stride", "src_stride"),
        **GDMA,
    )


copies = tuple(_copy(width, source, target) for width in _WIDTHS for source, target in ("SL", "LS", "LL", "SS"))


def _fill(width: int, target: str) -> tuple[Instruction, ...]:
    kind, where = _WIDTHS[width], "local" if target == "L" else "system"
    return family(
        f"void okk_gdma_{width}bit_{{op}}({_KINDS[target]}<T> dst_addr[shape @ dst_stride], x{width}<T> C, dim4 *shape,"
        " dim4 *dst_stride?)",
        {f"set_C_{where}": (np.positive, f"Every {width}-bit element of a tensor in {where} memory becomes C")},
        types=kind,
        effect=Compute(Completion.QUEUED),
        rules=_rows("dst_stride"),
        **GDMA,
    )


fills = tuple(_fill(width, target) for width in _WIDTHS for target in "SL")
