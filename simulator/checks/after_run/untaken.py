"""Inputs that are loaded whole, and of which a part is never taken from where it was brought."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...findings import Finding, rules
from ...flow import Accesses, Pieces
from ...flow.history import read_operands
from ...log import ALLOC, FREE, LOAD, Log
from .axes import end_of_axis, first_place
from .instead import reads_indices
from .touched import Touched
from .touched_elements import how_often, runs_of

#: Elements of such an array, at least; copies of it that are followed.
_LEAST, _MOST_LOADS = 16, 64
#: Bytes that an instruction may leave because its count was rounded.
_LINE = 128


def untaken(touched: Touched) -> Iterator[Finding]:
    """What is left of an input that copies bring in one piece each, all of it, and of which no byte is used again.

    It is an end of an array of which the launch says how long it is, or all but the first place along an axis, or an
    end of one. A count that is rounded up leaves less than a line; scalar code has none. No array of whole numbers is
    read, which may say what is taken.
    """
    array, pieces = touched.array, touched.pieces
    whole = (pieces.begin == array.key) & (pieces.end == array.end)
    if not 0 < len(whole) <= _MOST_LOADS or not whole.all() or touched.written.any() or not array.told:
        return
    if array.count < _LEAST or array.dtype.kind in "iub" or reads_indices(touched):
        return
    found = _taken(touched)
    if found is None:
        return
    taken, by_scalars = found
    used = np.flatnonzero(taken)
    size, first, last = array.dtype.itemsize, int(used[0]), int(used[-1]) + 1
    begin, end = (0, first) if first else (last, len(taken))
    runs, every = _runs(touched, taken), touched.all_pieces
    beside = every.chosen((every.begin < array.key) | (every.begin >= array.end))
    joined = Pieces(*map(np.concatenate, zip(beside, runs, strict=True))).by_place()
    some = replace(touched, pieces=runs, all_pieces=joined)
    for said in (*first_place(some), *end_of_axis(some)):
        yield rules.left_out.untaken(said)
        return
    if len(used) != last - first or (first and last < len(taken)) or begin == end:
        return
    if by_scalars or (end - begin) * size >= _LINE:
        said = touched.left_out(False, False, begin * size, (end - begin) * size, 1, int(pieces.row[0]))
        yield rules.left_out.untaken(said)


def _taken(touched: Touched) -> tuple[np.ndarray, bool] | None:
    """Which elements are read where copies have brought them, bool [elements]; whether by scalar code alone.

    None where something else than copies reads the array, where all are, or none.
    """
    log, accesses, size = touched.log, Accesses(touched.log), touched.array.dtype.itemsize
    ranges: list[tuple[np.ndarray, np.ndarray]] = []
    scalar = True
    comes = log.which(lambda op: op.name in (ALLOC, FREE), log.owners)
    targets = [_target(log, int(log.owners[row])) for row in touched.pieces.row]
    near = accesses.pieces(np.flatnonzero(~accesses.on_device & (log.operands["lanes"] == 0) & ~comes))
    if near is None or None in targets:
        return None
    owners, reads = log.owners[near.row], _reads(log)[near.row]
    for target in targets:
        assert target is not None
        record, key = target
        end = key + touched.array.bytes
        again = log.operand_written[near.row] & (near.begin <= key) & (near.end >= end) & (owners > record)
        until = int(owners[again].min()) if again.any() else len(log)
        mine = reads & (near.begin < end) & (near.end > key) & (owners > record) & (owners <= until)
        low, high = np.maximum(near.begin[mine], key) - key, np.minimum(near.end[mine], end) - key
        ranges.append((low // size, -(-high // size)))
        scalar = scalar and bool(log.which(lambda op: op.name == LOAD, owners[mine]).all())
    begins, ends = (np.concatenate(places) for places in zip(*ranges, strict=True))
    taken = how_often(touched.array.count, begins, ends) > 0
    return (taken, scalar) if taken.any() and not taken.all() else None


def _target(log: Log, record: int) -> tuple[int, int] | None:
    """A record that copies to one piece of memory without lanes, and where that begins; None for any other."""
    op, first = log.op(record), int(log.records["first"][record])
    if len(op.operands) != 2 or sum(op.writes) != 1:
        return None
    rows = first + np.arange(2)
    if np.isin(rows, log.runs["operand"]).any() or log.operands["lanes"][rows].any():
        return None
    if len({int(size) for size in log.operands["bytes"][rows]}) > 1:
        return None
    return record, int(log.operands["key"][first + op.writes.index(True)])


def _reads(log: Log) -> np.ndarray:
    """Whether each row of the operand table is read, those that are added to among them, bool [operands]."""
    reads = ~log.operand_written
    for number, op in enumerate(log.ops):
        for operand in read_operands(log.shape.isa, op):
            if op.writes[operand]:
                reads[log.records["first"][log.records["op"] == number].astype(np.int64) + operand] = True
    return reads


def _runs(touched: Touched, taken: np.ndarray) -> Pieces:
    """Elements that are taken, as pieces that the first copy reads."""
    begin, end = (places * touched.array.dtype.itemsize for places in runs_of(taken))
    row = np.full(len(begin), touched.pieces.row[0])
    return Pieces(row, touched.array.key + begin, touched.array.key + end)
