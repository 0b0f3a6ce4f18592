"""BDC between lanes: a channel to all lanes, channels for columns, sequences of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rules import Require
from .commands import EVERY, bdc
from .cycles import work

broadcast = bdc(
    "void tpu_bdc_{op}(tensor<T> dst_addr[shape], const tensor<T> src_addr[(shape.n, 1, shape.h, shape.w)],"
    " dim4 *shape, data_type dtype)",
    {
        "npu_bcast": (
            lambda src_addr, shape: np.broadcast_to(src_addr, shape),
            "Every channel of dst becomes the one channel of src, which may start in any lane",
        )
    },
    types=EVERY,
    moves="src_addr",
    engine="bdc_lane_broadcast",
    work=work("bdc_lane_broadcast", elements="count_dst_addr", size="sizeof_dst_addr"),
    elsewhere=("src_addr",),
    rules=(Require("lane_dst_addr + shape.c <= lanes", rule="lane"),),
)
#: Of a source whose rows begin at multiples of what a lane computes in a cycle: elements of a row.
_LINE = "-(-shape.c * sizeof_src_addr // eu_bytes) * eu_bytes // sizeof_src_addr"
_TRANSPOSED = "channels and columns change places"


def _transposed(src_addr: np.ndarray) -> np.ndarray:
    return src_addr.transpose(0, 3, 2, 1)


_TRANSPOSE: dict[str, Any] = {
    "types": EVERY,
    "moves": "src_addr",
    "engine": "bdc_transpose",
    "work": work("bdc_transpose", elements="count_dst_addr", size="sizeof_dst_addr"),
    "overlap": "none",
    "elsewhere": ("src_addr", "dst_addr"),
}
to_columns = bdc(
    "void tpu_bdc_{op}(tensor<T> dst_addr[shape],"
    " const tensor<T> src_addr[(shape.n, shape.w, shape.h, shape.c)"
    " @ (-(-shape.w // lanes) * shape.h * line, shape.h * line, line, 1)], dim4 *shape, data_type dtype)",
    {
        "cw_trans": (
            _transposed,
            f"dst[n, c, h, w] = src[n, w, h, c]: {_TRANSPOSED}; the rows of src are aligned, and it starts in lane 0",
        )
    },
    let={"line": _LINE},
    rules=(
        Require("lane_src_addr == 0", rule="lane"),
        Require("src_addr % eu_bytes == 0", rule="alignment"),
    ),
    **_TRANSPOSE,
)
to_channels = bdc(
    "void tpu_bdc_{op}(tensor<T> dst_addr[shape], const tensor<T> src_addr[(shape.n, shape.w, shape.h, shape.c)],"
    " dim4 *shape, data_type dtype)",
    {"wc_trans": (_transposed, f"dst[n, c, h, w] = src[n, w, h, c]: {_TRANSPOSED}; dst starts in lane 0")},
    rules=(Require("lane_dst_addr == 0", rule="lane"),),
    **_TRANSPOSE,
)


def _sequence(start: int, step: int, num: int) -> np.ndarray:
    return (start + step * np.arange(num, dtype=np.int64)).astype(np.int32)


sequence_of_columns = bdc(
    "void tpu_bdc_{op}(tensor<int32> dst_addr[(1, npu_num, 1, num)], int32 npu_num, int32 start, int32 step,"
    " int32 num)",
    {
        "arithmetic_sequence_bcast": (
            lambda start, step, num: _sequence(start, step, num),
            "dst[0, c, 0, w] = start + w * step, the same in npu_num lanes",
        )
    },
    work="-(-num * sizeof_dst_addr // eu_bytes)",
    rules=(
        Require("0 < npu_num", rule="length"),
        Require("lane_dst_addr + npu_num <= lanes", rule="lane"),
        Require("1 <= num <= 65535", rule="length"),
    ),
)
sequence_of_channels = bdc(
    "void tpu_bdc_{op}(tensor<int32> dst_addr[(1, num, 1, 1) @ (1, 1, 1, 1)], int32 start, int32 step, int32 num)",
    {
        "arithmetic_sequence_distribute": (
            lambda start, step, num: _sequence(start, step, num).reshape(1, num, 1, 1),
            "dst[0, c, 0, 0] = start + c * step, in the compact layout",
        )
    },
    work="-(-num // lanes)",
    rules=(Require("1 <= num <= 65535", rule="length"), Require("dst_addr % 4 == 0", rule="alignment")),
)
