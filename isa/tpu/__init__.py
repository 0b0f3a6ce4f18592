"""TPU-KERNEL: the functions of Sophgo TPU cores. HAU is modelled whole, BDC, GDMA and SDMA in part."""

from __future__ import annotations

from ..dialect import Dialect, Instructions
from ..enumerations import DATA_TYPES
from .cycles import CLASSES
from .known import GIVING, KNOWN
from .processor import COMPUTED
from .spaces import ENGINES, SPACES

__all__ = ["TPU"]

TPU = Dialect(
    "tpu",
    "TPU-KERNEL (Sophgo TPU)",
    Instructions(f"{__name__}.instructions"),
    KNOWN,
    SPACES,
    ENGINES,
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
