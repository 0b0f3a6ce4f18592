"""Writes the records of a launch into one growing buffer and turns it into a `Log`."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import struct
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..chip import Shape
from ..structures import header
from .log import OPERAND, RECORD, Log, Op
from .post import Post
from .region import Location
from .runs import table_of_runs

_ROWS = header("log_rows.h")
#: A row while the kernel runs: the source is still a program counter.
RAW = _ROWS.dtype("mlusim_row")
#: Operands that a row of the buffer has room for; an instruction with more takes further rows.
ROOM: int = RAW["operands"].shape[0]
ROW = RAW.itemsize
#: Flag of a row that only holds operands of the row before it.
_CONTINUED = 128
#: Flag of a row of native code's that says of what shape the operands of the row before it are, and such a row.
_SHAPE = int(_ROWS.enumeration("mlusim_row_kind", "MLUSIM_").SHAPE)
_SHAPE_ROW = _ROWS.dtype("mlusim_shape_row")
_ROOM_AT_FIRST, _MOST_KEPT = ROW << 10, ROW << 15  # bytes of the buffer, and those that it keeps for the next launch
#: Bytes at the end of a buffer that may not become longer: rows that are counted come and go there.
_SPARE = ROW * 512
_HEAD_BYTES = ROW - ROOM * OPERAND.itemsize
#: A row of so many operands, these as bytes, and those that are not in use: NumPy would copy one field after the other.
_TOGETHER = [
    np.dtype([("head", f"V{_HEAD_BYTES}"), ("held", f"V{used}"), ("rest", f"V{ROW - _HEAD_BYTES - used}")])
    for used in range(0, (ROOM + 1) * OPERAND.itemsize, OPERAND.itemsize)
]
#: Bytes of the rows of a launch that are worth remembering, since launch after launch has the same; how many launches.
_SHORT, _REMEMBERED = 1 << 14, 64
#: Rows that are turned into records at a time: few enough that the processor has them at hand; whose operands are.
_CHUNK, _PACKED = 1 << 12, 1 << 14
#: What tables of the log are made of, by their places in them.
_LOOKED_UP = ("op", "pipe", "pc")

#: Gaps, flags and pieces of a record, by the counts and strides of its operands.
Shaped = Callable[..., tuple[int, int, list[tuple[Any, ...]]]]

_HEAD = "<HBBIIIqQ"
#: ``PACK[n](buffer, at, op, pipe, flags, core, task, gaps, pc, work, key0, bytes0, ...)`` writes a row of n operands
#: that lie in no lanes.
PACK = tuple(struct.Struct(_HEAD + "QQ4x" * n).pack_into for n in range(ROOM + 1))
#: The same with first lane and lanes of each.
PACK_LANES = tuple(struct.Struct(_HEAD + "QQHH" * n).pack_into for n in range(ROOM + 1))


class Recorder:
    """The rows of one launch. ``at`` is where the next row goes; ``limit`` is the end of the buffer.

    Of a launch with more rows than the buffer may have, the first are kept, and ``left_out`` counts the others.

    ``pieces`` says of operands which touch some bytes between their first and last: place of the row, number of the
    operand, and of arrays at strides their rows of the table of runs (`strided_rows`); of rows anywhere their distances
    from a byte, and their bytes. ``shapes`` are functions for rows of native code that say of what shape the record
    before them is, by its counts and strides: its gaps, flags and pieces, these by numbers of operands.
    """

    __slots__ = (
        "_counts", "_kept", "_keys", "_known", "_long", "_most", "_ops", "_pipes", "at", "buffer", "left_out", "limit",
        "pieces", "scalar", "shapes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.buffer, self.at, self.limit = _pages(_ROOM_AT_FIRST), 0, _ROOM_AT_FIRST
        self._ops: dict[Op, int] = {}
        self._keys: list[str] = []  # of the instructions, in order: tables of logs are sorted by them
        self._counts: list[int] = []  # of their operands
        self._pipes: dict[str, int] = {}
        self._known: dict[tuple[Hashable, bytes], Log] = {}  # short logs by image and rows
        self._long = False  # whether a record of this launch has more than one row
        self._most = self._kept = self.left_out = 0
        self.pieces: list[tuple[Any, ...]] = []
        self.shapes: list[Shaped] = []
        # The instructions whose rows have a stride and the bytes of an access in place of a second operand; where it
        # has no bytes, no more than its bounds is known.
        self.scalar: set[int] = set()

    def __len__(self) -> int:
        return self.at // ROW

    def begin(self, most: int = 0) -> None:
        """A launch begins, with so many rows at most (0: any number): drop what one that broke off has left."""
        self.at, self._long, self._kept, self.left_out = 0, False, 0, 0
        self._most = max(ROW * most + _SPARE, _ROOM_AT_FIRST) if most else 0
        if most and self.limit > self._most:
            self.buffer, self.limit = _pages(_ROOM_AT_FIRST), _ROOM_AT_FIRST
        self.pieces.clear()

    def grow(self) -> int:
        """Make room: the buffer doubles, as far as it may. Where the next row goes."""
        size = min(2 * self.limit, self._most or 2 * self.limit)
        if size <= self.limit:
            self._leave_out()
            return self.at
        try:
            self.buffer.resize(size)
        except BufferError:  # the traceback of a launch that was interrupted still holds its rows
            kept, self.buffer = self.buffer, _pages(size)
            self.buffer[: self.limit] = kept[:]
        self.limit = size
        return self.at

    def _leave_out(self) -> None:
        """Take back the rows behind those that are kept."""
        if not self._kept:
            self._kept = self._most - _SPARE
            while self._long and np.frombuffer(self.buffer, RAW, 1, self._kept)["flags"][0] & _CONTINUED:
                self._kept -= ROW
        self.left_out += (self.at - self._kept) // ROW
        self.at = self._kept
        while self.pieces and self.pieces[-1][0] >= self._kept:
            self.pieces.pop()

    def shorten(self, most: int) -> None:
        """Keep so many rows at most, the first."""
        if len(self) > most:
            self._most, self._kept = ROW * most + _SPARE, 0
            self._leave_out()

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

    def add_shape(self, shape: Shaped) -> int:
        """The number of a function among `shapes`."""
        self.shapes.append(shape)
        return len(self.shapes) - 1

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

    def write_rows(self, rows: bytes | ctypes.Array[ctypes.c_char]) -> None:
        """Append the bytes of whole rows, some of which may say of what shape the record before them is."""
        begin = 0
        if self.shapes:
            raw, shaped = (np.frombuffer(memoryview(rows), kind) for kind in (RAW, _SHAPE_ROW))
            for at in np.flatnonzero(raw["flags"] == _SHAPE).tolist():
                row, numbers = raw[at - 1], shaped["numbers"][at].tolist()
                row["gaps"], flags, pieces = self.shapes[int(shaped["work"][at])](*numbers)
                row["flags"] |= flags
                with memoryview(rows) as given:
                    self._append(given[begin : at * ROW])
                self.pieces += [(self.at - ROW, *piece) for piece in pieces]
                begin = (at + 1) * ROW
        with memoryview(rows) as given:
            self._append(given[begin:])

    def _append(self, given: memoryview) -> None:
        for begin in range(0, given.nbytes, _SPARE):
            part = given[begin : begin + _SPARE]
            while self.at + part.nbytes > self.limit:
                self.grow()
            self.buffer[self.at : self.at + part.nbytes] = part
            self.at += part.nbytes

    def finish(
        self,
        locate: Callable[[list[int]], list[Location]],
        shape: Shape,
        device: str,
        launch: dict[str, Any],
        image: Hashable = None,
    ) -> Log:
        """The log; the rows are gone then. Tables are sorted, so that equal work gives equal logs.

        Where an ``image`` is given, `locate` says the same of the same counters for as long as it is that.
        """
        if self._kept:
            self._leave_out()
            launch = launch | {"left_out": self.left_out}
        if image is None or self.at > _SHORT or self.pieces:
            log = self._log(locate, shape, device, launch)
        else:
            known = image, bytes(self.buffer[: self.at])
            if known not in self._known:
                if len(self._known) == _REMEMBERED:
                    self._known.clear()
                self._known[known] = made = self._log(locate, shape, device, {})
                for rows in (made.records, made.operands, made.runs):
                    rows.flags.writeable = False  # the logs of many launches have them
            log = self._known[known].sharing(launch=launch)
        if self.limit > _MOST_KEPT:
            self.buffer, self.limit = _pages(_ROOM_AT_FIRST), _ROOM_AT_FIRST
        self.begin()
        return log

    def _log(
        self, locate: Callable[[list[int]], list[Location]], shape: Shape, device: str, launch: dict[str, Any]
    ) -> Log:
        """The log of the rows that are there."""
        raw = np.frombuffer(self.buffer, RAW, len(self))
        pieces = [(at // ROW, *piece) for at, *piece in self.pieces]
        if any(op.message for op in self._ops):
            raw, pieces = self._sends_first(raw, pieces)
        records = np.zeros(len(raw), RECORD)
        columns = [np.empty(len(raw), RAW[name]) for name in _LOOKED_UP]
        for part in _parts(len(raw), _CHUNK):
            rows, made = raw[part], records[part]
            for name in ("flags", "core", "task", "work", "gaps"):
                made[name] = rows[name]
            for name, column in zip(_LOOKED_UP, columns, strict=True):
                column[part] = rows[name]
        counts = np.array(self._counts or [0], np.uint32)
        held = counts.take(columns[0], mode="clip")  # operands of the record that every row belongs to
        whole = (records["flags"] & _CONTINUED) == 0 if self._long else slice(None)
        records, (op, pipe, pc) = records[whole], (column[whole] for column in columns)
        records["first"] = np.add.accumulate(held[whole], dtype=np.uint32) - held[whole]
        if isinstance(whole, np.ndarray):  # how many rows a row continues decides which operands of its record it has
            part_of = np.arange(len(raw)) - np.flatnonzero(whole)[np.cumsum(whole) - 1]
            held = np.clip(held.astype(np.int64) - part_of * ROOM, 0, ROOM)
        operands = _packed(raw, held)
        runs = table_of_runs(raw, columns[0], held, self.scalar, pieces)
        ops, records["op"] = _table(list(self._ops), self._keys, op)
        pipes, records["pipe"] = _table(list(self._pipes), list(self._pipes), pipe)
        begun = _begun(pc)
        counters = _distinct(pc[begun])
        found = locate(counters.tolist())
        places = [(location.file, location.line) for location in found]
        known = dict(zip(places, found, strict=True))
        ordered = sorted(known)
        number = {place: index for index, place in enumerate(ordered)}
        numbers = np.array([number[place] for place in places] or [0], np.uint32)
        records["loc"] = np.repeat(numbers[counters.searchsorted(pc[begun])], np.diff(begun, append=len(pc)))
        locations = tuple([known[place] for place in ordered])
        return Log(records, operands, tuple(ops), tuple(pipes), locations, shape, device, launch, runs)

    def _sends_first(self, raw: np.ndarray, pieces: list[Any]) -> tuple[np.ndarray, list[Any]]:
        """The rows, and what is said of their operands, with every message sent before the wait for it."""
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


def _parts(count: int, each: int) -> Iterator[slice]:
    """Rows that are gone through together."""
    return (slice(begin, begin + each) for begin in range(0, count, each))


def _packed(raw: np.ndarray, used: np.ndarray) -> np.ndarray:
    """The operands in use of all rows, one after the other; ``used`` says how many each row has."""
    ends = np.add.accumulate(used, dtype=np.int64)
    operands = np.empty(int(ends[-1]) if len(ends) else 0, OPERAND)
    for each in range(1, ROOM + 1):  # those of a row are copied together
        if each > len(operands):
            break
        kind, places = _TOGETHER[each], len(operands) - each + 1
        target = np.ndarray(places, kind["held"], operands, strides=OPERAND.itemsize)  # wherever they may begin
        for part in _parts(len(raw), _PACKED):
            rows = np.flatnonzero(used[part] == each)
            if len(rows):
                target[ends[part][rows] - each] = raw[part].view(kind)["held"][rows]
    return operands


def _pages(size: int) -> mmap.mmap:
    """Zeroed bytes that can become more without being copied."""
    pages = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a system may have small pages alone
            pages.madvise(mmap.MADV_HUGEPAGE)  # the first touch of a page takes longer than the rows on it
    return pages


def _begun(column: np.ndarray) -> np.ndarray:
    """Where runs of equal values begin."""
    return np.flatnonzero(np.concatenate(([True], column[1:] != column[:-1]))[: len(column)])


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
    return [entries[entry] for entry in used], numbers.take(column, mode="clip")
