"""GDMA by index: lines of a table gathered, lines scattered to where an index says, positions of what is not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Instruction
from ..instruction import Wider
from ..results import ValueOutOfRange
from ..rules import Require
from .commands import EVERY, gdma
from .tensors import LARGEST

_KINDS = {"S": "system", "L": "tensor"}
_TAIL = " dim4 *shape, int32 param_h, dim4 *output_stride?, dim4 *param_stride?, dim4 *index_stride?, data_type dtype)"
_INDEX = (
    "const system<uint32> index_addr[(1, shape.c, {lines}, 1) @ index_stride] ~ index_is_local, bool index_is_local,"
)
_FACTS: dict[str, Any] = {
    "types": EVERY,
    "rules": (Require("shape.n == 1", rule="length"), Require(f"1 <= param_h <= {LARGEST}", rule="length")),
    "work": "bytes_output_addr",
}


def _gathered(param_addr: np.ndarray, index_addr: np.ndarray, C: Any, param_h: int) -> np.ndarray:  # noqa: N803
    index = index_addr[0, :, :, 0].astype(np.int64)
    inside = index < param_h
    lines = np.take_along_axis(param_addr[0], np.where(inside, index, 0)[:, :, None], 1)
    return np.where(inside[:, :, None], lines, C)[None]


def _scattered(output_addr: np.ndarray, param_addr: np.ndarray, index_addr: np.ndarray) -> np.ndarray:
    """Of equal indices the last one wins (inferred)."""
    found, index = output_addr.copy(), index_addr[0, :, :, 0]
    lines = found.shape[2]
    if len(wrong := np.flatnonzero(index >= lines)):
        at = int(wrong[0])
        raise ValueOutOfRange("index_addr", at, int(index.flat[at]), f"below shape.h, {lines}")
    for channel, places in enumerate(index.astype(np.int64)):
        found[0, channel, places] = param_addr[0, channel]
    return found


def _gather(way: str) -> tuple[Instruction, ...]:
    source, target = _KINDS[way[0]], _KINDS[way[-1]]
    return gdma(
        f"void tpu_gdma_{{op}}({target}<T> output_addr[shape @ output_stride],"
        f" const {source}<T> param_addr[(1, shape.c, param_h, shape.w) @ param_stride],"
        f" {_INDEX.format(lines='shape.h')} scalar<T> C,{_TAIL}",
        {
            f"h_gather_{way}": (
                _gathered,
                "output[0, c, h] = param[0, c, index[c, h]], or C where the index is param_h or more",
            )
        },
        **_FACTS,
    )


def _scatter(way: str) -> tuple[Instruction, ...]:
    source, target = _KINDS[way[0]], _KINDS[way[-1]]
    return gdma(
        f"void tpu_gdma_{{op}}(inout {target}<T> output_addr[shape @ output_stride],"
        f" const {source}<T> param_addr[(1, shape.c, param_h, shape.w) @ param_stride],"
        f" {_INDEX.format(lines='param_h')}{_TAIL}",
        {
            f"h_scatter_{way}": (
                _scattered,
                "output[0, c, index[c, h]] = param[0, c, h]; of equal indices the last one wins (inferred)",
            )
        },
        **_FACTS,
    )


gathers = tuple(map(_gather, ("S2L", "S2S", "L2S", "L2L")))
scatters = tuple(map(_scatter, ("S2L", "S2S", "L2S", "L2L")))

# --- positions -------------------------------------------------------------------------------------------------------


def _positions(src_addr: np.ndarray, base_idx: int) -> np.ndarray:
    return (np.flatnonzero(src_addr != 0) + base_idx).astype(np.uint32).view(np.int32)


def _found(src_addr: np.ndarray) -> int:
    return int(np.count_nonzero(src_addr != 0))


nonzero = gdma(
    "void tpu_gdma_{op}(system<int32> dst_addr[(1, 1, 1, found)], const system<T> src_addr[shape], dim4 *shape,"
    " data_type data_dtype, uint32 base_idx)",
    {
        "nonzero_S2S": (
            _positions,
            "The positions of the elements of src that are not zero, row by row, plus base_idx: one after the other"
            " from dst_addr, and as many as tpu_gdma_get_filter_num returns",
        )
    },
    types=EVERY,
    measured={"found": _found},
    counts="found",
    wider=Wider.BITS,
    work="bytes_src_addr",
)
