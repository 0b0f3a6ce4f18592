"""What is read has been written before."""

from collections.abc import Callable
from dataclasses import replace

from ...log.region import Region
from ..finding import Differing, Finding
from ..rule import ADVICE, WARNING, declare_rule

#: What is to be done about a local variable.
_SET = "set it where it is declared"
#: What everything has in common that comes of local variables which nothing sets.
_LOCALS = "local variables"
UNINITIALIZED = declare_rule("uninitialized", "memory is written before it is read", WARNING)


def read(
    instruction: str, operand: str, name: str, piece: tuple[int, int], size: int, lane: int | None = None,
    more: bool = False, written_on: int | None = None,
) -> Finding:  # fmt: skip
    """An instruction or, without an operand, a scalar load reads a piece of a variable of a ``size``, or of a lane.

    ``piece`` counts from its first byte; ``more``: it is not the only one that is missing; ``written_on`` is a core
    that has written its own copy of it.
    """
    start, end = piece
    what = f"{end - start} uninitialized {'byte' if end - start == 1 else 'bytes'}"
    place = repr(name) if lane is None else f"lane {lane} of {name!r}"
    part = "" if end - start == size else f", from byte {start} of {size}"
    others = ", and others" if more else ""
    elsewhere = f"; core {written_on} has written its own {name!r}, and every core has one"
    return Finding(
        UNINITIALIZED,
        f"{'reads' if operand else 'scalar load of'} {what} of {place}{part}{others}",
        instruction=instruction,
        operand=operand,
        suggestion="write the memory before it is read" + (elsewhere if written_on is not None else ""),
    )


def passed_on(finding: Finding, missing: Region) -> Finding:
    """What is read was made of bytes of another memory, and those are the uninitialized ones."""
    return replace(finding, suggestion=f"write {missing} before it is read: these bytes were made of it")


def by_thread(who: str, byte: int, name: str, region: Region | None) -> Finding:
    """A thread loads shared memory that its block has not written."""
    return Finding(
        UNINITIALIZED,
        f"{who} loads byte {byte} of {name!r}, which no thread of the block has written",
        instruction="load",
        region=region,
        suggestion="write shared memory before it is read",
    )


def local(name: str, sure: bool) -> Finding:
    """The compiler sees that a local variable is read that was never set; ``sure``: on every way to where it is."""
    return Finding(
        UNINITIALIZED,
        f"local variable {name!r} {'is' if sure else 'may be'} read before it is set",
        suggestion=_SET,
        severity=WARNING if sure else ADVICE,
    )


def reaching(differing: Differing, said: tuple[str, str]) -> Finding:
    """Elements of an array hold what local variables have held that nothing sets; ``said`` is how both launches ran."""
    (array, different, size, name, here, there), (mine, theirs) = differing, said
    return Finding(
        UNINITIALIZED,
        f"{different} of the {size} elements of {array} come of a local variable that is never set: {name} is {here} "
        f"{mine} and {there} {theirs}",
        operand=array,
        suggestion=_SET,
        slip=_LOCALS,
    )


def breaking(finding: Finding, said: str) -> Finding:
    """What a launch breaks only when local variables that nothing sets hold other bytes."""
    message = f"a local variable is never set: {said}, {finding.rule}: {finding.message}"
    return replace(finding, rule=UNINITIALIZED, severity=WARNING, message=message, suggestion=_SET, slip=_LOCALS)


def is_of_locals(finding: Finding) -> bool:
    """Whether it says what comes of a local variable that nothing sets."""
    return finding.rule == UNINITIALIZED and finding.slip == _LOCALS


def reaches(differing: Differing, poison: int) -> Callable[[Finding], Finding]:
    """Elements of an array are others where uninitialized memory holds other bytes."""
    array, different, size, name, here, there = differing
    depend = "depends" if different == 1 else "depend"
    return _beside(
        f"{different} of the {size} elements of {array} {depend} on uninitialized memory: {name} is {here}, and "
        f"{there} where its bytes are {poison:#04x}"
    )


def breaks(finding: Finding, poison: int) -> Callable[[Finding], Finding]:
    """What a launch breaks only where uninitialized memory holds other bytes."""
    return _beside(f"where the bytes of uninitialized memory are {poison:#04x}, {finding.rule}: {finding.message}")


def without_effect(others: int) -> Callable[[Finding], Finding]:
    """What a launch leaves is the same with so many other contents of uninitialized memory."""
    return _beside(f"the results are the same with {others} other contents of uninitialized memory", ADVICE)


def _beside(said: str, severity: str = WARNING) -> Callable[[Finding], Finding]:
    """What adds to the finding of a read what has come of it."""
    return lambda read: replace(read, message=f"{read.message}; {said}", severity=severity)


def copied(start: int, end: int, name: str) -> Finding:
    """Host code copies uninitialized bytes of an allocation."""
    message = f"bytes {start} to {end} of {name} are copied, and are uninitialized"
    return Finding(UNINITIALIZED, message, suggestion="write them before, or copy less")


def loaded(region: Region, piece: tuple[int, int], name: str, whole: bool) -> Finding:
    """Thread blocks load bytes that nothing has written, of an allocation that is so as a ``whole`` or in part."""
    return Finding(
        UNINITIALIZED,
        f"bytes {piece[0]} to {piece[1]} of {name} are loaded, and nothing has written them",
        instruction="load",
        region=region,
        suggestion="write them before, with a copy, a fill or a kernel",
        severity=WARNING if whole else ADVICE,
    )


def of_absent_thread(who: str, function: str, lane: int, mask: int) -> Finding:
    """A thread takes the value of one of its warp that has ended, or that the block does not have."""
    return Finding(
        UNINITIALIZED,
        f"{who} takes by {function} the value of lane {lane} of its warp, which the mask {mask:#x} names and which "
        "has ended or is no thread of the block",
        instruction=function,
        suggestion="let all threads of the warp take part, those without an element with a neutral one",
        slip=f"mask {mask:#x}",  # the steps of a reduction have it in common
    )
