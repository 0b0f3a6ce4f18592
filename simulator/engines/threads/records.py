"""Rows of the runtime as records of a log."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ...chip import Shape
from ...core.memory import Memory
from ...log import RAW, REQUEST, ROW, Op, Recorder, region_key
from ...log.runs import Row
from .abi import ACCESSES, PIECE, SPACES
from .grid import Grid

#: Bytes of a transaction, in the order of ``simt_row.units``; a pass over shared memory is as wide as the last.
TRANSACTIONS = (32, 64, 128)
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
    parts = []
    for space, name in enumerate(SPACES):
        for access, verb in enumerate(ACCESSES):
            mine = np.flatnonzero((rows["space"] == space) & (rows["access"] == access))
            held = ("src",) if verb == "load" else ("dst",)
            writes = (verb != "load",)
            for size, granule in enumerate(TRANSACTIONS):
                used = mine[rows["units"][mine, size] > 0]
                if len(used):
                    op = Op(
                        f"{name}.{verb}", f"{granule} B", held, writes, name, provenance="documented", granule=granule
                    )
                    parts.append((recorder.op(op), used, rows["units"][used, size], granule))
            for known in (False, True):
                asked = mine[exact.known[mine] == known]
                if len(asked):
                    op = Op(REQUEST, f"{name}.{verb}", held if known else (), writes if known else (), "")
                    parts.append((recorder.op(op), asked, rows["requested"][asked], 0))
    count = sum(len(used) for _, used, _, _ in parts)
    raw = np.zeros(count, RAW)
    source = np.concatenate([used for _, used, _, _ in parts]) if parts else np.zeros(0, np.int64)
    raw["op"] = np.repeat([op for op, *_ in parts], [len(used) for _, used, _, _ in parts]) if parts else 0
    raw["work"] = np.concatenate([work for *_, work, _ in parts]) if parts else 0
    granules = np.repeat([granule for *_, granule in parts], [len(used) for _, used, _, _ in parts]) if parts else 0
    raw["pipe"], raw["core"], raw["task"], raw["pc"] = pipe, cores[source], rows["block"][source], rows["pc"][source]
    moves = np.flatnonzero(granules)
    raw["operands"]["key"][moves, 0] = keys[source][moves]
    raw["operands"]["bytes"][moves, 0] = (raw["work"] * granules)[moves]
    asks = np.flatnonzero(exact.known[source] & (raw["operands"]["bytes"][:, 0] == 0))
    raw["operands"]["key"][asks, 0] = device + _offsets(exact.low[source[asks]], memory)
    raw["operands"]["bytes"][asks, 0] = (exact.high - exact.low)[source[asks]]
    order = np.argsort(source, kind="stable")
    recorder.write_rows(raw[order].tobytes())
    request = np.zeros(len(rows), np.int64)  # the place of the request of every row
    request[source[asks]] = np.argsort(order)[asks]
    recorder.pieces += [(int(request[row]) * ROW, 0, runs) for row, runs in exact.runs()]
    if count:
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
