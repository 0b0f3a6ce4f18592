"""Rows of the runtime as records of a log."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ...chip import Shape
from ...chip.launch_kinds import TRANSACTIONS
from ...core.memory import Memory
from ...log import OPERAND, RECORD, REQUEST, Op, Recorder, region_key
from ...log.recorder import HELD, distinct
from ...log.runs import Row
from .abi import ACCESSES, PIECE, SPACES
from .grid import Grid

#: What the time of a launch lacks.
BESIDES = "arithmetic, caches, barriers"


def records(
    rows: np.ndarray, shape: Shape, grid: Grid, declared: int, memory: Memory, pieces: np.ndarray | None = None
) -> Recorder:
    """A recorder that holds, for every place and block, a record for each size of transaction and one of its requests.

    The bytes of an operand are those that the transactions move. With ``pieces`` (`PIECE`) a request for bytes of
    arrays has an operand, too: exactly these bytes.
    """
    recorder = Recorder()
    cores = grid.cores(shape, rows["block"], declared)
    device = np.uint64(region_key(memory.index, 0, 0))
    keys = np.where(
        rows["space"] == SPACES.index("global"),
        device + _offsets(rows["address"], memory),
        cores.astype(np.uint64) * np.uint64(region_key(0, 1, 0))
        + np.uint64(region_key(list(shape.spaces).index("shared"), 0, 0))
        + rows["address"],
    )
    exact = _Exact(np.zeros(0, PIECE) if pieces is None else pieces, len(rows))
    pipe = recorder.pipe("memory")
    counters = distinct(rows["pc"])
    places, parts = counters.searchsorted(rows["pc"]), []

    def add(op: Op, mine: np.ndarray, work: np.ndarray, granule: int) -> None:
        if len(mine):
            numbers = recorder.sites(recorder.op(op), pipe)
            sites = np.array([numbers[pc] for pc in counters.tolist()], np.uint32)
            parts.append((mine, work[mine], np.full(len(mine), granule), sites[places[mine]]))

    for space, name in enumerate(SPACES):
        for access, verb in enumerate(ACCESSES):
            mine = (rows["space"] == space) & (rows["access"] == access)
            held, writes = ("src",) if verb == "load" else ("dst",), (verb != "load",)
            for size, granule in enumerate(TRANSACTIONS):  # in the order of ``simt_row.units``
                op = Op(f"{name}.{verb}", f"{granule} B", held, writes, name, provenance="documented", granule=granule)
                units = rows["units"][:, size]
                add(op, np.flatnonzero(mine & (units > 0)), units, granule)
            for known in (False, True):
                op = Op(REQUEST, f"{name}.{verb}", held if known else (), writes if known else (), "")
                add(op, np.flatnonzero(mine & (exact.known == known)), rows["requested"], 0)
    if not parts:
        return recorder
    source, work, granules, sites = (np.concatenate(column) for column in zip(*parts, strict=True))
    records, operands = np.zeros(len(source), RECORD), np.zeros(len(source), OPERAND)
    records["work"], records["loc"] = work, sites
    records["core"], records["task"] = cores[source], rows["block"][source]
    moves, asks = granules > 0, exact.known[source] & (granules == 0)
    operands["key"] = np.where(moves, keys[source], device + _offsets(exact.low[source], memory))
    operands["bytes"] = np.where(moves, records["work"] * granules, (exact.high - exact.low)[source])
    order = np.argsort(source, kind="stable")
    held = (moves | asks)[order]
    recorder.write_rows(records[order].tobytes(), operands[order][held].tobytes())
    request = np.zeros(len(rows), np.int64)  # the place of the operand of the request of every row
    request[source[order][asks[order]]] = (np.cumsum(held) - 1)[asks[order]]
    recorder.pieces += [(int(request[row]) * HELD, 0, runs) for row, runs in exact.runs()]
    recorder.write(recorder.op(Op(BESIDES, "", (), (), "arithmetic")), pipe, 0, 0, 0, 0, 0)
    return recorder


class _Exact:
    """Which bytes of arrays rows touch: whether any, the address of the first, and the one behind the last."""

    def __init__(self, pieces: np.ndarray, rows: int) -> None:
        self._pieces, self._row = pieces, pieces["row"].astype(np.int64)
        self.known, self.low, self.high = np.zeros(rows, bool), np.zeros(rows, np.uint64), np.zeros(rows, np.uint64)
        self.known[self._row] = True
        ends = pieces["start"] + (pieces["count"] - np.uint64(1)) * pieces["stride"] + pieces["run"]
        np.maximum.at(self.high, self._row, ends)
        self.low[self._row[::-1]] = pieces["start"][::-1]  # they are in order, and the first comes last here

    def runs(self) -> Iterator[tuple[int, tuple[Row, ...]]]:
        """Of each row with gaps its rows of the table of runs."""
        gaps = np.flatnonzero(self.high[self._row] - self.low[self._row] > self._pieces["run"])
        of, starts = self._row[gaps], (self._pieces["start"] - self.low[self._row])[gaps]
        columns = (starts, *(self._pieces[name][gaps] for name in ("run", "stride", "count")))
        every = [
            (run, start, (stride, 0, 0), (count, 1, 1), 0, 0)
            for start, run, stride, count in zip(*(column.tolist() for column in columns), strict=True)
        ]
        first = np.flatnonzero(np.diff(of, prepend=-1)).tolist()
        for begin, end in pairwise([*first, len(of)]):
            yield int(of[begin]), tuple(every[begin:end])


def _offsets(addresses: np.ndarray, memory: Memory) -> np.ndarray:
    """Offsets from the beginning of a memory; 0 for what lies elsewhere, such as a variable of the module."""
    offset = addresses - np.uint64(memory.base)
    return np.where(offset < memory.space.bytes, offset, np.uint64(0))
