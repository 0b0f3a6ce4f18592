"""BANG C: the instructions of Cambricon MLU cores."""

from __future__ import annotations

from ..dialect import Dialect, collect
from . import atomics, convert, copy, lut, reductions, registers, sync
from .elementwise import ELEMENTWISE
from .known import KNOWN
from .registers import VECTOR_REGISTER_BYTES
from .spaces import SPACES
from .tensors import TENSORS

__all__ = ["BANG"]

BANG = Dialect(
    "bang",
    "BANG C (Cambricon MLU)",
    (*ELEMENTWISE, *collect(reductions), *TENSORS, *collect(lut, convert, copy, atomics, registers, sync)),
    KNOWN,
    SPACES,
    sync.PIPES,
    scalar_waits=("compute",),
    in_order=("compute",),
    register_bytes=VECTOR_REGISTER_BYTES,
)
