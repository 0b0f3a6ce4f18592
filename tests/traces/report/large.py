"""Logs as long as one likes."""

from __future__ import annotations

import numpy as np
from mlusim.simulator.log import OPERAND, RECORD, Log, region_key

from tests.traces.handmade import DEVICE, OPS, PIPES, make_log

_LOAD, _ADD, _GDRAM, _NRAM = 2, 3, "gdram", "nram"


def irregular(count: int) -> Log:
    """Loads and additions in turn on 32 cores, each with a length, addresses and a line by chance."""
    chance, spaces = np.random.default_rng(0), list(DEVICE.shape.spaces)
    records = np.zeros(count, RECORD)
    records["op"] = np.where(np.arange(count) % 2, _ADD, _LOAD)
    held = np.array([len(op.operands) for op in OPS])[records["op"]]
    records["first"] = held.cumsum() - held
    records["pipe"] = np.where(np.arange(count) % 2, 0, PIPES.index("io"))
    records["core"] = np.sort(chance.integers(0, 32, count))
    records["task"] = records["core"]
    records["loc"], records["work"] = chance.integers(0, 20, count), chance.integers(1, 9999, count)
    operands = np.zeros(int(held.sum()), OPERAND)
    near, far = (np.uint64(region_key(spaces.index(space), 0, 0)) for space in (_NRAM, _GDRAM))
    core = np.repeat(records["core"], held).astype(np.uint64)
    operands["key"] = near + (core << np.uint64(40))
    operands["key"][records["first"][records["op"] == _LOAD] + 1] = far
    operands["key"] += chance.integers(0, 1 << 18, len(operands)).astype(np.uint64)
    operands["bytes"] = chance.integers(1, 4096, len(operands))
    empty = make_log([])
    return Log(records, operands, empty.ops, PIPES, empty.locations, empty.shape, empty.device, {"kernel": "irregular"})
