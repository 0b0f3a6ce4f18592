"""Devices, programs of compiled kernels, and launches.

Here belongs the way from a user's arrays to a run and back. Not how kernels are run: that is `engines`'.
"""

from .budget import SpaceBudget
from .program import Program
from .run import Run

__all__ = ["Program", "Run", "SpaceBudget"]
