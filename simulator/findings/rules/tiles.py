"""What is computed and stored is made of tiles, each taken from its beginning to its end."""

from dataclasses import replace

from ..finding import Finding
from ..rule import ADVICE, WARNING, declare_rule

LEFTOVER = declare_rule("leftover", "results are made from the current tile, not from remains of an older one", ADVICE)
OVERRUN = declare_rule("overrun", "what is written or read ends where its tile ends", ADVICE)
PARTIAL = declare_rule("partial", "a tile that is changed in place is changed to its end", ADVICE)
SHIFTED = declare_rule("shifted", "a tile is used from its beginning to its end", ADVICE)
UNUSED = declare_rule("unused", "what is loaded or computed is used", ADVICE)


def partial(name: str, other: str, bytes: int) -> Finding:
    """An instruction uses a tile of which another has changed a part."""
    message = f"{name} uses a tile that {other} has only changed in part; {bytes} bytes of it are unchanged"
    return Finding(PARTIAL, message, instruction=name, suggestion=f"give {other} the count of the tile")


def leftover(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes what another has left of an older tile."""
    message = f"{name} uses {bytes} bytes computed from what {other} has left of an older tile"
    advice = "check that both use the tile's address and count"
    return Finding(LEFTOVER, message, instruction=name, suggestion=advice)


def twice(name: str, other: str, bytes: int) -> Finding:
    """An instruction adds what is left of an older tile to the sum that has it already."""
    message = (
        f"{name} adds {bytes} bytes of an older tile again to the same sum; {other} has left them behind a shorter one"
    )
    suggestion = f"clear the tile before {other}, or give {name} its count"
    return Finding(LEFTOVER, message, instruction=name, suggestion=suggestion, severity=WARNING)


def shifted(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes bytes before a tile."""
    message = f"{name} reads {bytes} bytes before the tile that {other} has written, which hold older data"
    return Finding(SHIFTED, message, instruction=name, suggestion="check that both use the tile's address")


def untaken(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes a tile but for bytes at one end."""
    message = f"{name} uses what {other} has written except for {bytes} bytes at one end, which stay unused"
    advice = "check that both use the tile's address and count"
    return Finding(SHIFTED, message, instruction=name, suggestion=advice)


def off_grid(name: str, array: str, way: str, grid: int) -> Finding:
    """A line takes rows of an array some ``way`` from where they begin for all others."""
    message = f"{name} uses rows of {array} {way} where they begin for all other lines, at multiples of {grid}"
    return Finding(SHIFTED, message, instruction=name, suggestion="check that its address is that of a row")


def overrun(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes a tile into which the result of another reaches."""
    message = (
        f"{name} uses a tile whose first {bytes} bytes {other} has overwritten with the end of a result that "
        "begins before it"
    )
    return Finding(OVERRUN, message, instruction=name, suggestion=f"give {other} the count of its tile")


def overread(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes a tile and bytes behind it."""
    message = f"{name} reads a tile and, after it, {bytes} bytes that {other} has written"
    return Finding(OVERRUN, message, instruction=name, suggestion=f"give {name} the count of its tile")


def mixed(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes a tile of which another load has overwritten a part before it was read."""
    message = (
        f"{name} uses a tile of which {other} has overwritten {bytes} bytes with another tile, before anything read "
        "them"
    )
    suggestion = f"check the address to which {other} loads"
    return Finding(OVERRUN, message, instruction=name, suggestion=suggestion, severity=WARNING)


def unused(name: str, other: str, overwritten: bool) -> Finding:
    """What an instruction has written is never read; ``name`` has overwritten it, if it is given."""
    what = f"{name} overwrites what {other} has written, unused"
    return Finding(
        UNUSED,
        what if overwritten else f"what {other} has written is unused",
        instruction=name,
        suggestion="check that both are meant to use this buffer; remove what is not needed",
    )


def every_time(finding: Finding) -> Finding:
    """The finding of what is unused, where that is so of all that a line loads or computes."""
    return replace(finding, message=f"{finding.message} every time", severity=WARNING)


def made_again(finding: Finding) -> Finding:
    """The finding of what is unused, where the instruction overwrites it in the next round of a loop."""
    return replace(
        finding,
        message=f"{finding.instruction} overwrites what it has written in the round before, which is unused: only the "
        "last round counts",
        suggestion="check whether it should add to what was there, and whether its result should go to another place",
        severity=WARNING,
    )


def lost(name: str, some: bool) -> Finding:
    """What an instruction makes, or makes of it in some rounds, leads to nothing."""
    what = "some of what" if some else "what"
    return Finding(
        UNUSED,
        f"{what} {name} writes contributes to no result: neither it nor anything computed from it is used",
        instruction=name,
        suggestion="check which buffer the next step reads, and that the last one is stored",
    )


def unfed(name: str) -> Finding:
    """An instruction takes a fill where another line of it takes data."""
    return Finding(
        UNUSED,
        f"{name} only reads what a fill has left, while another line reads data from the same place",
        instruction=name,
        suggestion="check whether a load, or the previous step, is missing",
    )


def wasted(name: str) -> Finding:
    """Most of what an instruction writes is never read, whenever it is executed."""
    return Finding(
        UNUSED,
        f"most of what {name} writes is unused, every time it is executed",
        instruction=name,
        suggestion=f"check the count of {name}, and its place among its neighbours",
    )


def never_loaded(lost: int, words: int) -> Finding:
    """Of the words of shared memory that a line stores, some are loaded by no thread, in any block."""
    return Finding(
        UNUSED,
        f"{lost} of the {words} words of shared memory that are stored here are never loaded, in no block, before they "
        "are stored again or the block ends; others are",
        instruction="store",
        suggestion="check the index with which the tile is loaded",
        severity=WARNING,
    )
