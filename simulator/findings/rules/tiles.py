"""What is computed and stored is made of tiles, each taken from its beginning to its end."""

from ..finding import Finding
from ..rule import ADVICE, declare_rule

LEFTOVER = declare_rule("leftover", "what is stored is made of tiles, not of what lies beside them", ADVICE)
OVERRUN = declare_rule("overrun", "a result, and what is taken, ends where its tile ends", ADVICE)
PARTIAL = declare_rule("partial", "a tile that is changed in place is changed to its end", ADVICE)
SHIFTED = declare_rule("shifted", "a tile is taken from where it begins, and to its end", ADVICE)
UNUSED = declare_rule("unused", "what is loaded or reduced is read before it is overwritten", ADVICE)


def partial(name: str, other: str, bytes: int) -> Finding:
    """An instruction uses a tile of which another has changed a part."""
    message = f"{name} uses a tile of which {other} has changed a part; {bytes} bytes of it are as they were"
    return Finding(PARTIAL, message, instruction=name, suggestion=f"give {other} the count of the tile")


def leftover(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes what another has left of an older tile."""
    message = f"{name} takes {bytes} bytes that were made of what {other} has left of an older tile"
    advice = "see whether both have the address and the count of the tile"
    return Finding(LEFTOVER, message, instruction=name, suggestion=advice)


def shifted(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes bytes before a tile."""
    message = f"{name} takes {bytes} bytes before the tile that {other} has made, left of what lay there"
    return Finding(SHIFTED, message, instruction=name, suggestion="see whether both have the address of the tile")


def untaken(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes a tile but for bytes at one end."""
    message = f"{name} takes what {other} has made but for {bytes} bytes at one end, which stay unused"
    advice = "see whether both have the address and the count of the tile"
    return Finding(SHIFTED, message, instruction=name, suggestion=advice)


def off_grid(name: str, array: str, way: str, grid: int) -> Finding:
    """A line takes rows of an array some ``way`` from where they begin for all others."""
    message = f"{name} takes rows of {array} {way} where they begin for all other lines, at multiples of {grid}"
    return Finding(SHIFTED, message, instruction=name, suggestion="see whether it has the address of a row")


def overrun(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes a tile into which the result of another reaches."""
    message = (
        f"{name} takes a tile of which {other} has overwritten the first {bytes} bytes with the end of a result that "
        "begins before it"
    )
    return Finding(OVERRUN, message, instruction=name, suggestion=f"give {other} the count of its tile")


def overread(name: str, other: str, bytes: int) -> Finding:
    """An instruction takes a tile and bytes behind it."""
    message = f"{name} takes a tile and, behind it, {bytes} bytes of what {other} has made"
    return Finding(OVERRUN, message, instruction=name, suggestion=f"give {name} the count of its tile")


def unused(name: str, other: str, overwritten: bool) -> Finding:
    """What an instruction has written is never read; ``name`` has overwritten it, if it is given."""
    what = f"{name} overwrites what {other} has written, unused"
    return Finding(
        UNUSED,
        what if overwritten else f"what {other} has written is unused",
        instruction=name,
        suggestion="see whether both mean this buffer; leave out what is not needed",
    )


def lost(name: str, some: bool) -> Finding:
    """What an instruction makes, or makes of it in some rounds, leads to nothing."""
    what = "some of what" if some else "what"
    return Finding(
        UNUSED,
        f"{what} {name} makes has no part in any result: neither it nor what is made of it is used",
        instruction=name,
        suggestion="see which buffer the next step takes, and whether the last one is stored",
    )


def unfed(name: str) -> Finding:
    """An instruction takes a fill where another line of it takes data."""
    return Finding(
        UNUSED,
        f"{name} takes nothing but what a fill has left, where another line takes data from the same place",
        instruction=name,
        suggestion="see whether a load, or the step before, is missing",
    )


def wasted(name: str) -> Finding:
    """Most of what an instruction writes is never read, whenever it is executed."""
    return Finding(
        UNUSED,
        f"most of what {name} writes is unused, as often as it is executed",
        instruction=name,
        suggestion=f"see whether {name} has the count, and the place among its neighbours, that is meant",
    )
