"""Simulated memories and what lies in them: bytes, sets of bytes, variables, operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....isa.late import late

if TYPE_CHECKING:
    from .arena import Allocation, Memory, holds_constants, reach
    from .bytemap import ByteMap
    from .byteset import POISON, ByteSet
    from .intervals import Intervals
    from .lanes import Lanes, lanes_of
    from .mapping import Mapping, host_bytes, host_room
    from .shadow import Shadow
    from .strides import folded
    from .sums import Held, Store
    from .tensor import Constant, Tensor
    from .turn import Turn
    from .variable import Variable
    from .variables import Placement, VariableLayout, variable_counter
    from .view import Footprint, PackedView, View

#: Module -> the names of it that are this package's.
_HOMES = {
    "arena": "Allocation Memory holds_constants reach",
    "bytemap": "ByteMap",
    "byteset": "POISON ByteSet",
    "intervals": "Intervals",
    "lanes": "Lanes lanes_of",
    "mapping": "Mapping host_bytes host_room",
    "shadow": "Shadow",
    "strides": "folded",
    "sums": "Held Store",
    "tensor": "Constant Tensor",
    "turn": "Turn",
    "variable": "Variable",
    "variables": "Placement VariableLayout variable_counter",
    "view": "Footprint PackedView View",
}
__all__ = [
    "POISON",
    "Allocation",
    "ByteMap",
    "ByteSet",
    "Constant",
    "Footprint",
    "Held",
    "Intervals",
    "Lanes",
    "Mapping",
    "Memory",
    "PackedView",
    "Placement",
    "Shadow",
    "Store",
    "Tensor",
    "Turn",
    "Variable",
    "VariableLayout",
    "View",
    "folded",
    "holds_constants",
    "host_bytes",
    "host_room",
    "lanes_of",
    "reach",
    "variable_counter",
]

__getattr__, __dir__ = late(__name__, _HOMES)
