"""What a cluster's memory core does with scalars, while it runs the kernel of the other cores beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ....isa import DIALECTS
from ...findings import Finding, rules
from ...flow import distinct
from ...log import ATOMIC, LOAD, STORE, Log


@dataclass(frozen=True)
class _Rows:
    """The rows of the operand table by what they are, bool [operands] each."""

    own: np.ndarray  # of memory cores
    absent: np.ndarray  # of memories that a memory core lacks
    device: np.ndarray  # of the device's memory
    written: np.ndarray
    loads: np.ndarray  # of scalar code
    stores: np.ndarray


def memory_core(log: Log) -> Iterator[Finding]:
    """Scalar accesses of memory cores that need a guard; all have one cause, so that the first stands for them.

    Nothing is said of what makes no difference whatever a card does: loads from memory that they lack, if nothing
    behind them reaches other cores, and plain stores that repeat one of another core, of values that no store of the
    launch can have changed.
    """
    if not len(log) or int(log.records["core"].max()) < log.shape.cores:
        return
    rows = _rows(log)
    records = log.owners[_used_loads(log, rows) | _stores_that_count(log, rows)]
    if not len(records):
        return
    first = int(np.flatnonzero(log.owners == records[0])[0])
    name, region = log.op(int(records[0])).name, log.region(*log.operands[first].tolist())
    made = (
        rules.memory_core.lacking(name, region)
        if rows.absent[first]
        else rules.memory_core.stored(bool(log.shape.memory_core_stores), name, region)
    )
    yield made.at_all(log, distinct(records).tolist())


def _rows(log: Log) -> _Rows:
    spaces, known = log.shape.spaces, DIALECTS[log.shape.isa].spaces
    absent = np.array([not known[name].memory_core for name in spaces])
    device = np.array([space.scope == "device" for space in spaces.values()])
    of, space = log.owners, log.operand_spaces
    return _Rows(
        log.records["core"][of] >= log.shape.cores, absent[space], device[space], log.operand_written,
        log.which(lambda op: op.name == LOAD, of), log.which(lambda op: op.name == STORE, of),
    )  # fmt: skip


def _used_loads(log: Log, rows: _Rows) -> np.ndarray:
    """Loads from memory that a memory core lacks, with something behind them that reaches other cores."""
    reaching = np.flatnonzero(rows.own & rows.written & ~rows.absent)
    last = np.full(int(log.records["core"].max()) + 1, -1)
    core = log.records["core"][log.owners]
    np.maximum.at(last, core[reaching], log.owners[reaching])
    found: np.ndarray = rows.own & rows.loads & rows.absent & (log.owners < last[core])
    return found


def _stores_that_count(log: Log, rows: _Rows) -> np.ndarray:
    """Stores to the device's memory, but for plain ones that another core makes as well, of the same values."""
    stores: np.ndarray = rows.own & rows.stores & rows.device
    loads = rows.own & ~rows.written & rows.device
    if not stores.any() or _meet(log, loads, rows.written & rows.device):
        return stores
    atomic = (log.records["flags"][log.owners] & ATOMIC) != 0
    others = {*_places(log, rows.stores & rows.device & ~rows.own & ~atomic)}
    stores[stores] = [place not in others for place in _places(log, stores)]
    return stores


def _places(log: Log, chosen: np.ndarray) -> list[tuple[int, ...]]:
    """Line, first byte and bytes of operands."""
    where = log.operands["key"][chosen].tolist(), log.operands["bytes"][chosen].tolist()
    return [*zip(log.records["loc"][log.owners[chosen]].tolist(), *where, strict=True)]


def _meet(log: Log, some: np.ndarray, others: np.ndarray) -> bool:
    """Whether the bounds of operands meet those of others."""
    begin, size = log.operands["key"].astype(np.int64), log.operands["bytes"].astype(np.int64)
    order = np.argsort(begin[others])
    low, high = begin[others][order], np.maximum.accumulate((begin + size)[others][order])
    before = np.searchsorted(low, (begin + size)[some]) - 1  # the last that begins before an end
    return bool((before >= 0).any() and (high[before] > begin[some])[before >= 0].any())
