"""What the pass over a log finds: `native/passes/flow`, filled in and called."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...isa import DIALECTS, Copy, Instruction
from ..chip.shape import Space
from ..findings import BuildError
from ..log import ALLOC, ARITHMETIC, FREE, LOAD, MESSAGE_KINDS, STORE, Log, Op
from ..log.recorder import distinct
from ..log.region import space_numbers
from ..native import PASSES
from ..native.library import built_folder
from ..structures import address, header
from .history import read_operands

_HEADER = header("passes/flow/flow.h")
#: Kinds of what is found.
Kind = _HEADER.enumeration("Kind")
#: A row of causes, and one of the table of instructions.
CAUSE, _INSTRUCTION = (_HEADER.dtype(name) for name in ("Cause", "Instruction"))
_Step, _Way, _Outcome = (_HEADER.enumeration(name) for name in ("Step", "Way", "Outcome"))
#: Pipes that a core's knowledge has room for.
_PIPES = _HEADER.constant("MOST_PIPES")
#: Causes that are told apart; the ones beyond them are as many again as a person would read. At first there is room
#: for a few: most launches have none.
_ROOM, _FEW = 512, 16
#: Bytes of the table that says which task has which cause: tasks beyond it are counted and not named.
_MOST_SEEN = 1 << 28
_NONE = np.zeros(0, np.int64)
#: The engine of what maintains the cache of the scalar unit: no access.
CACHE = "cache"


class _Work(ctypes.Structure):
    _fields_ = _HEADER.fields("Work")


class Cause(NamedTuple):
    """A row of causes: two records, the bytes that they share from a key on, and how often it was seen."""

    kind: IntEnum  # of `Kind`
    later: int
    earlier: int
    key: int
    bytes: int
    times: int
    operand: int  # of the later record, by its number


@dataclass(frozen=True)
class Found:
    """What the pass over a log has found: its causes, and what is redundant of every record."""

    causes: np.ndarray
    cores: np.ndarray  # whether a cause was seen on a core, bool [causes, cores]
    tasks: np.ndarray  # and in a task, bool [causes, tasks]
    redundant: np.ndarray  # 1: a wait for nothing, 2: for what the next instruction waits for as well

    def each(self) -> list[Cause]:
        """The causes, one by one."""
        columns = ["kind", "later", "earlier", "key", "bytes", "count", "operand"]
        return [Cause(Kind(kind), *rest) for kind, *rest in self.causes[columns].tolist()]


def causes_of(
    log: Log, whole: bool, faults: Sequence[tuple[int, int]] = (), advice: Collection[int] = ()
) -> Found | None:
    """What is found in a log; None where the pass cannot be built, and for a log that makes no sense.

    ``whole``: the launch has come to its end; ``faults`` are cores and tasks that have not come to theirs; ``advice``
    are the kinds of it that are looked for, beside hazards, races and waits. MemoryError where there is too little.
    """
    asked = whole, tuple(faults), tuple(advice)
    return log.known((causes_of, log.kind, *asked), lambda: _causes_of(log, *asked))


def _causes_of(log: Log, whole: bool, faults: tuple[tuple[int, int], ...], advice: tuple[int, ...]) -> Found | None:
    library = _library()
    if library is None or len(log.pipes) > _PIPES:
        return None
    shape = log.shape
    tables = _tables(log.ops, shape.isa, log.pipes, tuple(shape.spaces.values()), shape.lanes or 1)
    records, operands, runs = (np.ascontiguousarray(table) for table in (log.records, log.operands, log.runs))
    fault, idle = np.array(faults, np.int64) if faults else _NONE, _idle(log)
    for room in (_FEW, _ROOM):
        causes, redundant = np.empty(room, CAUSE), np.zeros(len(log), np.uint8)
        cores, tasks = np.zeros((room, shape.owners("core")), bool), np.zeros((room, _tasks(log, room)), bool)
        work = _Work(
            count=len(records), operands=len(operands), runs=len(runs), pipes=len(log.pipes),
            cores=cores.shape[1], tasks=tasks.shape[1], plain_cores=shape.cores,
            tasks_of_group=log.kind.together(log.shape), mute=not shape.memory_core_stores, whole=whole,
            room=room, faults=len(fault),
            messages=int(log.message_kinds.any()), in_order=tables.in_order, advice=_mask(advice),
            lanes=shape.lanes or 1,
            record=address(records), operand=address(operands), run=address(runs), fault=address(fault),
            idle=address(idle) if len(idle) else None, causes=address(causes), on_cores=address(cores),
            by_tasks=address(tasks), redundant=address(redundant), **tables.addresses,
        )  # fmt: skip
        outcome = library.mlusim_flow(ctypes.byref(work))
        if outcome == _Outcome.NO_MEMORY:
            raise MemoryError(f"not enough memory to examine {len(log)} records")
        if outcome == _Outcome.NONSENSE:
            return None
        if work.found < room:
            break
    return Found(causes[: work.found], cores[: work.found], tasks[: work.found], redundant)


@lru_cache(maxsize=8)
def _mask(advice: tuple[int, ...]) -> int:
    return sum(1 << kind for kind in advice)


def _tasks(log: Log, causes: int) -> int:
    """How many tasks of a log are told apart of so many causes."""
    return min(int(log.records["task"].max(initial=0)) + 1, _MOST_SEEN // causes)


def _idle(log: Log) -> np.ndarray:
    """Of every record whether nothing that it does reaches another core, uint8 [records]; none where all may.

    That is all that a memory core does whose stores are lost: scalar stores to the memory of the device, where they
    have no effect, and to memories that it does not have. Of one that does more it is these stores, and the loads that
    they come after, unless scalar stores of its own have an effect: they may be of anything that it has loaded.
    """
    shape, cores = log.shape, log.records["core"]
    if shape.memory_core_stores or cores.max(initial=0) < shape.cores:
        return np.empty(0, np.uint8)
    idle, own = np.zeros(len(log), np.uint8), np.flatnonzero(cores >= shape.cores)  # rows of memory cores
    cores = cores[own]
    spaces = DIALECTS[shape.isa].spaces
    without = np.array([s.scope == "device" or not spaces[name].memory_core for name, s in shape.spaces.items()])
    stores, loads = log.which(lambda op: op.name == STORE, own), log.which(lambda op: op.name == LOAD, own)
    row, written, space = _operands_of(log, own)
    lost = np.zeros(len(own), bool)
    lost[row[written & without[space]]] = True
    lost &= stores
    reaches = np.zeros(len(own), bool)
    reaches[row[written]] = True
    reaches &= ~lost
    for core in distinct(cores).tolist():
        mine = np.flatnonzero(cores == core)
        if not reaches[mine].any():
            idle[own[mine]] = 1
            continue
        if (reaches[mine] & stores[mine]).any():
            idle[own[mine]] = lost[mine]
            continue
        behind = np.where(loads[mine], len(mine), np.arange(len(mine)))  # the next that is no load
        behind = np.minimum.accumulate(behind[::-1])[::-1]
        idle[own[mine]] = np.append(lost[mine], False)[behind]
    return idle


def _operands_of(log: Log, records: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the operands of records: which of the records each belongs to, whether it is written, its space's number."""
    op, lengths = log.records["op"][records], np.array([len(op.operands) for op in log.ops])
    counts = lengths[op]
    row = np.repeat(np.arange(len(records)), counts)
    within = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    writes = np.array([written for op in log.ops for written in op.writes] or [False], bool)
    keys = log.operands["key"][log.records["first"][records].astype(np.int64)[row] + within]
    return row, writes[(np.cumsum(lengths) - lengths)[op[row]] + within], space_numbers(keys)


class _Tables:
    """What is said of the instructions and the spaces of a log, and where it lies."""

    def __init__(
        self, ops: tuple[Op, ...], isa: str, pipes: tuple[str, ...], spaces: tuple[Space, ...], lanes: int
    ) -> None:
        counts = [len(op.operands) for op in ops]
        self.in_order = _bits(DIALECTS[isa].in_order, pipes)
        self._columns = {
            "instruction": np.array(
                [
                    (
                        _bits(op.waits, pipes),
                        _bits(op.queues, pipes),
                        sum(counts[:number]),
                        counts[number],
                        _step(op),
                        _way(op, isa),
                        MESSAGE_KINDS[op.message],
                        _copies(op, isa),
                        _adds(op, isa),
                    )
                    for number, op in enumerate(ops)
                ],
                _INSTRUCTION,
            ),
            "writes": np.array([written for op in ops for written in op.writes] or [False], np.uint8),
            "reads": np.array([reads for op in ops for reads in _reads(op, isa)] or [False], np.uint8),
            "on_device": np.array([space.scope == "device" for space in spaces], np.uint8),
            "lane_bytes": np.array([space.bytes // lanes for space in spaces], np.uint64),
        }
        self.addresses = {name: address(column) for name, column in self._columns.items()}


_tables = lru_cache(maxsize=64)(_Tables)


def _step(op: Op) -> int:
    if op.name in (ALLOC, FREE, ARITHMETIC) or op.engine == CACHE:
        return int(_Step.SILENT)
    if op.barrier:
        return int(_Step.MEETS)
    return int(_Step.WAITS if op.waits and not op.operands else _Step.PLAIN)


def _reads(op: Op, isa: str) -> list[bool]:
    """Whether an instruction reads each of its operands: it may add to what it writes."""
    numbers = read_operands(isa, op)
    return [number in numbers for number in range(len(op.operands))]


def _way(op: Op, isa: str) -> int:
    if op.name in (LOAD, STORE):
        return int(_Way.SCALAR)
    entries = DIALECTS[isa].named(op.name)
    if any(entry.measured for entry in entries):
        return int(_Way.BY_DATA)
    if entries and all(e.lane_wise or isinstance(e.effect, Copy) for e in entries):
        return int(_Way.LANES)
    return int(_Way.CHANNELS if entries and all(map(_keeps_channels, entries)) else _Way.NO_WAY)


def _copies(op: Op, isa: str) -> bool:
    """Whether its result is as its operand."""
    entries = DIALECTS[isa].named(op.name)
    return bool(entries) and all(isinstance(entry.effect, Copy) for entry in entries)


def _adds(op: Op, isa: str) -> bool:
    """Whether its result is the sum of its operands, element by element."""
    entries = DIALECTS[isa].named(op.name)
    return bool(entries) and all(entry.lane_wise and entry.semantics is np.add for entry in entries)


def _keeps_channels(entry: Instruction) -> bool:
    """Whether what it writes has rows of the same channels as what it reads."""
    tensors = [parameter for parameter in entry.prototype.parameters if parameter.dims]
    return len(tensors) == 2 and all(tensor.dims[-1].count == "channel" for tensor in tensors)


def _bits(names: Collection[str], pipes: tuple[str, ...]) -> int:
    return sum(1 << pipes.index(name) for name in set(names) if name in pipes)


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL | None:
    try:
        library = built_folder(PASSES / "flow")
    except BuildError:
        warnings.warn(
            "no C compiler builds the pass over logs: hazards, races and missing waits are not looked for "
            "(`mlusim doctor` says which compiler is used)",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    library.mlusim_flow.restype = ctypes.c_int64
    return library
