"""The layout of a device file, by which one is validated. Whoever reads a file that has been, does not import this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from ..text import nearest, quoted
from .device_file import EXAMPLE, LARGEST_SPREAD, Kind, Scope, check_value, numbers

Text = Annotated[str, Field(min_length=1)]
#: A name that the file chooses is a part of a dotted path, so it has no dots.
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Number(_Table):
    """A number, its source, and the factor within which it lies with the odds of one standard deviation; ``loadings``
    where it was fitted together with others.
    """

    value: float
    kind: Kind
    source: Text
    spread: float | None = None
    loadings: list[float] | None = None


class SpaceTable(_Table):
    """A memory space; ``bytes`` and ``reserved`` (kept by the vendor's compiler) are those of one owner."""

    bytes: Number
    reserved: Number | None = None
    scope: Scope


class ThreadsTable(_Table):
    """Limits of blocks of threads."""

    warp: Number
    per_block: Number
    per_cluster: Number
    static_shared: Number
    shared_per_cluster: Number


class ShapeTable(_Table):
    """Counts of units and the memory spaces."""

    arch: Number
    clusters: Number
    cores_per_cluster: Number
    memory_cores_per_cluster: Number
    memory_core_stores: Number | None = None
    memory_core_task: Number | None = None
    lanes: Number | None = None
    banks: Number | None = None
    eu_bytes: Number | None = None
    threads: ThreadsTable | None = None
    spaces: dict[Name, SpaceTable]


class ClockTable(_Table):
    """The clock that all cycles count."""

    core_mhz: Number


class EngineTable(_Table):
    """The cost of an instruction on one engine.

    ``part_cycles`` is what each further part of a strided operand adds, and each scalar access that is waited for;
    ``dependent_cycles`` what an instruction adds that takes the result of the one right before it; ``efficiency`` the
    share of ``per_cycle`` that is reached, 1 where it is not given.
    """

    startup_cycles: Number
    per_cycle: Number
    quantum: Number
    part_cycles: Number | None = None
    dependent_cycles: Number | None = None
    efficiency: Number | None = None


class ChannelTable(_Table):
    """A bandwidth that several cores share; ``efficiency`` is the share of ``gb_per_s`` that is reached.

    ``write_latency_ns`` is the latency of a write, that of a read where it is not given: 0 where writes are posted.
    ``granule`` are the bytes of one access of a memory: less is rounded up, and a write of less reads them first.
    ``bus_bits`` is the width of the memory's bus, which host code asks for; no time depends on it.
    """

    gb_per_s: Number
    latency_ns: Number
    write_latency_ns: Number | None = None
    core_gb_per_s: Number | None = None
    efficiency: Number | None = None
    granule: Number | None = None
    bus_bits: Number | None = None
    scope: Scope
    spaces: list[str]


class LaunchTable(_Table):
    """What every launch pays once, and the time by which each further task of it starts later.

    ``host_us`` is what a clock of the host sees of a launch beyond that: the driver's work and the way back.
    """

    overhead_us: Number
    host_us: Number | None = None
    task_us: Number | None = None


class ModelTable(_Table):
    """How far off times are though all numbers are right: the factor of one standard deviation. Without it times have
    no interval.
    """

    error: Number


class BusTable(_Table):
    """The way between host and device memory, which copies of a program's host code take."""

    gb_per_s: Number
    latency_ns: Number
    efficiency: Number | None = None


class FileLayout(_Table):
    """A whole device file; devices of one ``family`` have the chip in common, and so what is fitted of it."""

    name: Text
    title: Text
    isa: Text
    family: str = ""
    shape: ShapeTable
    clock: ClockTable
    engines: dict[Name, EngineTable]
    channels: dict[Name, ChannelTable]
    launch: LaunchTable
    bus: BusTable | None = None
    model: ModelTable | None = None


def faults(data: Mapping[str, Any]) -> list[str]:
    """Everything that is wrong with the content of a device file, each fault with the path of its key."""
    try:
        FileLayout.model_validate(data)
        found = []
    except ValidationError as error:
        found = list(_said(error, data))
    return [*found, *_limits(data), *([] if found else _connections(data))]


def _limits(data: Mapping[str, Any]) -> Iterator[str]:
    """Numbers that are none of a chip."""
    for path, table in numbers(data):
        spread = table.get("spread")
        if isinstance(spread, (int, float)) and not 1 <= spread <= LARGEST_SPREAD:
            yield f"{path}.spread must be a factor, from 1 to {LARGEST_SPREAD}, not {quoted(spread)}"
        loadings = table.get("loadings")
        if isinstance(loadings, list) and not all(
            isinstance(part, (int, float)) and abs(part) < 5 for part in loadings
        ):
            yield f"{path}.loadings must be numbers from -5 to 5, not {quoted(loadings)}"
        if loadings and spread is not None:
            yield f"{path} has spread and loadings; one of them says how sure it is"
        if isinstance(table["value"], (int, float)) and not isinstance(table["value"], bool):
            try:
                check_value(path, table["value"])
            except ValueError as error:
                yield str(error)


def _connections(data: Mapping[str, Any]) -> Iterator[str]:
    """Tables that name one another, in a file that has the layout."""
    if "scalar" not in data["engines"]:
        yield "engines.scalar is missing: its startup_cycles pace the instruction issue of every core"
    if not any("granule" in channel for channel in data["channels"].values()):
        yield "channels: none has a granule, the bytes of one access of the device's memory"
    spaces = data["shape"]["spaces"]
    for name, channel in data["channels"].items():
        for stranger in sorted(set(channel["spaces"]) - set(spaces)):
            yield (
                f"channels.{name}.spaces names {quoted(stranger)}{nearest(stranger, spaces)}; "
                f"the spaces of this device are {', '.join(spaces)}"
            )


def _said(error: ValidationError, data: Mapping[str, Any]) -> Iterator[str]:
    """What pydantic found, in our words; tables before what is in them."""
    details = sorted(error.errors(include_url=False), key=lambda found: len(found["loc"]))
    misspelt = {found["loc"][:-1] for found in details if found["type"] == "extra_forbidden"}
    said = dict[str, None]()
    for found in details:
        if found["type"] == "missing" and found["loc"][:-1] in misspelt:
            continue  # a key that is misspelt is not missing as well
        place, problem = _fault(found, data)
        key = ".".join(map(str, place))
        said[f"{key}: {problem}" if key else problem] = None
    yield from said


def _fault(found: ErrorDetails, data: Mapping[str, Any]) -> tuple[tuple[int | str, ...], str]:
    """Where a fault is, and what it is."""
    place, given, kind = found["loc"], found["input"], found["type"]
    if kind == "missing":
        return place, "is missing"
    if kind == "extra_forbidden":
        table, key = place[:-1], str(place[-1])
        known = _model(table).model_fields
        near = nearest(key, known)
        return table, f"unknown key {quoted(key)}{near}; the keys here are {', '.join(known)}"
    if place[-1] == "[key]":
        return place[:-2], f"{quoted(given)} is no name; one has small letters, digits and _, a letter first"
    if kind == "string_type" and isinstance(place[-1], int):
        whole: Any = data
        for part in place[:-1]:
            whole = whole[part]
        return place[:-1], f"must be a list of texts, not {quoted(whole)}"
    problems = {
        "model_type": f"must be a table{EXAMPLE if found.get('ctx', {}).get('class_name') == 'Number' else ''}",
        "dict_type": "must be a table of tables",
        "string_too_short": "must not be empty",
        "string_type": f"must be a text, not {quoted(given)}",
        "list_type": f"must be a list of {'numbers' if 'loadings' in place else 'texts'}, not {quoted(given)}",
        "float_type": f"must be a number, not {quoted(given)}",
        "literal_error": f"must be one of {found.get('ctx', {}).get('expected')}, not {quoted(given)}",
    }
    return place, problems.get(kind, found["msg"])


def _model(place: tuple[int | str, ...]) -> Any:
    """The model of the table at a place of the layout."""
    at: Any = FileLayout
    for part in place:
        at = get_args(at)[1] if get_origin(at) is dict else at.model_fields[str(part)].annotation
        at = get_args(at)[0] if get_origin(at) is UnionType else at
    return at
