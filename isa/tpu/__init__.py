"""TPU-KERNEL: the functions of Sophgo TPU cores. HAU is modelled whole, BDC, GDMA and SDMA in part."""

from __future__ import annotations

from ..dialect import Dialect, collect
from ..types import DATA_TYPES
from . import bdc, control, conv, elementary, gdma, hau, indexed, integers, lanes, matrix, pooling, quantization, within
from .cycles import CLASSES
from .known import GIVING, KNOWN
from .processor import COMPUTED
from .spaces import SPACES

__all__ = ["TPU"]

TPU = Dialect(
    "tpu",
    "TPU-KERNEL (Sophgo TPU)",
    collect(hau, bdc, integers, quantization, lanes, pooling, conv, matrix, elementary, gdma, indexed, within, control),
    KNOWN,
    SPACES,
    control.ENGINES,
    language="tpu-kernel",
    prefix="tpu_",
    constants=DATA_TYPES,
    queries={"tpu_core_index": "taskId", "tpu_core_num": "taskDim", "tpu_is_parallel_state": "section"},
    giving=GIVING,
    computed=COMPUTED,
    launch_type="cores",
    queues=("bdc", "gdma"),
    classes=frozenset(CLASSES),
)
