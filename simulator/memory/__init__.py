"""Simulated memories and what lies in them: bytes, shadows, variables, tensors. Imports: hardware, log."""

from .arena import POISON, Allocation, Memory
from .intervals import Intervals
from .mapping import Mapping, host_bytes
from .tensor import Lanes, Tensor
from .variables import Layout, Placement, Variable

__all__ = [
    "POISON",
    "Allocation",
    "Intervals",
    "Lanes",
    "Layout",
    "Mapping",
    "Memory",
    "Placement",
    "Tensor",
    "Variable",
    "host_bytes",
]
