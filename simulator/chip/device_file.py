"""Device files: the TOML layout, its validation, and the numbers in it with their sources.

Every number is a `Quantity`. Its dotted path in the file (``channels.dram.gb_per_s``) is its name
everywhere: in ``facts``, in ``replace`` and in messages.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from ..files import open_regular
from ..text import quoted

Kind = Literal["measured", "documented", "derived", "fitted", "assumed"]
Scope = Literal["device", "cluster", "core"]

#: Costs and counts that may be zero; every other number divides something or must exist.
_MAY_BE_ZERO = frozenset(
    [
        "startup_cycles",
        "part_cycles",
        "dependent_cycles",
        "latency_ns",
        "write_latency_ns",
        "overhead_us",
        "host_us",
        "task_us",
        "reserved",
        "memory_cores_per_cluster",
        "memory_core_stores",
        "memory_core_task",
    ]
)
#: Beyond these a number is a slip, and times made of it are no numbers any more.
_LEAST, _MOST = 1e-12, 1e30
#: Bytes that an access of a memory has at most.
MOST_GRANULE = 1 << 12
#: A factor by which a number may be off at most.
LARGEST_SPREAD = 100
#: Bytes of a device file; the built-in ones have less than 10,000.
_LARGEST = 1 << 20
#: Faults of a file that a message names, and characters of a path that is compared with the known ones.
_SHOWN, _SENSIBLE = 8, 100


#: The spread of a number whose file gives none, by how it is known: what is written down counts as it stands, what is
#: computed rests on a reading of it, what is not published may be half or double.
SPREADS: dict[Kind, float] = {"measured": 1.0, "documented": 1.0, "derived": 1.1, "fitted": 2.0, "assumed": 2.0}

#: What a number looks like in a message.
EXAMPLE = ' such as { value = 1, kind = "assumed", source = "why" }'
#: Calls what raises where something is wrong, unless it is known that it raises nothing for a text.
Once = Callable[[str, Callable[[], None]], None]


@dataclass(frozen=True)
class Quantity:
    """A number and its source in words: where it is written, the arithmetic (derived), the reason (assumed), or by
    which table of measured times it was found, and with which error (fitted).

    ``spread`` is the factor within which it lies of its value with the odds of one standard deviation, None where the
    file does not say (`spread_of`). Numbers that were fitted together have ``loadings`` in its place: by how much their
    logarithm moves with each of the draws that all of them share.
    """

    value: int | float
    kind: Kind
    source: str
    spread: float | None = None
    loadings: tuple[float, ...] = ()


def spread_of(quantity: Quantity) -> float:
    """The factor within which a number lies of its value with the odds of one standard deviation."""
    if quantity.loadings:
        return math.exp(math.hypot(*quantity.loadings))
    return SPREADS[quantity.kind] if quantity.spread is None else quantity.spread


@dataclass(frozen=True)
class DeviceFile:
    """What a device file says; devices of one ``family`` have the chip in common, and so what is fitted of it.

    ``facts`` are all numbers by their dotted paths, in the order of the file; ``scopes`` are those of the spaces;
    ``wiring`` is scope and spaces of each channel.
    """

    name: str
    title: str
    isa: str
    family: str
    facts: dict[str, Quantity]
    engines: tuple[str, ...]
    scopes: dict[str, Scope]
    wiring: dict[str, tuple[Scope, tuple[str, ...]]]


def read_device_file(path: Path, once: Once = lambda key, validate: validate()) -> DeviceFile:
    """The validated content of a device file; ``once`` may know that a text has been found right before.

    ValueError naming file, key and expectation of each fault when it cannot be read or breaks the layout.
    """
    try:
        text = _text(path)
        data = tomllib.loads(text)
        ours = [file.read_text(encoding="utf-8") for file in (Path(__file__), Path(__file__).with_name("layout.py"))]
        once("\0".join([*ours, text]), lambda: _validate(data))
    except OSError as error:
        raise ValueError(f"device file {path} cannot be read: {error.strerror}") from None
    except RecursionError:
        raise ValueError(f"device file {path}: its values are nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"device file {path}: {error}") from None
    return DeviceFile(
        data["name"], data["title"], data["isa"], data.get("family", ""),
        {
            key: Quantity(**{**table, "loadings": tuple(table.get("loadings", ()))}) for key, table in numbers(data)
        },
        tuple(data["engines"]),
        {name: space["scope"] for name, space in data["shape"]["spaces"].items()},
        {name: (channel["scope"], tuple(channel["spaces"])) for name, channel in data["channels"].items()},
    )  # fmt: skip


def _validate(data: Mapping[str, Any]) -> None:
    """ValueError with all that is wrong in a device file."""
    from .layout import faults  # pydantic takes longer to import than all else that reads a file

    if found := faults(data):
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise ValueError(f"{'; '.join(found[:_SHOWN])}{more}")


def numbers(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The numbers of a table and of those in it, with their sources, by their dotted paths."""
    for key, entry in table.items():
        if isinstance(entry, dict):
            if "value" in entry and not isinstance(entry["value"], dict):
                yield prefix + key, entry
            else:
                yield from numbers(entry, f"{prefix}{key}.")


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
    import numpy as np  # who reads a file need not wait for it

    new = dict(facts)
    for path, value in changes.items():
        require_known(path, facts)
        number = value.item() if isinstance(value, np.generic) else value
        check_value(path, number)
        new[path] = Quantity(value=number, kind="assumed", source="set by the user", spread=1.0)
    return new


def require_known(path: str, facts: Mapping[str, Quantity]) -> None:
    """ValueError that names the nearest path, unless ``path`` is one of ``facts``."""
    if not isinstance(path, str) or path not in facts:
        near = get_close_matches(path[:_SENSIBLE] if isinstance(path, str) else "", facts, n=1, cutoff=0.0)[0]
        raise ValueError(f"there is no number {quoted(path)} here; the nearest name is {near!r}")


def check_value(path: str, value: object) -> None:
    """ValueError that says what the number at ``path`` must be, unless ``value`` is that."""
    may_be_zero = path.rpartition(".")[2] in _MAY_BE_ZERO
    expected = f"a finite number, {'zero or more' if may_be_zero else 'above zero'}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value > _MOST or 0 < value < _LEAST:
            expected += f", from {_LEAST:g} to {_MOST:g}"
        elif path.startswith("shape.") and value == value and value >= 0 and value != int(value):
            expected = "a whole number"
        elif path.endswith(".granule") and (value not in range(1, MOST_GRANULE + 1)):
            expected = f"a whole number of bytes, from 1 to {MOST_GRANULE}"
        elif path.endswith(".efficiency") and value > 1:
            expected = "a share, above zero and at most 1"
        elif path == "model.error" and not 1 <= value <= LARGEST_SPREAD:
            expected = f"a factor, from 1 to {LARGEST_SPREAD}"
        elif value > 0 or (value == 0 and may_be_zero):
            return
    raise ValueError(f"{path} must be {expected}, not {quoted(value)}")
