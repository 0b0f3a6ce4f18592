"""What native code does to its process, as findings."""

from __future__ import annotations

import ctypes

from ...findings import Finding, rules
from .abi import Fault, FaultKind, last_fault
from .syscalls import NUMBERS, deed_and_call, path_argument

_EXITS = (NUMBERS["exit"], NUMBERS["exit_group"])
_RAISES = {NUMBERS["kill"]: 1, NUMBERS["tkill"]: 1, NUMBERS["tgkill"]: 2}


def process_finding(
    runtime: ctypes.CDLL, kind: int, address: int, size: int, limit: float | None, process: int
) -> Finding:
    """The finding of any fault but an access; ``limit`` is that of the time (seconds), ``process`` this one's id."""
    last = last_fault(runtime)
    match kind:
        case FaultKind.STACK:
            return rules.process.overflowed()
        case FaultKind.TIME:
            return rules.process.too_long(limit)
        case FaultKind.EXIT:
            return rules.process.exited("exit", _signed(size))
        case FaultKind.THROW:
            return rules.process.threw(_text(last.text))
        case FaultKind.JUMP:
            return rules.process.jumped()
        case FaultKind.OUTPUT:
            return rules.process.printed(size)
        case FaultKind.REGISTERS:
            return rules.budget.registers()
        case FaultKind.EARLY:
            return rules.process.too_early()
        case FaultKind.CALL:
            return _call_finding(size, last, process)
    return rules.process.signalled(size, address)


def _call_finding(number: int, call: Fault, process: int) -> Finding:
    """The finding of a system call; a kernel that ends or signals itself has crashed."""
    arguments = tuple(call.arguments)
    if call.abi:
        return rules.process.called_otherwise(number)
    if number in _EXITS:
        return rules.process.exited("_exit", _signed(arguments[0]))
    at = _RAISES.get(number)
    if at is not None and arguments[0] == process:
        return rules.process.signalled_itself(arguments[at])
    where = path_argument(number)
    path = None if where is None else _text((call.text, call.second)[where])
    return rules.process.called(*deed_and_call(number, arguments, path))


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _signed(value: int) -> int:
    return ctypes.c_int32(value).value
