"""A table of measured times, and the kernels that stand for its rows."""

from __future__ import annotations

import csv
import io
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....isa import expression
from ...chip.launch_kinds import BLOCK, KINDS
from ...files import open_regular
from ...launches.device import Device
from ...text import quoted

#: Columns that a table must have; it may have others.
COLUMNS = ("platform", "operator", "dtype", "shape_or_case", "task_dim_or_job_type", "hw_time_us")
_LARGEST = 1 << 24  # bytes of a table
_NUMBER = re.compile(r"\b([A-Za-z]\w*)\s*=\s*(\d{1,12})\b")
_CLOCK = re.compile(r"(.*?)@\s*(\d+(?:\.\d+)?)\s*MHz", re.I)
_DIM = re.compile(r"dim\s*=\s*[{(]?\s*(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?", re.I)
_TYPE = re.compile(r"^\s*(BLOCK|UNION\d+)\b", re.I)
_SPELLINGS = {"float": "float32", "fp32": "float32", "f32": "float32", "half": "float16", "fp16": "float16"}
_ARRAY = re.compile(r"(\w+)\[(.+)\]")


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
    note: str = ""
    line: int = 0

    @property
    def numbers(self) -> dict[str, int]:
        """The named numbers of its note and its shape; those of the shape count where both have a name."""
        return {name: int(value) for name, value in _NUMBER.findall(self.note) + _NUMBER.findall(self.shape)}

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


class MeasuredCase(BaseModel):
    """Which kernel stands for an operator; its texts are expressions over the numbers of a row and ``tasks``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    operator: str
    dtype: str
    source: str
    kernel: str
    args: tuple[str, ...]
    operations: str
    bytes: str
    let: Mapping[str, str] = Field(default_factory=dict)
    folder: Path = Path()

    def numbers(self, row: Measurement) -> dict[str, int]:
        """What its expressions may name; ValueError where the row lacks a number."""
        x, y, z = row.dim
        known = {"tasks": x * y * z, **row.numbers}
        for name, text in self.let.items():
            if name not in known:
                known[name] = evaluate(text, known)
        return known

    def arguments(self, row: Measurement) -> list[Any]:
        """The arguments of the kernel for a row: numbers, and arrays of zeros."""
        known = self.numbers(row)
        values: list[Any] = []
        for text in self.args:
            array = _ARRAY.fullmatch(text)
            if array is None:
                values.append(evaluate(text, known))
                continue
            count = evaluate(array[2], known)
            if not 0 < count < 1 << 36:
                raise ValueError(f"{text} has {count} elements")
            values.append(np.zeros(count, np.dtype(array[1])))
        return values


class Free(BaseModel):
    """A number that a calibration may change, for all devices of a family, and where it begins.

    The numbers of ``also`` are the same by nature: they follow it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: str
    number: str
    also: tuple[str, ...] = ()
    begin: float = Field(gt=0)
    why: str = ""

    @property
    def numbers(self) -> tuple[str, ...]:
        """All that it stands for."""
        return self.number, *self.also


@dataclass(frozen=True)
class Cases:
    """The kernels of a folder, and the numbers that may be fitted to their times."""

    cases: tuple[MeasuredCase, ...] = ()
    free: tuple[Free, ...] = ()

    def of(self, row: Measurement) -> MeasuredCase | None:
        """The kernel that stands for a row, by operator and dtype."""
        wanted = row.operator, _plain(row.dtype)
        return next((case for case in self.cases if (case.operator, _plain(case.dtype)) == wanted), None)


def _plain(dtype: str) -> str:
    """A dtype in one spelling, so that ``fp32`` and ``float`` are ``float32``."""
    return re.sub(r"[a-z]\w*", lambda word: _SPELLINGS.get(word[0], word[0]), dtype.lower())


def evaluate(text: str, known: Mapping[str, int]) -> int:
    """The value of an expression over whole numbers; ValueError when it is none, or names what is not known."""
    try:
        missing = sorted(expression.names(text) - set(known))
        if missing:
            raise ValueError(f"its shape and note give no {missing[0]}, which {quoted(text)} needs")
        value = eval(text, {"__builtins__": {}, **expression.FUNCTIONS}, dict(known))
    except expression.ExpressionError as error:
        raise ValueError(f"{quoted(text)} is no expression: {error}") from None
    except ArithmeticError as error:
        raise ValueError(f"{quoted(text)} cannot be computed: {error}") from None
    if not isinstance(value, int):
        raise ValueError(f"{quoted(text)} is no whole number")
    return value


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
    values = {column: (row.get(column) or "").strip() for column in (*COLUMNS, "note")}
    try:
        us = float(values["hw_time_us"]) if values["hw_time_us"] else math.nan
    except ValueError:
        us = 0.0
    if not 0 < us < 1e15 and not math.isnan(us):
        raise ValueError(f"{path}, line {line}: hw_time_us is {quoted(values['hw_time_us'])}; it must be above zero")
    return Measurement(
        values["operator"], values["platform"], values["dtype"], values["shape_or_case"],
        values["task_dim_or_job_type"], us, values["note"], line,
    )  # fmt: skip


def read_cases(folder: Path) -> Cases:
    """The kernels that ``cases.toml`` of a folder names; ValueError when it cannot be read or breaks the layout."""
    path = folder / "cases.toml"
    try:
        with open_regular(path) as file:
            tables = tomllib.load(file)
        cases = tuple(MeasuredCase.model_validate({**table, "folder": folder}) for table in tables.get("case", []))
        free = tuple(Free.model_validate(table) for table in tables.get("free", []))
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; pass a folder with kernels and their cases.toml") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML file: {error}") from None
    except (ValidationError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: {error}") from None
    return Cases(cases, free)


def check_type(row: Measurement) -> None:
    """ValueError for a type of launch that does not exist."""
    if row.type not in KINDS:
        raise ValueError(f"{quoted(row.job)} names no type of launch; there are {', '.join(KINDS)}")
