"""GDMA, which copies within and between system memory and the lanes of a core; SDMA, within system memory alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..declare import Instruction
from ..rules import Require
from .commands import EVERY, gdma, sdma
from .matrix import across, dealt, gathered, within

_KINDS = {"S": "system", "L": "tensor"}
_WORDS = {"S": "system", "L": "local"}
#: `gdma` or `sdma`.
Family = Callable[..., tuple[Instruction, ...]]
_SYSTEM = "system", "system", "from system to system memory"
_TAIL = "dim4 *dst_stride?, dim4 *src_stride?, data_type dtype)"


def _between(ways: str, make: Callable[[str, str, str], tuple[Instruction, ...]]) -> tuple[Instruction, ...]:
    """What ``make`` makes of the kinds of source and target and the words for both, for each way such as S2L."""
    return tuple(
        entry
        for way in ways.split()
        for entry in make(_KINDS[way[0]], _KINDS[way[-1]], f"from {_WORDS[way[0]]} to {_WORDS[way[-1]]} memory")
    )


def _way(source: str, target: str) -> str:
    return f"{'S' if source == 'system' else 'L'}2{'S' if target == 'system' else 'L'}"


def _copy(source: str, target: str, words: str, family: Family = gdma) -> tuple[Instruction, ...]:
    return family(
        f"void tpu_gdma_{{op}}({target}<T> dst_addr[shape @ dst_stride],"
        f" const {source}<T> src_addr[shape @ src_stride], dim4 *shape, {_TAIL}",
        {f"cpy_{_way(source, target)}": (None, f"Copy a tensor {words}")},
        types=EVERY,
        provenance="documented",
    )


copies = _between("S2L L2S S2S L2L", _copy), _copy(*_SYSTEM, sdma)
_TRANSPOSED = {"cw": ("n", "w", "h", "c"), "nc": ("c", "n", "h", "w")}


def _transpose(axes: str) -> Family:
    order = tuple("nchw".index(axis) for axis in _TRANSPOSED[axes])
    shape = ", ".join(f"dst_shape.{axis}" for axis in _TRANSPOSED[axes])

    def make(source: str, target: str, words: str, family: Family = gdma) -> tuple[Instruction, ...]:
        return family(
            f"void tpu_gdma_{{op}}({target}<T> dst_addr[dst_shape @ dst_stride],"
            f" const {source}<T> src_addr[({shape}) @ src_stride], dim4 *dst_shape, {_TAIL}",
            {
                f"cpy_{axes}_trans_{_way(source, target)}": (
                    lambda src_addr: src_addr.transpose(order),
                    f"dst[n, c, h, w] = src[{', '.join(_TRANSPOSED[axes])}], {words}",
                )
            },
            types=EVERY,
            moves="src_addr",
        )

    return make


transposes = tuple(
    (_between("S2L L2S S2S L2L", _transpose(axes)), _transpose(axes)(*_SYSTEM, sdma)) for axes in _TRANSPOSED
)


def _reverse(source: str, target: str, words: str, family: Family = gdma) -> tuple[Instruction, ...]:
    return family(
        f"void tpu_gdma_{{op}}({target}<T> dst_addr[shape @ dst_stride],"
        f" const {source}<T> src_addr[shape @ src_stride], dim4 *shape,"
        " dim4 *dst_stride?, dim4 *src_stride?, int32 reverse_axis, data_type dtype)",
        {
            f"reverse_{_way(source, target)}": (
                lambda src_addr, reverse_axis: np.flip(src_addr, reverse_axis),
                f"Copy a tensor {words}, one dimension the other way round: 0 to 3 is n, c, h, w",
            )
        },
        types=EVERY,
        moves="src_addr",
        rules=(
            Require("0 <= reverse_axis <= 3", needed=True),
            *((Require("reverse_axis == 1"),) if source == "tensor" else ()),
        ),
    )


reversals = _between("S2L L2S S2S L2L", _reverse), _reverse(*_SYSTEM, sdma)


def _general(source: str, target: str, words: str) -> tuple[Instruction, ...]:
    return gdma(
        f"void tpu_gdma_{{op}}({target}<T> dst_addr[dst_shape @ dst_stride],"
        f" const {source}<T> src_addr[src_shape @ src_stride], dim4 *dst_shape, dim4 *src_shape, {_TAIL}",
        {
            f"general_cpy_{_way(source, target)}": (
                lambda src_addr, dst_shape: src_addr.reshape(dst_shape),
                f"Copy as many elements in the same order into another shape, {words}",
            )
        },
        types=EVERY,
        moves="src_addr",
        rules=(
            Require(
                "dst_shape.n * dst_shape.c * dst_shape.h * dst_shape.w"
                " == src_shape.n * src_shape.c * src_shape.h * src_shape.w",
                rule="length",
                needed=True,
            ),
        ),
    )


general_copies = _between("S2L L2S L2L", _general)


def _fill(_: str, target: str, words: str, family: Family = gdma) -> tuple[Instruction, ...]:
    where = "system" if target == "system" else "local"
    return family(
        f"void tpu_gdma_{{op}}({target}<T> dst_addr[shape @ dst_stride], scalar<T> C, dim4 *shape, dim4 *dst_stride?,"
        " data_type dtype)",
        {f"set_C_{where}": (np.positive, f"Every element of a tensor in {where} memory becomes C")},
        types=EVERY,
    )


fills = _between("S2L S2S", _fill), _fill(*_SYSTEM, sdma)


def _linear(family: Family) -> tuple[Instruction, ...]:
    facts: dict[str, Any] = {"types": EVERY, "rules": (Require("count > 0", rule="length"),)}
    row = "[(1, 1, 1, count)]"
    return (
        *family(
            f"void tpu_gdma_{{op}}(system<T> dst_addr{row}, scalar<T> C, uint32 count, data_type dtype)",
            {"system_set": (np.positive, "count elements of system memory, one after the other, become C")},
            **facts,
        ),
        *family(
            f"void tpu_gdma_{{op}}(system<T> dst_addr{row}, const system<T> src_addr{row}, uint32 count,"
            " data_type dtype)",
            {"system_cpy": (None, "Copy count elements of system memory, one after the other")},
            **facts,
        ),
    )


linear = _linear(gdma), _linear(sdma)
channel_broadcast = gdma(
    "void tpu_gdma_{op}(tensor<T> dst_addr[shape @ dst_stride],"
    f" const system<T> src_addr[(shape.n, 1, shape.h, shape.w) @ src_stride], dim4 *shape, {_TAIL}",
    {
        "channel_bcast_S2L": (
            lambda src_addr, shape: np.broadcast_to(src_addr, shape),
            "Every channel of dst becomes the one channel of src",
        )
    },
    types=EVERY,
    moves="src_addr",
    rules=(Require("lane_dst_addr + shape.c <= lanes", rule="lane"),),
)

# --- matrices --------------------------------------------------------------------------------------------------------

_MATRIX = across("rows", "cols", "cols_per_channel")
_ROWS = "[(1, 1, rows, cols) @ (0, 0, row_stride, 1)]"
_MATRICES = "int32 rows, int32 cols, int32 cols_per_channel, int32 row_stride, data_type dtype)"
_MATRIX_FACTS: dict[str, Any] = {"types": EVERY, "moves": "src_addr"}
_SIZES = within("rows", "cols", "cols_per_channel")

matrix_in = gdma(
    f"void tpu_gdma_{{op}}(tensor<T> dst_addr{_MATRIX}, const system<T> src_addr{_ROWS}, {_MATRICES}",
    {
        "matrix_S2L": (
            lambda src_addr, cols_per_channel: dealt(src_addr[0, 0], cols_per_channel),
            "Copy a matrix from system memory: rows are images, columns are dealt to channels, cols_per_channel each",
        )
    },
    rules=(*_SIZES, Require("row_stride >= 0")),
    **_MATRIX_FACTS,
)
matrix_out = gdma(
    f"void tpu_gdma_{{op}}(system<T> dst_addr{_ROWS}, const tensor<T> src_addr{_MATRIX}, {_MATRICES}",
    {
        "matrix_L2S": (
            lambda src_addr, cols: gathered(src_addr, cols),
            "Copy a matrix, dealt to channels as by matrix_S2L, to system memory",
        )
    },
    rules=(*_SIZES, Require("row_stride >= cols or rows == 1")),
    **_MATRIX_FACTS,
)
