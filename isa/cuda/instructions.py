"""CUDA has no instructions to declare."""

from __future__ import annotations

from ..instruction import Instruction

INSTRUCTIONS: tuple[Instruction, ...] = ()
