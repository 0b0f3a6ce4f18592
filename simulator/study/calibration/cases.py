"""What stands for the rows of a table of measured times, and which numbers may be fitted to them: ``cases.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ....isa import expression
from ...chip.device_file import Quantity
from ...files import open_regular
from ...log import Log
from ...text import quoted
from .measured import Measurement

_SPELLINGS = {"float": "float32", "fp32": "float32", "f32": "float32", "half": "float16", "fp16": "float16"}
_ARRAY = re.compile(r"(\w+)\[(.+)\]")
_NAMED = re.compile(r"\s*\w+\s*=(?!=).+")
#: The kernels and the table of the project itself, beside the packages; an installation has no logs among them.
OUR_KERNELS = Path(__file__).resolve().parents[3] / "benchmarks" / "hardware"
LEFT_OUT = (
    "its log is not installed, since logs are large: unpack the source distribution, and pass its benchmarks/hardware "
    "by --kernels"
)


class MeasuredCase(BaseModel):
    """What stands for an operator: a kernel, logs of its launches by the shape of a row, or both, one after the other.

    Without ``operator`` it is what stands for all others, without ``kernel`` the kernel has the operator's name. Its
    texts are expressions over the numbers of a row and ``tasks``; without ``operations`` and ``bytes`` there is no
    roofline. ``error`` is how far off the model and the measurement are expected to be, as a share of the time: by that
    a fit weighs its rows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    operator: str = ""
    dtype: str = ""
    source: str = ""
    kernel: str = ""
    args: tuple[str, ...] = ()
    logs: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    kind: str = ""  # by which the figures of a comparison are grouped
    operations: str = ""
    bytes: str = ""
    error: float = Field(default=0.1, gt=0, lt=1)
    let: Mapping[str, str] = Field(default_factory=dict)
    folder: Path = Path()

    @model_validator(mode="after")
    def _stands_for_something(self) -> MeasuredCase:
        if not (self.source or self.logs) or (self.kernel and not self.source):
            raise ValueError(f"{self.operator or 'a case'} needs the source of a kernel, or logs")
        if bool(self.operations) != bool(self.bytes):
            raise ValueError(f"{self.operator or 'a case'} needs both operations and bytes for a roofline, or neither")
        return self

    def launches(self, row: Measurement) -> list[Log]:
        """The logs that stand for a row; ValueError where there is none, or one cannot be read."""
        if self.logs and row.shape not in self.logs:
            raise ValueError("no log stands for its shape")
        if self.logs and self.folder == OUR_KERNELS and not (OUR_KERNELS / "logs").exists():
            raise ValueError(LEFT_OUT)
        return [_read_log(str(self.folder / name)) for name in self.logs.get(row.shape, ())]

    def numbers(self, row: Measurement) -> dict[str, int]:
        """What its expressions may name; ValueError where the row lacks a number."""
        x, y, z = row.dim
        known = {"tasks": x * y * z, **row.numbers}
        for name, text in self.let.items():
            if name not in known:
                known[name] = evaluate(text, known)
        return known

    def arguments(self, row: Measurement) -> list[Any] | dict[str, Any]:
        """The arguments of the kernel for a row: numbers, and arrays of zeros; by name where a structure has them."""
        known = self.numbers(row)
        if self.args and all(map(_NAMED.fullmatch, self.args)):
            named = (text.partition("=") for text in self.args)
            return {name.strip(): _argument(text.strip(), known) for name, _, text in named}
        return [_argument(text, known) for text in self.args]


def _argument(text: str, known: Mapping[str, int]) -> int | np.ndarray:
    array = _ARRAY.fullmatch(text)
    if array is None:
        return evaluate(text, known)
    count = evaluate(array[2], known)
    if not 0 < count < 1 << 36:
        raise ValueError(f"{text} has {count} elements")
    return np.zeros(count, np.dtype(array[1]))


class Free(BaseModel):
    """A number that a calibration may change, for all devices of a family, and what is known of it before any row.

    It lies within a factor of ``spread`` of ``centre`` with the odds of one standard deviation; ``why`` says how that
    is known. The numbers of ``also`` are the same by nature: they follow it. Without ``family`` it is free in each.
    Without ``centre`` that is what the device file says, and ``number`` may be a pattern: ``engines.*.per_cycle``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: str = ""
    number: str
    also: tuple[str, ...] = ()
    centre: float = Field(default=0.0, ge=0)
    spread: float = Field(default=2.0, gt=1, le=100)
    why: str = ""

    @property
    def numbers(self) -> tuple[str, ...]:
        """All that it stands for."""
        return self.number, *self.also

    def of(self, family: str, facts: Mapping[str, Quantity]) -> list[Free]:
        """The free numbers that it stands for in a family; ``facts`` are the numbers of one of its devices.

        A number that is 0 is left out: no factor changes it.
        """
        if self.family not in ("", family):
            return []
        if self.centre:
            return [self.model_copy(update={"family": family})]
        own = {name: fact for name, fact in facts.items() if fnmatchcase(name, self.number) and fact.value}
        return [
            Free(family=family, number=name, centre=fact.value, spread=self.spread, why=self.why or fact.source)
            for name, fact in own.items()
        ]


class Note(BaseModel):
    """What a reader of the comparison has to know of some rows: a chapter of its page, in Markdown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    text: str


@dataclass(frozen=True)
class Cases:
    """The kernels of a folder, the numbers that may be fitted to their times, and what is to be said of them."""

    cases: tuple[MeasuredCase, ...] = ()
    free: tuple[Free, ...] = ()
    notes: tuple[Note, ...] = ()
    left_out: bool = True  # whether a fit without an operator says something: not where each tells numbers of its own

    def of(self, row: Measurement) -> MeasuredCase | None:
        """The kernel that stands for a row, by operator and dtype."""
        for case in self.cases:
            if case.operator in ("", row.operator) and _plain(case.dtype) in ("", _plain(row.dtype)):
                return case
        return None


def _plain(dtype: str) -> str:
    """A dtype in one spelling, so that ``fp32`` and ``float`` are ``float32``."""
    return re.sub(r"[a-z]\w*", lambda word: _SPELLINGS.get(word[0], word[0]), dtype.lower())


@lru_cache(maxsize=64)
def _read_log(path: str) -> Log:
    try:
        return Log.load(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None


def evaluate(text: str, known: Mapping[str, int]) -> int:
    """The value of an expression over whole numbers; ValueError when it is none, or names what is not known."""
    try:
        missing = sorted(expression.names_of(text) - set(known))
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


def read_cases(folder: Path) -> Cases:
    """What `cases.toml` of a folder says, and files beside it whose names begin so, such as `cases_sophgo.toml`.

    ValueError when one cannot be read or breaks the layout.
    """
    paths = sorted({folder / "cases.toml", *folder.glob("cases_*.toml")})
    read = [_read(path) for path in paths]
    return Cases(
        tuple(case for found in read for case in found.cases), tuple(free for found in read for free in found.free),
        tuple(note for found in read for note in found.notes), all(found.left_out for found in read),
    )  # fmt: skip


def _read(path: Path) -> Cases:
    try:
        with open_regular(path) as file:
            tables = tomllib.load(file)
        cases = tuple(MeasuredCase.model_validate({**table, "folder": path.parent}) for table in tables.get("case", []))
        free = tuple(Free.model_validate(table) for table in tables.get("free", []))
        notes = tuple(Note.model_validate(table) for table in tables.get("note", []))
        left_out = bool(tables.get("left_out", True))
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; pass a folder with kernels and their cases.toml") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML file: {error}") from None
    except (ValidationError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: {error}") from None
    return Cases(cases, free, notes, left_out)
