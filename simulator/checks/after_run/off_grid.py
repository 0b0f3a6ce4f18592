"""Rows of an array of the device that one line takes an element beside where all others take theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...findings import Finding, rules
from ...flow import distinct
from .touched import Touched

#: Bytes of the shortest rows that are looked at: with shorter ones an element or two is no small part.
_ROW = 32
#: Bytes that a row may be beside its place: an element or two. What is further away is meant.
_BESIDE = 8
#: Rows that all other lines take, at least, so that there is a grid to be seen.
_OTHERS = 3
#: Rows that the line takes, at least: one alone may be anything.
_MINE = 2


def off_grid(touched: Touched) -> Iterator[Finding]:
    """The lines that take rows of an array elsewhere than all others.

    The rows of all other lines begin at, and are, multiples of so many bytes; those of this line are as long, and all
    begin as far beside that.
    """
    records = touched.records
    lines = touched.log.records["loc"][records]
    if not (lines != lines[:1]).any():  # most often
        return
    order, first = _by_line(touched, records)
    if len(first) < 2:
        return
    pieces = touched.pieces.chosen(order)
    start, length = pieces.begin - touched.array.key, pieces.end - pieces.begin
    starts, lengths = np.gcd.reduceat(start, first), np.gcd.reduceat(length, first)
    grids = np.gcd(starts, lengths)
    for number, mine in enumerate(np.split(np.arange(len(order)), first[1:])):
        grid = int(np.gcd.reduce(np.delete(grids, number)))
        if grid < _ROW or lengths[number] % grid or not starts[number] % grid:
            continue
        off = _beside(start[mine], np.delete(start, mine), grid)
        if off:
            record, at = records[order[mine]], mine[0]
            name = touched.log.op(int(record[0])).name
            way = f"{off} bytes behind" if off <= _BESIDE else f"{grid - off} bytes before"
            said = rules.tiles.off_grid(name, touched.array.name, way, grid)
            found = touched.at(said, int(pieces.row[at]), int(pieces.begin[at]), int(length[at]))
            yield replace(found, count=len(distinct(record)))


def _by_line(touched: Touched, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pieces, but of scalar accesses, in the order of instructions and lines, and where each of these begins."""
    log = touched.log
    places = log.records["loc"][records].astype(np.int64) << 16 | log.records["op"][records]
    keep = np.flatnonzero(~touched.by_scalars)
    order = keep[np.argsort(places[keep], kind="stable")]
    return order, np.unique(places[order], return_index=True)[1]


def _beside(mine: np.ndarray, others: np.ndarray, grid: int) -> int:
    """How far beside a grid the rows of a line begin, all as far, and only a little; 0 if they do not."""
    beside = distinct(mine % grid)
    if len(distinct(mine)) < _MINE or len(distinct(others)) < _OTHERS or len(beside) > 1:
        return 0
    off = int(beside[0])
    return off if min(off, grid - off) <= _BESIDE else 0
