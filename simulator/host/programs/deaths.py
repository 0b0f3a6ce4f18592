"""How a program has ended that did not end by itself, in words."""

from __future__ import annotations

import signal
from collections.abc import Iterator

from .report import ProgramReport

_CAUSES: dict[int, str] = {
    signal.SIGABRT: "abort() was called: by an assert, for an exception that nothing caught, or by the C library, "
    "which found memory damaged",
    signal.SIGFPE: "a whole number was divided by zero",
    signal.SIGILL: "it came to what is no instruction, such as the end of a function that returns no value",
    signal.SIGKILL: "by another process, or by the system because memory ran out",
}
_WRONG = (
    "a pointer that is wrong or freed, an index out of range, a function that ends without its return statement, or "
    "more variables than the stack has room for"
)
_UNKNOWN = 2**64 - 1
_NULL = 4096


def endings(report: ProgramReport) -> Iterator[str]:
    """A sentence on the end of a program, and on the kernel that ended with it; none if it ended by itself."""
    if report.death:
        yield ended_by(report.death.signal, str(report.death_place or ""), _used(report))
    elif not report.ended:
        yield (
            "the program ended without a word (_exit(), SIGKILL, a stack that overflows): its end was not looked at "
            "(leaks, work without a wait)"
        )
    if report.cut_off:
        place = report.location(report.cut_off.place)
        yield f"{report.cut_off.kernel}, launched at {place}, was under way and was ended with the program"


def ended_by(number: int, place: str = "", cause: str = "") -> str:
    """The sentence on a program that a signal has ended."""
    try:
        name, text = signal.Signals(number).name, signal.strsignal(number)
    except ValueError:  # of those that have no name
        name, text = f"signal {number}", None
    cause = cause or _CAUSES.get(number, "")
    if number in (signal.SIGSEGV, signal.SIGBUS):
        cause = cause or _WRONG
    told = f"the program was ended by {name}{f' ({text.lower()})' if text else ''}{f' at {place}' if place else ''}"
    return f"{told}: {cause}" if cause else told


def _used(report: ProgramReport) -> str:
    """What a program did with the address of a fault; "" if that is unknown."""
    assert report.death
    if report.death.signal not in (signal.SIGSEGV, signal.SIGBUS) or report.death.address == _UNKNOWN:
        return ""
    if report.death.on_device:
        return "it used device memory through a device pointer; copy with cnrtMemcpy, free with cnrtFree"
    if report.death.address < _NULL:
        return "it used a null pointer"
    return f"it used {report.death.address:#x}, where it has no memory: {_WRONG}"
