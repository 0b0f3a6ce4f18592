"""Writes the records of a launch into one growing buffer and turns it into a `Log`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .device import Shape
from .log import MAX_OPERANDS, RECORD, Location, Log, Op

#: A row while the kernel runs: the source is still a program counter.
RAW = np.dtype(
    [
        ("op", "<u2"),
        ("pipe", "u1"),
        ("flags", "u1"),
        ("core", "<u4"),
        ("task", "<u4"),
        ("pad", "<u4"),
        ("pc", "<i8"),
        ("work", "<u8"),
        ("operands", [("key", "<u8"), ("bytes", "<u8")], (MAX_OPERANDS,)),
    ]
)
ROW = RAW.itemsize
_ROOM = ROW * 1024  # bytes of the buffer to begin with

#: ``PACK[n](buffer, at, op, pipe, flags, core, task, 0, pc, work, key0, bytes0, ...)`` writes a row of n operands.
PACK = tuple(struct.Struct("<HBBIIIqQ" + "QQ" * n).pack_into for n in range(MAX_OPERANDS + 1))


class Recorder:
    """The rows of one launch. ``at`` is where the next row goes; ``limit`` is the end of the buffer."""

    __slots__ = ("_ops", "_pipes", "at", "buffer", "limit", "ops", "pipes")

    def __init__(self) -> None:
        self.buffer, self.at, self.limit = bytearray(_ROOM), 0, _ROOM
        self._ops: dict[Op, int] = {}
        self._pipes: dict[str, int] = {}

    def __len__(self) -> int:
        return self.at // ROW

    def grow(self) -> None:
        """Make room: the buffer doubles."""
        self.buffer += bytes(self.limit)
        self.limit *= 2

    def op(self, op: Op) -> int:
        """The number of an instruction in this log."""
        return self._ops.setdefault(op, len(self._ops))

    def pipe(self, name: str) -> int:
        """The number of a pipe in this log."""
        return self._pipes.setdefault(name, len(self._pipes))

    def write(
        self, op: int, pipe: int, flags: int, core: int, task: int, pc: int, work: int, operands: Iterable[int] = ()
    ) -> None:
        """Append a row; ``operands`` are key, bytes, key, bytes, ..."""
        if self.at == self.limit:
            self.grow()
        flat = tuple(operands)
        PACK[len(flat) // 2](self.buffer, self.at, op, pipe, flags, core, task, 0, pc, work, *flat)
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
        records = np.zeros(len(raw), RECORD)
        for name in ("flags", "core", "task", "work", "operands"):
            records[name] = raw[name]
        ops, records["op"] = _table(list(self._ops), raw["op"], key=repr)
        pipes, records["pipe"] = _table(list(self._pipes), raw["pipe"])
        counters, inverse = np.unique(raw["pc"], return_inverse=True)
        found = locate(counters.tolist())
        locations = sorted(set(found), key=lambda entry: (entry.file, entry.line))
        number = {location: index for index, location in enumerate(locations)}
        records["loc"] = np.array([number[location] for location in found], np.uint32)[inverse] if found else 0
        self.buffer, self.at, self.limit = bytearray(_ROOM), 0, _ROOM
        return Log(records, tuple(ops), tuple(pipes), tuple(locations), shape, device, launch)


def _table(entries: list[Any], column: np.ndarray, key: Callable[[Any], str] = str) -> tuple[list[Any], np.ndarray]:
    """The entries in use, sorted, and the column renumbered for them."""
    used = np.flatnonzero(np.bincount(column, minlength=len(entries))).tolist()
    used.sort(key=lambda number: key(entries[number]))
    renumber = np.zeros(max(len(entries), 1), column.dtype)
    renumber[used] = np.arange(len(used))
    return [entries[number] for number in used], renumber[column]
