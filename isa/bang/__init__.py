"""BANG C: the instructions of Cambricon MLU cores."""

from __future__ import annotations

from ..dialect import Dialect, collect
from . import arithmetic, convert, copy, lut, registers, scalar, sync
from .known import KNOWN

__all__ = ["BANG"]

BANG = Dialect(
    "bang", "BANG C (Cambricon MLU)", collect(arithmetic, lut, convert, copy, registers, sync, scalar), KNOWN
)
