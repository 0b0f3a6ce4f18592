"""The log of a launch: every executed instruction as one row of a compact array.

A log is self-contained: it carries the shape of the device it ran on, the table of the
instructions that occur and the source locations, so that timing, traces and later tools replay
it without the kernel, without the compiler and without the instruction set.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...isa.cached import Value, cached_property
from ..chip import Shape
from ..chip.launch_kinds import BLOCK, EVERY_KIND, LaunchKind
from ..files import write_atomically
from ..structures import header, same_bytes
from .region import Location, Region, region_of, space_numbers
from .texts import digests_of

_ROWS = header("log_rows.h")
#: One row of a log, of the operand table, and of the table of runs; the header says what their fields are.
RECORD, OPERAND, RUNS = (_ROWS.dtype(name) for name in ("mlusim_record", "mlusim_operand", "mlusim_runs"))

#: Names of the records by which a task takes on-chip memory for a variable and returns it.
ALLOC, FREE = "alloc", "free"
#: Name of the records of what the scalar unit computes: arithmetic, branches, calls.
ARITHMETIC = "scalar.compute"
#: Those of scalar accesses.
LOAD, STORE = "scalar.load", "scalar.store"

#: Name of the records that say, beside those of transactions, for how many bytes the threads of a block have asked.
REQUEST = "request"
#: What threads of a warp call it, in such records, to take values that others of them give.
EXCHANGE = "exchange"
#: How what threads call an atomic access ends: "global.atomic".
ATOMIC_BY_THREADS = ".atomic"

_FLAGS = _ROWS.enumeration("mlusim_flag", "MLUSIM_")
#: Flags of a record, see the header.
BLOCKING, SERIAL, ATOMIC, ASYNC, RESULT, CROSSED = (
    int(_FLAGS[name]) for name in ("BLOCKING", "SERIAL", "ATOMIC", "ASYNC", "RESULT", "CROSSED")
)

FORMAT = 6

_MESSAGE = _ROWS.enumeration("mlusim_message", "MLUSIM_")
#: What an instruction does to messages, as the header has it.
MESSAGE_KINDS = {"": int(_MESSAGE.NO_MESSAGE), "send": int(_MESSAGE.SENDS), "wait": int(_MESSAGE.AWAITS)}


#: Bytes of the rows of a log that is remembered with what follows from it: launch after launch gives the same.
SHORT = 1 << 17
#: Rows that are gone through at a time: few enough that the processor has them at hand.
_ROWS_AT_HAND = 1 << 12


def parts(rows: np.ndarray) -> Iterator[np.ndarray]:
    """Rows that are gone through together."""
    return (rows[begin : begin + _ROWS_AT_HAND] for begin in range(0, len(rows), _ROWS_AT_HAND))


@dataclass(frozen=True)
class Op:
    """What a log must know of an instruction to replay it."""

    name: str
    dtypes: str
    operands: tuple[str, ...]  # names, in row order
    writes: tuple[bool, ...]
    engine: str  # key of the cost in the device file; "" = takes no time of its own
    waits: tuple[str, ...] = ()  # pipes that must be empty before the front end goes on
    barrier: str = ""  # scope of the barrier: "", "cluster", "union", ...
    provenance: str = "documented"
    granule: int = 1  # bytes that a unit of its work moves at most
    queues: tuple[str, ...] = ()  # pipes that a record of it with the flag SERIAL comes after
    message: str = ""  # of `MESSAGE_KINDS`; the work of its records says which message

    @property
    def title(self) -> str:
        """What findings call it; of a request, the access."""
        return self.dtypes if self.name == REQUEST else self.name

    @property
    def is_atomic(self) -> bool:
        """Whether threads change a value by it that others may change meanwhile."""
        return self.title.endswith(ATOMIC_BY_THREADS)


class _of_rows(cached_property[Value]):  # noqa: N801 - named like its model
    """An attribute that the rows and the table of instructions decide: logs that share them share it."""

    def value_of(self, instance: Log) -> Value:
        return instance.known(self.name, partial(self.func, instance))


@dataclass(frozen=True)
class Log:
    """All records of a launch, in the order of execution, with the tables they point into."""

    records: np.ndarray
    operands: np.ndarray
    ops: tuple[Op, ...]
    pipes: tuple[str, ...]
    locations: tuple[Location, ...]
    shape: Shape
    device: str
    launch: dict[str, Any] = field(default_factory=dict)
    runs: np.ndarray = field(default_factory=lambda: np.zeros(0, RUNS))
    digests: tuple[str, ...] = ()  # of its source lines when it was saved, see `line_digests`
    #: What has been found in its rows, by who has looked for what; logs that share their rows share it.
    kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def empty(cls, shape: Shape, device: str, launch: dict[str, Any]) -> Log:
        """A log without records; ``launch`` is empty where nothing was launched."""
        return cls(np.zeros(0, RECORD), np.zeros(0, OPERAND), (), (), (), shape, device, launch)

    @property
    def kernel(self) -> str:
        """The name of the kernel; "" where it does not say."""
        return str(self.launch.get("kernel", ""))

    @property
    def kind(self) -> LaunchKind:
        """How its tasks were dealt to cores; a log that does not say is one of Block tasks."""
        return EVERY_KIND.get(str(self.launch.get("type")), BLOCK)

    @property
    def tasks(self) -> int:
        """How many tasks it was launched with; 1 where it does not say."""
        return math.prod(self.launch.get("dim", (1,)))

    @cached_property
    def exact(self) -> bool:
        """Whether it says which bytes of the device are touched; of blocks of threads, if it was asked to."""
        return not self.kind.transactions or any(op.name == REQUEST and op.operands for op in self.ops)

    @cached_property
    def has_atomics(self) -> bool:
        """Whether its threads change values that others may change meanwhile."""
        return any(op.is_atomic for op in self.ops)

    def is_by_turns(self, instruction: str) -> bool:
        """Whether where an access of threads lies may depend on whose turn it was to change something else."""
        return self.has_atomics and not instruction.endswith(ATOMIC_BY_THREADS)

    @property
    def left_out(self) -> int:
        """Records behind its last one that there was no room for."""
        return int(self.launch.get("left_out", 0))

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        kernel = self.kernel or "no kernel"
        return f"<Log of {kernel} on {self.device}: {len(self)} records of {len(self.ops)} instructions>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Log) and self._tables() == other._tables() and self._has_rows_of(other)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"kept": {}}  # of whatever kind, such as only this process knows

    def sharing(self, **fields: Any) -> Log:
        """A log that has all of this one but some fields, what has been found in its rows too.

        `dataclasses.replace` takes several times as long.
        """
        made = object.__new__(Log)
        made.__dict__.update(self.__dict__, **fields)
        return made

    def known(self, by: Hashable, find: Callable[[], Value]) -> Value:
        """What is found in its rows, ``by`` whoever asks; if they are few, once for all logs that share them."""
        if self.nbytes > SHORT:
            return find()
        if by not in self.kept:
            self.kept[by] = find()
        found: Value = self.kept[by]
        return found

    def same_rows(self, other: Log) -> bool:
        """Whether two logs of one process are equal; it is seen sooner than by `==`, which knows loaded logs."""
        mine, theirs = ((log.ops, log.pipes, log.locations, log.launch, log.device) for log in (self, other))
        return mine == theirs and self.shape == other.shape and self._has_rows_of(other)

    def _has_rows_of(self, other: Log) -> bool:
        pairs = zip(self.rows, other.rows, strict=True)
        return all(same_bytes(*map(np.ascontiguousarray, pair)) for pair in pairs)

    @property
    def nbytes(self) -> int:
        """Bytes of its rows."""
        return sum(rows.nbytes for rows in self.rows)

    @property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Records, operands and runs."""
        return self.records, self.operands, self.runs

    def same_work(self, other: Log) -> bool:
        """Whether both logs hold the same instructions on the same memory, wherever their source lines are.

        What the scalar unit computes between them does not count: it is unknown of a kernel in Python.
        """
        return self._work() == other._work()

    def _work(self) -> tuple[object, ...]:
        """What `same_work` compares."""
        kept = [number for number, op in enumerate(self.ops) if op.name != ARITHMETIC]
        records = self.records[np.isin(self.records["op"], kept)]
        records["loc"] = 0
        place = np.zeros(max(len(self.ops), 1), records["op"].dtype)
        place[kept] = np.arange(len(kept))
        records["op"] = place[records["op"]]
        used, records["pipe"] = np.unique(records["pipe"], return_inverse=True)
        pipes = [self.pipes[pipe] for pipe in used.tolist()]
        ops = [self.ops[number] for number in kept]
        return ops, pipes, self.shape, records.tobytes(), self.operands.tobytes()

    def regions(self, index: int) -> Iterator[tuple[str, bool, Region]]:
        """Operand name, whether it is written, and region, for each operand of record ``index``."""
        op, first = self.op(index), int(self.records["first"][index])
        rows = self.operands[first : first + len(op.operands)].tolist()
        for name, written, row in zip(op.operands, op.writes, rows, strict=True):
            yield name, written, self.region(*row)

    def region(self, key: int, size: int, lane: int = 0, lanes: int = 0) -> Region:
        """The region that begins at a key."""
        return region_of(key, size, tuple(self.shape.spaces), lane, lanes)

    def op(self, index: int) -> Op:
        """The instruction of record ``index``."""
        return self.ops[int(self.records["op"][index])]

    def which(self, of: Callable[[Op], object], records: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Of every record, or of some by their numbers, whether its instruction is such, bool."""
        chosen: np.ndarray = np.array([bool(of(op)) for op in self.ops] or [False])[self.records["op"][records]]
        return chosen

    def location(self, index: int) -> Location:
        """The source line of record ``index``."""
        return self.locations[int(self.records["loc"][index])]

    @_of_rows
    def message_kinds(self) -> np.ndarray:
        """What every instruction does to messages, uint8 [instructions]."""
        return np.array([MESSAGE_KINDS[op.message] for op in self.ops], np.uint8)

    @_of_rows
    def operand_counts(self) -> np.ndarray:
        """Operands of every record, int64 [records]."""
        counts = np.array([len(op.operands) for op in self.ops], np.int64)
        return counts.take(self.records["op"], mode="clip")

    @_of_rows
    def owners(self) -> np.ndarray:
        """The record that every row of the operand table belongs to, int64 [operands]."""
        return np.repeat(np.arange(len(self)), self.operand_counts)

    @_of_rows
    def operand_spaces(self) -> np.ndarray:
        """The number of the space of every row of the operand table, int64 [operands]."""
        return space_numbers(self.operands["key"])

    @_of_rows
    def operand_written(self) -> np.ndarray:
        """Whether every row of the operand table is written, bool [operands]."""
        flat = np.array([written for op in self.ops for written in op.writes], bool)
        counts = np.array([len(op.operands) for op in self.ops], np.int64)
        starts, end = np.cumsum(counts) - counts, 0
        written = np.zeros(len(self.operands), bool)
        for part in parts(self.records):
            held = counts.take(part["op"], mode="clip")
            begin, end = end, end + int(held.sum())
            ahead = starts.take(part["op"], mode="clip") - part["first"]
            flat.take(np.repeat(ahead, held) + np.arange(begin, end), out=written[begin:end], mode="clip")
        return written

    @_of_rows
    def operand_bytes(self) -> np.ndarray:
        """Bytes that every row of the operand table spans, in all its lanes together, int64 [operands]."""
        lanes: np.ndarray = np.maximum(self.operands["lanes"].astype(np.int64), 1)
        spanned: np.ndarray = self.operands["bytes"].astype(np.int64) * lanes
        return spanned

    def per_record(self, values: np.ndarray) -> np.ndarray:
        """The sum of ``values``, one for each row of the operand table, over the operands of every record."""
        sums: np.ndarray = np.bincount(self.owners, values, minlength=len(self))
        return sums

    @property
    def line_digests(self) -> tuple[str, ...]:
        """A digest of what each source line says, "" where it is unknown: when it was saved, or of a new log now."""
        return self.digests or digests_of(self.locations)

    def save(self, path: str | Path) -> None:
        """Write the log as an .npz (no pickle), all of it or nothing.

        Raises OSError when the folder is missing or cannot be written.
        """
        tables = self._tables() | {"format": FORMAT, "digests": self.line_digests}
        header = np.frombuffer(json.dumps(tables).encode(), np.uint8)
        with write_atomically(Path(path)) as file:
            np.savez_compressed(file, header=header, records=self.records, operands=self.operands, runs=self.runs)

    @classmethod
    def load(cls, path: str | Path, max_bytes: int = 1 << 32) -> Log:
        """Read a log that `save` wrote.

        ValueError for a file of another kind or format, one whose rows contradict its tables, and one that would take
        more than ``max_bytes`` of memory; OSError when it cannot be opened.
        """
        from .reading import read_log  # the worker writes logs only

        return read_log(Path(path), max_bytes)

    def _tables(self) -> dict[str, Any]:
        tables = {
            "ops": [asdict(op) for op in self.ops],
            "pipes": self.pipes,
            "locations": [(entry.file, entry.line) for entry in self.locations],
            "shape": self.shape.to_dict(),
            "device": self.device,
            "launch": self.launch,
        }
        plain: dict[str, Any] = json.loads(json.dumps(tables))
        return plain
