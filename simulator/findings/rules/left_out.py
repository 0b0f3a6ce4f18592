"""Inputs are read, and outputs written, to their end and by every task."""

from collections.abc import Sequence
from dataclasses import replace

from ..finding import Finding
from ..rule import ADVICE, WARNING, declare_rule

UNREAD = declare_rule("unread", "an input is read to its end, and by every task", ADVICE)
UNWRITTEN = declare_rule("unwritten", "an output is written to its end, and by every task", WARNING)


def untouched(written: bool | None, sure: bool, array: str, size: int, bytes: int, begin: int, gaps: int) -> Finding:
    """No task has written, or read, so many bytes of an array of a ``size``, in so many gaps from a byte on.

    Unless it is ``sure``, it is advice, and so it is of a part that is not read; ``written`` is None for an array that
    may be either and is neither.
    """
    from fractions import Fraction  # which few launches need

    verb = "touches" if written is None else "writes" if written else "reads"
    part = "" if bytes == size else f"{bytes} of "
    where = f", from byte {begin} on" if begin else ""
    if gaps > 1:
        where = f", in {gaps} gaps, the first at byte {begin}"
    return Finding(
        UNREAD if written is False else UNWRITTEN,
        f"no task {verb} {part}the {size} bytes of {array}{where}",
        suggestion="check the last tile and the share of each task",
        severity=WARNING if sure and (written is not False or bytes == size) else ADVICE,
        slip=f"{verb} all but {Fraction(size - bytes, size)}",
    )


def is_untouched(finding: Finding) -> bool:
    """Whether a finding is that of an array that may be written or read and is neither."""
    return finding.rule == UNWRITTEN and finding.slip.startswith("touches")


def repeated(finding: Finding) -> Finding:
    """The finding of unread bytes, where others are read as often as would read all of the array."""
    return replace(
        finding,
        message=f"{finding.message}; others are read repeatedly, as often as would read all of it once",
        suggestion="check that its address advances with each piece and with the task",
        severity=WARNING,
    )


def untaken(finding: Finding) -> Finding:
    """The finding of bytes that nothing reads, where these are loaded, and nothing reads them from there."""
    return replace(
        finding,
        message=finding.message.replace(" reads ", " uses ", 1) + "; all of it is loaded",
        suggestion="check the index, or the count, of what takes them from where they are loaded",
        severity=ADVICE,
    )


def along_an_axis(written: bool, array: str, where: tuple[int, int, int], first: str, sure: bool) -> Finding:
    """No task has written, or read, the elements of an array at one place of an axis: their count, axis, number.

    Unless it is ``sure``, it is advice.
    """
    (missing, axis, place), (verb, done) = where, ("writes", "written") if written else ("reads", "read")
    return Finding(
        UNWRITTEN if written else UNREAD,
        f"no task {verb} the {missing} elements of {array} with index {place} on axis {axis}, the first of them "
        f"{first}; all others are {done}",
        suggestion="check where the loop over this axis begins and ends",
        severity=WARNING if sure else ADVICE,
    )


def first_place(written: bool, array: str, axis: int, length: int) -> Finding:
    """Of an axis of an array, of such a length, its first place alone is written, or read."""
    verb = "writes" if written else "reads"
    return Finding(
        UNWRITTEN if written else UNREAD,
        f"no task {verb} elements of {array} whose index on axis {axis} is not 0; the launch passes the axis length, "
        f"{length}, and uses all indices of an axis of that length in another array",
        suggestion="check that the index of this axis is part of the address",
        severity=WARNING,
    )


def end_of_axis(written: bool, array: str, axis: int, place: int, length: int) -> Finding:
    """Of an axis of an array, of such a length, the first or the last place is not written, or read."""
    verb, other = ("writes", "read") if written else ("reads", "written")
    return Finding(
        UNWRITTEN if written else UNREAD,
        f"no task {verb} elements of {array} whose index on axis {axis} is {place}, the "
        f"{'last' if place else 'first'} of {length}; in another array, all indices of such an axis are {other}",
        suggestion="check where the loop over this axis begins and ends",
        severity=WARNING if written else ADVICE,
    )


def end_of_tiles(written: bool, array: str, axis: int, along: tuple[int, int]) -> Finding:
    """Of an axis of an array, of such a length, what tiles of so many places leave over is not written, or read."""
    (length, tile), verb = along, "writes" if written else "reads"
    first, last = length - length % tile, length - 1
    places = f"{first} to {last}" if last > first else f"{first}"
    return Finding(
        UNWRITTEN if written else UNREAD,
        f"no task {verb} elements of {array} whose index on axis {axis} is {places}, of {length}: what tiles of {tile} "
        "leave over",
        suggestion="check that the remainder of the axis is worked on behind the last full tile",
        severity=WARNING,
        slip=f"{places} of {length}",
    )


def end_of_two(written: bool, array: str, axis: int, used: Sequence[bool]) -> Finding:
    """Of an axis of an array, and of one as long of an input, the same places are used, but for an end."""
    left = [place for place, is_used in enumerate(used) if not is_used]
    places = f"{left[0]} to {left[-1]}" if len(left) > 1 else f"{left[0]}"
    verb, others = ("writes", "reads those of an input") if written else ("reads", "those of another array")
    return Finding(
        UNWRITTEN if written else UNREAD,
        f"no task {verb} elements of {array} whose index on axis {axis} is {places}, of {len(used)}, nor {others}, "
        "along an axis that is as long",
        suggestion="check where the loop over this axis ends, and that each of its steps adds to the result",
        severity=WARNING,
        slip=f"{places} of {len(used)}",
    )
