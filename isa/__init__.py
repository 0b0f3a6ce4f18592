"""The instruction sets, each instruction declared once; everything else is derived from the declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .late import late

if TYPE_CHECKING:
    from .dialect import Dialect
    from .dialects import DIALECTS
    from .effects import Atomic, Barrier, Cache, Completion, Compute, Copy, Effect, Section, Signal, Wait
    from .enumerations import DATA_TYPE_ELEMENTS, DATA_TYPES, VARIABLE_TYPES
    from .errors import DeclarationError
    from .expression import FUNCTIONS, folded, is_multiple, names_of
    from .instruction import PADDING, SHAPE_NAMES, Case, Instruction, Overload, TypeArgument, Wider, result_type
    from .orders import ORDERS, Order
    from .prototype import Kind, Parameter
    from .results import Partial, ValueOutOfRange
    from .rounding import flushed
    from .rules import DOCUMENTED, INFERRED, Align, Archs, Require
    from .sources import declared_in
    from .space import AddressSpace
    from .sums import Sums
    from .types import STRUCTS, TYPES, ElementType
    from .wire import flatten, wires

#: Module -> the names of it that are this package's.
_HOMES = {
    "dialect": "Dialect",
    "dialects": "DIALECTS",
    "effects": "Atomic Barrier Cache Completion Compute Copy Effect Section Signal Wait",
    "enumerations": "DATA_TYPE_ELEMENTS DATA_TYPES VARIABLE_TYPES",
    "errors": "DeclarationError",
    "expression": "FUNCTIONS folded is_multiple names_of",
    "instruction": "PADDING SHAPE_NAMES Case Instruction Overload TypeArgument Wider result_type",
    "orders": "ORDERS Order",
    "prototype": "Kind Parameter",
    "results": "Partial ValueOutOfRange",
    "rounding": "flushed",
    "rules": "DOCUMENTED INFERRED Align Archs Require",
    "sources": "declared_in",
    "space": "AddressSpace",
    "sums": "Sums",
    "types": "STRUCTS TYPES ElementType",
    "wire": "flatten wires",
}
__all__ = [
    "DATA_TYPES",
    "DATA_TYPE_ELEMENTS",
    "DIALECTS",
    "DOCUMENTED",
    "FUNCTIONS",
    "INFERRED",
    "ORDERS",
    "PADDING",
    "SHAPE_NAMES",
    "STRUCTS",
    "TYPES",
    "VARIABLE_TYPES",
    "AddressSpace",
    "Align",
    "Archs",
    "Atomic",
    "Barrier",
    "Cache",
    "Case",
    "Completion",
    "Compute",
    "Copy",
    "DeclarationError",
    "Dialect",
    "Effect",
    "ElementType",
    "Instruction",
    "Kind",
    "Order",
    "Overload",
    "Parameter",
    "Partial",
    "Require",
    "Section",
    "Signal",
    "Sums",
    "TypeArgument",
    "ValueOutOfRange",
    "Wait",
    "Wider",
    "declared_in",
    "flatten",
    "flushed",
    "folded",
    "is_multiple",
    "names_of",
    "result_type",
    "wires",
]

__getattr__, __dir__ = late(__name__, _HOMES)
