"""Logs and timelines written by hand, for the tests of the traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from mlusim.simulator import Device
from mlusim.simulator.log import BLOCKING, OPERAND, RECORD, Location, Log, Op, region_key
from mlusim.simulator.timing import Reason, Timeline, replay
from mlusim.traces import summarise
from mlusim.traces.difference import Difference, compare_summaries, with_interval

DEVICE = Device.load("mlu370-x4")
PIPES = ("compute", "io", "move", "scalar", "sync")
OPS = (
    Op("alloc", "", ("region",), (False,), ""),
    Op("free", "", ("region",), (False,), ""),
    Op("load", "float32", ("dst", "src"), (True, False), "io"),
    Op("add", "float32", ("dst", "a", "b"), (True, False, False), "compute"),
    Op("store", "float32", ("dst", "src"), (True, False), "io"),
    Op("wait_io", "", (), (), "sync", waits=("io",)),
    Op("wait_all", "", (), (), "sync", waits=("compute", "io", "move")),
    Op("meet", "", (), (), "sync", waits=("compute", "io", "move"), barrier="cluster"),
    Op("scalar.load", "float32", ("src",), (False,), "scalar_gdram"),
)
LOCATIONS = tuple(Location("/src/demo.mlu", line) for line in range(1, 21))
_OP = {op.name: index for index, op in enumerate(OPS)}
_PIPE = {"load": 1, "store": 1, "scalar.load": 3, "wait_io": 4, "wait_all": 4, "meet": 4}


@dataclass(frozen=True)
class Row:
    """A record to be: operands are (space, owner, offset, bytes)."""

    op: str
    core: int = 0
    line: int = 1
    work: int = 0
    operands: tuple[tuple[str, int, int, int], ...] = ()
    task: int = 0
    blocking: bool = False


def make_log(rows: Sequence[Row], ops: tuple[Op, ...] = OPS, locations: tuple[Location, ...] = LOCATIONS) -> Log:
    """The log of ``rows`` on an MLU370-X4."""
    spaces = list(DEVICE.shape.spaces)
    records = np.zeros(len(rows), RECORD)
    operands: list[tuple[int, int, int, int]] = []
    for record, row in zip(records, rows, strict=True):
        record["first"] = len(operands)
        operands += [(region_key(spaces.index(s), owner, start), size, 0, 0) for s, owner, start, size in row.operands]
        operands += [(0, 0, 0, 0)] * (len(OPS[_OP[row.op]].operands) - len(row.operands))
        record["op"], record["pipe"] = _OP[row.op], _PIPE.get(row.op, 0)
        record["flags"] = BLOCKING if row.blocking else 0
        record["core"], record["task"], record["loc"], record["work"] = row.core, row.task, row.line - 1, row.work
    return Log(records, np.array(operands, OPERAND), ops, PIPES, locations, DEVICE.shape, DEVICE.name, {"kernel": "k"})


def make_timeline(log: Log, times: Sequence[tuple[float, float, Reason, int]]) -> Timeline:
    """A timeline with the given (start, end, reason, cause) of every record; a quarter of it is assumed."""
    start, end, reason, cause = zip(*times, strict=True)
    return Timeline(
        log,
        DEVICE.rates,
        np.array(start),
        np.array(end),
        np.array(reason, np.uint8),
        np.array(cause, np.int64),
        max(end) + DEVICE.rates.launch_overhead_us,
        {"assumed": 0.25, "fitted": 0.5},
        (),
        np.zeros(len(log)),
    )


def pipelined(cores: Sequence[int], tiles: int) -> Timeline:
    """A kernel on ``cores``: load two tiles, wait, add, store, meet; replayed, so that every kind of reason occurs."""
    rows, size = [], 4096
    for core in cores:
        rows.append(Row("alloc", core, 2, operands=(("nram", core, 0, 3 * size),), task=core))
    for tile in range(tiles):
        for core in cores:
            here = (tile * 64 + core) * size
            a, b, out = (("nram", core, part * size, size) for part in range(3))
            memory = ("gdram", 0, here, size)
            rows += [
                Row("load", core, 5, size, (a, memory), core),
                Row("load", core, 6, size, (b, memory), core),
                Row("wait_io", core, 7, task=core),
                Row("add", core, 8, size, (out, a, b), core),
                Row("add", core, 9, size, (out, out, b), core),
                Row("wait_all", core, 10, task=core),
                Row("store", core, 11, size, (memory, out), core, blocking=True),
                Row("scalar.load", core, 12, 1 + core, ((*memory[:3], 4),), core),
            ]
        rows += [Row("meet", core, 13, tile, task=core) for core in cores]
    for core in cores:
        rows.append(Row("free", core, 14, operands=(("nram", core, 0, 3 * size),), task=core))
    return replay(make_log(rows), DEVICE.rates)


def difference(before: Timeline, after: Timeline) -> Difference:
    """What differs between two timelines in all their lines and waits."""
    figures = (summarise(timeline, top=len(timeline.log) + 1) for timeline in (before, after))
    return with_interval(compare_summaries(*figures), before, after)
