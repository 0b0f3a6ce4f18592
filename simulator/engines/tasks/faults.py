"""What native code does to its process, as findings."""

from __future__ import annotations

import ctypes

from ...findings import Finding, rules
from .abi import Fault, FaultKind, last_fault
from .syscalls import NUMBERS, describe_call, path_argument

_SIGNALS = {4: "illegal instruction", 5: "trap", 6: "abort", 7: "bus error",
            8: "arithmetic exception (division by zero?)", 11: "segmentation fault"}  # fmt: skip
#: Signals that name the address of a memory access.
_ADDRESSED = (7, 11)
_EXITS = (NUMBERS["exit"], NUMBERS["exit_group"])
_RAISES = {NUMBERS["kill"]: 1, NUMBERS["tkill"]: 1, NUMBERS["tgkill"]: 2}
_RETURN = "return from the kernel instead"


def process_finding(
    runtime: ctypes.CDLL, kind: int, address: int, size: int, limit: float | None, process: int
) -> Finding:
    """The finding of any fault but an access; ``limit`` is that of the time (seconds), ``process`` this one's id."""
    last = last_fault(runtime)
    if kind == FaultKind.STACK:
        advice = "end the recursion, or move large arrays off the stack"
        return Finding(rules.STACK, "the kernel has overflowed its stack", suggestion=advice)
    if kind == FaultKind.TIME:
        message = "the kernel ran longer than the time limit" + (f" of {limit:g} s" if limit else "")
        return Finding(rules.TIME, message, suggestion="look for a loop that does not end, or raise time_limit")
    if kind == FaultKind.EXIT:
        return Finding(rules.CRASH, f"the kernel called exit({_signed(size)})", suggestion=_RETURN)
    if kind == FaultKind.THROW:
        what = _text(last.text) or "none at all"
        advice = "catch it in the kernel; a card has no exceptions"
        return Finding(rules.CRASH, f"the kernel threw an exception that nobody catches: {what}", suggestion=advice)
    if kind == FaultKind.JUMP:
        return Finding(rules.CRASH, "the kernel left by a jump into the simulator", suggestion=_RETURN)
    if kind == FaultKind.OUTPUT:
        advice = "print less, or by one task only"
        return Finding(rules.FORBIDDEN, f"the kernel printed more than {size >> 20} MiB", suggestion=advice)
    if kind == FaultKind.REGISTERS:
        advice = "let fewer of them live at once: no arrays of vectors, no recursion over them"
        return Finding(rules.BUDGET, "the kernel holds more vectors than there are vector registers", suggestion=advice)
    if kind == FaultKind.EARLY:
        advice = "use it inside of a kernel"
        return Finding(rules.CRASH, "taskId, instructions and on-chip memory exist in kernels only", suggestion=advice)
    if kind == FaultKind.CALL:
        return _call_finding(size, last, process)
    where = f" at {address:#x}" if size in _ADDRESSED else ""
    return Finding(rules.CRASH, f"the kernel crashed: {_SIGNALS.get(size, f'signal {size}')}{where}")


def _call_finding(number: int, call: Fault, process: int) -> Finding:
    """The finding of a system call; a kernel that ends or signals itself has crashed."""
    arguments = tuple(call.arguments)
    if call.abi:
        message = f"a kernel may not call the operating system: system call {number} of another ABI"
        return Finding(rules.FORBIDDEN, message)
    if number in _EXITS:
        return Finding(rules.CRASH, f"the kernel called _exit({_signed(arguments[0])})", suggestion=_RETURN)
    at = _RAISES.get(number)
    if at is not None and arguments[0] == process:
        signal = arguments[at]
        if signal in _SIGNALS:
            return Finding(rules.CRASH, f"the kernel crashed: {_SIGNALS[signal]}")
        return Finding(rules.CRASH, f"the kernel sent itself signal {signal}", suggestion=_RETURN)
    where = path_argument(number)
    path = None if where is None else _text((call.text, call.second)[where])
    advice = "a card has no operating system: leave it out, or keep it out of what is compiled for the device"
    return Finding(rules.FORBIDDEN, describe_call(number, arguments, path), suggestion=advice)


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _signed(value: int) -> int:
    return ctypes.c_int32(value).value
