"""Rows of the runtime as records of a log."""

from __future__ import annotations

import numpy as np

from ...chip import Shape
from ...core.memory import Memory
from ...log import RAW, REQUEST, Op, Recorder, region_key
from .abi import ACCESSES, SPACES
from .grid import Grid

#: Bytes of a transaction, in the order of ``simt_row.units``; a pass over shared memory is as wide as the last.
TRANSACTIONS = (32, 64, 128)
#: What the time of a launch lacks.
BESIDES = "arithmetic, caches, barriers"


def records(rows: np.ndarray, shape: Shape, grid: Grid, declared: int, memory: Memory) -> Recorder:
    """A recorder that holds, for every place and block, a record for each size of transaction and one of its requests.

    The bytes of an operand are those that the transactions move.
    """
    recorder = Recorder()
    cores = grid.cores(shape, rows["block"], declared)
    keys = np.where(
        rows["space"] == SPACES.index("global"),
        np.uint64(region_key(memory.index, 0, 0)) + _offsets(rows["address"], memory),
        cores.astype(np.uint64) * np.uint64(region_key(0, 1, 0))
        + np.uint64(region_key(list(shape.spaces).index("shared"), 0, 0))
        + rows["address"],
    )
    pipe = recorder.pipe("memory")
    parts = []
    for space, name in enumerate(SPACES):
        for access, verb in enumerate(ACCESSES):
            mine = np.flatnonzero((rows["space"] == space) & (rows["access"] == access))
            for size, granule in enumerate(TRANSACTIONS):
                used = mine[rows["units"][mine, size] > 0]
                if len(used):
                    op = Op(
                        f"{name}.{verb}", f"{granule} B", ("src" if verb == "load" else "dst",), (verb != "load",),
                        name, provenance="documented", granule=granule,
                    )  # fmt: skip
                    parts.append((recorder.op(op), used, rows["units"][used, size], granule))
            if len(mine):
                asked = Op(REQUEST, f"{name}.{verb}", (), (), "")
                parts.append((recorder.op(asked), mine, rows["requested"][mine], 0))
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
    recorder.write_rows(raw[np.argsort(source, kind="stable")].tobytes())
    if count:
        recorder.write(recorder.op(Op(BESIDES, "", (), (), "arithmetic")), pipe, 0, 0, 0, 0, 0)
    return recorder


def _offsets(addresses: np.ndarray, memory: Memory) -> np.ndarray:
    """Offsets from the beginning of a memory; 0 for what lies elsewhere, such as a variable of the module."""
    offset = addresses - np.uint64(memory.base)
    return np.where(offset < memory.space.bytes, offset, np.uint64(0))
