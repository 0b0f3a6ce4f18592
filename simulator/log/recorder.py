"""Writes the records of a launch into one growing buffer and turns it into a `Log`."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..chip import Shape
from ..structures import header
from .log import OPERAND, RECORD, Log, Op
from .post import Post
from .region import Location
from .runs import table_of_runs

#: A row while the kernel runs: the source is still a program counter.
RAW = header("log_rows.h").dtype("mlusim_row")
#: Operands that a row of the buffer has room for; an instruction with more takes further rows.
ROOM: int = RAW["operands"].shape[0]
ROW = RAW.itemsize
#: Flag of a row that only holds operands of the row before it.
_CONTINUED = 128
_ROOM_AT_FIRST = ROW * 1024  # bytes of the buffer
#: Which operands of a row are in use, by how many it has, shape [ROOM + 1, ROOM].
_IN_USE = np.arange(ROOM) < np.arange(ROOM + 1)[:, None]
#: An operand as bytes: NumPy would copy one field after the other.
_WHOLE = np.dtype((np.void, OPERAND.itemsize))
#: Rows that are turned into records at a time, so that nothing as large as the log is needed beside it.
_CHUNK = 1 << 14

_HEAD = "<HBBIIIqQ"
#: ``PACK[n](buffer, at, op, pipe, flags, core, task, gaps, pc, work, key0, bytes0, ...)`` writes a row of n operands
#: that lie in no lanes.
PACK = tuple(struct.Struct(_HEAD + "QQ4x" * n).pack_into for n in range(ROOM + 1))
#: The same with first lane and lanes of each.
PACK_LANES = tuple(struct.Struct(_HEAD + "QQHH" * n).pack_into for n in range(ROOM + 1))


class Recorder:
    """The rows of one launch. ``at`` is where the next row goes; ``limit`` is the end of the buffer.

    ``pieces`` says of operands which touch some bytes between their first and last: place of the row, number of the
    operand, and of arrays at strides their rows of the table of runs (`strided_rows`); of rows anywhere their distances
    from a byte, and their bytes.
    """

    __slots__ = ("_counts", "_keys", "_long", "_ops", "_pipes", "at", "buffer", "limit", "pieces", "scalar")

    def __init__(self) -> None:
        self.buffer, self.at, self.limit = _pages(_ROOM_AT_FIRST), 0, _ROOM_AT_FIRST
        self._ops: dict[Op, int] = {}
        self._keys: list[str] = []  # of the instructions, in order: tables of logs are sorted by them
        self._counts: list[int] = []  # of their operands
        self._pipes: dict[str, int] = {}
        self._long = False  # whether a record of this launch has more than one row
        self.pieces: list[tuple[Any, ...]] = []
        self.scalar: set[int] = (
            set()
        )  # the instructions whose rows have a stride and the bytes of an access in place of
        # a second operand; where that many bytes are none, nobody knows more than the bounds

    def __len__(self) -> int:
        return self.at // ROW

    def begin(self) -> None:
        """A launch begins: drop what one that broke off has left."""
        self.at, self._long = 0, False
        self.pieces.clear()

    def grow(self) -> None:
        """Make room: the buffer doubles."""
        try:
            self.buffer.resize(2 * self.limit)
        except BufferError:  # the traceback of a launch that was interrupted still holds its rows
            kept, self.buffer = self.buffer, _pages(2 * self.limit)
            self.buffer[: self.limit] = kept[:]
        self.limit *= 2

    def op(self, op: Op) -> int:
        """The number of an instruction in this log."""
        if op not in self._ops:
            self._ops[op] = len(self._ops)
            self._keys.append(repr(op))
            self._counts.append(len(op.operands))
        return self._ops[op]

    def pipe(self, name: str) -> int:
        """The number of a pipe in this log."""
        return self._pipes.setdefault(name, len(self._pipes))

    def pipe_name(self, number: int) -> str:
        """The pipe with a number in this log."""
        return list(self._pipes)[number]

    def write(
        self, op: int, pipe: int, flags: int, core: int, task: int, pc: int, work: int,
        operands: Sequence[tuple[int, int, int, int]] = (), gaps: int = 0,
    ) -> None:  # fmt: skip
        """Append a record; ``operands`` are (key, bytes, first lane, lanes)."""
        if len(operands) > ROOM:
            self.write(op, pipe, flags, core, task, pc, work, operands[:ROOM], gaps)
            self.write(op, pipe, flags | _CONTINUED, core, task, pc, work, operands[ROOM:], gaps)
            self._long = True
            return
        if self.at == self.limit:
            self.grow()
        flat = operands[0] if len(operands) == 1 else [number for operand in operands for number in operand]
        PACK_LANES[len(operands)](self.buffer, self.at, op, pipe, flags, core, task, gaps, pc, work, *flat)
        self.at += ROW

    def rows(self, begin: int) -> np.ndarray:
        """A copy of the rows from a place of the buffer on."""
        return np.frombuffer(bytes(self.buffer[begin : self.at]), RAW).copy()

    def write_rows(self, rows: bytes) -> None:
        """Append whole rows."""
        while self.at + len(rows) > self.limit:
            self.grow()
        self.buffer[self.at : self.at + len(rows)] = rows
        self.at += len(rows)

    def finish(
        self,
        locate: Callable[[list[int]], list[Location]],
        shape: Shape,
        device: str,
        launch: dict[str, Any],
    ) -> Log:
        """The log; the rows are gone then. Tables are sorted, so that equal work gives equal logs."""
        raw = np.frombuffer(self.buffer, RAW, len(self))
        pieces = [(at // ROW, *piece) for at, *piece in self.pieces]
        if any(op.message for op in self._ops):
            raw, pieces = self._sends_first(raw, pieces)
        whole = (raw["flags"] & _CONTINUED) == 0 if self._long else slice(None)
        rows = raw[whole]
        records = np.zeros(len(rows), RECORD)
        for name in ("flags", "core", "task", "work", "gaps"):
            records[name] = rows[name]
        counts = np.array(self._counts or [0], np.uint32)
        held = counts[raw["op"]]  # operands of the record that every row belongs to
        records["first"] = np.add.accumulate(held[whole], dtype=np.uint32) - held[whole]
        if isinstance(whole, np.ndarray):  # how many rows a row continues decides which operands of its record it has
            part = np.arange(len(raw)) - np.flatnonzero(whole)[np.cumsum(whole) - 1]
            held = np.clip(held.astype(np.int64) - part * ROOM, 0, ROOM)
        operands = _packed(raw["operands"], held)
        runs = table_of_runs(raw, held, self.scalar, pieces)
        ops, records["op"] = _table(list(self._ops), self._keys, rows["op"])
        pipes, records["pipe"] = _table(list(self._pipes), list(self._pipes), rows["pipe"])
        counters = _distinct(rows["pc"])
        found = locate(counters.tolist())
        places = [(location.file, location.line) for location in found]
        known = dict(zip(places, found, strict=True))
        ordered = sorted(known)
        number = {place: index for index, place in enumerate(ordered)}
        numbers = np.array([number[place] for place in places] or [0], np.uint32)
        records["loc"] = numbers[counters.searchsorted(rows["pc"])]
        if self.limit > _ROOM_AT_FIRST:
            self.buffer, self.limit = _pages(_ROOM_AT_FIRST), _ROOM_AT_FIRST
        self.begin()
        locations = tuple([known[place] for place in ordered])
        return Log(records, operands, tuple(ops), tuple(pipes), locations, shape, device, launch, runs)

    def _sends_first(self, raw: np.ndarray, pieces: list[Any]) -> tuple[np.ndarray, list[Any]]:
        """The rows, and what is said of their operands, with every message sent before somebody has waited for it."""
        numbers = self._pipes

        def known(pipes: Iterable[str]) -> frozenset[int]:
            return frozenset(numbers[pipe] for pipe in pipes if pipe in numbers)

        kinds = [(op.message, known(op.waits), known(op.queues)) for op in self._ops]
        first = np.flatnonzero((raw["flags"] & _CONTINUED) == 0)
        order = Post(kinds, raw[first]).order()
        ends = np.append(first[1:], len(raw))
        rows = np.concatenate([np.arange(first[n], ends[n]) for n in order] or [first[:0]])
        place = dict(zip(rows.tolist(), range(len(rows)), strict=True))
        return raw[rows], [(place[row], *piece) for row, *piece in pieces if row in place]


def _packed(rooms: np.ndarray, used: np.ndarray) -> np.ndarray:
    """The operands in use of all rows, one after the other; ``rooms`` has shape [rows, ROOM]."""
    rooms = rooms.view(_WHOLE)
    operands, at = np.empty(int(used.sum()), _WHOLE), 0
    for begin in range(0, len(rooms), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        found = rooms[part][_IN_USE[used[part]]]
        operands[at : at + len(found)] = found
        at += len(found)
    return operands.view(OPERAND)


def _pages(size: int) -> mmap.mmap:
    """Zeroed bytes that can become more without being copied."""
    return mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _distinct(column: np.ndarray) -> np.ndarray:
    """The values of a column in order, each once. `np.unique` would import modules, which a worker cannot."""
    values = np.sort(column)
    first = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    found: np.ndarray = values[first]
    return found


def _table(entries: list[Any], keys: list[str], column: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """The entries in use, sorted by their keys, and the column renumbered for them."""
    used = np.bincount(column).nonzero()[0].tolist()
    used.sort(key=keys.__getitem__)
    numbers = np.zeros(max(len(entries), 1), column.dtype)
    for number, entry in enumerate(used):
        numbers[entry] = number
    return [entries[entry] for entry in used], numbers[column]
