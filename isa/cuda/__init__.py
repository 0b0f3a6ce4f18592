"""CUDA: kernels that run as grids of thread blocks. Every load and store is scalar code; there are no instructions."""

from __future__ import annotations

from ..dialect import Dialect, Instructions
from ..space import AddressSpace
from .known import KNOWN

__all__ = ["CUDA"]

CUDA = Dialect(
    "cuda",
    "CUDA",
    Instructions(f"{__name__}.instructions"),
    KNOWN,
    {
        space.name: space
        for space in (
            AddressSpace("global"),
            AddressSpace("shared"),
        )
    },
    (),
    language="cuda",
    launch_type="grid",
)
