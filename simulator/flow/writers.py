"""Who wrote which bytes last, at the end of a log or before one of its records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..log import STORE, Log
from ..log.region import offset_numbers
from .accesses import Accesses, Pieces
from .ranges import Span

#: Writers of the bytes of one span, and places of such, that are told apart.
_MOST_WRITERS, _MOST_PLACES = 256, 16
#: Rows that are looked through first.
_WINDOW = 1 << 12


class Writers:
    """The accesses of a log by what they write."""

    def __init__(self, accesses: Accesses) -> None:
        self._accesses, self._log = accesses, accesses.log
        written = accesses.bounds(
            np.flatnonzero(self._log.operand_written & accesses.told & ~_without_effect(self._log)[self._log.owners])
        )
        memory = _memory_of(written.begin)
        order = np.argsort(memory, kind="stable")
        starts = np.flatnonzero(np.diff(memory[order], prepend=-1))
        self._written = {  # by memory, in order
            int(memory[part[0]]): written.chosen(part) for part in np.split(order, starts[1:]) if len(part)
        }

    def last(self, begin: int, size: int, elements: np.ndarray) -> np.ndarray:
        """The row of the operand table that was the last to write each element, -1 for none; int64 [elements].

        Elements of ``size`` bytes are named by their numbers from the key ``begin`` on, in ascending order.
        """
        found = np.full(len(elements), -1, np.int64)
        written = self._of(begin)
        if written is None or not len(elements):
            return found
        keys = begin + elements * size
        near = written.row[(written.begin < keys[-1] + size) & (written.end > keys[0])]
        pieces = self._accesses.pieces(near)
        if pieces is None:  # too many: operands count as a whole
            pieces = self._accesses.bounds(near)
        row, first, last = pieces.chosen(np.argsort(pieces.row, kind="stable"))
        low, high = np.searchsorted(keys, first - size, "right"), np.searchsorted(keys, last, "left")
        for at in np.flatnonzero(high > low).tolist():
            found[low[at] : high[at]] = row[at]
        return found

    def last_of(self, begin: int, size: int, element: int) -> int:
        """The same of one element."""
        return int(self.last(begin, size, np.array([element]))[0])

    def before(self, record: int, span: Span) -> Iterator[int]:
        """The rows that were the last to write bytes of a span before a record, the last first."""
        written = self._of(span.begin)
        if written is None:
            return
        left, places, found = span.end - span.begin, set(), 0
        for row in self._backwards(written, int(self._log.records["first"][record]), span):
            pieces = [piece for piece in self._accesses.spans(row) if piece.meets(span)]
            if not pieces:
                continue
            writer = self._log.records[self._log.owners[row]]
            places.add((int(writer["op"]), int(writer["loc"])))
            found += 1
            yield row
            left -= sum(min(piece.end, span.end) - max(piece.begin, span.begin) for piece in pieces)
            if left <= 0 or len(places) > _MOST_PLACES or found == _MOST_WRITERS:
                return

    def _of(self, key: int) -> Pieces | None:
        """What is written in the memory that a byte is of."""
        return self._written.get(int(_memory_of(np.array([key]))[0]))

    @staticmethod
    def _backwards(written: Pieces, before: int, span: Span) -> Iterator[int]:
        """The rows, before one, that meet a span with their bounds, the last first."""
        high, window = int(np.searchsorted(written.row, before)), _WINDOW
        while high:
            low = max(high - window, 0)
            meets = (written.begin[low:high] < span.end) & (written.end[low:high] > span.begin)
            yield from written.row[low + np.flatnonzero(meets)[::-1]].tolist()
            high, window = low, 4 * window


def _memory_of(keys: np.ndarray) -> np.ndarray:
    """The memories that keys are of, int64: the keys of their first bytes."""
    memories: np.ndarray = keys - offset_numbers(keys.astype(np.uint64))
    return memories


def _without_effect(log: Log) -> np.ndarray:
    """The records whose stores do not reach memory, bool [records]: a memory core's own, on chips where it has none."""
    if log.shape.memory_core_stores or not any(op.name == STORE for op in log.ops):
        return np.zeros(len(log), bool)
    return log.which(lambda op: op.name == STORE) & (log.records["core"] >= log.shape.cores)
