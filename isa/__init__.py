"""The instruction sets, each instruction declared once; everything else is derived from the declarations."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .bang import BANG
from .declare import DOCUMENTED, INFERRED, Align, Archs, Case, Instruction, Overload, Require, Select
from .dialect import Dialect
from .errors import Partial, ValueOutOfRange
from .prototype import DeclarationError, Dim, Parameter, Prototype
from .tpu import TPU
from .types import TYPES, ElementType

__all__ = [
    "DIALECTS",
    "DOCUMENTED",
    "INFERRED",
    "TYPES",
    "Align",
    "Archs",
    "Case",
    "DeclarationError",
    "Dialect",
    "Dim",
    "ElementType",
    "Instruction",
    "Overload",
    "Parameter",
    "Partial",
    "Prototype",
    "Require",
    "Select",
    "ValueOutOfRange",
]

#: Every dialect by the name that device files use.
DIALECTS: Mapping[str, Dialect] = MappingProxyType({dialect.name: dialect for dialect in (BANG, TPU)})
