"""All instructions of TPU-KERNEL, in the order of their pages."""

from __future__ import annotations

from ..instruction import collect
from . import bdc, control, conv, elementary, gdma, hau, indexed, integers, lanes, matrix, pooling, quantization, within

INSTRUCTIONS = collect(
    hau, bdc, integers, quantization, lanes, pooling, conv, matrix, elementary, gdma, indexed, within, control
)
