"""Which accesses of a log its edges leave without an order: `hazards.c`, filled in and called."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ....isa import DIALECTS, Copy, Instruction
from ...chip.shape import Space
from ...core.issue.runs import LOAD, STORE
from ...log import ALLOC, ARITHMETIC, FREE, Log, Op
from ...native import PASSES
from ...native.library import built_library

_HEADERS = ("hazards.h", "ranges.h", "knowledge.h", "partial.h", "leftover.h", "shifted.h", "record.h")
_i64, _pointer = ctypes.c_int64, ctypes.c_void_p
#: Causes that are told apart; the ones beyond them are as many again as a person would read. At first there is room
#: for a few: most launches have none.
_ROOM, _FEW = 512, 16
#: Pipes that a core's knowledge has room for.
_PIPES = 16
#: Records that a cause names.
_SHOWN = 32
_NO_MEMORY = 1
_PLAIN, _SILENT, _WAITS, _MEETS = range(4)
HAZARD, RACE, UNWAITED, PARTIAL, LEFTOVER, UNUSED, SHIFTED, UNTAKEN, OVERRUN, OVERREAD = range(10)
_NO_FLOW, _LANES, _CHANNELS, _SCALAR, _BY_DATA = range(5)
#: The engine of what maintains the cache of the scalar unit: no access.
CACHE = "cache"

#: A row of causes, as `hazards.h` has it; ``laters`` and ``earliers`` are the records of the first ``shown``.
CAUSE = np.dtype(
    [
        *((name, "<i8") for name in ("kind", "later", "earlier", "key", "bytes", "count", "operand", "shown")),
        ("laters", "<i8", (_SHOWN,)),
        ("earliers", "<i8", (_SHOWN,)),
    ]
)


class _Work(ctypes.Structure):
    """``Work`` of hazards.h."""

    _fields_ = [
        *(
            (name, _i64)
            for name in (
                "count", "operands", "runs", "pipes", "cores", "plain_cores", "tasks_of_group", "mute", "whole", "room",
                "faults", "in_order",
            )
        ),
        *(
            (name, _pointer)
            for name in (
                "record", "operand", "run", "kind", "flow", "waits", "queues", "first_write", "operand_count", "writes",
                "on_device", "lane_bytes", "fault",
            )
        ),
        ("lanes", _i64), ("causes", _pointer), ("redundant", _pointer), ("found", _i64),
    ]  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What the pass over a log has found: its causes, and what is redundant of every record."""

    causes: np.ndarray
    redundant: np.ndarray  # 1: a wait for nothing, 2: for what the next instruction waits for as well


def pass_over(log: Log, whole: bool, faults: Sequence[tuple[int, int]] = ()) -> Found | None:
    """The hazards of a log; None where the pass cannot be built, and for a log that makes no sense.

    ``whole``: the launch has come to its end; ``faults`` are cores and tasks that have not come to theirs.
    """
    library = _library()
    if library is None or len(log.pipes) > _PIPES:
        return None
    tables = _tables(log.ops, log.shape.isa, log.pipes, tuple(log.shape.spaces.values()), log.shape.lanes or 1)
    rows = [np.ascontiguousarray(table) for table in (log.records, log.operands, log.runs)]
    fault = np.array(faults, np.int64)
    for room in (_FEW, _ROOM):
        causes, redundant = np.empty(room, CAUSE), np.zeros(len(log), np.uint8)
        work = _Work(
            len(log), len(log.operands), len(log.runs), len(log.pipes), log.shape.owners("core"), log.shape.cores,
            log.kind.together(log.shape), not log.shape.memory_core_stores, whole, room, len(fault),
            int(_bits([DIALECTS[log.shape.isa].in_order], log.pipes)[0]),
            *(table.ctypes.data for table in rows), *tables.addresses, fault.ctypes.data, log.shape.lanes or 1,
            causes.ctypes.data, redundant.ctypes.data, 0,
        )  # fmt: skip
        result = library.mlusim_hazards(ctypes.byref(work))
        if result == _NO_MEMORY:
            raise MemoryError(f"not enough memory to examine {len(log)} records")
        if result:
            return None
        if work.found < room:
            break
    return Found(causes[: work.found], redundant)


class _Tables:
    """What is said of the instructions and the spaces of a log, and where it lies."""

    def __init__(
        self, ops: tuple[Op, ...], isa: str, pipes: tuple[str, ...], spaces: tuple[Space, ...], lanes: int
    ) -> None:
        counts = [len(op.operands) for op in ops]
        self.columns = (
            np.array([_kind(op) for op in ops], np.uint8),
            np.array([_flow(op, isa) for op in ops], np.uint8),
            _bits([op.waits for op in ops], pipes),
            _bits([op.queues for op in ops], pipes),
            np.cumsum([0, *counts])[:-1].astype(np.uint32),
            np.array(counts, np.uint32),
            np.array([written for op in ops for written in op.writes] or [False], np.uint8),
            np.array([space.scope == "device" for space in spaces], np.uint8),
            np.array([space.bytes // lanes for space in spaces], np.uint64),
        )
        self.addresses = tuple(column.ctypes.data for column in self.columns)


_tables = lru_cache(maxsize=64)(_Tables)


def _kind(op: Op) -> int:
    if op.name in (ALLOC, FREE, ARITHMETIC) or op.engine == CACHE:
        return _SILENT
    if op.barrier:
        return _MEETS
    return _WAITS if op.waits and not op.operands else _PLAIN


def _flow(op: Op, isa: str) -> int:
    if op.name in (LOAD, STORE):
        return _SCALAR
    entries = DIALECTS[isa].named(op.name)
    if any(entry.measured for entry in entries):
        return _BY_DATA
    if entries and all(e.lane_wise or isinstance(e.effect, Copy) for e in entries):
        return _LANES
    return _CHANNELS if entries and all(map(_keeps_channels, entries)) else _NO_FLOW


def _keeps_channels(entry: Instruction) -> bool:
    """Whether what it writes has rows of the same channels as what it reads."""
    tensors = [parameter for parameter in entry.prototype.parameters if parameter.dims]
    return len(tensors) == 2 and all(tensor.dims[-1].count == "channel" for tensor in tensors)


def _bits(sets: list[tuple[str, ...]], pipes: tuple[str, ...]) -> np.ndarray:
    return np.array([sum(1 << pipes.index(name) for name in set(names) if name in pipes) for names in sets], np.uint64)


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL | None:
    library = built_library(PASSES / "hazards.c", *(PASSES / name for name in _HEADERS))
    if library is None:
        warnings.warn(
            "no C compiler builds the pass over logs: hazards, races and missing waits are not looked for "
            "(`mlusim doctor` says which compiler is used)",
            RuntimeWarning,
            stacklevel=2,
        )
    else:
        library.mlusim_hazards.restype = _i64
    return library
