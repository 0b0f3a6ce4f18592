"""The issue port: how an instruction reaches memory and log, and the hooks of checks."""

from .check import Check
from .native import NativePort
from .operands import Operand
from .port import Port, by_element_type, issue, native_ports
from .runs import AccessRun
from .source import Guard, PortSource

__all__ = [
    "AccessRun",
    "Check",
    "Guard",
    "NativePort",
    "Operand",
    "Port",
    "PortSource",
    "by_element_type",
    "issue",
    "native_ports",
]
