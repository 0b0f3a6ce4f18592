"""What native code does to its process, as findings."""

from __future__ import annotations

import ctypes

from ...findings import Finding, rules
from . import abi
from .syscalls import NUMBERS, deed_and_call, path_argument

_EXITS = (NUMBERS["exit"], NUMBERS["exit_group"])
_RAISES = {NUMBERS["kill"]: 1, NUMBERS["tkill"]: 1, NUMBERS["tgkill"]: 2}


def process_finding(
    runtime: ctypes.CDLL, kind: int, address: int, size: int, limit: float | None, process: int
) -> Finding:
    """The finding of any fault but an access; ``limit`` is that of the time (seconds), ``process`` this one's id."""
    last = abi.last_fault(runtime)
    match kind:
        case abi.STACK:
            return rules.process.overflowed()
        case abi.TIME:
            return rules.process.too_long(limit)
        case abi.EXIT:
            return rules.process.exited("exit", _signed(size))
        case abi.THROW:
            return rules.process.threw(_text(last.text))
        case abi.JUMP:
            return rules.process.jumped()
        case abi.OUTPUT:
            return rules.process.printed(size)
        case abi.REGISTERS:
            return rules.budget.registers()
        case abi.EARLY:
            return rules.process.too_early()
        case abi.CALL:
            return _call_finding(size, last, process)
    return rules.process.signalled(size, address)


def _call_finding(number: int, call: abi.Fault, process: int) -> Finding:
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
