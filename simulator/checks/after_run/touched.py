"""The arrays of a launch, and what its tasks touch of each: what advice on arrays reads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....isa.cached import cached_property
from ...findings import Finding, rules
from ...flow import Accesses, Pieces, distinct, read_operands
from ...log import LOAD, RESULT, STORE, Log
from .. import SHAPE_ENTRIES
from .given import Given

#: Parts that the pieces of an array make of each other, at most.
_MOST_PARTS = 1 << 23


@dataclass(frozen=True)
class Touched:
    """An array of the device by the pieces of it that operands touch, in the order of their first bytes.

    ``all_pieces`` are those of all device memory, ``arrays`` all arrays of the launch.
    """

    log: Log
    array: Given
    pieces: Pieces
    all_pieces: Pieces
    arrays: Sequence[Given]

    @cached_property
    def records(self) -> np.ndarray:
        """The record of each piece, int64 [pieces]."""
        chosen: np.ndarray = self.log.owners[self.pieces.row]
        return chosen

    @cached_property
    def written(self) -> np.ndarray:
        """Whether each piece is written, bool [pieces]."""
        chosen: np.ndarray = self.log.operand_written[self.pieces.row]
        return chosen

    @cached_property
    def made(self) -> bool | None:
        """Whether all pieces are written, and the kernel may write them, or all are read; None for anything else."""
        if not len(self.written) or (self.written != self.written[0]).any():
            return None
        made = bool(self.written[0])
        return None if made and not self.array.output else made

    @cached_property
    def by_scalars(self) -> np.ndarray:
        """Whether each piece is what scalar code has touched, element after element, bool [pieces]."""
        return self.log.which(lambda op: op.name in (LOAD, STORE), self.records)

    @cached_property
    def times_by_scalars(self) -> int:
        """How often scalar code has touched an element, where nothing else has; else 0."""
        records = distinct(self.records)
        return int(self.log.records["work"][records].sum()) if self.by_scalars.all() else 0

    @cached_property
    def is_added_to(self) -> bool:
        """Whether an instruction adds to what the array holds; where it does, may well depend on data."""
        log, rows = self.log, self.pieces.row[self.written]
        records = log.records[log.owners[rows]]
        operands = {*zip(records["op"].tolist(), (rows - records["first"]).tolist(), strict=True)}
        return any(number in read_operands(log.shape.isa, log.ops[op]) for op, number in operands)

    @cached_property
    def tasks(self) -> np.ndarray:
        """The task of each piece, int64 [pieces]."""
        chosen: np.ndarray = self.log.records["task"][self.records].astype(np.int64)
        return chosen

    @cached_property
    def is_whole(self) -> bool:
        """Whether all of its bytes are touched, in one way and by no fill: nothing of it is left out."""
        if not len(self.written) or (self.written != self.written[0]).any():
            return False
        if self.log.which(lambda op: len(op.operands) == 1 and op.name != STORE, self.records).any():
            return False
        return not len(gaps_in(self.pieces, self.array).at)

    @property
    def is_overwritten(self) -> bool:
        """Whether all of its bytes are written and none is read."""
        return len(self.written) > 0 and bool(self.written.all()) and not len(gaps_in(self.pieces, self.array).at)

    @cached_property
    def is_made(self) -> bool:
        """Whether it is written, and no byte is read that is not written before: what it held plays no part."""
        pieces, written = self.pieces, self.written
        if not written.any():
            return False
        edges = np.unique(np.concatenate((pieces.begin, pieces.end)))
        first, end = (np.searchsorted(edges, one) for one in (pieces.begin, pieces.end))
        count = end - first
        if int(count.sum()) > _MOST_PARTS:
            return False
        part = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count - first, count)
        at, writes = np.repeat(self.records, count), np.repeat(written, count)
        made = np.full(len(edges), len(self.log), np.int64)
        np.minimum.at(made, part[writes], at[writes])
        return bool((made[part[~writes]] < at[~writes]).all())

    @property
    def others(self) -> Iterator[Given]:
        """The other arrays of the launch."""
        return (other for other in self.arrays if other.key != self.array.key)

    @property
    def in_a_block(self) -> bool:
        """Whether the array is a member of a structure: which of them a kernel writes is unknown."""
        return "." in self.array.title

    @property
    def nothing_written(self) -> bool:
        """Whether the launch writes nothing at all."""
        return not self.log.operand_written[self.all_pieces.row].any()

    @property
    def is_written_elsewhere(self) -> bool:
        """Whether all that the launch writes are arrays that it reads, too, of which one is like this one."""
        pieces = [(other, pieces_in(self.all_pieces, other).row) for other in self.others]
        written = [(other, rows) for other, rows in pieces if self.log.operand_written[rows].any()]
        in_place = all(not self.log.operand_written[rows].all() for _, rows in written)
        return in_place and any(
            (self.array.count, self.array.dtype) == (other.count, other.dtype) for other, _ in written
        )

    @property
    def says_lengths(self) -> bool:
        """Whether an array holds nothing but lengths and strides of others, which not every way of a kernel needs."""
        array, lengths = self.array, {0, 1}
        if array.dtype.kind not in "iu" or array.count > SHAPE_ENTRIES:
            return False
        for other in self.others:
            lengths |= {*other.shape, *(math.prod(other.shape[at:]) for at in range(len(other.shape)))}
        return lengths.issuperset(array.contents().reshape(-1).tolist())

    def leaves_count(self, bytes: int) -> bool:
        """Whether a short array of whole numbers that the launch writes says how many elements so many bytes are.

        It is that of a list which the launch has made.
        """
        elements = bytes / self.array.dtype.itemsize
        short = (one for one in self.others if one.dtype.kind in "iu" and one.count <= SHAPE_ENTRIES)
        return any(self.writes(one) and bool((one.contents() == elements).any()) for one in short)

    def writes(self, array: Given) -> bool:
        """Whether the launch writes to an array of its arrays."""
        return bool(self.log.operand_written[pieces_in(self.all_pieces, array).row].any())

    @property
    def idle(self) -> float:
        """The share of tasks that have not used the device's memory.

        One that has looked at something there may have had its reason to write nothing.
        """
        busy = len(distinct(self.log.records["task"][self.log.owners[self.all_pieces.row]]))
        return float(1 - busy / self.log.tasks)

    def at(self, finding: Finding, row: int, key: int, bytes: int) -> Finding:
        """A finding about bytes that an operand touches, or that lie beside it; -1 for no operand."""
        log, region = self.log, self.log.region(key, bytes)
        if row < 0:
            return finding.but(kernel=log.kernel, region=region)
        record = int(log.owners[row])
        return finding.at(log, record, instruction=log.op(record).title, region=region)

    def left_out(self, written: bool | None, sure: bool, begin: int, bytes: int, places: int, row: int) -> Finding:
        """The finding of so many bytes of the array, in so many places, the first of which is the byte ``begin``.

        ``written`` and ``sure`` are as in `rules.left_out.untouched`; ``row`` is an operand beside them, -1 for none.
        """
        array = self.array
        said = rules.left_out.untouched(written, sure, array.name, array.bytes, bytes, begin, places)
        return self.at(said, row, array.key + begin, bytes if places == 1 else array.bytes - begin)


def touched_arrays(log: Log, given: Iterable[Given]) -> Iterator[Touched]:
    """The arrays that were given, but empty ones; none where too many pieces are touched.

    Where the log of blocks of threads does not say it to the byte: those alone that write nothing.
    """
    arrays = [array for array in given if array.bytes]
    if not arrays:
        return
    pieces = log.known((touched_arrays, log.kind), lambda: _pieces(log))
    if pieces is None:
        return
    for array in arrays:
        yield Touched(log, array, pieces_in(pieces, array), pieces, arrays)


def _pieces(log: Log) -> Pieces | None:
    """The pieces of device memory that a log says to be touched, in order; None where it does not, or too many."""
    accesses = Accesses(log)
    if not log.exact and log.operand_written[accesses.on_device].any():
        return None
    pieces = accesses.pieces(np.flatnonzero(accesses.on_device & (log.operands["bytes"] > 0)))
    return None if pieces is None else pieces.by_place()


class Gaps(NamedTuple):
    """What pieces leave out of an array, int64 [gaps].

    It is how many pieces begin before each gap, its first key and the one after its last.
    """

    at: np.ndarray
    begin: np.ndarray
    end: np.ndarray

    @property
    def missing(self) -> int:
        """Bytes of all gaps."""
        return int((self.end - self.begin).sum())


def gaps_in(pieces: Pieces, array: Given) -> Gaps:
    """What pieces of an array, in the order of their first bytes, leave out of it."""
    begin = np.append(array.key, np.maximum.accumulate(pieces.end))
    end = np.append(pieces.begin, array.end)
    at = np.flatnonzero(end > begin)
    return Gaps(at, begin[at], end[at])


def is_staircase(lengths: np.ndarray) -> bool:
    """Whether of several gaps no two that follow each other are as long: the ends of rows of a triangle are not."""
    return len(lengths) > 2 and bool((lengths[1:] != lengths[:-1]).all())


def pieces_in(pieces: Pieces, array: Given) -> Pieces:
    """Those of an array, of pieces in the order of their first bytes."""
    return pieces.chosen(slice(*np.searchsorted(pieces.begin, (array.key, array.end))))


def depends_on_data(touched: Touched) -> bool:
    """Whether a task has looked at a number before it has touched the last of the array."""
    log, records = touched.log, touched.records
    looks = np.flatnonzero(log.which(lambda op: op.name == LOAD) | (log.records["flags"] & RESULT > 0))
    tasks = log.records["task"]
    first = np.full(int(tasks.max(initial=0)) + 1, len(log), np.int64)
    np.minimum.at(first, tasks[looks], looks)
    return bool((first[tasks[records]] < records).any())
