"""Simulated memories and what lies in them: bytes, sets of bytes, variables, operands."""

from .arena import POISON, Allocation, Memory, reach
from .bytemap import ByteMap
from .byteset import ByteSet
from .intervals import Intervals
from .mapping import Mapping, host_bytes, host_room
from .shadow import Shadow
from .strides import folded
from .tensor import Constant, Lanes, Tensor, lanes_of
from .turn import Turn
from .variables import Placement, Variable, VariableLayout, variable_counter
from .view import Footprint, PackedView, View

__all__ = [
    "POISON",
    "Allocation",
    "ByteMap",
    "ByteSet",
    "Constant",
    "Footprint",
    "Intervals",
    "Lanes",
    "Mapping",
    "Memory",
    "PackedView",
    "Placement",
    "Shadow",
    "Tensor",
    "Turn",
    "Variable",
    "VariableLayout",
    "View",
    "folded",
    "host_bytes",
    "host_room",
    "lanes_of",
    "reach",
    "variable_counter",
]
