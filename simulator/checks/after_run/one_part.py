"""Arrays of which a launch is told how long they are, and touches one part alone."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding
from ...flow import Pieces
from .given import Given
from .touched import Touched, depends_on_data, gaps_in, pieces_in

#: Elements of such an array, at least.
_LEAST = 16
#: The share of an input that is left unread, at least: the last window of a pooling may end before.
_MOST_OF_IT = 1 / 2


def one_part(touched: Touched) -> Iterator[Finding]:
    """The rest of an array that is only written, or only read, in one part without a gap.

    The launch passes the number of its elements. Where a task has looked at data before, it is told alone of an output
    that lacks what an input with as many elements lacks, too; where none has, that is a warning. So it is where the
    launch reads nothing, on which the number of its results could depend, and passes no number that tells the rest.
    """
    array = touched.array
    made = touched.made
    if not array.told or array.count < _LEAST or made is None:
        return
    hole = _hole(touched.pieces, array)
    if hole is None or not (made or _is_most(touched, hole)):
        return
    begin, end = hole
    if made and touched.leaves_count(array.bytes - (end - begin)):
        return
    alike, looked = made and _lacks_the_same(touched, hole), depends_on_data(touched)
    if looked and not alike:
        return
    sure = made and not looked and (alike or _is_made_of_nothing(touched, begin or end))
    yield touched.left_out(made, sure, begin, end - begin, 1, int(touched.pieces.row[-1 if begin else 0]))


def _is_made_of_nothing(touched: Touched, bound: int) -> bool:
    """Whether a launch reads nothing of the device's memory, and passes no number that says where a part ends."""
    reads = not touched.log.operand_written[touched.all_pieces.row].all()
    return not reads and bound // touched.array.dtype.itemsize not in touched.array.counts


def _is_most(touched: Touched, hole: tuple[int, int]) -> bool:
    """Whether a hole in an input is most of it, of which scalar code picks no elements."""
    return hole[1] - hole[0] >= touched.array.bytes * _MOST_OF_IT and not touched.by_scalars.any()


def _hole(pieces: Pieces, array: Given) -> tuple[int, int] | None:
    """The bytes of an array that pieces leave out, if they are its end, or its beginning."""
    gaps = gaps_in(pieces, array)
    if len(gaps.at) != 1 or 0 < gaps.at[0] < len(pieces.row):
        return None
    return int(gaps.begin[0]) - array.key, int(gaps.end[0]) - array.key


def _lacks_the_same(touched: Touched, hole: tuple[int, int]) -> bool:
    """Whether an input of as many elements is read but for those of a hole."""
    mine = touched.array
    for other in touched.others:
        pieces = pieces_in(touched.all_pieces, other)
        if other.count != mine.count or not len(pieces.row) or touched.log.operand_written[pieces.row].any():
            continue
        theirs = _hole(pieces, other)
        if theirs and all(
            at * mine.dtype.itemsize == own * other.dtype.itemsize for at, own in zip(theirs, hole, strict=True)
        ):
            return True
    return False
