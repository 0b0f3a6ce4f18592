"""The issue port: how an instruction reaches memory and log, and the hooks of checks."""

from .check import Check
from .native import NativeLoop, NativePort, native_ports
from .operands import Operand
from .port import Port, issue
from .repeats import may_repeat, outside_of
from .runs import AccessRun
from .source import Guard, PortSource
from .typed import by_element_type

__all__ = [
    "AccessRun", "Check", "Guard", "NativeLoop", "NativePort", "Operand", "Port", "PortSource", "by_element_type",
    "issue", "may_repeat", "native_ports", "outside_of",
]  # fmt: skip
