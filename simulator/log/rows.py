"""What must hold of the rows of a log that comes from elsewhere, so that nothing is indexed beyond its end."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..chip import Shape
from .log import Op
from .region import Location, offset_numbers, owner_numbers, space_numbers

#: No instruction works on more, and sums and products with a granule stay within 63 bits.
_MOST_WORK, _MOST_BYTES = 1 << 50, 1 << 40
_FLAGS = 63  # all that a record can have


class DamagedError(ValueError):
    """What is wrong with a log."""


class Rows:
    """The tables that rows point into, and how many operands the records before have."""

    def __init__(self, ops: tuple[Op, ...], pipes: tuple[str, ...], locations: tuple[Location, ...], shape: Shape):
        self.counts = np.array([len(op.operands) for op in ops] or [0], np.int64)
        self.lengths = {"op": len(ops), "pipe": len(pipes), "loc": len(locations), "core": shape.owners("core")}
        self.owners = _array(*[shape.owners(space.scope) for space in shape.spaces.values()])
        self.lanes = shape.lanes or 0
        self.operands, self.last_run = 0, 0
        self.spans: list[np.ndarray] = []  # bytes of the operands

    def check_records(self, block: np.ndarray, at: int) -> None:
        """Every number of a row points into its table, and operands follow one another."""
        right = (block["flags"] <= _FLAGS) & (block["work"] <= _MOST_WORK)
        for field, length in self.lengths.items():
            right &= block[field] < length
        if not right.all():
            self._say_which(block, at)
        held = self.counts[block["op"]]
        ends = self.operands + held.cumsum()
        _every(block["first"] == ends - held, at, "record {} does not have the operands after those of the last one")
        self.operands = int(ends[-1]) if len(ends) else self.operands

    def _say_which(self, block: np.ndarray, at: int) -> None:
        for field, length in self.lengths.items():
            _every(block[field] < length, at, f"record {{}} has {field} of {length} out of range")
        _every(block["flags"] <= _FLAGS, at, "record {} has unknown flags")
        _every(block["work"] <= _MOST_WORK, at, "the work of record {} is out of range")

    def check_operands(self, block: np.ndarray, at: int) -> None:
        """Every region lies in a memory of the shape."""
        spaces, owners = space_numbers(block["key"]), owner_numbers(block["key"])
        known = spaces < len(self.owners)
        _every(known & (owners < self.owners[np.where(known, spaces, 0)]), at, "operand {} lies in no memory")
        end = offset_numbers(block["key"]) + np.minimum(block["bytes"], _MOST_BYTES + 1).astype(np.int64)
        _every(end <= _MOST_BYTES, at, "operand {} passes the end of its memory")
        self._lie_in_lanes(block, at, "operand")
        self.spans.append(block["bytes"])

    def check_runs(self, block: np.ndarray, at: int) -> None:
        """Runs stand in the order of their operands and lie inside of them."""
        if not len(block):
            return
        if len(self.spans) != 1:
            self.spans = [np.concatenate([*self.spans, np.zeros(0, np.uint64)])]
        (spans,) = self.spans
        owner = block["operand"].astype(np.int64)
        known = owner < len(spans)
        _every(
            known & (np.diff(owner, prepend=self.last_run) >= 0), at, "run {} belongs to no operand after the last one"
        )
        self.last_run = int(owner[-1]) if len(owner) else self.last_run
        reach = (block["start"] <= _MOST_BYTES) & (block["stride"] <= _MOST_BYTES).all(1) & (block["count"] > 0).all(1)
        steps = block["count"].astype(float) - 1
        end = block["start"].astype(float) + (steps * block["stride"].astype(float)).sum(1) + block["run"]
        _every(reach & (end <= spans[owner].astype(float)), at, "run {} passes the end of its operand")
        self._lie_in_lanes(block, at, "run")

    def _lie_in_lanes(self, block: np.ndarray, at: int, what: str) -> None:
        fits = (block["lanes"] <= self.lanes) & (block["lane"] <= self.lanes)
        _every(fits, at, f"{what} {{}} lies in lanes that the shape does not have")


@lru_cache(maxsize=16)
def _array(*numbers: int) -> np.ndarray:
    return np.array(numbers or [0])


def _every(right: np.ndarray, at: int, problem: str) -> None:
    if not right.all():
        raise DamagedError(problem.format(at + int(np.argmin(right))))
