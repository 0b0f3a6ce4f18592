"""Reads the trace of a launch back: the records that its rows show, with the times that are in it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from ..isa import DIALECTS, Dialect
from ..simulator.chip import Shape
from ..simulator.files import open_regular
from ..simulator.launches.device import Device
from ..simulator.log import OPERAND, RECORD, Location, Log, Op, region_key
from ..simulator.text import size
from ..simulator.timing import Reason, Timeline
from .drawing import LONGEST_NS, WHY
from .perfetto import CORE_PID, ROWS
from .tracks import FRONT_END

#: Bytes of a trace that is read, and of an operand.
_LARGEST, _MOST_BYTES = 250_000_000, 1 << 40
_REGION = re.compile(
    r"(\w+)\[(\d{1,5})\](?: (\d{1,4}) lanes from (\d{1,4}),)? 0x([0-9a-f]{1,10})\.\.0x([0-9a-f]{1,11})"
)
_CAUSE = re.compile(r"(.*?)(?:: (.*), core (\d+), (.*) us)?", re.S)
_Us = Annotated[float, Field(ge=0, le=LONGEST_NS / 1e3, allow_inf_nan=False)]


class _Arguments(BaseModel):
    dtypes: str
    operands: dict[str, dict[str, Any]]
    work: int = Field(ge=0, lt=1 << 63)
    source: str
    task: int = Field(ge=0, lt=1 << 31)
    reason: str


class _Event(BaseModel):
    name: str
    pid: int
    tid: int
    ts: _Us
    dur: _Us
    args: _Arguments


class _Facts(BaseModel):
    device: str
    total_us: _Us
    assumed_share: float
    fitted_share: float
    not_modelled: list[str]


_EVENTS, _NUMBERS = TypeAdapter(list[_Event]), TypeAdapter(dict[str, Any])


def read_trace(path: Path) -> Timeline:
    """The timeline of a trace in JSON that `write_trace` has written; ValueError when the file is none.

    What rows do not show is not in it: declared variables, by how much others on a channel made a record longer.
    """
    with open_regular(path) as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"{path} has more than {size(_LARGEST)}; pass the log of the launch, made with --log")
    try:
        document = _NUMBERS.validate_python(json.loads(data))
        facts = _Facts.model_validate(document["otherData"])
        listed = document["traceEvents"]
        events = _EVENTS.validate_python([one for one in listed if one["ph"] == "X"])
        rows = {one["tid"]: str(one["args"]["name"]) for one in listed if one.get("name") == "thread_name"}
    except (ValueError, KeyError, TypeError, ValidationError, RecursionError):
        raise ValueError(
            f"{path} is no trace of a launch; pass a file made with --trace or, better, with --log"
        ) from None
    if facts.device not in Device.names():
        raise ValueError(f"the trace is of {facts.device}, which is not built in; pass the log, made with --log")
    try:
        return _Reading(Device.load(facts.device), events, rows).timeline(facts)
    except (ValueError, KeyError, IndexError, OverflowError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None


class _Reading:
    """The log that the events of a trace show."""

    def __init__(self, device: Device, events: list[_Event], rows: dict[int, str]) -> None:
        self.device, self.shape, self.events = device, device.shape, events
        self.dialect: Dialect = DIALECTS[device.isa]
        named = {tid % ROWS: name for tid, name in rows.items() if tid % ROWS != FRONT_END}
        self.pipes = tuple(named.get(row, f"row {row}") for row in range(1, max(named, default=0) + 1))
        self.ops: dict[Op, int] = {}
        self.places: dict[Location, int] = {}

    def timeline(self, facts: _Facts) -> Timeline:
        """The records in the order of the trace."""
        records, operands = np.zeros(len(self.events), RECORD), list[tuple[int, int, int, int]]()
        for record, event in zip(records, self.events, strict=True):
            core, row = event.pid - CORE_PID, event.tid - event.pid * ROWS
            if not (0 <= core < self.shape.owners("core") and FRONT_END <= row <= len(self.pipes)):
                raise ValueError(f"{event.name!r} lies in no row of a core")
            record["op"], record["first"] = self._op(event, row), len(operands)
            record["pipe"] = max(row - 1, 0)
            record["core"], record["task"], record["work"] = core, event.args.task, event.args.work
            record["loc"] = self.places.setdefault(_location(event.args.source), len(self.places))
            operands += [_operand(self.shape, str(one.get("region"))) for one in event.args.operands.values()]
        start = np.array([event.ts for event in self.events])
        end = start + np.array([event.dur for event in self.events])
        reason, cause = self._causes()
        log = Log(
            records, np.array(operands, OPERAND), tuple(self.ops), self.pipes, tuple(self.places), self.shape,
            self.device.name, {"kernel": "trace"},
        )  # fmt: skip
        shares = {"assumed": facts.assumed_share, "fitted": facts.fitted_share}
        return Timeline(
            log, self.device.rates, start, end, reason, cause, facts.total_us, shares, tuple(facts.not_modelled),
            np.zeros(len(start)),
        )  # fmt: skip

    def _op(self, event: _Event, row: int) -> int:
        names = tuple(event.args.operands)
        written = {operand.name for entry in self.dialect.named(event.name) for operand in entry.written}
        engine, waits = (self.pipes[row - 1] if row != FRONT_END else ""), tuple[str, ...]()
        if row == FRONT_END:
            waits = next((entry.waits for entry in self.dialect.named(event.name)), ())
        op = Op(event.name, event.args.dtypes, names, tuple(name in written for name in names), engine, waits)
        return self.ops.setdefault(op, len(self.ops))

    def _causes(self) -> tuple[np.ndarray, np.ndarray]:
        """Why each record did not start earlier, and what held it up, by the words of the trace."""
        known = {words: reason for reason, words in WHY.items()}
        named: dict[tuple[str, int, str], list[int]] = defaultdict(list)
        for index, event in enumerate(self.events):
            key = f"{round(event.ts, 3):.3f}..{round(event.ts + event.dur, 3):.3f}"
            named[event.name, event.pid - CORE_PID, key].append(index)
        reason, cause = np.zeros(len(self.events), np.uint8), np.full(len(self.events), -1, np.int64)
        for index, event in enumerate(self.events):
            found = _CAUSE.fullmatch(event.args.reason)
            words, name, core, times = found.groups() if found else ("", None, None, None)
            reason[index] = known.get(words, Reason.ISSUE)
            if name is not None and core is not None and times is not None:
                before = [one for one in named.get((name, int(core), times), ()) if one != index]
                cause[index] = before[-1] if before else -1
        return reason, cause


def _location(text: str) -> Location:
    file, _, line = text.rpartition(":")
    return Location(file, int(line)) if line.isdecimal() and len(line) < 10 else Location("", 0)


def _operand(shape: Shape, text: str) -> tuple[int, int, int, int]:
    """The row of an operand that a trace shows."""
    found = _REGION.fullmatch(text)
    spaces = list(shape.spaces)
    if not found or found[1] not in spaces:
        raise ValueError(f"{text[:80]!r} is no place in a memory of the device")
    owner, begin, past = int(found[2]), int(found[5], 16), int(found[6], 16)
    if not 0 <= past - begin <= _MOST_BYTES or owner >= 1 << 16:
        raise ValueError(f"{text[:80]!r} is no place in a memory of the device")
    lanes, lane = int(found[3] or 0), int(found[4] or 0)
    return region_key(spaces.index(found[1]), owner, begin), past - begin, lane, lanes
