"""Which bytes of memory the operands of a log touch, piece by piece."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...isa.cached import cached_property
from ..log import REQUEST, Log
from ..log.region import offset_numbers
from .ranges import Ranges, Span, merged

#: Pieces that are told apart at once.
_MOST = 1 << 22


class Pieces(NamedTuple):
    """Bytes that lie together, int64 [n]: the row of their operand, the first key and the one after the last."""

    row: np.ndarray
    begin: np.ndarray
    end: np.ndarray

    def chosen(self, which: np.ndarray | slice) -> Pieces:
        """Some of them, or all in another order."""
        return Pieces(*(column[which] for column in self))

    def by_place(self) -> Pieces:
        """In the order of their first bytes."""
        return self.chosen(np.argsort(self.begin, kind="stable"))


class Accesses:
    """The operands of a log by the bytes that they touch; ``rows`` are rows of the operand table, in order."""

    def __init__(self, log: Log) -> None:
        self.log = log

    @cached_property
    def _cut(self) -> frozenset[int]:
        """Rows of which not all bytes are touched."""
        return frozenset(self.log.runs["operand"].tolist())

    @cached_property
    def on_device(self) -> np.ndarray:
        """Whether every row of the operand table is one of device memory, bool [operands]."""
        device = next(n for n, space in enumerate(self.log.shape.spaces.values()) if space.scope == "device")
        chosen: np.ndarray = (self.log.operand_spaces == device) & self.told
        return chosen

    @cached_property
    def told(self) -> np.ndarray:
        """Whether every row of the operand table says what is touched, bool [operands].

        Transactions move more than that, where requests beside them say it.
        """
        log = self.log
        if not (log.kind.transactions and log.exact):
            return np.ones(len(log.operands), bool)
        return log.which(lambda op: op.name == REQUEST, log.owners)

    def pieces(self, rows: np.ndarray) -> Pieces | None:
        """The pieces that operands touch; None where there are too many.

        Of an operand of which only the bounds are known all counts.
        """
        if not len(self.log.runs):  # most often
            return self.bounds(rows) if len(rows) <= _MOST else None
        return _pieces_of(self.log, rows)

    def bounds(self, rows: np.ndarray) -> Pieces:
        """Operands as one piece each, from the first byte of each to its last."""
        key = self.log.operands["key"][rows]
        return Pieces(rows, key.astype(np.int64), (key + self.log.operands["bytes"][rows]).astype(np.int64))

    def spans(self, row: int) -> list[Span]:
        """The pieces of an operand, in the order of their addresses."""
        runs = self.log.runs[self.log.runs["operand"] == row] if row in self._cut else self.log.runs[:0]
        found = _expanded(self.log, runs) if len(runs) else None
        if found is None:
            key, size, lane, lanes = self.log.operands[row].tolist()
            return [Span(key, key + size, lane, lanes)]
        of, begin, end = found
        columns = (begin, end, runs["lane"][of], runs["lanes"][of])
        return sorted(Span(*piece) for piece in zip(*(column.tolist() for column in columns), strict=True))

    @cached_property
    def touched(self) -> tuple[Ranges, Ranges]:
        """What is read and what is written of device memory, by offsets in it.

        It is every piece of an operand, or its first byte alone where the pieces are not known or too many.
        """
        rows = np.flatnonzero(self.on_device)
        vague = np.isin(rows, self.log.runs["operand"][self.log.runs["run"] == 0])
        known = self.pieces(rows[~vague])
        if known is None:
            vague = np.isin(rows, self.log.runs["operand"])
            known = self.bounds(rows[~vague])
        _, first, _ = self.bounds(rows[vague])
        row, begin, end = map(np.concatenate, zip(known, (rows[vague], first, first + 1), strict=True))
        start = offset_numbers(begin.astype(np.uint64))
        ranges = np.stack([start, start + end - begin], axis=1)[end > begin]
        written = self.log.operand_written[row][end > begin]
        return merged(ranges[~written]), merged(ranges[written])

    @cached_property
    def is_known(self) -> bool:
        """Whether what is touched is known to the byte."""
        return not (self.log.runs["run"] == 0).any()

    @cached_property
    def stored(self) -> int:
        """The bytes that tasks store in device memory, all times counted; 0 where that is unknown."""
        pieces = self.pieces(np.flatnonzero(self.on_device & self.log.operand_written))
        return 0 if pieces is None else int((pieces.end - pieces.begin).sum())


def _pieces_of(log: Log, rows: np.ndarray) -> Pieces | None:
    whole = rows[~np.isin(rows, log.runs["operand"])]
    key = log.operands["key"][whole]
    runs = log.runs[np.isin(log.runs["operand"], rows)]
    found = _expanded(log, runs, len(whole))
    if found is None:
        return None
    of, begin, end = found
    columns = (whole, key, key + log.operands["bytes"][whole]), (runs["operand"][of], begin, end)
    return Pieces(*(np.concatenate(column).astype(np.int64) for column in zip(*columns, strict=True)))


def _expanded(log: Log, runs: np.ndarray, beside: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The pieces of rows of the table of runs: the row, the first key and the one after the last of each, in order.

    None where there are, with those ``beside``, too many.
    """
    counts = runs["count"].astype(np.int64).prod(axis=1)
    if counts.sum() + beside > _MOST:
        return None
    of = np.repeat(np.arange(len(runs)), counts)
    number = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    start = runs["start"][of].astype(np.int64)
    for axis in range(3):
        count = runs["count"][of, axis].astype(np.int64)
        start += number % count * runs["stride"][of, axis].astype(np.int64)
        number //= count
    operand = runs["operand"][of]
    key = log.operands["key"][operand] + start.astype(np.uint64)
    span = np.where(runs["run"][of] > 0, runs["run"][of], log.operands["bytes"][operand])
    return of, key, key + span.astype(np.uint64)
