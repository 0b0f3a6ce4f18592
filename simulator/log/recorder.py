"""Writes the records of a launch into one growing buffer and turns it into a `Log`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..hardware import Shape
from .log import OPERAND, RECORD, Log, Op
from .region import Location

#: Operands that a row of the buffer has room for; an instruction with more takes further rows.
ROOM = 4
#: Flag of a row that only holds operands of the row before it.
_CONTINUED = 128

#: A row while the kernel runs: the source is still a program counter.
RAW = np.dtype(
    [
        ("op", "<u2"),
        ("pipe", "u1"),
        ("flags", "u1"),
        ("core", "<u4"),
        ("task", "<u4"),
        ("gaps", "<u4"),
        ("pc", "<i8"),
        ("work", "<u8"),
        ("operands", OPERAND, (ROOM,)),
    ]
)
ROW = RAW.itemsize
_ROOM_AT_FIRST = ROW * 1024  # bytes of the buffer
#: Rows that are turned into records at a time, so that nothing as large as the log is needed beside it.
_CHUNK = 1 << 14

_HEAD = "<HBBIIIqQ"
#: ``PACK[n](buffer, at, op, pipe, flags, core, task, gaps, pc, work, key0, bytes0, ...)`` writes a row of n operands
#: that lie in no lanes.
PACK = tuple(struct.Struct(_HEAD + "QQ4x" * n).pack_into for n in range(ROOM + 1))
_PACK_LANES = tuple(struct.Struct(_HEAD + "QQHH" * n).pack_into for n in range(ROOM + 1))


class Recorder:
    """The rows of one launch. ``at`` is where the next row goes; ``limit`` is the end of the buffer."""

    __slots__ = ("_keys", "_long", "_ops", "_pipes", "at", "buffer", "limit")

    def __init__(self) -> None:
        self.buffer, self.at, self.limit = bytearray(_ROOM_AT_FIRST), 0, _ROOM_AT_FIRST
        self._ops: dict[Op, int] = {}
        self._keys: list[str] = []  # of the instructions, in order: tables of logs are sorted by them
        self._pipes: dict[str, int] = {}
        self._long = False  # whether a record of this launch has more than one row

    def __len__(self) -> int:
        return self.at // ROW

    def grow(self) -> None:
        """Make room: the buffer doubles."""
        self.buffer += bytes(self.limit)
        self.limit *= 2

    def op(self, op: Op) -> int:
        """The number of an instruction in this log."""
        if op not in self._ops:
            self._ops[op] = len(self._ops)
            self._keys.append(repr(op))
        return self._ops[op]

    def pipe(self, name: str) -> int:
        """The number of a pipe in this log."""
        return self._pipes.setdefault(name, len(self._pipes))

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
        _PACK_LANES[len(operands)](self.buffer, self.at, op, pipe, flags, core, task, gaps, pc, work, *flat)
        self.at += ROW

    def finish(
        self,
        locate: Callable[[list[int]], list[Location]],
        shape: Shape,
        device: str,
        launch: dict[str, Any],
    ) -> Log:
        """The log; the rows are gone then. Tables are sorted, so that equal work gives equal logs."""
        raw = np.frombuffer(self.buffer, RAW, len(self))
        whole = (raw["flags"] & _CONTINUED) == 0 if self._long else slice(None)
        rows = raw[whole]
        records = np.zeros(len(rows), RECORD)
        for name in ("flags", "core", "task", "work", "gaps"):
            records[name] = rows[name]
        counts = np.array([len(op.operands) for op in self._ops] or [0], np.uint32)
        held = counts[raw["op"]]  # operands of the record that every row belongs to
        records["first"] = held[whole].cumsum(dtype=np.uint32) - held[whole]
        if isinstance(whole, np.ndarray):  # how many rows a row continues decides which operands of its record it has
            part = np.arange(len(raw)) - np.flatnonzero(whole)[np.cumsum(whole) - 1]
            held = np.clip(held.astype(np.int64) - part * ROOM, 0, ROOM)
        operands = _packed(raw["operands"], held)
        ops, records["op"] = _table(list(self._ops), self._keys, rows["op"])
        pipes, records["pipe"] = _table(list(self._pipes), list(self._pipes), rows["pipe"])
        counters, inverse = np.unique(rows["pc"], return_inverse=True)
        found = locate(counters.tolist())
        locations = sorted(set(found), key=lambda entry: (entry.file, entry.line))
        number = {location: index for index, location in enumerate(locations)}
        records["loc"] = np.array([number[location] for location in found], np.uint32)[inverse] if found else 0
        self.buffer, self.at, self.limit = bytearray(_ROOM_AT_FIRST), 0, _ROOM_AT_FIRST
        self._long = False
        return Log(records, operands, tuple(ops), tuple(pipes), tuple(locations), shape, device, launch)


def _packed(rooms: np.ndarray, used: np.ndarray) -> np.ndarray:
    """The operands in use of all rows, one after the other; ``rooms`` has shape [rows, ROOM]."""
    if len(rooms) <= _CHUNK:
        found: np.ndarray = rooms[np.arange(ROOM) < used[:, None]]
        return found
    operands, at = np.empty(int(used.sum()), OPERAND), 0
    for begin in range(0, len(rooms), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        found = _packed(rooms[part], used[part])
        operands[at : at + len(found)] = found
        at += len(found)
    return operands


def _table(entries: list[Any], keys: list[str], column: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """The entries in use, sorted by their keys, and the column renumbered for them."""
    used = np.flatnonzero(np.bincount(column, minlength=len(entries))).tolist()
    used.sort(key=keys.__getitem__)
    renumber = np.zeros(max(len(entries), 1), column.dtype)
    renumber[used] = np.arange(len(used))
    return [entries[number] for number in used], renumber[column]
