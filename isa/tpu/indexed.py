"""GDMA and SDMA by index: lines gathered and scattered; what is not zero or masked picked, with its number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Instruction
from ..instruction import Wider
from ..results import ValueOutOfRange
from ..rules import Require
from .commands import EVERY, FLOATS, INTEGERS, gdma, sdma
from .gdma import Family
from .tensors import LARGEST

_KINDS = {"S": "system", "L": "tensor"}
_TAIL = " dim4 *shape, int32 param_h, dim4 *output_stride?, dim4 *param_stride?, dim4 *index_stride?, data_type dtype)"
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


def _scattered(output_addr: np.ndarray, param_addr: np.ndarray, index_addr: np.ndarray, shared: bool) -> np.ndarray:
    """Of equal indices the last one wins (inferred), in any channel where all share the lines of the output."""
    found, index = output_addr.copy(), index_addr[0, :, :, 0]
    lines = found.shape[2]
    if len(wrong := np.flatnonzero(index >= lines)):
        at = int(wrong[0])
        raise ValueOutOfRange("index_addr", at, int(index.flat[at]), f"below shape.h, {lines}")
    for channel, places in enumerate(index.astype(np.int64)):
        found[0, slice(None) if shared else channel, places] = param_addr[0, channel]
    return found


def unnamed(index_addr: np.ndarray, axis: int, size: int) -> bool:
    """Whether there are places along an axis that no index of their channel names."""
    named = np.zeros((*index_addr.shape[:2], size), np.bool_)
    flat = index_addr.reshape(*index_addr.shape[:2], -1).astype(np.int64)
    np.put_along_axis(named, np.minimum(flat, size - 1), True, 2)
    return not named.all()


#: What keeps lines of the output, so that their contents count.
_KEPT: dict[str, dict[str, Any]] = {
    "h_gather": {},
    "h_scatter": {
        "let": {"shared": "output_stride and output_stride.c == 0"},
        "measured": {"kept": lambda index_addr, shape: unnamed(index_addr, 2, shape.h)},
        "adds": "kept",
    },
}
#: Member, how many lines there are an index for, and what stands before the output and behind the index.
_FORMS: dict[str, tuple[Any, str, str, str]] = {
    "h_gather": (
        (_gathered, "output[0, c, h] = param[0, c, index[c, h]], or C where the index is param_h or more"),
        "shape.h", "", " scalar<T> C,",
    ),
    "h_scatter": (
        (_scattered, "output[0, c, index[c, h]] = param[0, c, h]; of equal indices the last one wins (inferred)"),
        "param_h", "inout ", "",
    ),
}  # fmt: skip


def _by_index(op: str, way: str, family: Family = gdma) -> tuple[Instruction, ...]:
    """A gather or scatter; SDMA's index lies in system memory."""
    member, lines, before, behind = _FORMS[op]
    source, target = _KINDS[way[0]], _KINDS[way[-1]]
    local = " ~ index_is_local, bool index_is_local" if family is gdma else ""
    return family(
        f"void tpu_gdma_{{op}}({before}{target}<T> output_addr[shape @ output_stride],"
        f" const {source}<T> param_addr[(1, shape.c, param_h, shape.w) @ param_stride],"
        f" const system<uint32> index_addr[(1, shape.c, {lines}, 1) @ index_stride]{local},{behind}{_TAIL}",
        {f"{op}_{way}": member},
        **_FACTS,
        **_KEPT[op],
    )


by_index = tuple(
    (*(_by_index(op, way) for way in ("S2L", "S2S", "L2S", "L2L")), _by_index(op, "S2S", sdma)) for op in _FORMS
)

# --- what is not zero -------------------------------------------------------------------------------------------------


def _positions(src_addr: np.ndarray, base_idx: int) -> np.ndarray:
    return (np.flatnonzero(src_addr != 0) + base_idx).astype(np.uint32).view(np.int32)


def _found(src_addr: np.ndarray) -> int:
    return int(np.count_nonzero(src_addr != 0))


#: What follows from how many elements there are.
_COUNTED: dict[str, Any] = {"counts": "found", "wider": Wider.BITS, "work": "bytes_src_addr"}


def _nonzero(way: str, family: Family = gdma) -> tuple[Instruction, ...]:
    return family(
        f"void tpu_gdma_{{op}}(system<int32> dst_addr[(1, 1, 1, found)], const {_KINDS[way[0]]}<T> src_addr[shape],"
        " dim4 *shape, data_type data_dtype, uint32 base_idx)",
        {
            f"nonzero_{way}": (
                _positions,
                "The positions of the elements of src that are not zero, row by row, plus base_idx: one after the other"
                " from dst_addr, and as many as the engine's get_filter_num returns",
            )
        },
        types=EVERY,
        measured={"found": _found},
        **_COUNTED,
    )


positions = _nonzero("S2S"), _nonzero("L2S"), _nonzero("S2S", sdma)


def _mask_select(way: str, family: Family = gdma) -> tuple[Instruction, ...]:
    """SDMA's mask lies in system memory."""
    local = " ~ mask_in_lmem, bool mask_in_lmem" if family is gdma else ""
    return family(
        f"void tpu_gdma_{{op}}(system<T> dst_addr[(1, 1, 1, found)], const {_KINDS[way[0]]}<T> src_addr[shape],"
        f" const system<B> mask_addr[shape]{local}, dim4 *shape, data_type data_dtype, data_type mask_dtype)",
        {
            f"mask_select_{way}": (
                lambda src_addr, mask_addr: src_addr[mask_addr != 0],
                "The elements of src whose mask is not 0, row by row: one after the other from dst_addr, and as many as"
                " the engine's get_filter_num returns",
            )
        },
        types={"T": EVERY, "B": INTEGERS},
        measured={"found": lambda mask_addr: int(np.count_nonzero(mask_addr))},
        **_COUNTED,
    )


selections = _mask_select("S2S"), _mask_select("L2S"), _mask_select("S2S", sdma)

# --- reductions in memory of the second level ------------------------------------------------------------------------

_REDUCTIONS: dict[int, np.ufunc] = {1: np.multiply, 2: np.fmax, 3: np.fmin, 4: np.add}


def _reduced(dst_addr: np.ndarray, src_addr: np.ndarray, reduce_psum_op: int, reduce_opcode: int) -> np.ndarray:
    operation = _REDUCTIONS.get(reduce_opcode) if reduce_psum_op else None
    return operation(dst_addr, src_addr) if operation else src_addr


reduction = gdma(
    "void tpu_gdma_{op}(inout system<T> dst_addr[shape @ dst_stride], const tensor<T> src_addr[shape @ src_stride],"
    " dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?, data_type dtype, int32 reduce_psum_op, int32 reduce_opcode)",
    {
        "cpy_reduce_L12L2": (
            _reduced,
            "dst = dst op src where reduce_psum_op is 1, else src; reduce_opcode 0 copies, 1 multiplies, 2 takes the"
            " larger, 3 the smaller, 4 adds (inferred: a public kernel takes 1 for an addition)",
        )
    },
    types=f"{FLOATS} int32 uint32",
    adds="reduce_psum_op",
    rules=(
        Require("0 <= reduce_psum_op <= 1", needed=True),
        Require("0 <= reduce_opcode <= 4", needed=True),
        Require("reduce_opcode != 1 or dtype != DT_INT32 and dtype != DT_UINT32"),
    ),
)
