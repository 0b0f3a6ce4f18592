"""Rows of an array of the device that one line takes an element beside where all others take theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...core.issue.runs import LOAD, STORE
from ...findings import Finding, rules
from ...log import Log, region_of

#: Bytes of the shortest rows that are looked at, and of how far a row may be beside its place: an element or two.
_ROW, _BESIDE = 32, 8
#: Rows that all others take, and that the line takes, at least.
_OTHERS, _MINE = 3, 2


def off_grid(log: Log, name: str, low: int, row: np.ndarray, begin: np.ndarray, end: np.ndarray) -> Iterator[Finding]:
    """The lines that take rows of an array elsewhere; ``row`` are operands, with the keys of where their pieces lie.

    The rows of all other lines begin at, and are, multiples of so many bytes; those of this line are as long, and all
    begin as far beside that.
    """
    records = log.owners[row]
    lines = log.records["loc"][records]
    if not (lines != lines[0]).any():  # most often
        return
    scalar = np.array([op.name in (LOAD, STORE) for op in log.ops])[log.records["op"][records]]
    places = lines.astype(np.int64) << 16 | log.records["op"][records]
    keep = np.flatnonzero(~scalar)
    order = keep[np.argsort(places[keep], kind="stable")]
    first = np.unique(places[order], return_index=True)[1]
    if len(first) < 2:
        return
    start, length = (begin - low)[order], (end - begin)[order]
    starts, lengths = np.gcd.reduceat(start, first), np.gcd.reduceat(length, first)
    grids = np.gcd(starts, lengths)
    for number in range(len(first)):
        grid = int(np.gcd.reduce(np.delete(grids, number)))
        if grid < _ROW or lengths[number] % grid or not starts[number] % grid:
            continue
        mine = slice(first[number], first[number + 1] if number + 1 < len(first) else len(order))
        beside, rows = np.unique(start[mine] % grid), np.unique(start[mine])
        if len(rows) < _MINE or len(np.unique(np.delete(start, np.s_[mine]))) < _OTHERS:
            continue
        if len(beside) > 1 or min(int(beside[0]), grid - int(beside[0])) > _BESIDE:
            continue
        at = order[mine][0]
        record, off = int(records[at]), int(beside[0])
        name_of = log.ops[log.records["op"][record]].name
        way = f"{off} bytes behind" if off <= _BESIDE else f"{grid - off} bytes before"
        yield replace(
            rules.tiles.off_grid(name_of, name, way, grid),
            region=region_of(int(begin[at]), int(end[at] - begin[at]), tuple(log.shape.spaces)),
            kernel=str(log.launch.get("kernel", "")),
            core=int(log.records["core"][record]),
            task=int(log.records["task"][record]),
            location=log.location(record),
            count=len(np.unique(records[order[mine]])),
        )
