"""All instructions of BANG C, in the order of their pages."""

from __future__ import annotations

from ..instruction import collect
from . import atomics, convert, copy, lut, reductions, registers, sync
from .elementwise import ELEMENTWISE
from .tensors import TENSORS

INSTRUCTIONS = (*ELEMENTWISE, *collect(reductions), *TENSORS, *collect(lut, convert, copy, atomics, registers, sync))
