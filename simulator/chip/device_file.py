"""Device files: the TOML layout, its validation, and the numbers in it with their sources.

Every number is a `Quantity`. Its dotted path in the file (``channels.dram.gb_per_s``) is its name
everywhere: in ``facts``, in ``replace`` and in messages.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ..files import open_regular
from ..text import quoted
from .tables import TableError, entries, read_table

Kind = Literal["measured", "documented", "derived", "fitted", "assumed"]
Scope = Literal["device", "cluster", "core"]

#: Costs and counts that may be zero; every other number divides something or must exist.
_MAY_BE_ZERO = frozenset(
    [
        "startup_cycles",
        "part_cycles",
        "latency_ns",
        "overhead_us",
        "task_us",
        "reserved",
        "memory_cores_per_cluster",
        "memory_core_stores",
        "memory_core_task",
    ]
)
#: Beyond these a number is a slip, and times made of it are no numbers any more.
_LEAST, _MOST = 1e-12, 1e30
#: Bytes of a device file; the built-in ones have less than 10,000.
_LARGEST = 1 << 20
#: Faults of a file that a message names, and characters of a name that is compared with the known ones.
_SHOWN, _SENSIBLE = 8, 100


@dataclass(frozen=True)
class Quantity:
    """A number and its source in words: where it is written, the arithmetic (derived), the reason (assumed), or by
    which table of measured times it was found, and with which error (fitted).
    """

    EXAMPLE: ClassVar = ' such as { value = 1, kind = "assumed", source = "why" }'

    value: int | float
    kind: Kind
    source: str


@dataclass(frozen=True, kw_only=True)
class SpaceTable:
    """A memory space; ``bytes`` and ``reserved`` (kept by the vendor's compiler) are those of one owner."""

    bytes: Quantity
    reserved: Quantity | None = None
    scope: Scope


@dataclass(frozen=True)
class ThreadsTable:
    """Limits of blocks of threads."""

    warp: Quantity
    per_block: Quantity
    per_cluster: Quantity
    static_shared: Quantity
    shared_per_cluster: Quantity


@dataclass(frozen=True, kw_only=True)
class ShapeTable:
    """Counts of units and the memory spaces."""

    arch: Quantity
    clusters: Quantity
    cores_per_cluster: Quantity
    memory_cores_per_cluster: Quantity
    memory_core_stores: Quantity | None = None
    memory_core_task: Quantity | None = None
    lanes: Quantity | None = None
    banks: Quantity | None = None
    eu_bytes: Quantity | None = None
    threads: ThreadsTable | None = None
    spaces: dict[str, SpaceTable]


@dataclass(frozen=True)
class ClockTable:
    """The clock that all cycles count."""

    core_mhz: Quantity


@dataclass(frozen=True)
class EngineTable:
    """The cost of an instruction on one engine.

    ``part_cycles`` is what each further part of a strided operand adds, and each scalar access that is waited for;
    ``efficiency`` the share of ``per_cycle`` that is reached, 1 where it is not given.
    """

    startup_cycles: Quantity
    per_cycle: Quantity
    quantum: Quantity
    part_cycles: Quantity | None = None
    efficiency: Quantity | None = None


@dataclass(frozen=True, kw_only=True)
class ChannelTable:
    """A bandwidth that several cores share; ``efficiency`` is the share of ``gb_per_s`` that is reached.

    ``bus_bits`` is the width of the memory's bus, which host code asks for; no time depends on it.
    """

    gb_per_s: Quantity
    latency_ns: Quantity
    core_gb_per_s: Quantity | None = None
    efficiency: Quantity | None = None
    bus_bits: Quantity | None = None
    scope: Scope
    spaces: tuple[str, ...]


@dataclass(frozen=True)
class LaunchTable:
    """What every launch pays once, and the time by which each further task of it starts later."""

    overhead_us: Quantity
    task_us: Quantity | None = None


@dataclass(frozen=True, kw_only=True)
class BusTable:
    """The way between host and device memory, which copies of a program's host code take."""

    gb_per_s: Quantity
    latency_ns: Quantity
    efficiency: Quantity | None = None


@dataclass(frozen=True, kw_only=True)
class DeviceFile:
    """A whole device file; devices of one ``family`` have the chip in common, and so what is fitted of it."""

    name: str
    title: str
    isa: str
    family: str = ""
    shape: ShapeTable
    clock: ClockTable
    engines: dict[str, EngineTable]
    channels: dict[str, ChannelTable]
    launch: LaunchTable
    bus: BusTable | None = None

    def facts(self) -> dict[str, Quantity]:
        """Every number of the file by its dotted path, in the order of the layout."""
        return dict(_quantities(self, ""))


def read_device_file(path: Path) -> DeviceFile:
    """The validated content of a device file.

    ValueError naming file, key and expectation when it cannot be read or breaks the layout.
    """
    try:
        file = read_table(DeviceFile, tomllib.loads(_text(path)))
        for key, quantity in file.facts().items():
            check_value(key, quantity.value)
        if "scalar" not in file.engines:
            raise ValueError("engines.scalar is missing: its startup_cycles pace the instruction issue of every core")
        for name, channel in file.channels.items():
            if strangers := sorted(set(channel.spaces) - set(file.shape.spaces)):
                raise ValueError(
                    f"channels.{name}.spaces names {quoted(strangers[0])}{nearest(strangers[0], file.shape.spaces)}; "
                    f"the spaces of this device are {', '.join(file.shape.spaces)}"
                )
    except OSError as error:
        raise ValueError(f"device file {path} cannot be read: {error.strerror}") from None
    except TableError as error:
        more = f"; and {len(error.faults) - _SHOWN} more" if len(error.faults) > _SHOWN else ""
        raise ValueError(f"device file {path}: {'; '.join(error.faults[:_SHOWN])}{more}") from None
    except RecursionError:
        raise ValueError(f"device file {path}: its values are nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"device file {path}: {error}") from None
    return file


def _text(path: Path) -> str:
    """The text of a file; ValueError for one that is no ordinary file, too large, or no UTF-8."""
    with open_regular(path) as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST} bytes, which no device file needs")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"it is no UTF-8 text (at byte {error.start})") from None


def changed(facts: Mapping[str, Quantity], changes: Mapping[str, float]) -> dict[str, Quantity]:
    """A copy of ``facts`` with some values set by the user, which makes them assumed.

    ValueError for a path that is not in ``facts`` and for a value that a device file could not hold.
    """
    if not isinstance(changes, Mapping):
        raise TypeError(f"changes is {quoted(changes)}; pass a mapping such as {{'channels.dram.gb_per_s': 600}}")
    new = dict(facts)
    for path, value in changes.items():
        require_known(path, facts)
        number = value.item() if isinstance(value, np.generic) else value
        check_value(path, number)
        new[path] = Quantity(value=number, kind="assumed", source="set by the user")
    return new


def require_known(path: str, facts: Mapping[str, Quantity]) -> None:
    """ValueError that names the nearest path, unless ``path`` is one of ``facts``."""
    if not isinstance(path, str) or path not in facts:
        near = get_close_matches(path[:_SENSIBLE] if isinstance(path, str) else "", facts, n=1, cutoff=0.0)[0]
        raise ValueError(f"there is no number {quoted(path)} here; the nearest name is {near!r}")


def nearest(name: str, names: Iterable[str]) -> str:
    """A phrase with the name most like a misspelt one; "" when none is."""
    near = get_close_matches(name[:_SENSIBLE], list(names), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def check_value(path: str, value: object) -> None:
    """ValueError that says what the number at ``path`` must be, unless ``value`` is that."""
    may_be_zero = path.rpartition(".")[2] in _MAY_BE_ZERO
    expected = f"a finite number, {'zero or more' if may_be_zero else 'above zero'}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value > _MOST or 0 < value < _LEAST:
            expected += f", from {_LEAST:g} to {_MOST:g}"
        elif path.startswith("shape.") and value == value and value >= 0 and value != int(value):
            expected = "a whole number"
        elif path.endswith(".efficiency") and value > 1:
            expected = "a share, above zero and at most 1"
        elif value > 0 or (value == 0 and may_be_zero):
            return
    raise ValueError(f"{path} must be {expected}, not {quoted(value)}")


def _quantities(table: Any, prefix: str) -> Iterable[tuple[str, Quantity]]:
    for key, entry in entries(table):
        if isinstance(entry, Quantity):
            yield prefix + key, entry
        elif isinstance(entry, Mapping) or is_dataclass(entry):
            yield from _quantities(entry, f"{prefix}{key}.")
