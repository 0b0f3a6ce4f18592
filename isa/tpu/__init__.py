"""TPU-KERNEL: the functions of Sophgo TPU cores. HAU is modelled; the other engines' names are known."""

from __future__ import annotations

from ..dialect import Dialect, collect
from . import control, hau
from .known import KNOWN

__all__ = ["TPU"]

_CONSTANTS = {
    "DT_INT8": 1, "DT_UINT8": 0, "DT_FP16": 3, "DT_FP32": 5, "DT_INT16": 7, "DT_UINT16": 6, "DT_INT32": 9,
    "DT_UINT32": 8, "DT_BFP16": 11, "DT_INT4": 13, "DT_UINT4": 12, "DT_FP8E5M2": 15, "DT_FP20": 17, "DT_TF32": 19,
    "DT_FP8E4M3": 47,
}  # fmt: skip

TPU = Dialect(
    "tpu",
    "TPU-KERNEL (Sophgo TPU)",
    collect(hau, control),
    KNOWN,
    source="tpu-kernel",
    prefix="tpu_",
    address_types={"global": "system_addr_t"},
    constants=_CONSTANTS,
    queries={"tpu_core_index": "taskId", "tpu_core_num": "taskDim"},
    cached_space="global",
    launch_type="cores",
)
