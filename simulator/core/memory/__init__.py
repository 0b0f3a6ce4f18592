"""Simulated memories and what lies in them: bytes, shadows, variables, tensors."""

from .arena import POISON, Allocation, Memory, reach
from .bytemap import ByteMap
from .intervals import Intervals
from .mapping import Mapping, host_bytes
from .shadow import Shadow
from .tensor import Lanes, Tensor, folded, lanes_of
from .turn import Turn
from .variables import Layout, Placement, Variable, variable_counter

__all__ = [
    "POISON",
    "Allocation",
    "ByteMap",
    "Intervals",
    "Lanes",
    "Layout",
    "Mapping",
    "Memory",
    "Placement",
    "Shadow",
    "Tensor",
    "Turn",
    "Variable",
    "folded",
    "host_bytes",
    "lanes_of",
    "reach",
    "variable_counter",
]
