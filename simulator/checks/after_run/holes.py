"""Arrays that a launch leaves out in part, of whatever size, where something else says that it meant all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...findings import Finding, rules
from ...flow import Accesses, Pieces, Span, distinct
from ...log import ALLOC, FREE
from .given import Given
from .touched import Touched, depends_on_data, gaps_in, pieces_in
from .touched_elements import elements_in

#: Parts of a row that a count in elements leaves where one in bytes was meant: of half, and of float.
_COUNTED = (2, 4)
#: So few holes in an output are an omission; more may be a pattern.
_FEW_HOLES = 2
#: Elements of a hole, at least, that is no component of a vector.
_LONG = 8
#: Holes in an output that are looked at.
_MOST_HOLES = 4
#: Pieces, at least, that say something where those of another array are as long.
_SEVERAL = 4
#: Pieces of an array that are told apart.
_MOST_PIECES = 1 << 14


def holes(touched: Touched) -> Iterator[Finding]:
    """What is left out of an array of which no other rule says so.

    The pieces that are written, or read, would fill the array, but lie on each other; or pieces of the same lengths do
    fill another array as large. Or pieces are stored of tiles that go on, as far as the hole behind them, with
    unused elements. Or an output is written to its end, but not from its beginning. Or elements of an output are
    written in part; any other of which a part is touched counts as touched.
    """
    if _torn(touched) and len(touched.pieces.row) <= _MOST_PIECES:
        cover = _Union(touched)
        begin = int(cover.low[0]) - touched.array.key
        yield touched.left_out(True, True, begin, cover.missing, len(cover.low), cover.beside[0])
        return
    of_bytes = touched  # of an odd number of elements in which bytes were meant, a half of one is left
    touched = replace(touched, pieces=_of_elements(touched.pieces, touched.array))
    array, written = touched.array, touched.written
    if not 0 < len(written) <= _MOST_PIECES:
        return
    made = bool(written[0])
    if (written != made).any():  # of what is read and written, what is read alone tells
        touched, made = replace(touched, pieces=touched.pieces.chosen(~written)), False
        if not _unlike_another(touched):
            return
    if made and not array.output:
        return
    cover = _Union(touched)
    if not cover.missing:
        return
    stored = _stored_in_part(of_bytes, _Union(of_bytes)) if made else -1
    sure = (
        made
        and not touched.is_added_to
        and (stored >= 0 or _on_each_other(touched) or _in_a_whole(touched, cover) or _as_in_its_input(touched, cover))
    )
    if sure or _on_each_other(touched) or _unlike_another(touched) or (made and _means_all(touched, cover)):
        row = stored if stored >= 0 else cover.beside[0]
        said = touched.left_out(made, sure, int(cover.low[0]) - array.key, cover.missing, len(cover.low), row)
        yield rules.left_out.repeated(said) if not made and _read_again(touched, cover) else said


class _Union:
    """What pieces leave out of an array: where each hole begins, and ends, and the row of the piece before it."""

    def __init__(self, touched: Touched) -> None:
        pieces, gaps = touched.pieces, gaps_in(touched.pieces, touched.array)
        at, self.low, self.high = gaps
        self.missing = gaps.missing
        ends = [pieces.end[: max(n, 1)] for n in at[:_MOST_HOLES].tolist()]
        furthest = [int(np.flatnonzero(end == end.max())[-1]) for end in ends]
        self.before = furthest if not len(at) or at[0] else furthest[1:]
        self.beside = [int(pieces.row[n]) for n in furthest]


def _on_each_other(touched: Touched) -> bool:
    """Whether the pieces would fill the array; those of an input are all read equally often.

    Or pieces of several lengths are read from one place on, which would fill it once or several times.
    """
    pieces, array = touched.pieces, touched.array
    length = pieces.end - pieces.begin
    if touched.written[0] or touched.by_scalars.any():
        return bool(touched.written[0]) and int(length.sum()) == array.bytes and int(length.max()) * 2 <= array.bytes
    begins, times = np.unique(pieces.begin, return_counts=True)
    if len(begins) == 1 and len(distinct(length)) > 1:
        return int(length.sum()) % array.bytes == 0
    once = int(length.sum()) == array.bytes and int(length.max()) * 2 <= array.bytes
    return once and bool((times == times[0]).all())


def _read_again(touched: Touched, cover: _Union) -> bool:
    """Whether an input is read as often as would read all of it, and half of it or less is.

    Pieces of the same lengths fill another array of as many elements, by which each task has a share; and none depends
    on data.
    """
    if cover.missing * 2 < touched.array.bytes or depends_on_data(touched):
        return False
    return _on_each_other(touched) and any(_unlike_another(touched, written) for written in (False, True))


def _torn(touched: Touched) -> bool:
    """Whether of an output nothing but parts of elements is written, and of several."""
    pieces, array = touched.pieces, touched.array
    parts = (pieces.end - pieces.begin) * 2 <= array.dtype.itemsize
    return (
        array.output
        and len(parts) > 1
        and bool(touched.written.all() and parts.all())
        and len(distinct((pieces.begin - array.key) // array.dtype.itemsize)) == len(parts)
    )


def _unlike_another(touched: Touched, written: bool | None = None) -> bool:
    """Whether pieces of the same lengths, touched in the same way or as ``written`` says, fill an array as large."""
    made = bool(touched.written[0]) if written is None else written
    lengths = np.sort(touched.pieces.end - touched.pieces.begin)
    if len(lengths) < _SEVERAL:
        return False
    for other in touched.others:
        if (other.bytes, other.dtype) != (touched.array.bytes, touched.array.dtype):
            continue
        pieces = _of_elements(pieces_in(touched.all_pieces, other), other)
        pieces = pieces.chosen(touched.log.operand_written[pieces.row] == made)
        if len(pieces.row) != len(lengths):
            continue
        if not gaps_in(pieces, other).missing and np.array_equal(np.sort(pieces.end - pieces.begin), lengths):
            return True
    return False


def _of_elements(pieces: Pieces, array: Given) -> Pieces:
    """Pieces of an array with all bytes of the elements that they are of."""
    first, end = (array.key + at * array.dtype.itemsize for at in elements_in(pieces, array))
    return Pieces(pieces.row, first, end)


def _means_all(touched: Touched, cover: _Union) -> bool:
    """Whether most of an output is written, but for its beginning, or for what an input says was meant."""
    if cover.missing * 2 >= touched.array.bytes:
        return _beside_its_input(touched, cover, in_full=True)
    at_the_beginning = len(cover.low) == 1 and bool(cover.low[0] == touched.array.key)
    return at_the_beginning or _beside_its_input(touched, cover)


def _in_a_whole(touched: Touched, cover: _Union) -> bool:
    """Whether an output is written to both its ends, but for a hole or two, and an input as large is read in full.

    The launch passes how long it is, and no task has looked at data, on which results may depend.
    """
    ends = cover.low[0] == touched.array.key, cover.high[-1] == touched.array.key + touched.array.bytes
    few = len(cover.low) <= _FEW_HOLES and not any(ends)
    meant = few and touched.array.told and not depends_on_data(touched)
    return meant and _beside_its_input(touched, cover, in_full=True)


def _as_in_its_input(touched: Touched, cover: _Union) -> bool:
    """Whether an input as large has the same holes, and an output is written to both its ends.

    They are no elements or two, the launch passes neither how long they are nor what lies between them, and no task has
    looked at data.
    """
    array, size = touched.array, touched.array.dtype.itemsize
    end = array.end
    edges = np.concatenate([[array.key], np.stack([cover.low, cover.high], axis=1).ravel(), [end]])
    lengths = np.diff(edges) // size
    if (
        not lengths.all()
        or lengths[1::2].min() < _LONG
        or array.counts & set(lengths.tolist())
        or depends_on_data(touched)
    ):
        return False
    for other in touched.others:
        if (other.bytes, other.dtype) != (array.bytes, array.dtype):
            continue
        pieces = _only_read(touched, other)
        if pieces is None:
            continue
        theirs = _Union(replace(touched, array=other, pieces=pieces))
        if all(
            np.array_equal(there - other.key, here - array.key)
            for there, here in ((theirs.low, cover.low), (theirs.high, cover.high))
        ):
            return True
    return False


def _beside_its_input(touched: Touched, cover: _Union, in_full: bool = False) -> bool:
    """Whether an input says that all was meant: it is read in full, or but for as large a part.

    ``in_full``: only if it is read in full. It has as many elements, and the output has holes; or all but one of the
    pieces that both would be are used, since otherwise how much comes out may depend on what goes in.
    """
    mine, pieces = touched.array, touched.pieces
    length = pieces.end - pieces.begin
    at_the_end = bool(cover.high[0] >= mine.end)
    if at_the_end and (length != cover.missing).any():
        return False
    for other in touched.others:
        if not at_the_end and other.count != mine.count:
            continue
        missing = _unread(touched, other)
        as_much = not in_full and missing * mine.bytes == cover.missing * other.bytes
        if as_much or (missing == 0 and not at_the_end):
            return True
    return False


def _unread(touched: Touched, other: Given) -> int:
    """How many bytes of an input are never read; -1 for no input, or an untouched one."""
    pieces = _only_read(touched, other)
    return -1 if pieces is None else gaps_in(pieces, other).missing


def _only_read(touched: Touched, other: Given) -> Pieces | None:
    """The pieces of an input; None for no input, or an untouched one."""
    pieces = pieces_in(touched.all_pieces, other)
    return None if not len(pieces.row) or touched.log.operand_written[pieces.row].any() else pieces


def _stored_in_part(touched: Touched, cover: _Union) -> int:
    """The row of a piece behind which there is a hole, and behind whose source what is never used; -1 for none."""
    log, pieces = touched.log, touched.pieces
    accesses = None
    for hole, at in zip(cover.low.tolist(), cover.before, strict=False):
        row, length = int(pieces.row[at]), int(pieces.end[at] - pieces.begin[at])
        size = next((int(h - low) for low, h in zip(cover.low, cover.high, strict=True) if low == hole), 0)
        if not any(length * part == length + size for part in _COUNTED):
            continue
        record = int(log.owners[row])
        first, op = int(log.records["first"][record]), log.op(record)
        sources = [first + n for n, writes in enumerate(op.writes) if not writes]
        if len(sources) != 1 or log.operands["lanes"][sources[0]]:
            continue
        accesses = accesses or Accesses(log)
        source = accesses.spans(sources[0])[-1]
        if source.end - source.begin == length and _goes_on(touched, record, Span(source.end, source.end + size)):
            return row
    return -1


def _goes_on(touched: Touched, record: int, behind: Span) -> bool:
    """Whether bytes have been written before a record and are overwritten, or lost, before they are read."""
    log = touched.log
    key = log.operands["key"].astype(np.int64)
    end = key + log.operands["bytes"].astype(np.int64)
    near = np.flatnonzero((key < behind.end) & (end > behind.begin) & (log.operands["lanes"] == 0))
    near = near[~log.which(lambda op: op.name in (ALLOC, FREE), log.owners[near])]
    owners, writes = log.owners[near], log.operand_written[near]
    before, after = near[writes & (owners < record)], owners[writes & (owners > record)]
    if any(not ((key[before] <= at) & (end[before] > at)).any() for at in (behind.begin, behind.end - 1)):
        return False
    last, lost = int(log.owners[before].max()), int(after.min()) if len(after) else len(log)
    return not ((~writes) & (owners > last) & (owners < lost)).any()
