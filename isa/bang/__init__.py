"""BANG C: the instructions of Cambricon MLU cores."""

from __future__ import annotations

from ..dialect import Dialect, Instructions
from .known import KNOWN
from .spaces import PIPES, SPACES, VECTOR_REGISTER_BYTES

__all__ = ["BANG"]

BANG = Dialect(
    "bang",
    "BANG C (Cambricon MLU)",
    Instructions(f"{__name__}.instructions"),
    KNOWN,
    SPACES,
    PIPES,
    scalar_waits=("compute",),
    in_order=("compute",),
    register_bytes=VECTOR_REGISTER_BYTES,
)
