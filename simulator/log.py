"""The log of a launch: every executed instruction as one row of a compact array.

A log is self-contained: it carries the shape of the device it ran on, the table of the
instructions that occur and the source locations, so that timing, traces and later tools replay
it without the kernel, without the compiler and without the instruction set.
"""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .device import Shape

#: Operands that one row holds; an instruction with more cannot be declared.
MAX_OPERANDS = 4

#: One row. ``op``, ``pipe`` and ``loc`` index the log's tables; ``work`` counts what the instruction's
#: engine is paid for (bytes or accesses; for a barrier: the number of the meeting);
#: an operand is the key of its first byte (see `Region`) and the bytes it touches.
RECORD = np.dtype(
    [
        ("op", "<u2"),
        ("pipe", "u1"),
        ("flags", "u1"),
        ("core", "<u2"),
        ("task", "<u4"),
        ("loc", "<u4"),
        ("work", "<u8"),
        ("operands", [("key", "<u8"), ("bytes", "<u8")], (MAX_OPERANDS,)),
    ]
)

#: Flag: the core's front end waits until the instruction is done.
BLOCKING = 1

_OFFSET_BITS = 40
_OWNER_BITS = 16
FORMAT = 1


@dataclass(frozen=True)
class Region:
    """A byte range of one memory: space, owner (core, cluster or 0) and offset from the owner's first byte."""

    space: str
    owner: int
    offset: int
    bytes: int

    @property
    def begin(self) -> str:
        """The first byte as text, the same from run to run."""
        return f"{self.space}[{self.owner}] {self.offset:#x}"

    def __str__(self) -> str:
        return f"{self.begin}..{self.offset + self.bytes:#x}"


def region_key(space: int, owner: int, offset: int) -> int:
    """The number that stands for a byte of a memory in a row."""
    return (space << (_OFFSET_BITS + _OWNER_BITS)) | (owner << _OFFSET_BITS) | offset


@dataclass(frozen=True)
class Op:
    """What a log must know of an instruction to replay it."""

    name: str
    dtypes: str
    operands: tuple[str, ...]  # names, in row order
    writes: tuple[bool, ...]
    engine: str  # key of the cost in the device file; "" = takes no time of its own
    waits: tuple[str, ...] = ()  # pipes that must be empty before the front end goes on
    barrier: str = ""  # scope of the meeting: "", "cluster", "union", ...
    provenance: str = "documented"


@dataclass(frozen=True)
class Location:
    """A line of the user's source."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else "?"


#: No known line.
NOWHERE = Location("", 0)


@dataclass(frozen=True)
class Log:
    """All records of a launch, in the order of execution, with the tables they point into."""

    records: np.ndarray
    ops: tuple[Op, ...]
    pipes: tuple[str, ...]
    locations: tuple[Location, ...]
    shape: Shape
    device: str
    launch: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def empty(cls, shape: Shape, device: str, launch: dict[str, Any]) -> Log:
        """A log without records; ``launch`` is empty where nothing was launched."""
        return cls(np.zeros(0, RECORD), (), (), (), shape, device, launch)

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        kernel = self.launch.get("kernel", "no kernel")
        return f"<Log of {kernel} on {self.device}: {len(self)} records of {len(self.ops)} instructions>"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Log)
            and self._tables() == other._tables()
            and self.records.tobytes() == other.records.tobytes()
        )

    __hash__ = None  # type: ignore[assignment]

    def same_work(self, other: Log) -> bool:
        """Whether both logs hold the same instructions on the same memory, wherever their source lines are."""
        mine, theirs = self.records.copy(), other.records.copy()
        mine["loc"] = theirs["loc"] = 0
        return (self.ops, self.pipes, self.shape) == (other.ops, other.pipes, other.shape) and (
            mine.tobytes() == theirs.tobytes()
        )

    def regions(self, index: int) -> Iterator[tuple[str, bool, Region]]:
        """Operand name, whether it is written, and region, for each operand of record ``index``."""
        record = self.records[index]
        op = self.ops[record["op"]]
        spaces = list(self.shape.spaces)
        for name, written, operand in zip(op.operands, op.writes, record["operands"], strict=False):
            key = int(operand["key"])
            space = spaces[key >> (_OFFSET_BITS + _OWNER_BITS)]
            owner = (key >> _OFFSET_BITS) & ((1 << _OWNER_BITS) - 1)
            yield name, written, Region(space, owner, key & ((1 << _OFFSET_BITS) - 1), int(operand["bytes"]))

    def location(self, index: int) -> Location:
        """The source line of record ``index``."""
        return self.locations[int(self.records["loc"][index])]

    def space_index(self) -> np.ndarray:
        """Index of the space of every operand, shape [records, MAX_OPERANDS]; meaningless where bytes are 0."""
        return (self.records["operands"]["key"] >> np.uint64(_OFFSET_BITS + _OWNER_BITS)).astype(np.int64)

    def save(self, path: str | Path) -> None:
        """Write the log as an .npz (no pickle), all of it or nothing.

        Raises OSError when the folder is missing or cannot be written.
        """
        path = Path(path)
        header = np.frombuffer(json.dumps(self._tables() | {"format": FORMAT}).encode(), np.uint8)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez_compressed(file, header=header, records=self.records)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)  # as an ordinary new file has it
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    @classmethod
    def load(cls, path: str | Path) -> Log:
        """Read a log that `save` wrote; a file of another kind or format is a ValueError."""
        try:
            with np.load(path, allow_pickle=False) as file:
                header = json.loads(file["header"].tobytes())
                records = file["records"]
        except (KeyError, ValueError, TypeError, zipfile.BadZipFile, EOFError) as error:
            raise ValueError(f"{path} is not a log written by mlusim ({error}); pass a file made with --log") from None
        if header.pop("format", None) != FORMAT or records.dtype != RECORD:
            raise ValueError(f"{path} was written by another version of mlusim; run the kernel again")

        def op(table: dict[str, Any]) -> Op:
            values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
            return Op(**values)

        return cls(
            records,
            tuple(op(table) for table in header["ops"]),
            tuple(header["pipes"]),
            tuple(Location(*entry) for entry in header["locations"]),
            Shape.from_dict(header["shape"]),
            header["device"],
            header["launch"],
        )

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
