"""What single threads did, as records of a log: of launches that are to show what a byte is made of."""

from __future__ import annotations

import numpy as np

from ...chip import Shape
from ...core.memory import Memory
from ...log import EXCHANGE, OPERAND, RECORD, REQUEST, Op, Recorder, region_key
from ...log.recorder import distinct
from .abi import ACCESSES, SPACES


def followed(events: np.ndarray, shape: Shape, memory: Memory) -> Recorder:
    """A recorder with a record for each event (`EVENT`) in its order: its core is the thread, its task the block.

    The work of an exchange is the mask of the lanes that the thread takes values of. Shared memory is that of owner 0,
    whatever the block; what lies outside of memory, a variable of the module, counts as that of owner 1.
    """
    recorder = Recorder()
    pipe, counters = recorder.pipe("memory"), distinct(events["pc"])
    places = counters.searchsorted(events["pc"])
    records, held = np.zeros(len(events), RECORD), events["access"] != ACCESSES.index(EXCHANGE)
    shared = list(shape.spaces).index("shared")
    first = {"global": region_key(memory.index, 0, 0), "shared": region_key(shared, 0, 0)}
    keys = np.uint64(region_key(shared, 1, 0)) + events["address"] % np.uint64(region_key(0, 1, 0))
    for space, name in enumerate(SPACES):
        offsets = events["address"] - np.uint64(memory.base if name == "global" else 0)
        inside = (events["space"] == space) & ((name == "shared") | (offsets < memory.space.bytes))
        keys = np.where(inside, np.uint64(first[name]) + offsets, keys)
        for access, verb in enumerate(ACCESSES):
            mine = (events["access"] == access) & (events["space"] == space)
            if not mine.any():
                continue
            operands, writes = ((), ()) if verb == EXCHANGE else ((verb,), (verb != "load",))
            title = EXCHANGE if verb == EXCHANGE else f"{name}.{verb}"
            numbers = recorder.sites(recorder.op(Op(REQUEST, title, operands, writes, "")), pipe)
            sites = np.array([numbers[pc] for pc in counters.tolist()], np.uint32)
            records["loc"][mine] = sites[places[mine]]
    records["work"], records["core"], records["task"] = events["size"], events["thread"], events["block"]
    operands_of = np.zeros(int(held.sum()), OPERAND)
    operands_of["key"], operands_of["bytes"] = keys[held], events["size"][held]
    recorder.write_rows(records.tobytes(), operands_of.tobytes())
    return recorder
