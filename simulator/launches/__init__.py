"""Programs of compiled kernels and their launches. Imports: device and below."""

from .program import Program, SpaceBudget
from .run import Run

__all__ = ["Program", "Run", "SpaceBudget"]
