"""What the bytes that a launch has written were made of: the log read backwards."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...isa import DIALECTS, Atomic, Copy, Instruction
from ...isa.cached import cached_property
from ..log import CROSSED, LOAD, RESULT, STORE, Log, Op
from .accesses import Accesses
from .ranges import Span
from .writers import Writers

#: Records that a trail has at most, pieces of an operand that are told apart, loads that scalar code stores.
_MOST_RECORDS, _MOST_PIECES, _MOST_LOADS = 2048, 16, 16
#: Records that are looked through for such loads.
_WINDOW = 1 << 12


class Made(NamedTuple):
    """A record that has had a part in some bytes, and what it read that no record before had written."""

    record: int
    taken: list[Span]


class History:
    """What the accesses of a log have made of what."""

    def __init__(self, log: Log) -> None:
        self._log, self._accesses = log, Accesses(log)
        self.writers = Writers(self._accesses)

    def trail(self, row: int, span: Span) -> Iterator[Made]:
        """The records that have had a part in the bytes ``span`` of an operand, the last first; ``row`` wrote them.

        Of a copy, and of what works element by element, it is known which bytes become which. Of any other instruction
        all that it reads has had a part, and what scalar code stores may be of all that its task has loaded last.
        """
        sources: dict[int, list[Span]] = {}
        records: list[int] = []  # a heap, the last record first: nothing comes to one that has been taken from it
        seen = set()

        def follow(record: int, spans: list[Span]) -> None:
            if record not in sources and len(sources) < _MOST_RECORDS:
                sources[record] = []
                heapq.heappush(records, -record)
            if record in sources:
                sources[record] += spans

        def follow_row(row: int, span: Span) -> None:
            if (row, span) not in seen:
                seen.add((row, span))
                record = int(self._log.owners[row])
                follow(record, self._sources(record, row, span))

        follow_row(row, span)
        while records:
            record = -heapq.heappop(records)
            taken = []
            for part in dict.fromkeys(sources[record]):
                writers = list(self.writers.before(record, part))
                for writer in writers:
                    follow_row(writer, part)
                if not writers:
                    taken.append(part)
            for load in self._loads(record):
                follow(load, self.reads(load))
            yield Made(record, taken)

    def reads(self, record: int) -> list[Span]:
        """All that a record reads; of a request all that its block does."""
        if self._log.kind.transactions:
            return self._read_by_block(int(self._log.records["task"][record]))
        op, first = self._log.op(record), int(self._log.records["first"][record])
        numbers = read_operands(self._log.shape.isa, op)
        return [span for number in numbers for span in self._whole(first + number)]

    def _read_by_block(self, task: int) -> list[Span]:
        rows, tasks = self._block_reads
        return [
            span for row in rows[slice(*np.searchsorted(tasks, (task, task + 1)))] for span in self._whole(int(row))
        ]

    @cached_property
    def _block_reads(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows of the operand table that blocks of threads read of arrays, in the order of blocks, and these."""
        rows = np.flatnonzero(self._accesses.on_device & ~self._log.operand_written)
        tasks = self._log.records["task"][self._log.owners[rows]].astype(np.int64)
        order = np.argsort(tasks, kind="stable")
        return rows[order], tasks[order]

    def _whole(self, row: int) -> list[Span]:
        """The bytes that an operand touches; the bounds of many pieces."""
        pieces = [piece for piece in self._accesses.spans(row) if piece.begin < piece.end]
        return pieces if len(pieces) <= _MOST_PIECES else [Span(pieces[0].begin, pieces[-1].end)]

    def _sources(self, record: int, row: int, span: Span) -> list[Span]:
        """The bytes that a record has read for some that it has written with an operand."""
        log, op = self._log, self._log.op(record)
        if log.kind.transactions:
            return [*self.reads(record), *([span] if op.is_atomic else [])]
        first = int(log.records["first"][record])
        rows = range(first, first + len(op.operands))
        placed = not log.records["flags"][record] & CROSSED
        sizes = _element_sizes(log.shape.isa, op.name, op.dtypes) if placed else {}
        written = op.operands[row - first]
        if written not in sizes:
            return self.reads(record)
        across = log.operands["lanes"][rows].any()
        found = []
        for number in read_operands(log.shape.isa, op):
            if across:
                found += self._in_its_lanes(row, span, first + number) or self._whole(first + number)
                continue
            pieces, size = self._accesses.spans(first + number), sizes[op.operands[number]]
            found += _same_place(self._accesses.spans(row), span, sizes[written], pieces, size)
        return found

    def _in_its_lanes(self, row: int, span: Span, other: int) -> list[Span]:
        """Where the elements of a span of one tensor lie in another whose pieces are as many in as many lanes."""
        mine, theirs = self._accesses.spans(row), self._accesses.spans(other)
        if [piece.lanes for piece in mine] != [piece.lanes for piece in theirs]:
            return []
        found = []
        for here, there in zip(mine, theirs, strict=True):
            low, high = max(here.begin, span.begin) - here.begin, min(here.end, span.end) - here.begin
            lane, last = max(here.lane, span.lane), min(here.lane + here.lanes, span.lane + span.lanes)
            if low < high and lane < last:
                size, length = here.end - here.begin, there.end - there.begin  # elements of another type are as many
                begin, end = there.begin + low * length // size, there.begin - (-high * length // size)
                found.append(Span(begin, end, there.lane + lane - here.lane, last - lane))
        return found

    @cached_property
    def _to_scalar(self) -> np.ndarray:
        """The records that give scalar code something: loads, and instructions with a result."""
        loads = self._log.which(lambda op: op.name == LOAD)
        return np.flatnonzero(loads | (self._log.records["flags"] & RESULT > 0))

    def _loads(self, record: int) -> list[int]:
        """The records whose values scalar code may have stored with a record."""
        if self._log.op(record).name != STORE:
            return []
        records = self._log.records
        mine = records[record]
        last = int(np.searchsorted(self._to_scalar, record))
        near = self._to_scalar[max(last - _WINDOW, 0) : last]
        own = (records["core"][near] == mine["core"]) & (records["task"][near] == mine["task"])
        found: list[int] = near[own][-_MOST_LOADS:].tolist()
        return found


def _same_place(made: list[Span], span: Span, size: int, pieces: list[Span], other: int) -> list[Span]:
    """Where the elements of a span, one of those of ``made``, lie in ``pieces``, which are repeated if they are fewer.

    Elements have ``size`` bytes in the one and ``other`` in the other.
    """
    count = sum(piece.end - piece.begin for piece in pieces) // other
    at, found = 0, []
    for piece in made:
        low, high = max(piece.begin, span.begin), min(piece.end, span.end)
        if low < high and count:
            begin = (at + low - piece.begin) // size
            length = -(-(at + high - piece.begin) // size) - begin
            if length >= count:
                return pieces
            begin %= count
            found += _cut_out(pieces, begin * other, min(begin + length, count) * other)
            found += _cut_out(pieces, 0, max(begin + length - count, 0) * other)
        at += piece.end - piece.begin
    return found


def _cut_out(pieces: list[Span], begin: int, end: int) -> list[Span]:
    """The bytes from ``begin`` to ``end`` of pieces, counted over all of them."""
    at, found = 0, []
    for piece in pieces:
        length = piece.end - piece.begin
        low, high = max(begin - at, 0), min(end - at, length)
        if low < high:
            found.append(Span(piece.begin + low, piece.begin + high))
        at += length
    return found


def _element_sizes(isa: str, name: str, dtypes: str) -> dict[str, int]:
    """Bytes of an element of each operand where elements stay in their places; none for any other instruction."""
    entries: list[Instruction] = list(DIALECTS[isa].named(name))
    names = [p.name for entry in entries for p in entry.prototype.memory]
    if entries and all(isinstance(entry.effect, Copy) for entry in entries):
        return dict.fromkeys(names, 1)
    if not all((e.lane_wise and not e.packs_bits) or isinstance(e.effect, Atomic) for e in entries):
        return {}
    sizes: dict[str, int] = {}
    for overload in (o for entry in entries for o in entry.overloads() if o.dtypes == dtypes):
        for p in overload.instruction.prototype.memory:
            if sizes.setdefault(p.name, overload.element(p).size) != overload.element(p).size:
                return {}
    return sizes


def read_operands(isa: str, op: Op) -> list[int]:
    """The numbers of the operands that an instruction reads, those that it adds to among them."""
    memory = [p for entry in DIALECTS[isa].named(op.name) for p in entry.prototype.memory]
    both = {p.name for p in memory if p.reads and p.writes}
    return [
        at for at, (name, written) in enumerate(zip(op.operands, op.writes, strict=True)) if not written or name in both
    ]
