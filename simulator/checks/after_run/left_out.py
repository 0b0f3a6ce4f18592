"""Bytes that a launch leaves out: of an output that no task writes, of an input that no task reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...findings import Finding
from ...flow import Pieces
from .given import holds_numbers
from .touched import Touched, depends_on_data, is_staircase

#: Gaps between what was written that are looked at: more of them are a pattern, and meant.
_MOST_GAPS = 64
#: Holes that are a fault beyond doubt: more of them may be the padding of rows.
_FEW_HOLES = 2
#: How much longer than a hole the pieces on both its sides are, at least: a shorter one is one of a row of pieces.
_HOLE = 10
#: Bytes of an element or two: where an array is read and written, shorter pieces than such a hole are no tiles.
_ELEMENT = 8
#: Elements that scalar code touches one after the other, at least, where it is a loop that may end too early.
_LOOP = 16
#: The share of tasks that do nothing, at most, where that is odd: more of them may have no work.
_SOME = 1 / 2
#: Pieces of an array, at least, of which one that is missing is one too few.
_PIECES = 3
#: Pieces for each gap, at least, that tell of a fault where most tasks have nothing to do.
_MANY = 8


@dataclass(frozen=True)
class _Lost:
    """Bytes of an array that are left out: the key of the first, how many there are, in how many places.

    ``written`` is None for an array that may be written or read and is neither.
    """

    written: bool | None
    key: int
    bytes: int
    places: int = 1
    row: int = -1  # an operand beside them
    sure: bool = True


class _Cover:
    """Where pieces, in the order of their first bytes, cover an array, and where they do not."""

    def __init__(self, pieces: Pieces, low: int) -> None:
        self.row, self.begin, self.end = pieces
        self.sizes = self.end - self.begin
        self.reached = np.maximum.accumulate(self.end)
        self.before = np.concatenate([[low], self.reached[:-1]])
        self.gaps = np.flatnonzero(self.begin > self.before)

    @property
    def odd_gaps(self) -> np.ndarray:
        """Those that are not as long as what a copy leaves out between its own segments: rows that are padded."""
        gaps = self.gaps
        length, inside = self.begin[gaps] - self.before[gaps], (gaps > 0) & (self.row[gaps] == self.row[gaps - 1])
        odd: np.ndarray = gaps[~np.isin(length, length[inside])]
        return odd

    @property
    def last(self) -> int:
        """The row of the piece that ends behind all others."""
        return int(self.row[np.argmax(self.end)])


def left_out(touched: Touched) -> Iterator[Finding]:
    """What no task has written of an array that is an output beyond doubt, or read of one that is an input.

    Such an array is either written or read, and that from its first byte on without a gap but for an end that is
    smaller than a piece (than all of them, which are alike, if it is read, or is what a division leaves over); or
    with few gaps while some tasks have done nothing, or with gaps of whole pieces, but many times as many pieces,
    while most have; or with holes between pieces that are much longer. An untouched output, in a launch
    that writes none, is no less odd; and so are holes of an element or two, and the part of idle tasks, in an array
    that is read and written, and its end where the launch has been told how long it is.
    """
    yield from _said(touched, _lost(touched))


def untouched(touched: Touched) -> Iterator[Finding]:
    """An array of which nothing is touched at all."""
    if not len(touched.written):
        yield from _said(touched, _untouched(touched))


def _said(touched: Touched, lost: _Lost | None) -> Iterator[Finding]:
    if lost is not None:
        begin = lost.key - touched.array.key
        yield touched.left_out(lost.written, lost.sure, begin, lost.bytes, lost.places, lost.row)


def _lost(touched: Touched) -> _Lost | None:
    array, written = touched.array, touched.written
    if not len(written):
        return _untouched(touched)
    alike, lost = bool((written == written[0]).all()), None
    if alike and (array.output or not written[0]):
        lost = _end(touched) or _one_piece(touched) or _gaps(touched)
    if lost or not array.output or not written.any():
        return lost
    return (None if alike else _idle_part(touched) or _rest_in_place(touched)) or _holes(touched)


def _untouched(touched: Touched) -> _Lost | None:
    """All of an array that is an input, or may be an output, where others are written, too.

    One of which the launch passes how long it is, and nothing that may say that it has no part, was meant. Of members
    of a structure a kernel may have no use for some, but hardly for one that was filled with numbers, or that may take
    the results with which it overwrites an array.
    """
    array, none = touched.array, touched.nothing_written
    if array.output and not (array.declared or (touched.in_a_block and none)):
        own = touched.in_a_block and not array.shared and array.dtype.kind == "f"
        meant = own and (holds_numbers(array.contents()) or touched.is_written_elsewhere)
        return _Lost(None, array.key, array.bytes, sure=False) if meant else None
    if not array.output and touched.says_lengths:
        return None
    written = False if not array.output else True if none else None
    return _Lost(written, array.key, array.bytes, sure=bool(written) or (array.told and not array.optional))


def _end(touched: Touched) -> _Lost | None:
    """The end of an array that is touched without a gap before it, and not as far as a number says."""
    array, written = touched.array, bool(touched.written[0])
    cover = _Cover(touched.pieces, array.key)
    tail, sizes = array.end - int(cover.reached[-1]), cover.sizes
    if len(cover.gaps) or tail <= 0 or (array.bytes - tail) / array.dtype.itemsize in array.counts:
        return None
    if written and touched.leaves_count(array.bytes - tail):
        return None
    tiles = written or (len(sizes) > 1 and int(sizes.min()) == int(sizes.max()))  # what is read may depend on data
    whole = int(sizes.max())
    if touched.by_scalars.all():  # a loop over the elements may leave out the last one
        whole = array.dtype.itemsize + 1 if len(sizes) >= _LOOP else 0
    if (tiles and tail < whole) or 0 < touched.idle <= _SOME or _is_remainder(touched, tail):
        return _Lost(written, array.end - tail, tail, row=cover.last)
    return None


def _one_piece(touched: Touched) -> _Lost | None:
    """The last, or the first, of so many equal pieces as a number that is passed says, if that is all that is missing.

    What a task does after it has looked at a number may depend on data.
    """
    array, pieces = touched.array, touched.pieces
    whole = int(pieces.end[0] - pieces.begin[0])
    if touched.by_scalars.any() or array.bytes % whole or array.bytes // whole not in array.counts:
        return None
    cover = _Cover(pieces, array.key)
    low, high = int(pieces.begin[0]) - array.key, array.end - int(cover.reached[-1])
    if array.bytes < _PIECES * whole or (cover.sizes != whole).any() or (cover.gaps > 0).any() or low + high != whole:
        return None
    if (low and high) or depends_on_data(touched):
        return None
    return _Lost(bool(touched.written[0]), array.key if low else array.end - whole, whole, row=cover.last)


def _is_remainder(touched: Touched, tail: int) -> bool:
    """Whether every task has read a part of an array, all are alike, and fewer elements are left than tasks."""
    array = touched.array
    shares = np.bincount(touched.tasks, touched.pieces.end - touched.pieces.begin)
    once = len(shares) > 1 and int(shares.sum()) == array.bytes - tail
    return once and bool((shares == shares[0]).all()) and tail < len(shares) * array.dtype.itemsize


def _gaps(touched: Touched) -> _Lost | None:
    """Holes between pieces that are much longer; or gaps where tasks have done nothing."""
    array, written = touched.array, bool(touched.written[0])
    cover = _Cover(touched.pieces, array.key)
    gaps, sizes = cover.odd_gaps, cover.sizes
    length = (cover.begin - cover.before)[gaps]
    if not len(gaps) or is_staircase(length):
        return None
    beside = np.minimum(sizes[gaps], np.where(gaps, sizes[gaps - 1], sizes[gaps]))
    holes = length * _HOLE <= beside
    if 2 * holes.sum() > len(gaps):
        at, places = int(gaps[holes][0]), int(holes.sum())
        size = int(length[holes].sum())
        return _Lost(written, int(cover.before[at]), size, places, int(cover.row[at]), places <= _FEW_HOLES)
    share, few = touched.idle, len(gaps) <= _MOST_GAPS
    missing = (int(length.sum()) + array.end - int(cover.reached[-1])) / array.bytes
    some = 0 < share <= _SOME and (few or (written and share / 2 < missing < share * 2))
    pieces = share > _SOME and written and len(sizes) >= _MANY * len(gaps) and not (length % beside).any()
    if some or pieces:
        return _Lost(written, int(cover.before[gaps[0]]), int(length[0]), row=cover.last, sure=some and few)
    return None


def _idle_part(touched: Touched) -> _Lost | None:
    """The untouched part of an array that is read and written: about the share of the tasks that do nothing."""
    array, share = touched.array, touched.idle
    cover = _Cover(touched.pieces, array.key)
    end = int(cover.reached[-1])
    missing = np.append(np.maximum(cover.begin - cover.before, 0), max(array.end - end, 0))
    places, size = int((missing > 0).sum()), int(missing.sum())
    if share > _SOME or not share / 2 < size / array.bytes < share * 2 or places > _FEW_HOLES:
        return None
    at = int(np.argmax(missing))
    key = int(cover.before[at]) if at < len(cover.row) else end
    return _Lost(True, key, size, places, int(cover.row[min(at, len(cover.row) - 1)]), sure=False)


def _rest_in_place(touched: Touched) -> _Lost | None:
    """The end of an array that is read and written, of which the launch has been told how long it is.

    All before it is read, and all of that written.
    """
    array, pieces = touched.array, touched.pieces
    read, made = (_Cover(pieces.chosen(chosen), array.key) for chosen in (~touched.written, touched.written))
    end = int(made.reached[-1])
    tail = array.end - end
    if not array.told or len(read.gaps) or len(made.gaps) or int(read.reached[-1]) != end or not tail:
        return None
    return _Lost(True, end, tail, row=made.last, sure=tail < int(made.sizes.max()))


def _holes(touched: Touched) -> _Lost | None:
    """Holes of an element or two between written pieces, but for those that fills have written.

    There are no larger ones, or, where pieces are read, these have the holes.
    """
    log, pieces, written = touched.log, touched.pieces, touched.written
    fills = log.which(lambda op: len(op.operands) == 1, log.owners[pieces.row])
    if (written & ~fills).sum() < 2:
        return None
    made, seen = pieces.chosen(written & ~fills), pieces.chosen(~written)
    cover = _Cover(made, int(made.begin[0]))
    gaps = cover.odd_gaps
    reached, length = cover.before[gaps], (cover.begin - cover.before)[gaps]
    holes = (length <= _ELEMENT) & (2 * length <= np.minimum(cover.sizes[gaps], cover.sizes[gaps - 1]))
    if len(seen.row):
        furthest = np.maximum.accumulate(seen.end)[np.searchsorted(seen.begin, reached, side="right") - 1]
        holes &= (seen.begin[0] <= reached) & (furthest >= cover.begin[gaps])
    elif not holes.all():
        return None
    if not holes.any() or length[holes].min() != length[holes].max():
        return None
    at, size = int(gaps[holes][0]), int(length[holes].sum())
    return _Lost(True, int(cover.before[at]), size, int(holes.sum()), int(cover.row[at]), sure=False)
