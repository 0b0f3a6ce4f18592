"""OKK: the functions of Sophgo's BM1684, an older dialect of TPU-KERNEL on a machine of 32-bit elements."""

from __future__ import annotations

from ..dialect import Dialect, Instructions
from .known import GIVING, KNOWN
from .spaces import ENGINES, SPACES

__all__ = ["OKK"]

OKK = Dialect(
    "okk",
    "OKKernel (Sophgo BM1684)",
    Instructions(f"{__name__}.instructions"),
    KNOWN,
    SPACES,
    ENGINES,
    language="okkernel",
    prefix="okk_",
    queries={"okk_is_parallel_state": "section"},
    giving=GIVING,
    launch_type="cores",
    queues=("bdc", "gdma"),
    flushes=True,
)
