"""What native code does to its process: it ends by returning, in time, on its stack, and does what a card could do."""

from dataclasses import replace

from ..finding import Finding
from ..rule import declare_rule

CRASH = declare_rule("crash", "the kernel ends by returning")
FORBIDDEN = declare_rule("forbidden", "a kernel does nothing that a card could not: no files, processes, network")
STACK = declare_rule("stack", "the kernel's stack does not overflow")
TIME = declare_rule("time", "the kernel ends within the time limit")
#: Rules after which a process that ran a kernel is not used again: the kernel may have left anything behind.
FATAL = frozenset({CRASH, FORBIDDEN, STACK, TIME})

_SIGNALS = {4: "illegal instruction", 5: "trap", 6: "abort", 7: "bus error",
            8: "arithmetic exception (division by zero?)", 11: "segmentation fault"}  # fmt: skip
#: Signals that name the address of a memory access.
_ADDRESSED = (7, 11)
_ILLEGAL = 4
_UNDEFINED = (
    "see whether the line divides by zero, indexes past an array, or lacks a return: where C++ leaves open what "
    "happens, compilers put such an instruction"
)
_RETURN = "return from the kernel instead"


def overflowed() -> Finding:
    """The stack is full."""
    advice = "end the recursion, or move large arrays off the stack"
    return Finding(STACK, "the kernel has overflowed its stack", suggestion=advice)


def too_long(limit: float | None) -> Finding:
    """The kernel ran longer than a limit (seconds)."""
    message = "the kernel ran longer than the time limit" + (f" of {limit:g} s" if limit else "")
    return Finding(TIME, message, suggestion="look for a loop that does not end, or raise time_limit")


def late(limit: float | None, kernel: str) -> Finding:
    """A launch was not done long after its limit (seconds), be it for the kernel or for what is made of its log."""
    message = "the kernel, with what is worked out of its log, took longer than the time limit"
    advice = "look for a loop that does not end, raise time_limit, or launch less"
    return Finding(TIME, message + (f" of {limit:g} s" if limit else ""), kernel=kernel, suggestion=advice)


def signalled(signal: int, address: int) -> Finding:
    """The kernel got a signal."""
    where = f" at {address:#x}" if signal in _ADDRESSED else ""
    advice = _UNDEFINED if signal == _ILLEGAL else ""
    return Finding(CRASH, f"the kernel crashed: {_SIGNALS.get(signal, f'signal {signal}')}{where}", suggestion=advice)


def signalled_itself(signal: int) -> Finding:
    """The kernel sent its own process a signal."""
    if signal in _SIGNALS:
        return Finding(CRASH, f"the kernel crashed: {_SIGNALS[signal]}")
    return Finding(CRASH, f"the kernel sent itself signal {signal}", suggestion=_RETURN)


def exited(function: str, code: int) -> Finding:
    """The kernel ended its process with a function and an exit code."""
    return Finding(CRASH, f"the kernel called {function}({code})", suggestion=_RETURN)


def threw(exception: str) -> Finding:
    """The kernel threw an uncaught exception; "" is one without a text."""
    message = f"the kernel threw an exception that nothing catches: {exception or 'none at all'}"
    return Finding(CRASH, message, suggestion="catch it in the kernel; a card has no exceptions")


def jumped() -> Finding:
    """The kernel left by `longjmp`."""
    return Finding(CRASH, "the kernel left by a jump into the simulator", suggestion=_RETURN)


def too_early() -> Finding:
    """Code outside of a kernel uses what kernels have."""
    message = "taskId, instructions and on-chip memory exist in kernels only"
    return Finding(CRASH, message, suggestion="use it inside of a kernel")


def died(death: object, kernel: str, advice: str = "") -> Finding:
    """The process that ran a kernel is gone; ``death`` says how."""
    return Finding(CRASH, f"the process that ran the kernel {death}", kernel=kernel, suggestion=advice)


def host_died(operator: str, death: object) -> Finding:
    """The host code of an operator is gone; ``death`` says how."""
    advice = "look at what it printed; host code that touches device memory through a pointer ends like this"
    return Finding(CRASH, f"the host code of {operator} {death}", suggestion=advice)


def printed(most: int) -> Finding:
    """The kernel printed more than so many bytes."""
    message = f"the kernel printed more than {most >> 20} MiB"
    return Finding(FORBIDDEN, message, suggestion="print less, or by one task only")


def called(deed: str, call: str) -> Finding:
    """The kernel made a system call, to do what it may not."""
    advice = "a card has no operating system: remove it, or exclude it from device code"
    return Finding(FORBIDDEN, f"a kernel may not {deed}: {call}", suggestion=advice)


def called_otherwise(number: int) -> Finding:
    """The kernel made a system call by another interface of the operating system's."""
    message = f"a kernel may not call the operating system: system call {number} of another ABI"
    return Finding(FORBIDDEN, message)


def before_kernels(fault: Finding) -> Finding:
    """What a fault is that happened while an image was loaded."""
    what = fault.message.replace("the kernel", "it")
    return replace(fault, message=f"in a static initialiser, before any kernel: {what}")


def in_thread(fault: Finding, who: str) -> Finding:
    """What a fault is that a thread of a block made."""
    return replace(fault, message=f"{fault.message}, in {who}")
