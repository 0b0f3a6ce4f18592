"""BDC: the compute engine, on tensors [n, c, h, w] that lie across the lanes of a core's local memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import INFERRED, Completion, Compute, Require, family, instruction
from ..rounding import Rounding, narrow, single, to_int
from ..types import ROUNDING_MODES
from .cycles import work
from .tensors import aligned, no_write_twice, of_tensors, same_lane, sizes, strided

_QUEUED = Compute(Completion.QUEUED)


_ENGINE: dict[str, Any] = {"space": "local", "pipe": "bdc", "effect": _QUEUED, "engine": "bdc_ar"}
_DST_SRC0_SRC1 = (
    *sizes(),
    *same_lane("dst_addr", "src0_addr", "src1_addr"),
    *strided(dst_addr="dst_stride", src0_addr="src0_stride", src1_addr="src1_stride"),
    *no_write_twice("dst_stride"),
)
_EVERY_TYPE = "float half bfloat16 int8 uint8 int16 uint16 int32 uint32"
_BINARY = (
    "void tpu_bdc_{op}(tensor<T> dst_addr[shape @ dst_stride], const tensor<T> src0_addr[shape @ src0_stride],"
    " const tensor<T> src1_addr[shape @ src1_stride], dim4 *shape, dim4 *dst_stride?, dim4 *src0_stride?,"
    " dim4 *src1_stride?, data_type dtype)"
)
arithmetic = family(
    _BINARY,
    of_tensors(
        {
            "add": (np.add, "{a} + {b}, one rounding to nearest even"),
            "sub": (np.subtract, "{a} - {b}, one rounding to nearest even"),
            "mul": (np.multiply, "{a} * {b}, one rounding to nearest even"),
        },
        "fp_{op}",
    ),
    types="float half bfloat16",
    type_arguments={"T": "dtype"},
    provenance=INFERRED,
    rules=_DST_SRC0_SRC1,
    work=work("bdc_ar", shape="shape", size="sizeof_dst_addr"),
    **_ENGINE,
)

extremes = family(
    _BINARY,
    of_tensors(
        {
            "max": (np.fmax, "max({a}, {b}); which of a NaN and a number wins is inferred"),
            "min": (np.fmin, "min({a}, {b}); which of a NaN and a number wins is inferred"),
        }
    ),
    types=_EVERY_TYPE,
    type_arguments={"T": "dtype"},
    rules=_DST_SRC0_SRC1,
    work=work("bdc_ar", shape="shape", size="sizeof_dst_addr"),
    **_ENGINE,
)

_ROUNDINGS = {
    ROUNDING_MODES[name]: rounding
    for name, rounding in {
        "RM_HALF_TO_EVEN": Rounding.NEAREST_EVEN, "RM_HALF_AWAY_FROM_ZERO": Rounding.NEAREST_AWAY,
        "RM_TOWARDS_ZERO": Rounding.ZERO, "RM_DOWN": Rounding.DOWN, "RM_UP": Rounding.UP,
        "RM_HALF_UP": Rounding.NEAREST_UP, "RM_HALF_DOWN": Rounding.NEAREST_DOWN,
    }.items()
}  # fmt: skip


@instruction(
    "void tpu_bdc_cast(tensor<D> dst_addr[shape @ dst_stride], const tensor<S> src_addr[shape @ src_stride],"
    " dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?, data_type dst_dtype, data_type src_dtype, rounding mode)",
    types={"D": _EVERY_TYPE, "S": _EVERY_TYPE},
    type_arguments={"D": "dst_dtype", "S": "src_dtype"},
    provenance=INFERRED,
    rules=(
        *sizes(),
        *same_lane("dst_addr", "src_addr"),
        *strided(dst_addr="dst_stride", src_addr="src_stride"),
        *no_write_twice("dst_stride"),
        Require("0 <= mode <= 6", needed=True),
        Require("dst_addr != src_addr or sizeof_dst_addr <= sizeof_src_addr", rule="overlap"),
    ),
    work=work("bdc_ar", shape="shape", size="max(sizeof_dst_addr, sizeof_src_addr)"),
    **_ENGINE,
)
def cast(src_addr: np.ndarray, type_dst_addr: np.dtype, mode: int) -> np.ndarray:
    """dst = src as the other type, rounded by mode; integers saturate, NaN becomes the largest integer."""
    rounding, whole = _ROUNDINGS[mode], src_addr.dtype.kind in "iu"
    if type_dst_addr.kind in "iu":
        return to_int(src_addr.astype(np.float64), type_dst_addr, rounding, nan=int(np.iinfo(type_dst_addr).max))
    wide = src_addr.astype(np.float64) if whole else single(src_addr)
    return wide if type_dst_addr == wide.dtype else narrow(wide, type_dst_addr, rounding)


#: Elements of the tables that the elementary functions read, one copy in every lane.
_EXP_COEFFICIENTS, _LOG_COEFFICIENTS, _EXP_TABLE = 32, 64, 192
_POWER_OPERANDS = ("src0_addr", "src1_addr", "work0_addr", "work1_addr")


@instruction(
    "void tpu_bdc_fp32_pow(tensor<float> dst_addr[shape], const tensor<float> src0_addr[shape],"
    " const tensor<float> src1_addr[shape], work tensor<float> work0_addr[shape], work tensor<float> work1_addr[shape],"
    f" const tensor<float> exp_coeff_addr[(1, lanes, 1, {_EXP_COEFFICIENTS})],"
    f" const tensor<float> log_coeff_addr[(1, lanes, 1, {_LOG_COEFFICIENTS})],"
    f" const tensor<float> exp_table_addr[(1, lanes, 1, {_EXP_TABLE})], dim4 *shape)",
    provenance=INFERRED,
    rules=(
        *sizes(),
        *same_lane("dst_addr", *_POWER_OPERANDS),
        *aligned("dst_addr", *_POWER_OPERANDS, "exp_coeff_addr", "log_coeff_addr", "exp_table_addr"),
        *(
            Require(f"lane_{table} == 0", rule="lane")
            for table in ("exp_coeff_addr", "log_coeff_addr", "exp_table_addr")
        ),
    ),
    **{**_ENGINE, "engine": "bdc_pow"},
)
def power(src0_addr: np.ndarray, src1_addr: np.ndarray) -> Any:
    """dst = e ** (src1 * ln src0), in float64 here; NaN where src0 is negative. The work tensors are clobbered."""
    return np.exp(src1_addr * np.log(src0_addr.astype(np.float64)))
