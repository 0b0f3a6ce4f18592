"""Simulated memories and what lies in them: bytes, sets of bytes, variables, operands."""

from .arena import POISON, Allocation, Memory, reach
from .bytemap import ByteMap
from .byteset import ByteSet
from .intervals import Intervals
from .mapping import Mapping, host_bytes
from .packed import PackedView
from .scattered import Places
from .shadow import Shadow
from .strided import Segments, Slices
from .strides import folded
from .tensor import Constant, Lanes, Tensor, TensorShape, lanes_of
from .turn import Turn
from .variables import Layout, Placement, Variable, variable_counter
from .view import Footprint, View

__all__ = [
    "POISON",
    "Allocation",
    "ByteMap",
    "ByteSet",
    "Constant",
    "Footprint",
    "Intervals",
    "Lanes",
    "Layout",
    "Mapping",
    "Memory",
    "PackedView",
    "Placement",
    "Places",
    "Segments",
    "Shadow",
    "Slices",
    "Tensor",
    "TensorShape",
    "Turn",
    "Variable",
    "View",
    "folded",
    "host_bytes",
    "lanes_of",
    "reach",
    "variable_counter",
]
