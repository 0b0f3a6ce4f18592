"""What lies where in the memories on the chip: variables, and from when to when their bytes are live."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...simulator.log import ALLOC, FREE, Log
from ...simulator.log.region import offset_numbers, owner_numbers, space_numbers
from .columns import Columns

#: The most pieces that a memory is cut into at the ends of accesses, and the most rectangles of a whole report.
_PIECES, _MOST = 256, 200_000
#: Where there would be more rectangles, a gap starts a new one only if it is longer than the time divided by this.
_SHORT = 4096
#: The most accesses of several memories that are looked at together.
_TOGETHER = 1 << 16
#: Bits of an offset in these; the number of the memory stands above them.
_BITS = 41


@dataclass(frozen=True)
class Rectangles:
    """Bytes of memories over time: arrays [rectangles], ``memory`` numbers a list of memories, times are ticks."""

    memory: np.ndarray
    offset: np.ndarray
    bytes: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    line: np.ndarray  # number of the source line, and of the instruction, that has declared or written first
    op: np.ndarray

    def add_to(self, columns: Columns, prefix: str) -> None:
        """Add a column for each field."""
        for name in self.__dataclass_fields__:
            columns.add(f"{prefix}_{name}", getattr(self, name), by=self.memory if name in ("begin", "end") else None)


def memories(log: Log) -> list[tuple[int, int]]:
    """The memories on the chip that the log names: number of the space, owner; in this order."""
    spaces = [number for number, space in enumerate(log.shape.spaces.values()) if space.scope != "device"]
    keys = log.operands["key"][np.isin(log.operand_spaces, spaces) & (log.operands["bytes"] > 0)]
    pairs = np.unique(space_numbers(keys) << 16 | owner_numbers(keys)).tolist()
    return [(pair >> 16, pair & 0xFFFF) for pair in pairs]


def variables(log: Log, start: np.ndarray, last: int) -> Rectangles:
    """What tasks have taken for variables, from when to when; memory that several tasks hold at once counts once.

    ``start`` are the ticks of every record of the log, ``last`` is the last tick.
    """
    place = {memory: number for number, memory in enumerate(memories(log))}
    takes, gives = log.which(lambda op: op.name == ALLOC), log.which(lambda op: op.name == FREE)
    changes = np.flatnonzero(takes | gives)
    rows, records = log.operands[log.records["first"][changes]], log.records[changes]
    keys = rows["key"]
    places = zip(space_numbers(keys).tolist(), owner_numbers(keys).tolist(), offset_numbers(keys).tolist(), strict=True)
    columns = (takes[changes], start[changes], rows["bytes"], records["loc"], records["op"])
    held: dict[tuple[int, int, int], list[int]] = {}  # holders, since when, line, instruction
    found: list[tuple[int, ...]] = []
    for (space, owner, offset), taken, at, size, loc, op in zip(places, *(c.tolist() for c in columns), strict=True):
        key = place.get((space, owner), -1), offset, size
        if taken and size:
            held.setdefault(key, [0, at, loc, op])[0] += 1
        elif key in held:
            held[key][0] -= 1
            if not held[key][0]:
                _, since, line, op = held.pop(key)
                found.append((*key, since, at, line, op))
    found += [(*key, since, last, line, op) for key, (_, since, line, op) in held.items()]
    return Rectangles(*np.array(found[:_MOST], np.int64).reshape(-1, 7).T)


def live(log: Log, shown: np.ndarray, start: np.ndarray, end: np.ndarray) -> Rectangles:
    """Bytes from a first write to the last read before they are written again, over all memories on the chip.

    ``start`` and ``end`` are the ticks of every record of the log, ``shown`` says which of them count.
    """
    keys, spans = log.operands["key"], log.operands["bytes"].astype(np.int64)
    known = np.array([space << 16 | owner for space, owner in memories(log)] or [-1])
    unit = space_numbers(keys) << 16 | owner_numbers(keys)
    number = np.minimum(np.searchsorted(known, unit), len(known) - 1)
    used = np.flatnonzero((known[number] == unit) & (spans > 0) & shown[log.owners])
    used = used[np.argsort(number[used], kind="stable")]
    parts = []
    for mine in _shares(used, np.bincount(number[used])):
        record, begun = log.owners[mine], number[mine] << _BITS | offset_numbers(keys[mine])
        lives = _lives(begun, begun + spans[mine], start[record], end[record], log.operand_written[mine])
        facts = log.records[record[lives[4]]]
        memory, offset = lives[0] >> _BITS, lives[0] & ((1 << _BITS) - 1)
        parts.append([memory, offset, *lives[1:4], facts["loc"].astype(np.int64), facts["op"].astype(np.int64)])
    found = [np.concatenate(columns) for columns in zip(*parts, strict=True)] or [np.zeros(0, np.int64)] * 7
    if len(found[0]) > _MOST:
        kept = np.sort(np.argsort(-(found[2] * (found[4] - found[3])), kind="stable")[:_MOST])
        found = [column[kept] for column in found]
    return Rectangles(*found)


def _shares(used: np.ndarray, counts: np.ndarray) -> Iterator[np.ndarray]:
    """Parts of ``used`` that are looked at together, each with all accesses of one memory or of several.

    ``used`` has the accesses of one memory after those of another; ``counts`` is how many each memory has.
    """
    begin = end = 0
    for count in counts.tolist():
        if end > begin and end + count - begin > _TOGETHER:
            yield used[begin:end]
            begin = end
        end += count
    if end > begin:
        yield used[begin:end]


def _lives(
    offset: np.ndarray, past: np.ndarray, begin: np.ndarray, end: np.ndarray, written: np.ndarray
) -> tuple[np.ndarray, ...]:
    """The lives of bytes by their accesses: offset, bytes, begin, end, and the access that began it.

    The memory stands in the upper bits of offsets, and accesses are in its order; so are lives.
    """
    edges = _edges(offset, past)
    low, high = np.searchsorted(edges, offset, "right") - 1, np.searchsorted(edges, past, "left")
    access = np.repeat(np.arange(len(offset)), high - low)
    piece = np.arange(len(access)) - np.repeat(np.cumsum(high - low) - high, high - low)
    order = np.lexsort((written[access], begin[access], piece))
    piece, access = piece[order], access[order]
    heads = np.flatnonzero(_first(piece, begin[access], end[access], written[access], offset[access] >> _BITS))
    ends = np.maximum.reduceat(end[access], heads)
    piece, access = piece[heads], access[heads]
    # What is overwritten while it is read, in place or by mistake, ends there: no byte lives twice.
    ends[:-1] = np.where(np.diff(piece) == 0, np.minimum(ends[:-1], begin[access][1:]), ends[:-1])
    # Neighbours that live equally long are one rectangle. No pieces of two memories are neighbours.
    order = np.lexsort((piece, ends, begin[access], offset[access] >> _BITS))
    piece, access, ends = piece[order], access[order], ends[order]
    begun = begin[access]
    heads = np.flatnonzero(np.append(True, (np.diff(piece) != 1) | (np.diff(begun) != 0) | (np.diff(ends) != 0)))
    tails = np.append(heads[1:], len(piece)) - 1
    at = edges[piece[heads]]
    return at, edges[piece[tails] + 1] - at, begun[heads], ends[heads], access[heads]


def _edges(offset: np.ndarray, past: np.ndarray) -> np.ndarray:
    """Where memories are cut into pieces: at the ends of accesses, or evenly where those of one are too many."""
    ends = np.sort(np.concatenate([offset, past]))
    edges: np.ndarray = ends[np.append(True, np.diff(ends) != 0)]  # `np.unique` is ten times slower
    heads = np.flatnonzero(np.append(True, np.diff(edges >> _BITS) != 0))
    if np.diff(heads, append=len(edges)).max() <= _PIECES:
        return edges
    return np.concatenate([_evenly(mine) if len(mine) > _PIECES else mine for mine in np.split(edges, heads[1:])])


def _evenly(edges: np.ndarray) -> np.ndarray:
    """Fewer pieces of a memory, which are as long as each other."""
    step = -(-int(edges[-1] - edges[0]) // _PIECES)
    return np.unique(np.append(edges[0] + np.arange(0, _PIECES + 1) * step, edges[-1]))


def _first(
    piece: np.ndarray, begin: np.ndarray, end: np.ndarray, written: np.ndarray, memory: np.ndarray
) -> np.ndarray:
    """Whether an access begins a life: the first of its piece, or a write after a read, unless it is soon after."""
    fresh = np.append(True, np.diff(piece) != 0)
    after = np.append(False, written[1:] & ~written[:-1])
    first: np.ndarray = fresh | after
    if first.sum() > _MOST:
        gap = np.append(0, begin[1:] - end[:-1])
        for crowded in np.flatnonzero(np.bincount(memory[first]) > _MOST).tolist():
            mine = memory == crowded
            long = gap > max(int(end[mine].max()) // _SHORT, 1)
            first[mine] = (fresh | (after & long))[mine]
    return first


def facts(log: Log) -> list[dict[str, Any]]:
    """Name, owner and budget of every memory, in the order of `memories`."""
    spaces = list(log.shape.spaces.values())
    return [
        {"space": spaces[space].name, "owner": owner, "budget": spaces[space].budget, "scope": spaces[space].scope}
        for space, owner in memories(log)
    ]
