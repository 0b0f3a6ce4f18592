"""Writes the records of a launch into growing buffers and turns them into a `Log`."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import struct
from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..chip import Shape
from ..structures import header
from .log import OPERAND, RECORD, SHORT, Log, Op, parts
from .post import Post
from .region import Location
from .runs import table_of_runs

#: Counts and strides of the operands of a record of native code's.
SHAPE = header("log_rows.h").dtype("mlusim_shape")
ROW, HELD = RECORD.itemsize, OPERAND.itemsize
_ROOM_AT_FIRST, _MOST_KEPT = 1 << 16, 1 << 23  # bytes of a buffer, and those that it keeps for the next launch
#: Bytes behind the records that a launch may have: there they come and go when they are counted.
_SPARE = ROW << 12
#: Short logs that are remembered.
_REMEMBERED = 64

#: Gaps, flags and pieces of a record, by the counts and strides of its operands.
Shaped = Callable[..., tuple[int, int, list[tuple[Any, ...]]]]
#: Bytes of whole rows.
Buffer = bytes | bytearray | ctypes.Array[ctypes.c_char]

#: ``pack_record(pages, at, flags, core, task, site, work, gaps)`` writes a record; `Recorder.finish` fills in the rest.
pack_record = struct.Struct("<3xBHIIQ4xI").pack_into


@cache
def operand_packer(count: int, lanes: bool) -> Callable[..., None]:
    """A function that writes so many operands, of (pages, at, key, bytes, ...), or (..., first lane, lanes) of each."""
    return struct.Struct("<" + ("QQHH" if lanes else "QQ4x") * count).pack_into


class RowBuffer:
    """Rows of one kind, as bytes: ``at`` is where the next one goes, ``limit`` is the end of what there is room for."""

    __slots__ = ("at", "kind", "limit", "pages")

    def __init__(self, kind: np.dtype) -> None:
        self.kind, self.pages = kind, _pages(_ROOM_AT_FIRST)
        self.at, self.limit = 0, _ROOM_AT_FIRST

    def grow(self, end: int) -> None:
        """Make room up to ``end``: the buffer doubles."""
        size = len(self.pages)
        while size < end:
            size *= 2
        if size > len(self.pages):
            try:
                self.pages.resize(size)
            except BufferError:  # the traceback of a launch that was interrupted still holds its rows
                kept, self.pages = self.pages, _pages(size)
                self.pages[: len(kept)] = kept[:]
        self.limit = size

    def append(self, given: Buffer) -> None:
        """Append the bytes of whole rows."""
        at, end = self.at, self.at + len(given)
        if end > len(self.pages):
            self.grow(end)
        self.pages[at:end] = given
        self.at = end

    def take(self) -> np.ndarray:
        """The rows, which are gone then: a large buffer goes with them, of another one they are a copy."""
        taken = np.frombuffer(self.pages, np.uint8, self.at)
        if len(self.pages) > _MOST_KEPT:
            self.pages = _pages(_ROOM_AT_FIRST)
        else:
            taken = taken.copy()
        self.at, self.limit = 0, len(self.pages)
        return taken.view(self.kind)


class _Places(dict[int, int]):
    """The numbers of the sites of an instruction on a pipe, by program counters; ``sites`` are those of all."""

    def __init__(self, sites: array[int], op: int, pipe: int) -> None:
        self._sites, self._op, self._pipe = sites, op, pipe

    def __missing__(self, pc: int) -> int:
        number = len(self._sites) // 3
        self._sites.extend((self._op, self._pipe, pc))  # Ctrl-C comes before it or after it
        self[pc] = number
        return number


class Recorder:
    """The rows of one launch: records, and the operands of all records one after the other.

    A record says by the number of a site which instruction it is, on which pipe and at which program counter; sites
    keep their numbers from launch to launch. Of a launch with more records than it may have, the first are kept, and
    ``left_out`` counts the others.

    ``pieces`` says of operands which touch some bytes between their first and last: place of the first operand of the
    record, number of the operand, and of arrays at strides their rows of the table of runs (`strided_rows`); of rows
    anywhere their distances from a byte, and their bytes. ``shapes`` are functions that make gaps, flags and pieces of
    the counts and strides of a record of native code's.
    """

    __slots__ = (
        "_counts", "_keys", "_known", "_messages", "_most", "_ops", "_pipes", "_places", "_runs", "_sites", "left_out",
        "operands", "pieces", "records", "shapes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.records, self.operands = RowBuffer(RECORD), RowBuffer(OPERAND)
        self._ops: dict[Op, int] = {}
        self._keys: list[str] = []  # of the instructions, in order: tables of logs are sorted by them
        self._counts = array("H")  # of their operands
        self._messages = False  # whether one of them sends or awaits a message
        self._pipes: dict[str, int] = {}
        self._sites = array("q")  # instruction, pipe and program counter of each
        self._places: dict[tuple[int, int], _Places] = {}  # the numbers of sites by instruction and pipe
        self._known: dict[Hashable, Log] = {}  # short logs by image and rows
        self._most = self.left_out = 0  # bytes of the records that are kept, 0 for any number
        self._runs: list[np.ndarray] = []  # rows of the table of runs, by operands of the launch
        self.pieces: list[tuple[Any, ...]] = []
        self.shapes: list[Shaped] = []
        self._set_limit()

    def __len__(self) -> int:
        return self.records.at // ROW

    def begin(self, most: int = 0) -> None:
        """A launch begins, with so many records at most (0: any number): drop what one that broke off has left."""
        self.records.at = self.operands.at = self.left_out = 0
        self._most = ROW * most
        self._set_limit()
        self.pieces.clear()
        self._runs.clear()

    def grow(self) -> int:
        """Make room for a record: the buffer doubles, as far as it may. Where the record goes."""
        if self._most and self.records.at >= self._most + _SPARE:
            self._leave_out()
        self.records.grow(self.records.at + ROW)
        self._set_limit()
        return self.records.at

    def _set_limit(self) -> None:
        """Records come up to here without being asked about; all of them are whole."""
        size = len(self.records.pages) // ROW * ROW
        self.records.limit = min(size, self._most + _SPARE) if self._most else size

    def _leave_out(self) -> None:
        """Take back the records behind those that are kept."""
        dropped = (self.records.at - self._most) // ROW
        sites = np.frombuffer(self.records.pages, RECORD, dropped, self._most)["loc"]
        held = np.array(self._counts).take(np.array(self._sites[::3])).take(sites)
        self.left_out += dropped
        self.records.at, self.operands.at = self._most, self.operands.at - int(held.sum()) * HELD
        while self.pieces and self.pieces[-1][0] >= self.operands.at:
            self.pieces.pop()
        while self._runs and int(self._runs[-1]["operand"][0]) * HELD >= self.operands.at:
            self._runs.pop()

    def shorten(self, most: int) -> None:
        """Keep so many records at most, the first."""
        self._most = min(self._most or ROW * most, ROW * most)

    def op(self, op: Op) -> int:
        """The number of an instruction in this log."""
        if op not in self._ops:
            self._ops[op] = len(self._ops)
            self._keys.append(repr(op))
            self._counts.append(len(op.operands))
            self._messages |= bool(op.message)
        return self._ops[op]

    def pipe(self, name: str) -> int:
        """The number of a pipe in this log."""
        return self._pipes.setdefault(name, len(self._pipes))

    def sites(self, op: int, pipe: int) -> dict[int, int]:
        """The numbers of the sites of an instruction on a pipe, by program counters; a new one gets one."""
        if (op, pipe) not in self._places:
            self._places[op, pipe] = _Places(self._sites, op, pipe)
        return self._places[op, pipe]

    def add_shape(self, shape: Shaped) -> int:
        """The number of a function among `shapes`."""
        self.shapes.append(shape)
        return len(self.shapes) - 1

    def pipe_name(self, number: int) -> str:
        """The pipe with a number in this log."""
        return list(self._pipes)[number]

    def op_name(self, number: int) -> str:
        """The name of the instruction with a number in this log."""
        return list(self._ops)[number].name

    def write(
        self, op: int, pipe: int, flags: int, core: int, task: int, pc: int, work: int,
        operands: Sequence[tuple[int, int, int, int]] = (),
    ) -> None:  # fmt: skip
        """Append a record; ``operands`` are (key, bytes, first lane, lanes)."""
        record, held = bytearray(ROW), bytearray(HELD * len(operands))
        pack_record(record, 0, flags, core, task, self.sites(op, pipe)[pc], work, 0)
        operand_packer(len(operands), True)(held, 0, *[number for operand in operands for number in operand])
        self.write_rows(record, held)

    def write_rows(
        self, records: Buffer, operands: Buffer, runs: np.ndarray | None = None, shapes: np.ndarray | None = None
    ) -> None:
        """Append records and all of their operands, as bytes.

        ``runs`` are rows of the table of runs, by operands of these, ``shapes`` are counts and strides (`SHAPE`).
        """
        first, begin = self.records.at, self.operands.at
        self.records.append(records)
        self.operands.append(operands)
        if shapes is not None:
            made = np.frombuffer(self.records.pages, RECORD, len(records) // ROW, first)
            for shape in shapes:
                gaps, flags, pieces = self.shapes[int(shape["made_by"])](*shape["numbers"].tolist())
                row = made[shape["record"]]
                row["gaps"], row["flags"] = gaps, row["flags"] | flags
                self.pieces += [(begin + HELD * int(shape["operand"]), *piece) for piece in pieces]
        if runs is not None and len(runs):
            self._runs.append(runs)
            runs["operand"] += begin // HELD
        if self._most and self.records.at > self._most + _SPARE:
            self._leave_out()
        self._set_limit()

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
        if self._most and self.records.at > self._most:
            self._leave_out()
        if self.left_out:
            launch = launch | {"left_out": self.left_out}
        size = self.records.at + self.operands.at + sum(runs.nbytes for runs in self._runs)
        if image is None or size > SHORT or self.pieces:
            log = self._log(locate, shape, device, launch)
        else:
            rows = [rows.pages[: rows.at] for rows in (self.records, self.operands)]
            known = (image, *rows, *[runs.tobytes() for runs in self._runs])
            if known not in self._known:
                if len(self._known) == _REMEMBERED:
                    self._known.clear()
                self._known[known] = made = self._log(locate, shape, device, {})
                for table in (made.records, made.operands, made.runs):
                    table.flags.writeable = False  # the logs of many launches have them
            log = self._known[known].sharing(launch=launch)
        self.begin()
        return log

    def _log(
        self, locate: Callable[[list[int]], list[Location]], shape: Shape, device: str, launch: dict[str, Any]
    ) -> Log:
        """The log of the rows that are there."""
        pieces = [(at // HELD + number, *piece) for at, number, *piece in self.pieces]
        runs = table_of_runs(pieces, self._runs, self.operands.at // HELD)
        records, operands = self.records.take(), self.operands.take()
        op_of, pipe_of, counters = np.array(self._sites).reshape(-1, 3).T
        counts = np.array(self._counts, np.uint32).take(op_of)
        if self._messages:
            for part in parts(records):
                part["op"], part["pipe"] = op_of.take(part["loc"]), pipe_of.take(part["loc"])
            records, operands, runs = self._sends_first(records, operands, runs, counts)
        times = np.zeros(len(counters), np.intp)
        for part in parts(records):
            times += np.bincount(part["loc"], minlength=len(times))
        used = times != 0
        ops, op_of = _table(list(self._ops), self._keys, op_of, used)
        pipes, pipe_of = _table(list(self._pipes), list(self._pipes), pipe_of, used)
        locations, loc_of = _located(locate, counters, used)
        first = np.uint32(0)
        for part in parts(records):
            site = part["loc"].astype(np.intp)
            ends = np.add.accumulate(counts.take(site, mode="clip"), dtype=np.uint32)
            ends += first
            for name, column in (("op", op_of), ("pipe", pipe_of), ("loc", loc_of)):
                part[name] = column.take(site, mode="clip")
            part["first"][0], part["first"][1:] = first, ends[:-1]
            first = ends[-1]
        return Log(records, operands, tuple(ops), tuple(pipes), locations, shape, device, launch, runs)

    def _sends_first(
        self, records: np.ndarray, operands: np.ndarray, runs: np.ndarray, counts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows with every message sent before the wait for it; ``counts`` are the operands by sites."""
        numbers = self._pipes

        def known(pipes: Iterable[str]) -> frozenset[int]:
            return frozenset(numbers[pipe] for pipe in pipes if pipe in numbers)

        kinds = [(op.message, known(op.waits), known(op.queues)) for op in self._ops]
        order = np.array(Post(kinds, records).order(), np.int64)
        held = counts.take(records["loc"]).astype(np.int64)
        first, held = (np.cumsum(held) - held)[order], held[order]
        rows = np.repeat(first - (np.cumsum(held) - held), held) + np.arange(held.sum())
        place = np.full(len(operands), -1)
        place[rows] = np.arange(len(rows))
        moved = place[runs["operand"]]
        runs["operand"] = moved
        runs = runs[moved >= 0]
        return records[order], operands[rows], runs[np.argsort(runs["operand"], kind="stable")]


def _pages(size: int) -> mmap.mmap:
    """Zeroed bytes that can become more without being copied."""
    pages = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a system may have small pages alone
            pages.madvise(mmap.MADV_HUGEPAGE)  # the first touch of a page takes longer than the rows on it
    return pages


def distinct(column: np.ndarray) -> np.ndarray:
    """The values of an array in order, each once. `np.unique` would import modules, which a worker cannot."""
    values = np.sort(column, axis=None)
    first = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    found: np.ndarray = values[first]
    return found


def _table(entries: list[Any], keys: list[str], column: np.ndarray, used: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """The entries of the sites in use, sorted by their keys, and the column of the sites renumbered for them."""
    found = np.bincount(column[used]).nonzero()[0].tolist()
    found.sort(key=keys.__getitem__)
    numbers = np.zeros(max(len(entries), 1), np.uint16)
    for number, entry in enumerate(found):
        numbers[entry] = number
    return [entries[entry] for entry in found], numbers.take(column, mode="clip")


def _located(
    locate: Callable[[list[int]], list[Location]], counters: np.ndarray, used: np.ndarray
) -> tuple[tuple[Location, ...], np.ndarray]:
    """The lines of the sites in use, in order, and their numbers by sites."""
    asked = distinct(counters[used])
    found = locate(asked.tolist())
    places = [(location.file, location.line) for location in found]
    known = dict(zip(places, found, strict=True))
    number = {place: index for index, place in enumerate(sorted(known))}
    numbers = np.array([number[place] for place in places] or [0], np.uint32)
    return tuple([known[place] for place in number]), numbers.take(asked.searchsorted(counters), mode="clip")
