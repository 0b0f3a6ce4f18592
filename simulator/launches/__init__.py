"""Devices, programs of compiled kernels, and launches. Imports: engines and below."""

from .program import Program, SpaceBudget
from .run import Run

__all__ = ["Program", "Run", "SpaceBudget"]
