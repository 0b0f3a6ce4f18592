"""A table of measured times."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...chip.launch_kinds import BLOCK, KINDS
from ...files import open_regular
from ...launches.device import Device
from ...text import quoted

#: Columns that a table must have; it may have others.
COLUMNS = ("platform", "operator", "dtype", "shape_or_case", "task_dim_or_job_type", "hw_time_us", "clock")
#: Whose time it is: the device's own between two notifiers, or what the host waits for one launch.
CLOCKS = ("device", "host")
_LARGEST = 1 << 24  # bytes of a table
_NUMBER = re.compile(r"\b([A-Za-z]\w*)\s*=\s*(\d{1,12})\b")
_CLOCK = re.compile(r"(.*?)@\s*(\d+(?:\.\d+)?)\s*MHz", re.I)
_DIM = re.compile(r"dim\s*=\s*[{(]?\s*(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?", re.I)
_TYPE = re.compile(r"^\s*(BLOCK|UNION\d+)\b", re.I)
_SHAPE = re.compile(r"\[(\d{1,12}(?:\s*,\s*\d{1,12})*)\]")


@dataclass(frozen=True)
class Measurement:
    """A row of a table: an operator of one shape on one board, and how long it took there (microseconds).

    The time is no number where the table has none.
    """

    operator: str
    platform: str
    dtype: str
    shape: str
    job: str  # number and type of the tasks, as the table says it
    us: float
    clock: str = CLOCKS[0]
    note: str = ""
    line: int = 0
    earlier_us: float = math.nan  # what an earlier model said, where the table has that beside

    @property
    def numbers(self) -> dict[str, int]:
        """The named numbers of its note and its shape; those of the shape count where both have a name.

        ``elements`` are those of the first array that the shape gives, such as ``[2,135,45,256]``.
        """
        known = {name: int(value) for name, value in _NUMBER.findall(self.note) + _NUMBER.findall(self.shape)}
        array = _SHAPE.search(self.shape)
        return ({"elements": math.prod(map(int, array[1].split(",")))} if array else {}) | known

    @property
    def dim(self) -> tuple[int, int, int]:
        """The number of tasks in three dimensions, one where the table does not say."""
        found = _DIM.search(self.job)
        x, y, z = [int(part or 1) for part in found.groups()] if found else (1, 1, 1)
        return x, y, z

    @property
    def type(self) -> str:
        """The type of the launch, that of Block tasks where the table does not say."""
        found = _TYPE.match(self.job)
        return found[1].lower() if found else BLOCK.name

    def device(self) -> Device:
        """The device of its platform, at the clock that this names; ValueError if there is none."""
        clocked = _CLOCK.fullmatch(self.platform.strip())
        device = Device.load((clocked[1] if clocked else self.platform).strip())
        mhz = float(clocked[2]) if clocked else device.rates.clock_mhz
        return device if mhz == device.rates.clock_mhz else device.replace({"clock.core_mhz": mhz})


@dataclass(frozen=True)
class Skipped:
    """A row that cannot be compared, and why."""

    measurement: Measurement
    reason: str


def read_table(path: Path) -> list[Measurement]:
    """The rows of a CSV table; ValueError that names line and column when it is none."""
    try:
        with open_regular(path) as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; pass a table of measured times") from None
    if len(data) > _LARGEST:
        raise ValueError(f"{path} has more than {_LARGEST} bytes")
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        if missing:
            raise ValueError(f"{path} has no column {missing[0]}; a table has {', '.join(COLUMNS)}")
        rows = [_measurement(path, reader.line_num, row) for row in reader]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no UTF-8 text (at byte {error.start})") from None
    except csv.Error as error:
        raise ValueError(f"{path} is no CSV table: {error}") from None
    if not rows:
        raise ValueError(f"{path} has no rows")
    return rows


def _measurement(path: Path, line: int, row: Mapping[str, str | None]) -> Measurement:
    values = {column: (row.get(column) or "").strip() for column in (*COLUMNS, "note", "earlier_us")}
    us, earlier = (_time(path, line, name, values[name]) for name in ("hw_time_us", "earlier_us"))
    if values["clock"] not in CLOCKS:
        raise ValueError(f"{path}, line {line}: clock is {quoted(values['clock'])}; it is one of {', '.join(CLOCKS)}")
    return Measurement(
        values["operator"], values["platform"], values["dtype"], values["shape_or_case"],
        values["task_dim_or_job_type"], us, values["clock"], values["note"], line, earlier,
    )  # fmt: skip


def _time(path: Path, line: int, column: str, text: str) -> float:
    """Microseconds, no number where the table has none."""
    try:
        us = float(text) if text else math.nan
    except ValueError:
        us = 0.0
    if not 0 < us < 1e15 and not math.isnan(us):
        raise ValueError(f"{path}, line {line}: {column} is {quoted(text)}; it must be above zero")
    return us


def check_type(row: Measurement) -> None:
    """ValueError for a type of launch that does not exist."""
    if row.type not in KINDS:
        raise ValueError(f"{quoted(row.job)} names no type of launch; there are {', '.join(KINDS)}")
